import { auditContextOf } from '../../../audit/audit.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { AccountServices } from '../services.ts';
import { RefreshRequest, TokenPair } from './schemas.ts';
import { refreshSession } from './sessions.ts';

export const refresh = defineEndpoint({
  method: 'POST',
  path: '/v1/auth/refresh',
  summary: 'Exchange the refresh token for a new pair of tokens',
  description:
    'Both old tokens end. The same request within ten seconds returns the same pair, as long as the new refresh token ' +
    'is unused; any other reuse of a refresh token ends the session.',
  caller: 'none',
  uncached: true,
  body: RefreshRequest,
  response: { 200: TokenPair },
  problems: ['refresh_token_invalid', 'account_suspended'],

  async handler({ body, request }, services: AccountServices) {
    const tokens = await refreshSession(services.db, body.refreshToken, auditContextOf(services, request));
    return { status: 200, body: tokens };
  },
});
