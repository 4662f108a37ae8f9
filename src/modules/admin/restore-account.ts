import { auditContextOf, recordAudit } from '../../audit/audit.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { actAsAdmin } from '../../identity/act-as-admin.ts';
import { readUserId } from '../users/user-id.ts';
import { Suspended, UserParams } from './schemas.ts';
import { restore, suspensionTimeoutMs } from './suspension.ts';

export const restoreAccount = defineEndpoint({
  method: 'DELETE',
  path: '/v1/admin/users/:id/suspend',
  summary: 'Restore a suspended account',
  description:
    'For admins. The profile and events become visible again. All sessions end: the person must sign in again.',
  access: 'admin',
  params: UserParams,
  response: { 200: Suspended },
  problems: ['user_not_found'],
  timeoutMs: suspensionTimeoutMs,

  async handler({ caller, params, request }, services: BaseServices) {
    const id = readUserId(params.id);
    await actAsAdmin(services.db, caller, async (tx) => {
      const isChanged = await restore(tx, id);
      const context = auditContextOf(services, request, caller.id);
      if (isChanged) await recordAudit(tx, context, { userId: id }, 'account_restored');
    });
    return { status: 200, body: { id, isSuspended: false } };
  },
});
