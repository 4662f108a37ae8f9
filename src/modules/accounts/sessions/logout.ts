import { transaction } from '#pg';
import { auditContextOf, recordAudit } from '../../../audit/audit.ts';
import { signedOutHeaders } from '../../../http/browser-cookie.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { Success } from '../../../http/schemas.ts';
import type { AccountServices } from '../services.ts';
import { deleteSession } from './repo.ts';

export const logout = defineEndpoint({
  method: 'POST',
  path: '/v1/auth/logout',
  summary: 'End this session',
  description:
    'The access token and the refresh token of the session stop working at once, on every server. Other devices stay ' +
    'signed in. The response to a browser session removes its cookie, also if the session has ended already (401).',
  caller: 'fresh',
  session: { allowsSuspended: true, clearsCookie: true, guests: 'any' },
  response: { 200: Success },

  async handler({ caller, request }, services: AccountServices) {
    const { id: userId, sessionId } = caller;
    await transaction(services.db, async (tx) => {
      if (await deleteSession(tx, { userId, sessionId }))
        await recordAudit(tx, auditContextOf(services, request), { userId }, 'logged_out');
    });
    const headers = signedOutHeaders(request, services.config);
    return { status: 200, body: { success: true as const }, headers };
  },
});
