import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import type { BaseServices } from '../../http/services.ts';
import { readOpenReports } from '../reports/repo.ts';
import { countSuspended } from './repo.ts';
import { AdminOverview } from './schemas.ts';

export const getAdminOverview = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/overview',
  operationId: 'getAdminOverview',
  tag: 'Administration',
  summary: 'Get the open work of admins',
  description: 'For admins.',
  access: 'admin',
  response: { 200: ref(AdminOverview) },

  async handler(_request, { db }: BaseServices) {
    const [reports, suspendedAccounts] = await Promise.all([readOpenReports(db), countSuspended(db)]);
    const oldestReportAt = reports.oldest?.toISOString() ?? null;
    return { status: 200, body: { openReports: reports.count, oldestReportAt, suspendedAccounts } };
  },
});
