import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { auditContextOf } from '../../audit/audit.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { IdempotencyContext } from '../../idempotency/context.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import type { Caller } from '../../identity/caller.ts';
import { readId } from '../../lib/ids.ts';
import { lockContacts } from '../accounts/codes/contact-locks.ts';
import { hashContacts } from '../accounts/codes/hashes.ts';
import { EventParams, SeriesParams } from '../events/schemas.ts';
import type { InvitedTo } from './invited-dates.ts';
import { readInvitees } from './invitees.ts';
import { makeInvitations } from './make-invitations.ts';
import { MadeInvitations, maxInviteValues, NewInvitations } from './schemas.ts';
import type { InvitationServices } from './services.ts';

const common = {
  method: 'POST',
  caller: 'fresh',
  retry: 'idempotent',
  body: NewInvitations,
  limits: { maxBodyValues: 2 * maxInviteValues },
  response: { 201: MadeInvitations },
} as const;
const problems = [
  'self_relation',
  'user_not_found',
  'not_organizer',
  'event_cancelled',
  'event_over',
  'invitations_full',
  'quota_exceeded',
] as const;

export const invite = defineEndpoint({
  ...common,
  path: '/v1/events/:id/invitations',
  summary: 'Invite people',
  description:
    'For the organizer of the event and admins: up to 100 people, each an account (`userId`), a mail address, a phone number, or a ' +
    'link to pass on (a `name` alone). Who is invited already is not invited twice; a link is new each time. A mail or text tells ' +
    'the people, within the limits of the caller; beyond them it waits.',
  params: EventParams,
  problems: ['event_not_found', ...problems],

  handler: ({ caller, params, body, idempotency, request }, services: InvitationServices) =>
    inviteTo(services, caller, { request, idempotency }, body, () => ({
      subjectId: readId(params.id, 'event_not_found'),
      isOfSeries: false,
    })),
});

export const inviteToSeries = defineEndpoint({
  ...common,
  path: '/v1/series/:id/invitations',
  summary: 'Invite people to all dates of a series',
  description:
    'For the organizer of the series and admins, as to an event: who is invited sees all dates, and the answer is one to all coming dates ' +
    'and those that are made later.',
  params: SeriesParams,
  problems: ['series_not_found', ...problems],

  handler: ({ caller, params, body, idempotency, request }, services: InvitationServices) =>
    inviteTo(services, caller, { request, idempotency }, body, () => ({
      subjectId: readId(params.id, 'series_not_found'),
      isOfSeries: true,
    })),
});

type Requested = { request: FastifyRequest; idempotency: IdempotencyContext };

async function inviteTo(
  services: InvitationServices,
  caller: Caller,
  { request, idempotency }: Requested,
  body: Static<typeof NewInvitations>,
  readSubject: () => InvitedTo,
) {
  const { config, clock } = services;
  const invitees = readInvitees(body.people, { callerId: caller.id, now: clock() }, services);
  const to = readSubject();
  const contacts = invitees.flatMap(({ contact }) => contact ?? []);
  const context = auditContextOf(services, request);
  const wanted = { ...to, invitees, message: body.message || null, context };
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
}
