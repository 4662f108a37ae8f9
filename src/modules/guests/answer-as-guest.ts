import type { FastifyRequest } from 'fastify';
import { recordChange } from '#fresh-records';
import { type Transaction, transaction } from '#pg';
import { type AuditContext, auditContextOf } from '../../audit/audit.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { languageOf } from '../../http/request-language.ts';
import { changedPeople } from '../../identity/changed-people.ts';
import { findSuspension } from '../../identity/suspensions.ts';
import type { MessageContact } from '../../lib/contact.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { findAccount } from '../accounts/accounts.ts';
import { checkProof } from '../accounts/codes/check-proof.ts';
import { hashContact } from '../accounts/codes/hashes.ts';
import { rememberNetwork } from '../accounts/codes/requesters.ts';
import { findGuest, findSuspendedGuest, insertGuest, renameGuest } from '../accounts/guests.ts';
import { readAsk } from '../attendance/requests/schemas.ts';
import { EventParams } from '../events/schemas.ts';
import { invitedIn, isVisibleTo, requireNotRemoved } from '../events/standings.ts';
import { InvitationHeaders } from '../invitations/open-invitation.ts';
import { toPerson } from '../people/present.ts';
import { listPeople } from '../people/repo.ts';
import { answerByInvitation } from './answer-by-invitation.ts';
import { type NewAnswer, readAnswer, requireClaims, writeAnswer } from './answers.ts';
import { openProof, readProof } from './contacts.ts';
import { type GuestEvent, requireGuestEvent } from './guest-event.ts';
import { hasForgotten, openAnswerSession } from './guest-sessions.ts';
import { findRepeated, orRepeated, storeRepeatable } from './repeated-answer.ts';
import { GuestAnswer, GuestSession } from './schemas.ts';
import type { GuestServices } from './services.ts';

export const answerAsGuest = defineEndpoint({
  method: 'POST',
  path: '/v1/events/:id/guest-rsvp',
  summary: 'Answer without an account',
  description:
    'Makes a guest of the owner of the contact, or changes the answer of the guest that has it, and makes the RSVP and the claims ' +
    'as POST /v1/events/{id}/rsvp and POST /v1/items/{id}/claim do; a claim that is refused undoes nothing. Before this, nothing ' +
    'is stored and no other person sees the answer. A code is used up by success, and by wrong tries.\n\n' +
    'The contact of an account results in a 409 `account_exists` with its `user`, and with `asAccount: true` the answer is that of ' +
    'the account. Without `name` and `status`, a guest of this event gets a token again, also after the event.',
  caller: 'none',
  retry: 'idempotent',
  params: EventParams,
  headers: InvitationHeaders,
  body: GuestAnswer,
  response: { 200: GuestSession },
  problems: [
    'event_not_found',
    'invitation_not_found',
    'not_invited',
    'invitation_used',
    'link_used_up',
    'module_disabled',
    'feature_disabled',
    'wrong_code',
    'too_many_tries',
    'guest_not_found',
    'removed_from_event',
    'account_suspended',
    'account_exists',
    'event_cancelled',
    'event_over',
    'rsvp_closed',
    'approval_required',
    'request_refused',
  ],

  async handler({ params, body, request, idempotency }, services: GuestServices) {
    const answer = readBody(body);
    const given = readProof(body, services);
    const id = readId(params.id, 'event_not_found');
    // Links are those of mails.
    const target = await requireGuestEvent(services, request, id, given.contact?.kind ?? 'email');
    const proof = openProof(given, id, services);
    const context = auditContextOf(services, request);
    const { contact } = proof;
    const now = services.clock();
    const outcome = await orRepeated(() =>
      transaction(services.db, async (tx) => {
        const use = { purpose: 'guest' as const, eventId: id };
        const refusal = await checkProof(tx, services, context, { request, proof, use });
        if (refusal?.code === 'too_many_tries') return refusal;
        const reused = await findRepeated(tx, idempotency, { eventId: id, contact, now });
        // A refusal is returned: the commit counts the wrong code. Later refusals are thrown, and the code stays valid.
        if (refusal) return reused ?? refusal;
        if (reused) throw reused;
        const session = await answerIn(tx, services, { context, request, contact, answer, ...target });
        await storeRepeatable(tx, idempotency, idempotency.readKeyOf(session.user.id), session, now);
        return session;
      }),
    );
    if (outcome instanceof Problem) throw outcome;
    return 'json' in outcome ? outcome : { status: 200, body: outcome };
  },
});

/** `rsvp`: null for a guest who only gets a token again. */
type Answer = { asAccount: boolean; rsvp: (NewAnswer & { name: string }) | null };

/** @throws Problem `invalid_request` by the rules between fields */
function readBody(given: GuestAnswer): Answer {
  const { name, status, extraGuests = null, asAccount = false } = given;
  if (status === undefined || name === undefined) {
    if (name !== undefined) throw invalid('status', 'is required with name', 'required');
    const [path] = (['status', 'extraGuests', 'claims', 'ask', 'message'] as const).filter(
      (field) => given[field] !== undefined,
    );
    if (path) throw invalid('name', `is required with ${path}`, 'required');
    return { asAccount, rsvp: null };
  }
  return {
    asAccount,
    rsvp: { name, status, extraGuests, claims: requireClaims(given, status), ask: readAsk(given) },
  };
}

type Given = GuestEvent & {
  context: AuditContext;
  request: FastifyRequest;
  contact: MessageContact;
  answer: Answer;
};

/**
 * Answers in the name of the owner of a contact, whose code is right. Locks the contact, the person, the event and the items, in
 * this order, as writes with a session do: so two answers of one contact run one after the other, a removed event refuses both,
 * and no item is claimed beyond its stock.
 */
async function answerIn(tx: Transaction, services: GuestServices, given: Given): Promise<GuestSession> {
  const { context, request, contact, event, opened, answer } = given;
  const { config, clock } = services;
  const now = clock();
  await rememberNetwork(tx, context, hashContact(config.secretKey, contact), request.ip);
  const person = await findOrMakePerson(tx, services, given);
  // The job that erases guests has not run yet.
  if (!answer.rsvp && hasForgotten(event, now)) throw new Problem('guest_not_found');
  const session = await openAnswerSession(tx, services, request, { ...person, event });
  const answerer = { caller: session.caller, role: 'user' as const };
  if (opened?.invitation && answer.rsvp)
    await answerByInvitation(tx, services, opened.invitation, { person, contact, answer: answer.rsvp });
  const refused = answer.rsvp
    ? await writeAnswer(tx, services, answerer, { eventId: event.id, answer: answer.rsvp })
    : [];
  const current = await readAnswer(tx, services, { eventId: event.id, userId: person.id });
  if (answer.rsvp && current.event.endAt <= now) throw new Problem('event_over');
  if (answer.rsvp && !person.hasAccount) await recordChange(tx, { records: [changedPeople([person.id])] });
  return { guestToken: session.token, expiresAt: session.endsAt, ...current.written, refused };
}

/**
 * The person who owns the contact: the guest of the event, a new one, or the account.
 * @throws Problem `account_suspended`, `account_exists`, `guest_not_found`, `removed_from_event`; `event_not_found` for a person who
 *   does not see the event, with the token of a mail to its guests
 */
async function findOrMakePerson(
  tx: Transaction,
  services: GuestServices,
  { contact, event, opened, request, answer: { asAccount, rsvp } }: Given,
): Promise<{ id: string; hasAccount: boolean }> {
  const isSeenByAll = event.visibility !== 'private' || opened?.invitation != null;
  const account = await findAccount(tx, contact);
  if (account) {
    if (account.isSuspended)
      throw new Problem('account_suspended', { suspension: await findSuspension(tx, account.id) });
    await requireNotRemoved(tx, { eventId: event.id, userId: account.id });
    const viewer = { id: account.id, role: 'user' as const };
    if (!isSeenByAll && !(await isVisibleTo(invitedIn(tx), event.id, event, viewer)))
      throw new Problem('event_not_found');
    if (asAccount && rsvp) return { id: account.id, hasAccount: true };
    const [user] = await listPeople(tx, [account.id]);
    throw new Problem('account_exists', { user: user && toPerson(user, services.config.publicUrl) });
  }
  const suspended = await findSuspendedGuest(tx, contact);
  if (suspended) throw new Problem('account_suspended', { suspension: await findSuspension(tx, suspended) });
  const guest = await findGuest(tx, event.id, contact);
  if (!guest && !rsvp) throw new Problem('guest_not_found');
  if (guest) {
    await requireNotRemoved(tx, { eventId: event.id, userId: guest.id });
    if (rsvp && rsvp.name !== guest.name) await renameGuest(tx, guest.id, rsvp.name);
    return { id: guest.id, hasAccount: false };
  }
  if (!isSeenByAll) throw new Problem('event_not_found');
  const language = await languageOf(services, request);
  const made = { eventId: event.id, name: rsvp?.name ?? '', contact, language };
  return { id: await insertGuest(tx, made, services.clock()), hasAccount: false };
}
