import type { FastifyRequest } from 'fastify';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { Contact } from '../../../lib/contact.ts';
import { senderOf } from '../codes/requesters.ts';
import { CodeSent } from '../codes/schemas.ts';
import { sendCode } from '../codes/send-code.ts';
import type { AccountServices } from '../services.ts';
import { CodeRequest, MailCodeRequest } from './schemas.ts';
import { readSignInAddress, readSignInNumber } from './ways.ts';

const common = {
  method: 'POST',
  caller: 'none',
  uncached: true,
  response: { 202: CodeSent },
} as const;

export const requestCode = defineEndpoint({
  ...common,
  path: '/v1/auth/otp/request',
  summary: 'Send a sign-in code to a phone',
  description:
    'The response is the same for a number with an account and for one without.\n\n' +
    'Of the codes that a device or client network requested, the newest is valid. The newest code of a number is valid on every ' +
    'device and network, no matter where it was requested. Known devices (`deviceToken`) and networks of earlier sign-ins have ' +
    'limits of their own.\n\n' +
    'The message is in the first language of `Accept-Language` that the server has (`en`, `de`, `sv`, `ar`), otherwise in that of ' +
    'the instance.',
  body: CodeRequest,
  problems: ['too_many_codes', 'sms_unavailable', 'feature_disabled'],

  handler: async ({ body, request }, services: AccountServices) =>
    sendSignInCode(services, request, await readSignInNumber(body, services), body),
});

export const requestMailCode = defineEndpoint({
  ...common,
  path: '/v1/auth/email/request',
  summary: 'Send a sign-in code to a mail address',
  description:
    'As POST /v1/auth/otp/request, with the same limits. The mail also has a link to a page of this server, whose button signs ' +
    'in. The link is valid once, and as long as the code, in every browser. Refused with `feature_disabled` if `signIn` of ' +
    'GET /v1/features does not have `email`.',
  body: MailCodeRequest,
  problems: ['too_many_codes', 'mail_unavailable', 'feature_disabled'],

  handler: async ({ body, request }, services: AccountServices) =>
    sendSignInCode(services, request, await readSignInAddress(body, services), body),
});

async function sendSignInCode(
  services: AccountServices,
  request: FastifyRequest,
  contact: Contact,
  { deviceToken, next }: { deviceToken?: string; next?: string },
) {
  const sender = senderOf(services, request, deviceToken);
  const sent = await sendCode(services, {
    contact,
    purpose: 'sign_in',
    sender,
    request,
    parameters: next === undefined ? {} : { next },
  });
  return { status: 202 as const, body: sent };
}
