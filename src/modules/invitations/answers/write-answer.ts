/** Answers by invitations, in the transaction that has locked the person. */
import type { Transaction } from '#pg';
import { Problem } from '../../../lib/errors.ts';
import { countDecline } from '../../attendance/rsvps/count-decline.ts';
import { findEvent } from '../../events/repo.ts';
import { listViewerStatesOfRecords } from '../../events/viewer-states.ts';
import { type Answerer, endAnswer, type NewAnswer, readAnswer, writeAnswer } from '../../guests/answers.ts';
import { type InvitationRow, isForMany } from '../repo.ts';
import { storeAccepted, storeAnswer } from '../store-answer.ts';
import type { GivenAnswer, WrittenAnswer } from './given-answer.ts';
import type { AnswerServices } from './services.ts';
import { answerSeriesInvitation } from './write-series-answer.ts';

/**
 * Writes the answer of a person by an invitation that the transaction has locked.
 * @throws Problem `link_used_up`, `event_over`, and those by which an RSVP is refused
 */
export async function answerInvitation(
  tx: Transaction,
  services: AnswerServices,
  answerer: Answerer,
  invitation: InvitationRow,
  given: GivenAnswer,
): Promise<WrittenAnswer> {
  if (invitation.isOfSeries) return answerSeriesInvitation(tx, services, answerer, invitation, given);
  const key = { eventId: invitation.subjectId, userId: answerer.caller.id };
  const refused =
    given.status === 'declined'
      ? await decline(tx, services, answerer, invitation, given)
      : await accept(tx, services, answerer, invitation, { ...given, status: given.status });
  const { written } = await readAnswer(tx, services, key);
  return { ...written, status: given.status, refused };
}

async function accept(
  tx: Transaction,
  services: AnswerServices,
  answerer: Answerer,
  invitation: InvitationRow,
  given: GivenAnswer & NewAnswer,
) {
  const now = services.clock();
  const key = { eventId: invitation.subjectId, userId: answerer.caller.id };
  const [[before], event] = await Promise.all([
    listViewerStatesOfRecords(tx, [key]),
    findEvent(tx, key.eventId),
  ]);
  const extraGuests = given.extraGuests ?? before?.myExtraGuests ?? 0;
  const isRepeated = before?.myRsvp === given.status && extraGuests <= before.myExtraGuests;
  await storeAccepted(tx, invitation, answerer.caller, { ...given, extraGuests }, now);
  const refused = await writeAnswer(tx, services, answerer, { eventId: key.eventId, answer: given });
  if (event && event.endAt <= now && !isRepeated) throw new Problem('event_over');
  return refused;
}

async function decline(
  tx: Transaction,
  services: AnswerServices,
  answerer: Answerer,
  invitation: InvitationRow,
  given: GivenAnswer,
) {
  const now = services.clock();
  await endAnswer(tx, services, answerer, invitation.subjectId);
  if (!isForMany(invitation))
    await storeAnswer(tx, invitation, answerer.caller, { ...given, extraGuests: 0 }, now);
  if (invitation.status !== 'declined')
    await countDecline(tx, { eventId: invitation.subjectId, personId: answerer.caller.id }, now);
  return [];
}
