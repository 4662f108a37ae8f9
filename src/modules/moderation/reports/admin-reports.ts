import { auditContextOf, recordAudit } from '../../../audit/audit.ts';
import { cursorPage, readCursor, toPage } from '../../../http/cursors.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { BaseServices } from '../../../http/services.ts';
import { actAsAdmin } from '../../../identity/act-as-admin.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { readFilterId } from '../../people/user-id.ts';
import { toAdminReport } from './present.ts';
import { changeReport, findReport, listReports as findReports } from './repo.ts';
import { AdminReport, ReportParams, ReportQuery, Resolution } from './schemas.ts';

export const listReports = defineEndpoint({
  caller: 'admin',
  method: 'GET',
  path: '/v1/admin/reports',
  summary: 'List reports',
  description: 'For admins.',
  query: ReportQuery,
  response: { 200: cursorPage(AdminReport) },

  async handler({ query }, { db, config }: BaseServices) {
    const { status, reason, aboutId, order = 'newest', cursor, limit } = query;
    const after = readCursor(cursor, 'time', 'id');
    const filter = { status, reason, aboutId: readFilterId(aboutId), order };
    const rows = await findReports(db, filter, after, limit + 1);
    const page = toPage(rows, limit, ({ createdAt, id }) => [createdAt, id]);
    const data = page.rows.map((row) => toAdminReport(row, config.publicUrl));
    return { status: 200, body: { data, nextCursor: page.nextCursor } };
  },
});

export const getReport = defineEndpoint({
  caller: 'admin',
  method: 'GET',
  path: '/v1/admin/reports/:id',
  summary: 'Get a report',
  description: 'For admins.',
  params: ReportParams,
  response: { 200: AdminReport },
  problems: ['report_not_found'],

  async handler({ params }, { db, config }: BaseServices) {
    const report = await findReport(db, readId(params.id, 'report_not_found'));
    if (!report) throw new Problem('report_not_found');
    return { status: 200, body: toAdminReport(report, config.publicUrl) };
  },
});

export const resolveReport = defineEndpoint({
  caller: 'admin',
  method: 'PATCH',
  path: '/v1/admin/reports/:id',
  summary: 'Resolve or reopen a report',
  description: 'For admins. The reporter is not notified.',
  params: ReportParams,
  body: Resolution,
  response: { 200: AdminReport },
  problems: ['report_not_found'],

  async handler({ caller, params, body, request }, services: BaseServices) {
    const id = readId(params.id, 'report_not_found');
    const context = auditContextOf(services, request);
    const report = await actAsAdmin(services.db, caller, async (tx) => {
      const changed = await changeReport(tx, id, body, context.now);
      const what = body.status === 'resolved' ? 'report_resolved' : 'report_reopened';
      if (changed?.isChanged) await recordAudit(tx, context, { userId: caller.id }, what, id);
      return changed?.row;
    });
    if (!report) throw new Problem('report_not_found');
    return { status: 200, body: toAdminReport(report, services.config.publicUrl) };
  },
});
