import { auditContextOf, recordAudit } from '../../audit/audit.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { actAsAdmin } from '../../identity/act-as-admin.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { toAdminReport } from './present.ts';
import { changeReport } from './repo.ts';
import { AdminReport, ReportParams, Resolution } from './schemas.ts';

export const resolveReport = defineEndpoint({
  method: 'PATCH',
  path: '/v1/admin/reports/:id',
  summary: 'Resolve or reopen a report',
  description: 'For admins. The reporter is not notified.',
  access: 'admin',
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
