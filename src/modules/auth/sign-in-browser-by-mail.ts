import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import { signInWithCookies } from './open-account.ts';
import { BrowserSignedIn, MailCodeProof } from './schemas.ts';
import type { AuthServices } from './services.ts';
import { readSignInAddress } from './sign-in-contacts.ts';

export const signInBrowserByMail = defineEndpoint({
  method: 'POST',
  path: '/v1/auth/email/browser-session',
  operationId: 'signInBrowserByMail',
  tag: 'Sign in',
  summary: 'Sign a browser in with the code of a mail',
  description: 'For pages of this server. As POST /v1/auth/browser-session, with a mail address.',
  access: 'public',
  uncached: true,
  sameOriginOnly: true,
  body: MailCodeProof,
  response: { 200: ref(BrowserSignedIn) },
  problems: ['wrong_code', 'too_many_tries', 'feature_disabled'],

  handler({ body, request }, services: AuthServices) {
    const contact = readSignInAddress(body, services.config);
    return signInWithCookies(services, request, { ...body, contact });
  },
});
