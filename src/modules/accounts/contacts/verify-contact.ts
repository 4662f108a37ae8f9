import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { MessageKind } from '../../../lib/contact.ts';
import { meResponse } from '../profile/present.ts';
import { Me } from '../profile/schemas.ts';
import type { AccountServices } from '../services.ts';
import { requireWay } from '../sign-in/ways.ts';
import { confirmContact } from './change-contacts.ts';
import { ContactProof } from './schemas.ts';

const common = {
  method: 'POST',
  caller: 'fresh',
  body: ContactProof,
  response: { 200: Me },
  problems: ['confirmation_required', 'wrong_code', 'too_many_tries', 'contact_taken', 'feature_disabled'],
} as const;

const replaces =
  'The former one is told of the change and can be used for another account from then on; if there was none, the other contact ' +
  'of the account is told. If another account has it, the response is a 409 `contact_taken`: accounts are not merged.';

export const verifyEmail = defineEndpoint({
  ...common,
  path: '/v1/me/email/verify',
  summary: 'Confirm the new mail address of your account',
  description: `Requires the newest code of PUT /v1/me/email. ${replaces}`,

  handler: ({ caller, body, request }, services: AccountServices) =>
    verifyContact(services, request, caller, 'email', body),
});

export const verifyPhone = defineEndpoint({
  ...common,
  path: '/v1/me/phone/verify',
  summary: 'Confirm the new phone number of your account',
  description: `Requires the newest code of PUT /v1/me/phone. ${replaces}`,

  handler: ({ caller, body, request }, services: AccountServices) =>
    verifyContact(services, request, caller, 'phone', body),
});

async function verifyContact(
  services: AccountServices,
  request: FastifyRequest,
  caller: Caller,
  kind: MessageKind,
  { code, confirmCode, endOtherSessions = false }: Static<typeof ContactProof>,
) {
  // The way may have been switched off since the code was sent.
  await requireWay(services, kind);
  const me = await confirmContact(services, request, { caller, kind, code, confirmCode, endOtherSessions });
  return meResponse(me, services.config);
}
