/** RSVPs to a series, and the RSVPs at one of its dates that they become without an answer of the people. */
import { minId } from '#base';
import { isOneOf, sql, type Transaction } from '#pg';
import { unchangedSummary } from '../../../outbox/summaries.ts';
import { listSeriesRsvps, type SeriesRsvp } from '../../events/series/series-rsvps.ts';
import { moveOf } from './policy.ts';
import { type ExistingRsvp, moveRsvpCounters, upsertRsvpsOfSeries } from './repo.ts';

/** People whose RSVPs are read and written at once. */
const peopleAtOnce = 1_000;

/** Reads the RSVPs to a series in parts, without those of suspended people. */
export async function* listActiveAnswers(tx: Transaction, seriesId: string): AsyncGenerator<SeriesRsvp[]> {
  for (let after = minId; ; ) {
    const found = await listSeriesRsvps(tx, seriesId, { after, limit: peopleAtOnce });
    yield await withoutSuspended(tx, found);
    const last = found.at(-1);
    if (!last || found.length < peopleAtOnce) return;
    after = last.userId;
  }
}

async function withoutSuspended(tx: Transaction, answers: SeriesRsvp[]): Promise<SeriesRsvp[]> {
  if (answers.length === 0) return [];
  const ids = answers.map(({ userId }) => userId);
  const active = await tx.query<{ id: string }>(
    sql`select id from users where ${isOneOf(sql`id`, ids)} and suspended_at is null`,
  );
  const activeIds = new Set(active.map(({ id }) => id));
  return answers.filter(({ userId }) => activeIds.has(userId));
}

/** `before`: the RSVP of the person at the date; null without one. */
export type FollowingAnswer = { answer: SeriesRsvp; before: ExistingRsvp | null };

/** Writes the RSVPs at a date, and its counters. The organizer is not notified. */
export async function writeFollowing(
  tx: Transaction,
  date: { eventId: string } & Parameters<typeof unchangedSummary>[0],
  following: FollowingAnswer[],
  now: Date,
): Promise<void> {
  if (following.length === 0) return;
  const { eventId } = date;
  const rows = following.map(({ answer }) => ({
    ...{ ...answer, eventId },
    ...{ isOfSeries: true as const, isUncounted: true },
  }));
  await tx.execute(upsertRsvpsOfSeries(rows, now));
  const moves = following.map(({ answer, before }) => moveOf(before, answer));
  const sum = (name: 'rsvps' | 'going' | 'extraGuests') =>
    moves.reduce((total, move) => total + move[name], 0);
  const summary = unchangedSummary(date);
  await tx.execute(
    moveRsvpCounters([
      { eventId, rsvps: sum('rsvps'), going: sum('going'), extraGuests: sum('extraGuests'), summary },
    ]),
  );
}
