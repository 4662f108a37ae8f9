import { dayMs } from '#base';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { countAccounts, countAccountsByDay, countEvents, countEventsByDay, countSuspended } from './repo.ts';
import { countOpenReports } from './reports/repo.ts';
import { AdminOverview } from './schemas.ts';

export const getAdminOverview = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/overview',
  summary: 'Get the open work of admins, and figures of the week',
  description: 'For admins.',
  caller: 'admin',
  response: { 200: AdminOverview },

  async handler(_request, { db, clock }: BaseServices) {
    const now = clock();
    const inDays = (days: number) => new Date(now.getTime() + days * dayMs);
    const [reports, accountsByDay, eventsByDay, ...counts] = await Promise.all([
      countOpenReports(db),
      countAccountsByDay(db, inDays(-14), 14),
      countEventsByDay(db, inDays(-7), 14),
      countSuspended(db),
      countAccounts(db, inDays(-7), now),
      countAccounts(db, inDays(-14), inDays(-7)),
      countEvents(db, now, inDays(7)),
      countEvents(db, inDays(-7), now),
    ]);
    const [suspendedAccounts, newAccounts, newAccountsBefore, nextEvents, lastEvents] = counts;
    const oldest = Math.min(...reports.map((each) => each.oldest.getTime()));
    return {
      status: 200,
      body: {
        openReports: reports.reduce((sum, { count }) => sum + count, 0),
        openReportsByReason: reports.map(({ reason, count }) => ({ reason, count })),
        oldestReportAt: reports.length > 0 ? new Date(oldest) : null,
        suspendedAccounts,
        newAccounts,
        newAccountsBefore,
        accountsByDay,
        nextEvents,
        lastEvents,
        eventsByDay,
      },
    };
  },
});
