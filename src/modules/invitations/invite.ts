import { auditContextOf } from '../../audit/audit.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import { readId } from '../../lib/ids.ts';
import { lockContacts } from '../accounts/codes/contact-locks.ts';
import { hashContacts } from '../accounts/codes/hashes.ts';
import { EventParams } from '../events/schemas.ts';
import { readInvitees } from './invitees.ts';
import { makeInvitations } from './make-invitations.ts';
import { MadeInvitations, maxInviteValues, NewInvitations } from './schemas.ts';
import type { InvitationServices } from './services.ts';

export const invite = defineEndpoint({
  method: 'POST',
  path: '/v1/events/:id/invitations',
  summary: 'Invite people',
  description:
    'For the organizer of the event and admins: up to 100 people, each an account (`userId`), a mail address, a phone number, or a ' +
    'link to pass on (a `name` alone). Who is invited already is not invited twice; a link is new each time. A mail or text tells ' +
    'the people, within the limits of the caller; beyond them it waits.',
  caller: 'fresh',
  retry: 'idempotent',
  params: EventParams,
  body: NewInvitations,
  limits: { maxBodyValues: 2 * maxInviteValues },
  response: { 201: MadeInvitations },
  problems: [
    'self_relation',
    'event_not_found',
    'user_not_found',
    'not_organizer',
    'event_cancelled',
    'event_over',
    'invitations_full',
    'quota_exceeded',
  ],

  async handler({ caller, params, body, idempotency, request }, services: InvitationServices) {
    const { config, clock } = services;
    const invitees = readInvitees(body.people, { callerId: caller.id, now: clock() }, services);
    const subjectId = readId(params.id, 'event_not_found');
    const contacts = invitees.flatMap(({ contact }) => contact ?? []);
    const context = auditContextOf(services, request);
    const wanted = { subjectId, invitees, message: body.message || null, context };
    return runIdempotent(
      services,
      caller,
      idempotency,
      async (tx, caller) => ({
        status: 201 as const,
        body: await makeInvitations(tx, services, caller, wanted),
      }),
      // Of an account that confirms a contact meanwhile, either this transaction or the other one sees that it is invited.
      (tx) => lockContacts(tx, hashContacts(config.secretKey, contacts)),
    );
  },
});
