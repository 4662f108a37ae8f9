/** Answers by invitations to series, in the transaction that has locked the person. */
import { isOneOf, sql, type Transaction } from '#pg';
import { Problem } from '../../../lib/errors.ts';
import { findRequests } from '../../attendance/requests/repo.ts';
import { countDecline } from '../../attendance/rsvps/count-decline.ts';
import { writeSeriesAnswer } from '../../attendance/series/answer-series.ts';
import { endSeriesRequest } from '../../attendance/series/series-requests.ts';
import { findSeriesStanding } from '../../events/series/series-people.ts';
import { findSeriesRsvp } from '../../events/series/series-rsvps.ts';
import { type Answerer, lockOwnAnswers, readAnswer } from '../../guests/answers.ts';
import { findShownDate } from '../invited-dates.ts';
import { type InvitationRow, isForMany } from '../repo.ts';
import { storeAccepted, storeAnswer } from '../store-answer.ts';
import type { GivenAnswer, WrittenAnswer } from './given-answer.ts';
import type { AnswerServices } from './services.ts';

/**
 * Writes the answer of a person by an invitation to a series that the transaction has locked: it is the RSVP to the series. `rsvpCount`
 * is that of the next date.
 * @throws Problem `link_used_up`, `removed_from_event`, `event_cancelled`, `event_over`
 */
export async function answerSeriesInvitation(
  tx: Transaction,
  services: AnswerServices,
  answerer: Answerer,
  invitation: InvitationRow,
  given: GivenAnswer,
): Promise<WrittenAnswer> {
  const { subjectId: seriesId } = invitation;
  const now = services.clock();
  const shown = await findShownDate(tx, seriesId, now);
  if (shown === null) throw new Problem('invitation_not_found');
  const coming = await tx.query<ComingDate>(sql`
    select id, status from events where series_id = ${seriesId} and end_at > ${now} order by start_at, id`);
  const { status } = given;
  if (status === 'declined') await decline(tx, services, answerer, invitation, { given, coming, shown });
  else await accept(tx, services, answerer, invitation, { given: { ...given, status }, coming });
  const { written } = await readAnswer(tx, services, { eventId: shown, userId: answerer.caller.id });
  const myRsvp = status === 'declined' ? null : status;
  return { ...written, myRsvp, myRequest: null, claims: [], status, refused: [] };
}

type ComingDate = { id: string; status: 'scheduled' | 'cancelled' };

async function accept(
  tx: Transaction,
  services: AnswerServices,
  { caller, role }: Answerer,
  invitation: InvitationRow,
  { given, coming }: { given: GivenAnswer & { status: 'going' | 'interested' }; coming: ComingDate[] },
): Promise<void> {
  const { subjectId: seriesId } = invitation;
  const now = services.clock();
  const before = await findSeriesRsvp(tx, seriesId, caller.id);
  if ((await findSeriesStanding(tx, seriesId, caller.id)).isRemoved) throw new Problem('removed_from_event');
  const extraGuests = given.extraGuests ?? before?.extraGuests ?? 0;
  const isRepeated = before?.status === given.status && extraGuests <= before.extraGuests;
  if (!isRepeated && coming.length === 0) throw new Problem('event_over');
  if (!isRepeated && coming.every(({ status }) => status === 'cancelled'))
    throw new Problem('event_cancelled');
  await storeAccepted(tx, invitation, caller, { ...given, extraGuests }, now);
  const [request] = await findRequests(tx, seriesId, [caller.id]);
  const comingIds = coming.map(({ id }) => id);
  if (request && request.status !== 'approved') await endSeriesRequest(tx, request, { locked: comingIds });
  const person = { series: { id: seriesId }, coming: comingIds, before, caller: { ...caller, role } };
  await writeSeriesAnswer(tx, services, person, { status: given.status, extraGuests }, now);
}

/** Ends the RSVP to the series, and the claims, bookings and places in waitlists of the dates whose RSVPs came from it. */
async function decline(
  tx: Transaction,
  services: AnswerServices,
  { caller, role }: Answerer,
  invitation: InvitationRow,
  { given, coming, shown }: { given: GivenAnswer; coming: ComingDate[]; shown: string },
): Promise<void> {
  const { subjectId: seriesId } = invitation;
  const now = services.clock();
  const before = await findSeriesRsvp(tx, seriesId, caller.id);
  const comingIds = coming.map(({ id }) => id);
  const dates = await listFollowing(tx, comingIds, caller.id);
  const claimed = await lockOwnAnswers(
    tx,
    comingIds.map((eventId) => ({ eventId, userId: caller.id })),
  );
  if (!isForMany(invitation)) await storeAnswer(tx, invitation, caller, { ...given, extraGuests: 0 }, now);
  if (invitation.status !== 'declined') await countDecline(tx, { eventId: shown, personId: caller.id }, now);
  const person = { series: { id: seriesId }, coming: comingIds, before, caller: { ...caller, role } };
  if (before) await writeSeriesAnswer(tx, services, person, { status: null }, now);
  if (dates.length === 0) return;
  // Without a booking, it is refused, which changes nothing.
  const cancellations = dates.map((eventId) => ({ kind: 'cancel' as const, eventId, caller }));
  await services.bookings.applyIn(tx, role, cancellations);
  const removals = claimed
    .filter(({ eventId }) => dates.includes(eventId))
    .map((item) => ({ kind: 'remove' as const, item, caller }));
  if (removals.length > 0) await services.claims.applyIn(tx, role, removals);
}

/** Of some dates, those where the RSVP of a person came from the one to the series. */
async function listFollowing(tx: Transaction, eventIds: string[], userId: string): Promise<string[]> {
  if (eventIds.length === 0) return [];
  const found = await tx.query<{ eventId: string }>(sql`
    select event_id from rsvps where ${isOneOf(sql`event_id`, eventIds)} and user_id = ${userId} and is_of_series`);
  return found.map(({ eventId }) => eventId);
}
