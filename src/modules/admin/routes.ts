import type { FastifyRequest } from 'fastify';
import { recordAudit } from '../../audit/audit.ts';
import { transaction } from '../../db/transaction.ts';
import type { App } from '../../http/app.ts';
import { cursorPage, readCursor, toPage } from '../../http/cursors.ts';
import { route } from '../../http/route.ts';
import { ref } from '../../http/schemas.ts';
import { actAsAdmin, lockAdmin, signedInAdmin } from '../../identity/require-admin.ts';
import { readId } from '../../lib/ids.ts';
import { readPhone } from '../../lib/phone.ts';
import type { Deps } from '../../server/build-app.ts';
import { toAdminUser } from './present.ts';
import { changeRole, listUsers, lockRoles } from './repo.ts';
import { AdminUser, AdminUserQuery, NewRole, Role, Suspended, Suspension, UserParams } from './schemas.ts';
import { restore, suspend } from './suspension.ts';

/** As long as it may take for somebody who organizes thousands of events. */
const timeoutMs = 60_000;

/** What admins do with accounts. Flags and the audit trail: system-routes.ts; reports: src/reports/. */
export function adminUserRoutes(app: App, { db, config, clock }: Deps): void {
  const traceOf = ({ ip }: FastifyRequest, by: string) => ({
    secretKey: config.secretKey,
    now: clock(),
    address: ip,
    by,
  });

  app.get(
    '/v1/admin/users',
    route({
      name: 'listAccounts',
      access: 'required',
      tag: 'Administration',
      summary: 'Find accounts',
      description: 'For admins. The newest first.',
      querystring: AdminUserQuery,
      response: { 200: cursorPage(ref(AdminUser)) },
      problems: ['not_admin'],
    }),
    async (request) => {
      signedInAdmin(request);
      const { q, phone, suspended, cursor, limit } = request.query;
      const place = readCursor(cursor, 'time', 'id');
      const after = place && { createdAt: place[0], id: place[1] };
      const number = phone === undefined ? undefined : readPhone(withPlus(phone)).number;
      const rows = await listUsers(db, { q, phone: number, suspended }, after, limit + 1);
      const page = toPage(rows, limit, ({ createdAt, id }) => [createdAt, id]);
      return { data: page.rows.map(toAdminUser), nextCursor: page.nextCursor };
    },
  );

  app.post(
    '/v1/admin/users/:id/suspend',
    route({
      name: 'suspendAccount',
      access: 'required',
      tag: 'Administration',
      summary: 'Suspend an account',
      description:
        'For admins. From the answer on its tokens are refused, it cannot sign in, and its profile and events are there ' +
        'for admins alone. Nothing is deleted.',
      params: UserParams,
      body: Suspension,
      response: { 200: Suspended },
      problems: ['not_admin', 'user_not_found', 'is_admin'],
      timeoutMs,
    }),
    async (request) => {
      const admin = signedInAdmin(request);
      const id = readId(request.params.id, 'user_not_found');
      const { reason = '' } = request.body;
      await actAsAdmin(db, admin, async (tx) => {
        const trace = traceOf(request, admin.id);
        if (await suspend(tx, id, trace.now))
          await recordAudit(tx, trace, { userId: id }, 'account_suspended', reason);
      });
      return { id, isSuspended: true };
    },
  );

  app.delete(
    '/v1/admin/users/:id/suspend',
    route({
      name: 'restoreAccount',
      access: 'required',
      tag: 'Administration',
      summary: 'Restore a suspended account',
      description: 'For admins. All that was hidden is there again; the person signs in anew.',
      params: UserParams,
      response: { 200: Suspended },
      problems: ['not_admin', 'user_not_found'],
      timeoutMs,
    }),
    async (request) => {
      const admin = signedInAdmin(request);
      const id = readId(request.params.id, 'user_not_found');
      await actAsAdmin(db, admin, async (tx) => {
        if (await restore(tx, id))
          await recordAudit(tx, traceOf(request, admin.id), { userId: id }, 'account_restored');
      });
      return { id, isSuspended: false };
    },
  );

  app.put(
    '/v1/admin/users/:id/role',
    route({
      name: 'changeRole',
      access: 'required',
      tag: 'Administration',
      summary: 'Make somebody an admin, or no admin',
      description: "For admins. Counts from that person's next request on, on every server.",
      params: UserParams,
      body: NewRole,
      response: { 200: Role },
      problems: ['not_admin', 'user_not_found', 'last_admin'],
    }),
    async (request) => {
      const admin = signedInAdmin(request);
      const id = readId(request.params.id, 'user_not_found');
      const { role } = request.body;
      await transaction(db, async (tx) => {
        await lockRoles(tx);
        await lockAdmin(tx, admin);
        if (await changeRole(tx, id, role))
          await recordAudit(tx, traceOf(request, admin.id), { userId: id }, 'role_changed', `to ${role}`);
      });
      return { id, role };
    },
  );
}

/** In a query string a bare `+` arrives as a space; before a number nothing else can have been meant by it. */
const withPlus = (phone: string): string => phone.replace(/^ +(?=\d)/, '+');
