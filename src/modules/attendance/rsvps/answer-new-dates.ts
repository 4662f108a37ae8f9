/** RSVPs at new dates of a series, of the people who have answered the series. */
import { minId } from '#base';
import { isOneOf, sql, type Transaction } from '#pg';
import { unchangedSummary } from '../../../outbox/summaries.ts';
import { approvePresent } from '../../events/event-people.ts';
import type { Series } from '../../events/series/repo.ts';
import { decideNewDates, listSeriesPeople } from '../../events/series/series-people.ts';
import { listSeriesRsvps, type SeriesRsvp } from '../../events/series/series-rsvps.ts';
import { moveOf } from './policy.ts';
import { moveRsvpCounters, upsertRsvpsOfSeries } from './repo.ts';

type NewDate = { id: string; rsvpUntil: Date | null };

/** People whose RSVPs are read and written at once. */
export const peopleAtOnce = 1_000;

/**
 * Gives new dates of a series what was decided about people there, and the RSVPs of those who have answered it, except suspended
 * people. Makes no notification. The transaction must hold the lock of the series, which excludes answers to it and the deletion of
 * accounts that have answered it.
 */
export async function answerNewDates(
  tx: Transaction,
  series: Pick<Series, 'id' | 'organizerId' | 'fields'>,
  dates: NewDate[],
  now: Date,
): Promise<void> {
  const ids = dates.map(({ id }) => id);
  const people = await listSeriesPeople(tx, series.id);
  if (people.length > 0) await decideNewDates(tx, series.id, ids);
  const invited = new Set(people.flatMap(({ userId, isInvited }) => (isInvited ? [userId] : [])));
  const mayCome = ({ userId }: SeriesRsvp) =>
    series.fields.visibility !== 'private' || userId === series.organizerId || invited.has(userId);
  for (let after = minId; ; ) {
    const found = await listSeriesRsvps(tx, series.id, { after, limit: peopleAtOnce });
    const answers = await withoutSuspended(tx, found.filter(mayCome));
    for (const date of dates) await answerDate(tx, series, date, answers, now);
    const last = found.at(-1);
    if (!last || found.length < peopleAtOnce) break;
    after = last.userId;
  }
  if (series.fields.rsvpApproval === 'organizer') for (const id of ids) await tx.execute(approvePresent(id));
}

/** The answers of people who are not suspended. */
export async function withoutSuspended(tx: Transaction, answers: SeriesRsvp[]): Promise<SeriesRsvp[]> {
  if (answers.length === 0) return [];
  const ids = answers.map(({ userId }) => userId);
  const active = await tx.query<{ id: string }>(
    sql`select id from users where ${isOneOf(sql`id`, ids)} and suspended_at is null`,
  );
  const activeIds = new Set(active.map(({ id }) => id));
  return answers.filter(({ userId }) => activeIds.has(userId));
}

async function answerDate(
  tx: Transaction,
  { organizerId }: Pick<Series, 'organizerId'>,
  { id: eventId, rsvpUntil }: NewDate,
  all: SeriesRsvp[],
  now: Date,
): Promise<void> {
  const isClosed = rsvpUntil !== null && now > rsvpUntil;
  const answers = all.filter(({ userId }) => !isClosed || userId === organizerId);
  if (answers.length === 0) return;
  const rows = answers.map((answer) => ({
    ...{ ...answer, eventId },
    ...{ isOfSeries: true as const, isUncounted: true },
  }));
  await tx.execute(upsertRsvpsOfSeries(rows, now));
  const moves = answers.map((answer) => moveOf(null, answer));
  const sum = (name: 'rsvps' | 'going' | 'extraGuests') =>
    moves.reduce((total, move) => total + move[name], 0);
  const summary = unchangedSummary({ unread: 0, notificationId: null, personId: null });
  await tx.execute(
    moveRsvpCounters([
      { eventId, rsvps: sum('rsvps'), going: sum('going'), extraGuests: sum('extraGuests'), summary },
    ]),
  );
}
