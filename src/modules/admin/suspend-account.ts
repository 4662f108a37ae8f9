import { auditContextOf, recordAudit } from '../../audit/audit.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { actAsAdmin } from '../../identity/act-as-admin.ts';
import { readUserId } from '../users/user-id.ts';
import { Suspended, SuspensionReason, UserParams } from './schemas.ts';
import { suspend, suspensionTimeoutMs } from './suspension.ts';

export const suspendAccount = defineEndpoint({
  method: 'POST',
  path: '/v1/admin/users/:id/suspend',
  summary: 'Suspend an account',
  description:
    'For admins. From the response on, the tokens of the account are refused, and only admins see its profile and ' +
    'events. No data is deleted. The person can still sign in to export or delete their data, and nothing else, and reads ' +
    'the reason.',
  access: 'admin',
  params: UserParams,
  body: SuspensionReason,
  response: { 200: Suspended },
  problems: ['user_not_found', 'is_admin'],
  timeoutMs: suspensionTimeoutMs,

  async handler({ caller, params, body, request }, services: BaseServices) {
    const id = readUserId(params.id);
    const { reason = '' } = body;
    await actAsAdmin(services.db, caller, async (tx) => {
      const context = auditContextOf(services, request, caller.id);
      const isChanged = await suspend(tx, id, { reason, now: context.now });
      if (isChanged) await recordAudit(tx, context, { userId: id }, 'account_suspended', reason);
    });
    return { status: 200, body: { id, isSuspended: true } };
  },
});
