import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { dayMs } from '../../lib/time.ts';
import { readOpenReports } from '../reports/repo.ts';
import { countAccounts, countEvents, countSuspended } from './repo.ts';
import { AdminOverview } from './schemas.ts';

export const getAdminOverview = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/overview',
  summary: 'Get the open work of admins, and figures of the week',
  description: 'For admins.',
  access: 'admin',
  response: { 200: AdminOverview },

  async handler(_request, { db, clock }: BaseServices) {
    const now = clock();
    const inDays = (days: number) => new Date(now.getTime() + days * dayMs);
    const [reports, ...counts] = await Promise.all([
      readOpenReports(db),
      countSuspended(db),
      countAccounts(db, inDays(-7), now),
      countAccounts(db, inDays(-14), inDays(-7)),
      countEvents(db, now, inDays(7)),
      countEvents(db, inDays(-7), now),
    ]);
    const [suspendedAccounts, newAccounts, newAccountsBefore, nextEvents, lastEvents] = counts;
    const open = { openReports: reports.count, oldestReportAt: reports.oldest };
    return {
      status: 200,
      body: { ...open, suspendedAccounts, newAccounts, newAccountsBefore, nextEvents, lastEvents },
    };
  },
});
