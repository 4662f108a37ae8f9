import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { ContactKind } from '../../../lib/contact.ts';
import { meResponse } from '../profile/present.ts';
import { Me } from '../profile/schemas.ts';
import type { AccountServices } from '../services.ts';
import { removeContact } from './change-contacts.ts';
import { ContactRemoval } from './schemas.ts';

const common = {
  method: 'DELETE',
  caller: 'fresh',
  description:
    'It is told of the removal, and another contact of the account in place of an identity. Refused with a 409 `last_sign_in` if ' +
    'the account has no other contact with which people sign in on this server. Without a contact of this kind, nothing changes.',
  query: ContactRemoval,
  response: { 200: Me },
  problems: ['confirmation_required', 'wrong_code', 'too_many_tries', 'last_sign_in'],
} as const;

export const removeEmail = defineEndpoint({
  ...common,
  path: '/v1/me/email',
  summary: 'Remove the mail address of your account',

  handler: ({ caller, query, request }, services: AccountServices) =>
    remove(services, request, caller, 'email', query),
});

export const removeIdentity = defineEndpoint({
  ...common,
  path: '/v1/me/oidc',
  summary: 'Unlink the identity of your account',

  handler: ({ caller, query, request }, services: AccountServices) =>
    remove(services, request, caller, 'oidc', query),
});

export const removePhone = defineEndpoint({
  ...common,
  path: '/v1/me/phone',
  summary: 'Remove the phone number of your account',

  handler: ({ caller, query, request }, services: AccountServices) =>
    remove(services, request, caller, 'phone', query),
});

async function remove(
  services: AccountServices,
  request: FastifyRequest,
  caller: Caller,
  kind: ContactKind,
  { confirmCode, endOtherSessions = false }: Static<typeof ContactRemoval>,
) {
  const me = await removeContact(services, request, { caller, kind, confirmCode, endOtherSessions });
  return meResponse(me, services.config);
}
