import { auditContextOf, recordAudit } from '../../audit/audit.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { actAsAdmin } from '../../identity/act-as-admin.ts';
import type { AttendanceServices } from '../attendance/services.ts';
import { UserParams } from '../people/schemas.ts';
import { readUserId } from '../people/user-id.ts';
import { Suspended, SuspensionReason } from './schemas.ts';
import { restore, suspend, suspensionTimeoutMs } from './suspension.ts';

const common = {
  path: '/v1/admin/users/:id/suspend',
  caller: 'admin',
  params: UserParams,
  response: { 200: Suspended },
  limits: { timeoutMs: suspensionTimeoutMs },
} as const;

export const suspendAccount = defineEndpoint({
  ...common,
  method: 'POST',
  summary: 'Suspend an account',
  description:
    'For admins. From the response on, the tokens of the account are refused, and only admins see its profile and ' +
    'events. No data is deleted. The person can still sign in to export or delete their data, and nothing else, and reads ' +
    'the reason.',
  body: SuspensionReason,
  problems: ['user_not_found', 'is_admin'],

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

export const restoreAccount = defineEndpoint({
  ...common,
  method: 'DELETE',
  summary: 'Restore a suspended account',
  description:
    'For admins. The profile and events become visible again. All sessions end: the person must sign in again.',
  problems: ['user_not_found'],

  async handler({ caller, params, request }, services: AttendanceServices) {
    const id = readUserId(params.id);
    await actAsAdmin(services.db, caller, async (tx) => {
      const isChanged = await restore(tx, services, id);
      const context = auditContextOf(services, request, caller.id);
      if (isChanged) await recordAudit(tx, context, { userId: id }, 'account_restored');
    });
    return { status: 200, body: { id, isSuspended: false } };
  },
});
