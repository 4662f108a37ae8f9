import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import { senderOf } from './requesters.ts';
import { CodeRequest, CodeSent } from './schemas.ts';
import { sendCode } from './send-code.ts';
import type { AuthServices } from './services.ts';
import { readSignInNumber } from './sign-in-contacts.ts';

export const requestCode = defineEndpoint({
  method: 'POST',
  path: '/v1/auth/otp/request',
  operationId: 'requestCode',
  tag: 'Sign in',
  summary: 'Send a sign-in code to a phone',
  description:
    'The response is the same for a number with an account and for one without.\n\n' +
    'Of the codes that a device or client network requested, the newest is valid. The newest code of a number is valid on every ' +
    'device and network, no matter where it was requested. Known devices (`deviceToken`) and networks of earlier sign-ins have ' +
    'limits of their own.\n\n' +
    'The message is in the first language of `Accept-Language` that the server has (`en`, `de`, `sv`, `ar`), otherwise in English.',
  access: 'public',
  uncached: true,
  body: CodeRequest,
  response: { 202: ref(CodeSent) },
  problems: ['too_many_codes', 'sms_unavailable', 'feature_disabled'],

  async handler({ body, request }, services: AuthServices) {
    const contact = readSignInNumber(body, services.config);
    const sender = senderOf(services, request, body.deviceToken);
    return { status: 202, body: await sendCode(services, { contact, purpose: 'sign_in', sender, request }) };
  },
});
