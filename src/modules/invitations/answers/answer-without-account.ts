/** Answers by the link of one person without an account. The first one that does not decline makes a guest. */
import type { FastifyRequest } from 'fastify';
import { recordChange } from '#fresh-records';
import { sql, type Transaction, transaction } from '#pg';
import { languageOf } from '../../../http/request-language.ts';
import type { IdempotencyContext } from '../../../idempotency/context.ts';
import type { IdempotencyKey, ReplayResponse } from '../../../idempotency/stored-responses.ts';
import { changedPeople } from '../../../identity/changed-people.ts';
import { findSuspension } from '../../../identity/suspensions.ts';
import { invalid, Problem } from '../../../lib/errors.ts';
import { type FoundGuest, insertGuest, lockGuest, renameGuest } from '../../accounts/guests.ts';
import { countDecline } from '../../attendance/rsvps/count-decline.ts';
import { findEvent } from '../../events/repo.ts';
import { openAnswerSession } from '../../guests/guest-sessions.ts';
import { orRepeated, refuseRepeated, storeRepeatable } from '../../guests/repeated-answer.ts';
import { lockOpenInvitation } from '../open-invitation.ts';
import { refuseAnswer } from '../refuse-answer.ts';
import type { InvitationRow } from '../repo.ts';
import { storeAnswer } from '../store-answer.ts';
import type { GivenAnswer } from './given-answer.ts';
import type { InvitationAnswered } from './schemas.ts';
import type { AnswerServices } from './services.ts';
import { answerInvitation } from './write-answer.ts';

/**
 * People are locked before invitations, so the guest of the invitation is locked as it was found. If another answer has made or
 * taken over the guest meanwhile, the transaction begins again. A key of a request is unique within the invitation, because
 * a first answer that declines has no person.
 * @throws Problem `invalid_request` at `name`, `invitation_not_found`, `feature_disabled`, `invitation_used`, and those of `answerInvitation`
 */
export async function answerWithoutAccount(
  services: AnswerServices,
  { request, idempotency }: Requested,
  invitation: InvitationRow,
  answer: GivenAnswer,
): Promise<InvitationAnswered | ReplayResponse> {
  if (answer.status !== 'declined') {
    if (invitation.guestId === null) requireName(invitation, answer);
    await services.flags.require('guestRsvp');
  }
  const key = idempotency.readKeyOf(invitation.inviterId, invitation.id);
  for (let known = invitation; ; ) {
    const outcome = await orRepeated(() =>
      transaction(services.db, async (tx) => {
        const answered = await answerOnce(tx, services, { request, key }, known, answer);
        if ('status' in answered) await storeRepeatable(tx, idempotency, key, answered, services.clock());
        return answered;
      }),
    );
    if (!('changed' in outcome)) return outcome;
    known = outcome.changed;
  }
}

type Requested = { request: FastifyRequest; idempotency: IdempotencyContext };
type KeyedRequest = { request: FastifyRequest; key: IdempotencyKey | null };

type Changed = { changed: InvitationRow };

async function answerOnce(
  tx: Transaction,
  services: AnswerServices,
  { request, key }: KeyedRequest,
  known: InvitationRow,
  answer: GivenAnswer,
): Promise<InvitationAnswered | Changed> {
  // The response is stored in the name of the inviter, whose account cannot end meanwhile.
  if (key) await tx.query(sql`select 1 from users where id = ${key.userId} for key share`);
  const guest = known.guestId === null ? null : await lockGuest(tx, known.guestId);
  const invitation = await lockOpenInvitation(tx, services, known);
  if (invitation.guestId !== known.guestId) return { changed: invitation };
  await refuseRepeated(tx, key, services.clock());
  const refusal = refuseAnswer(invitation, null);
  if (refusal) throw refusal;
  if (guest?.isSuspended)
    throw new Problem('account_suspended', { suspension: await findSuspension(tx, guest.id) });
  if (!guest && answer.status === 'declined') return await declineAsNobody(tx, services, invitation, answer);
  const id = await nameGuest(tx, services, request, { invitation, guest, answer });
  const event = await findEvent(tx, invitation.subjectId);
  if (!event) throw new Problem('invitation_not_found');
  const opened = await openAnswerSession(tx, services, request, { id, hasAccount: false, event });
  const answerer = { caller: opened.caller, role: 'user' as const };
  const written = await answerInvitation(tx, services, answerer, invitation, answer);
  await recordChange(tx, { records: [changedPeople([id])] });
  return { guestToken: opened.token, expiresAt: opened.endsAt, ...written };
}

/** The first answer declines: no guest is made. */
async function declineAsNobody(
  tx: Transaction,
  { clock }: AnswerServices,
  invitation: InvitationRow,
  answer: GivenAnswer,
): Promise<InvitationAnswered> {
  const eventId = invitation.subjectId;
  await storeAnswer(tx, invitation, null, { ...answer, extraGuests: 0 }, clock());
  if (invitation.status !== 'declined') await countDecline(tx, { eventId, personId: null }, clock());
  const event = await findEvent(tx, eventId);
  if (!event) throw new Problem('invitation_not_found');
  const nothing = { guestToken: null, expiresAt: null, user: null, myRsvp: null, myRequest: null };
  return { ...nothing, status: 'declined', rsvpCount: event.rsvpCount, claims: [], refused: [] };
}

/** The guest, with the name of the answer; a new one has the name that the organizer has entered, or that of the answer. */
async function nameGuest(
  tx: Transaction,
  services: AnswerServices,
  request: FastifyRequest,
  { invitation, guest, answer }: { invitation: InvitationRow; guest: FoundGuest | null; answer: GivenAnswer },
): Promise<string> {
  if (guest) {
    if (answer.name !== null && answer.name !== guest.name) await renameGuest(tx, guest.id, answer.name);
    return guest.id;
  }
  const name = requireName(invitation, answer);
  const language = await languageOf(services, request);
  const made = { eventId: invitation.subjectId, name, contact: null, language };
  return await insertGuest(tx, made, services.clock());
}

/** The name of the guest that an answer makes. @throws Problem `invalid_request` */
function requireName(invitation: InvitationRow, answer: GivenAnswer): string {
  const name = answer.name ?? invitation.name;
  if (name === null) throw invalid('name', 'is required', 'required');
  return name;
}
