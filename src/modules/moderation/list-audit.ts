import { readFrom, readUntil } from '#base';
import { listAuditPage } from '../../audit/audit.ts';
import { cursorPage, readCursor, toPage } from '../../http/cursors.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { readFilterId } from '../people/user-id.ts';
import { toAuditEntry } from './present.ts';
import { AuditEntry, AuditQuery } from './schemas.ts';

export const listAudit = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/audit',
  summary: 'List audit entries',
  description:
    'For admins. The newest entry first. The audit trail records sign-ins, ended sessions, actions of admins, and ' +
    'deleted accounts.',
  caller: 'admin',
  query: AuditQuery,
  response: { 200: cursorPage(AuditEntry) },

  async handler({ query }, { db, config }: BaseServices) {
    const { since, until, userId, what, cursor, limit } = query;
    const after = readCursor(cursor, 'time', 'id');
    const filter = { since: readFrom(since), until: readUntil(until), userId: readFilterId(userId), what };
    const rows = await listAuditPage(db, config.secretKey, filter, after, limit + 1);
    const page = toPage(rows, limit, ({ at, id }) => [at, id]);
    return { status: 200, body: { data: page.rows.map(toAuditEntry), nextCursor: page.nextCursor } };
  },
});
