/** Signs in without giving the page a token that a script could read. */
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { Problem } from '../../../lib/errors.ts';
import { readLinkToken } from '../codes/links.ts';
import type { AccountServices } from '../services.ts';
import { signInWithCookies } from './open-account.ts';
import { BrowserSignedIn, CodeProof, LinkToken, MailCodeProof } from './schemas.ts';
import { readSignInAddress, readSignInNumber, requireWay } from './ways.ts';

const common = {
  method: 'POST',
  caller: 'none',
  uncached: true,
  session: { sameOriginOnly: true },
  response: { 200: BrowserSignedIn },
} as const;

export const signInBrowser = defineEndpoint({
  ...common,
  path: '/v1/auth/browser-session',
  summary: 'Sign a browser in with the code',
  description:
    'For pages of this server. As POST /v1/auth/otp/verify, but the response sets a cookie that scripts cannot read, and ' +
    'contains no token. The cookie authenticates as an access token does. The session ends after 30 days without a ' +
    'request, and after 180 days at the latest; it is not refreshed. POST /v1/auth/logout ends it and removes the cookie. ' +
    'Another cookie has the device token; it stays in the browser.',
  body: CodeProof,
  problems: ['wrong_code', 'too_many_tries', 'feature_disabled'],

  async handler({ body, request }, services: AccountServices) {
    const contact = await readSignInNumber(body, services);
    return signInWithCookies(services, request, { ...body, contact });
  },
});

export const signInBrowserByMail = defineEndpoint({
  ...common,
  path: '/v1/auth/email/browser-session',
  summary: 'Sign a browser in with the code of a mail',
  description: 'For pages of this server. As POST /v1/auth/browser-session, with a mail address.',
  body: MailCodeProof,
  problems: ['wrong_code', 'too_many_tries', 'feature_disabled'],

  async handler({ body, request }, services: AccountServices) {
    const contact = await readSignInAddress(body, services);
    return signInWithCookies(services, request, { ...body, contact });
  },
});

export const signInByLink = defineEndpoint({
  ...common,
  path: '/v1/auth/email/link',
  summary: 'Sign a browser in with the link of a mail',
  description:
    'For the page that the link opens. As POST /v1/auth/email/browser-session, with the token of the link in place of the ' +
    'address and the code. Entering the code uses up the link, and the link uses up the code. Also for the links that the ' +
    'command `admin link` prints, with every `SIGN_IN`.',
  body: LinkToken,
  problems: ['wrong_code', 'feature_disabled'],

  async handler({ body, request }, services: AccountServices) {
    const link = readLinkToken(services.config.secretKey, body.token);
    if (!link?.isOfOperator) await requireWay(services, 'email');
    if (!link) throw new Problem('wrong_code');
    return signInWithCookies(services, request, { contact: link.contact, link });
  },
});
