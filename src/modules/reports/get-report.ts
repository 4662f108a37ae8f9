import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { toAdminReport } from './present.ts';
import { findReport } from './repo.ts';
import { AdminReport, ReportParams } from './schemas.ts';

export const getReport = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/reports/:id',
  summary: 'Get a report',
  description: 'For admins.',
  access: 'admin',
  params: ReportParams,
  response: { 200: AdminReport },
  problems: ['report_not_found'],

  async handler({ params }, { db, config }: BaseServices) {
    const report = await findReport(db, readId(params.id, 'report_not_found'));
    if (!report) throw new Problem('report_not_found');
    return { status: 200, body: toAdminReport(report, config.publicUrl) };
  },
});
