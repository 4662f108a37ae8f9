import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import { signInWithTokens } from './open-account.ts';
import { CodeProof, SignedIn } from './schemas.ts';
import type { AuthServices } from './services.ts';
import { readSignInNumber } from './sign-in-contacts.ts';

export const signIn = defineEndpoint({
  method: 'POST',
  path: '/v1/auth/otp/verify',
  operationId: 'signIn',
  tag: 'Sign in',
  summary: 'Sign in with the code',
  description:
    'The first sign-in of a phone number creates its account, with a generated username that can be changed.\n\n' +
    'If the account is suspended, `isSuspended` is true. The session then permits only GET /v1/me/export, ' +
    'POST /v1/me/delete-code, DELETE /v1/me and POST /v1/auth/logout; every other operation refuses its token with a ' +
    '403 `account_suspended`. It ends after 30 minutes and cannot be refreshed.',
  access: 'public',
  uncached: true,
  body: CodeProof,
  response: { 200: ref(SignedIn) },
  problems: ['wrong_code', 'too_many_tries', 'feature_disabled'],

  handler({ body, request }, services: AuthServices) {
    const contact = readSignInNumber(body, services.config);
    return signInWithTokens(services, request, { ...body, contact });
  },
});
