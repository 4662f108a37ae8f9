import { deviceCookie, sessionCookie } from '../../http/browser-cookie.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import { deviceTokenMs } from './device-tokens.ts';
import { BrowserSignedIn, CodeProof } from './schemas.ts';
import type { AuthServices } from './services.ts';
import { openBrowserSession } from './sessions.ts';
import { signInWithCode } from './sign-in-with-code.ts';

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

  async handler({ body, request }, services: AuthServices) {
    const { tokens, deviceToken, account } = await signInWithCode(
      services,
      request,
      body,
      (tx, session, { now }) => openBrowserSession(tx, session, now),
    );
    const cookies = [
      sessionCookie(services.config, tokens.token, tokens.maxAgeMs),
      deviceCookie(services.config, deviceToken, deviceTokenMs),
    ];
    return { status: 200, body: account, headers: { 'set-cookie': cookies } };
  },
});
