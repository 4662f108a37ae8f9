import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import { CodeProof, SignedIn } from './schemas.ts';
import type { AuthServices } from './services.ts';
import { openSession } from './sessions.ts';
import { signInWithCode } from './sign-in-with-code.ts';

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

  async handler({ body, request }, services: AuthServices) {
    const { tokens, deviceToken, account } = await signInWithCode(
      services,
      request,
      body,
      (tx, session, context) => openSession(tx, context.secretKey, session, context.now),
    );
    return { status: 200, body: { ...tokens, ...account, deviceToken } };
  },
});
