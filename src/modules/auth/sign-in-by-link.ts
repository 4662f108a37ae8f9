import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import { Problem } from '../../lib/errors.ts';
import { signInWithCookies } from './open-account.ts';
import { BrowserSignedIn, LinkToken } from './schemas.ts';
import type { AuthServices } from './services.ts';
import { requireWay } from './sign-in-contacts.ts';
import { readLinkToken } from './sign-in-links.ts';

export const signInByLink = defineEndpoint({
  method: 'POST',
  path: '/v1/auth/email/link',
  operationId: 'signInByLink',
  tag: 'Sign in',
  summary: 'Sign a browser in with the link of a mail',
  description:
    'For the page that the link opens. As POST /v1/auth/email/browser-session, with the token of the link in place of the ' +
    'address and the code. Entering the code uses up the link, and the link uses up the code.',
  access: 'public',
  uncached: true,
  sameOriginOnly: true,
  body: LinkToken,
  response: { 200: ref(BrowserSignedIn) },
  problems: ['wrong_code', 'feature_disabled'],

  handler({ body, request }, services: AuthServices) {
    requireWay(services.config, 'email');
    const link = readLinkToken(services.config.secretKey, body.token);
    if (!link) throw new Problem('wrong_code');
    return signInWithCookies(services, request, { contact: { kind: 'email', value: link.address }, link });
  },
});
