/** RSVPs at a cancelled date of a series that takes place again. */
import { minId } from '#base';
import type { Transaction } from '#pg';
import type { RestoredDateHook } from '../../../http/define-module.ts';
import { unchangedSummary } from '../../../outbox/summaries.ts';
import { approvePresent } from '../../events/event-people.ts';
import { listSeriesRsvps, type SeriesRsvp } from '../../events/series/series-rsvps.ts';
import { peopleAtOnce, withoutSuspended } from '../rsvps/answer-new-dates.ts';
import { moveOf } from '../rsvps/policy.ts';
import {
  type ExistingRsvp,
  findRsvps,
  lockRsvpEvents,
  moveRsvpCounters,
  upsertRsvpsOfSeries,
} from '../rsvps/repo.ts';

type RestoredDate = Parameters<RestoredDateHook>[1];

/**
 * Gives the date the RSVPs that answers to the series have made or changed while it was cancelled. Makes no notification. Right under
 * concurrency: who answers the series at the same time either holds a lock of the event, so the answer is found here, or waits for it,
 * and finds the date scheduled.
 */
export const answerRestoredDate: RestoredDateHook = async (tx, date) => {
  for (let after = minId; ; ) {
    const found = await listSeriesRsvps(tx, date.seriesId, { after, limit: peopleAtOnce });
    await answerDate(tx, date, await withoutSuspended(tx, found));
    const last = found.at(-1);
    if (!last || found.length < peopleAtOnce) break;
    after = last.userId;
  }
  if (date.fields.rsvpApproval === 'organizer') await tx.execute(approvePresent(date.eventId));
};

async function answerDate(tx: Transaction, date: RestoredDate, answers: SeriesRsvp[]): Promise<void> {
  const { eventId, organizerId, fields, now } = date;
  const event = answers.length === 0 ? null : (await lockRsvpEvents(tx, [eventId], true)).get(eventId);
  if (!event) return;
  const people = await findRsvps(
    tx,
    answers.map(({ userId }) => ({ eventId, userId })),
  );
  const isClosed = fields.rsvpUntil !== null && now > fields.rsvpUntil;
  const following = answers.flatMap((answer, i) => {
    const person = people[i];
    if (!person) return [];
    const { rsvp, standing, isAbsent } = person;
    const isOrganizer = answer.userId === organizerId;
    const mayCome = fields.visibility !== 'private' || isOrganizer || standing.isInvited;
    const isOwn = rsvp ? !rsvp.isOfSeries : isAbsent;
    if (isOwn || standing.isRemoved || !mayCome || (isClosed && !isOrganizer) || isEqual(rsvp, answer))
      return [];
    return [{ answer, before: rsvp }];
  });
  if (following.length === 0) return;
  const rows = following.map(({ answer }) => ({
    ...{ ...answer, eventId },
    ...{ isOfSeries: true as const, isUncounted: true },
  }));
  await tx.execute(upsertRsvpsOfSeries(rows, now));
  const sum = { eventId, rsvps: 0, going: 0, extraGuests: 0 };
  for (const { answer, before } of following) {
    const move = moveOf(before, answer);
    sum.rsvps += move.rsvps;
    sum.going += move.going;
    sum.extraGuests += move.extraGuests;
  }
  await tx.execute(moveRsvpCounters([{ ...sum, summary: unchangedSummary(event) }]));
}

const isEqual = (rsvp: ExistingRsvp | null, { status, extraGuests }: SeriesRsvp): boolean =>
  rsvp?.status === status && rsvp.extraGuests === extraGuests;
