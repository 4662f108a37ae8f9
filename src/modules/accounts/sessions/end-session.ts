import { transaction } from '#pg';
import { auditContextOf, recordAudit } from '../../../audit/audit.ts';
import { signedOutHeaders } from '../../../http/browser-cookie.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { Success } from '../../../http/schemas.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import type { AccountServices } from '../services.ts';
import { deleteSession } from './repo.ts';
import { SessionParams } from './schemas.ts';

export const endSession = defineEndpoint({
  method: 'DELETE',
  path: '/v1/auth/sessions/:id',
  summary: 'Sign a device out',
  description: "Ends one of the caller's sessions. Its tokens stop working at once, on every server.",
  caller: 'fresh',
  params: SessionParams,
  response: { 200: Success },
  problems: ['session_not_found'],

  async handler({ caller, params, request }, services: AccountServices) {
    const sessionId = readId(params.id, 'session_not_found');
    const { id: userId } = caller;
    const isEnded = await transaction(services.db, async (tx) => {
      const isEnded = await deleteSession(tx, { userId, sessionId });
      if (isEnded) await recordAudit(tx, auditContextOf(services, request), { userId }, 'device_signed_out');
      return isEnded;
    });
    if (!isEnded) throw new Problem('session_not_found');
    const headers = sessionId === caller.sessionId ? signedOutHeaders(request, services.config) : {};
    return { status: 200, body: { success: true as const }, headers };
  },
});
