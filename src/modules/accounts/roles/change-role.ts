import { transaction } from '#pg';
import { auditContextOf, recordAudit } from '../../../audit/audit.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { BaseServices } from '../../../http/services.ts';
import { lockAdmin } from '../../../identity/act-as-admin.ts';
import { UserParams } from '../../people/schemas.ts';
import { readUserId } from '../../people/user-id.ts';
import { lockRoles, changeRole as writeRole } from './repo.ts';
import { NewRole, Role } from './schemas.ts';

export const changeRole = defineEndpoint({
  method: 'PUT',
  path: '/v1/admin/users/:id/role',
  summary: "Change a person's role",
  description: 'For admins. The role applies from the next request of the person on, on every server.',
  caller: 'admin',
  params: UserParams,
  body: NewRole,
  response: { 200: Role },
  problems: ['user_not_found', 'last_admin'],

  async handler({ caller, params, body, request }, services: BaseServices) {
    const id = readUserId(params.id);
    const { role } = body;
    await transaction(services.db, async (tx) => {
      await lockRoles(tx);
      await lockAdmin(tx, caller);
      const isChanged = await writeRole(tx, id, role);
      const context = auditContextOf(services, request, caller.id);
      if (isChanged) await recordAudit(tx, context, { userId: id }, 'role_changed', `to ${role}`);
    });
    return { status: 200, body: { id, role } };
  },
});
