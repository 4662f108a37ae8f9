import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { AccountServices } from '../services.ts';
import { signInWithTokens } from './open-account.ts';
import { CodeProof, MailCodeProof, SignedIn } from './schemas.ts';
import { readSignInAddress, readSignInNumber } from './ways.ts';

const common = {
  method: 'POST',
  caller: 'none',
  uncached: true,
  response: { 200: SignedIn },
  problems: ['wrong_code', 'too_many_tries', 'feature_disabled'],
} as const;

export const signIn = defineEndpoint({
  ...common,
  path: '/v1/auth/otp/verify',
  summary: 'Sign in with the code',
  description:
    'The first sign-in of a phone number creates its account, with a generated username that can be changed.\n\n' +
    'If the account is suspended, `isSuspended` is true. The session then permits only GET /v1/me/export, ' +
    'POST /v1/me/delete-code, DELETE /v1/me and POST /v1/auth/logout; every other operation refuses its token with a ' +
    '403 `account_suspended`. It ends after 30 minutes and cannot be refreshed.',
  body: CodeProof,

  async handler({ body, request }, services: AccountServices) {
    const contact = await readSignInNumber(body, services);
    return signInWithTokens(services, request, { ...body, contact });
  },
});

export const signInByMail = defineEndpoint({
  ...common,
  path: '/v1/auth/email/verify',
  summary: 'Sign in with the code of a mail',
  description: 'As POST /v1/auth/otp/verify. The first sign-in of an address creates its account.',
  body: MailCodeProof,

  async handler({ body, request }, services: AccountServices) {
    const contact = await readSignInAddress(body, services);
    return signInWithTokens(services, request, { ...body, contact });
  },
});
