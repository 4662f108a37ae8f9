/** Sends the code that confirms a new contact of the caller's account. */
import type { FastifyRequest } from 'fastify';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { lockCaller } from '../../../identity/act-as.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { MessageContact } from '../../../lib/contact.ts';
import { senderOf } from '../codes/requesters.ts';
import { CodeSent } from '../codes/schemas.ts';
import { sendCode } from '../codes/send-code.ts';
import type { AccountServices } from '../services.ts';
import { readSignInAddress, readSignInNumber } from '../sign-in/ways.ts';
import { insertContactChange } from './contact-changes.ts';
import { NewEmail, NewPhone } from './schemas.ts';

const common = { method: 'PUT', caller: 'fresh', response: { 202: CodeSent } } as const;

export const requestEmail = defineEndpoint({
  ...common,
  path: '/v1/me/email',
  summary: 'Send a code to a new mail address of your account',
  description:
    'The account has the address from POST /v1/me/email/verify on. The limits and the response are those of ' +
    'POST /v1/auth/email/request, also if another account has the address.',
  body: NewEmail,
  problems: ['too_many_codes', 'mail_unavailable', 'feature_disabled'],

  handler: async ({ caller, body, request }, services: AccountServices) =>
    requestContact(services, request, caller, await readSignInAddress(body, services)),
});

export const requestPhone = defineEndpoint({
  ...common,
  path: '/v1/me/phone',
  summary: 'Send a code to a new phone number of your account',
  description:
    'The account has the number from POST /v1/me/phone/verify on. The limits and the response are those of ' +
    'POST /v1/auth/otp/request, also if another account has the number.',
  body: NewPhone,
  problems: ['too_many_codes', 'sms_unavailable', 'feature_disabled'],

  handler: async ({ caller, body, request }, services: AccountServices) =>
    requestContact(services, request, caller, await readSignInNumber(body, services)),
});

async function requestContact(
  services: AccountServices,
  request: FastifyRequest,
  caller: Caller,
  contact: MessageContact,
) {
  const sent = await sendCode(services, {
    contact,
    purpose: 'confirm_contact',
    // The caller does not own the contact yet, and has the limits of a stranger.
    sender: senderOf(services, request),
    request,
    check: async (tx) => {
      await lockCaller(tx, caller);
      await insertContactChange(tx, caller.id, contact, services.clock());
    },
  });
  return { status: 202 as const, body: sent };
}
