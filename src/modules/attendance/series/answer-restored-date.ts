/** RSVPs at a cancelled date of a series that takes place again. */
import type { Transaction } from '#pg';
import type { RestoredDateHook } from '../../../http/define-module.ts';
import { approvePresent } from '../../events/event-people.ts';
import type { SeriesRsvp } from '../../events/series/series-rsvps.ts';
import { type FollowingAnswer, listActiveAnswers, writeFollowing } from '../rsvps/answers-of-series.ts';
import { type ExistingRsvp, findRsvps, lockRsvpEvents } from '../rsvps/repo.ts';

type RestoredDate = Parameters<RestoredDateHook>[1];

/**
 * Gives the date the RSVPs that answers to the series have made or changed while it was cancelled. Makes no notification. Right under
 * concurrency: an answer to the series at the same time either holds a lock of the event, so it is found here, or waits for the lock,
 * and finds the date scheduled.
 */
export const answerRestoredDate: RestoredDateHook = async (tx, date) => {
  for await (const answers of listActiveAnswers(tx, date.seriesId)) await answerDate(tx, date, answers);
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
  const following = answers.flatMap((answer, i): FollowingAnswer[] => {
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
  await writeFollowing(tx, event, following, now);
}

const isEqual = (rsvp: ExistingRsvp | null, { status, extraGuests }: SeriesRsvp): boolean =>
  rsvp?.status === status && rsvp.extraGuests === extraGuests;
