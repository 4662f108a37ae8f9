import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import { signInWithCookies } from './open-account.ts';
import { BrowserSignedIn, CodeProof } from './schemas.ts';
import type { AuthServices } from './services.ts';
import { readSignInNumber } from './sign-in-contacts.ts';

/** Signs in without giving the page a token that a script could read. */
export const signInBrowser = defineEndpoint({
  method: 'POST',
  path: '/v1/auth/browser-session',
  operationId: 'signInBrowser',
  tag: 'Sign in',
  summary: 'Sign a browser in with the code',
  description:
    'For pages of this server. As POST /v1/auth/otp/verify, but the response sets a cookie that scripts cannot read, and ' +
    'contains no token. The cookie authenticates as an access token does. The session ends after 30 days without a ' +
    'request, and after 180 days at the latest; it is not refreshed. POST /v1/auth/logout ends it and removes the cookie. ' +
    'Another cookie has the device token; it stays in the browser.',
  access: 'public',
  uncached: true,
  sameOriginOnly: true,
  body: CodeProof,
  response: { 200: ref(BrowserSignedIn) },
  problems: ['wrong_code', 'too_many_tries', 'feature_disabled'],

  handler({ body, request }, services: AuthServices) {
    const contact = readSignInNumber(body, services.config);
    return signInWithCookies(services, request, { ...body, contact });
  },
});
