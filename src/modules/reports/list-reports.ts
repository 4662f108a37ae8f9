import { cursorPage, readCursor, toPage } from '../../http/cursors.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { readFilterId } from '../users/user-id.ts';
import { toAdminReport } from './present.ts';
import { listReports as findReports } from './repo.ts';
import { AdminReport, ReportQuery } from './schemas.ts';

export const listReports = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/reports',
  summary: 'List reports',
  description: 'For admins. The newest report first.',
  access: 'admin',
  query: ReportQuery,
  response: { 200: cursorPage(AdminReport) },

  async handler({ query }, { db, config }: BaseServices) {
    const { status, aboutId, cursor, limit } = query;
    const after = readCursor(cursor, 'time', 'id');
    const rows = await findReports(db, { status, aboutId: readFilterId(aboutId) }, after, limit + 1);
    const page = toPage(rows, limit, ({ createdAt, id }) => [createdAt, id]);
    const data = page.rows.map((row) => toAdminReport(row, config.publicUrl));
    return { status: 200, body: { data, nextCursor: page.nextCursor } };
  },
});
