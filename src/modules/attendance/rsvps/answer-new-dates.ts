/** RSVPs at new dates of a series, of the people who have answered the series. */
import type { Transaction } from '#pg';
import { approvePresent } from '../../events/event-people.ts';
import type { Series } from '../../events/series/repo.ts';
import { decideNewDates, listSeriesPeople } from '../../events/series/series-people.ts';
import type { SeriesRsvp } from '../../events/series/series-rsvps.ts';
import { listActiveAnswers, writeFollowing } from './answers-of-series.ts';

type NewDate = { id: string; rsvpUntil: Date | null };

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
  for await (const answers of listActiveAnswers(tx, series.id)) {
    const ofGuests = answers.filter(mayCome);
    for (const date of dates) await answerDate(tx, series, date, ofGuests, now);
  }
  if (series.fields.rsvpApproval === 'organizer') for (const id of ids) await tx.execute(approvePresent(id));
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
  const date = { eventId, unread: 0, notificationId: null, personId: null };
  const following = answers.map((answer) => ({ answer, before: null }));
  await writeFollowing(tx, date, following, now);
}
