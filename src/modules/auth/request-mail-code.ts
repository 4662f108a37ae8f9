import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import { senderOf } from './requesters.ts';
import { CodeSent, MailCodeRequest } from './schemas.ts';
import { sendCode } from './send-code.ts';
import type { AuthServices } from './services.ts';
import { readSignInAddress } from './sign-in-contacts.ts';

export const requestMailCode = defineEndpoint({
  method: 'POST',
  path: '/v1/auth/email/request',
  operationId: 'requestMailCode',
  tag: 'Sign in',
  summary: 'Send a sign-in code to a mail address',
  description:
    'As POST /v1/auth/otp/request, with the same limits. The mail also has a link to a page of this server, whose button signs ' +
    'in. The link is valid once, and as long as the code, in every browser. Refused with `feature_disabled` if `signIn` of ' +
    'GET /v1/features does not have `email`.',
  access: 'public',
  uncached: true,
  body: MailCodeRequest,
  response: { 202: ref(CodeSent) },
  problems: ['too_many_codes', 'mail_unavailable', 'feature_disabled'],

  async handler({ body, request }, services: AuthServices) {
    const contact = readSignInAddress(body, services.config);
    const sender = senderOf(services, request, body.deviceToken);
    return { status: 202, body: await sendCode(services, { contact, purpose: 'sign_in', sender, request }) };
  },
});
