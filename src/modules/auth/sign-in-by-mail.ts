import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import { signInWithTokens } from './open-account.ts';
import { MailCodeProof, SignedIn } from './schemas.ts';
import type { AuthServices } from './services.ts';
import { readSignInAddress } from './sign-in-contacts.ts';

export const signInByMail = defineEndpoint({
  method: 'POST',
  path: '/v1/auth/email/verify',
  operationId: 'signInByMail',
  tag: 'Sign in',
  summary: 'Sign in with the code of a mail',
  description: 'As POST /v1/auth/otp/verify. The first sign-in of an address creates its account.',
  access: 'public',
  uncached: true,
  body: MailCodeProof,
  response: { 200: ref(SignedIn) },
  problems: ['wrong_code', 'too_many_tries', 'feature_disabled'],

  handler({ body, request }, services: AuthServices) {
    const contact = readSignInAddress(body, services.config);
    return signInWithTokens(services, request, { ...body, contact });
  },
});
