import { maintainAudit } from '../../audit/audit.ts';
import { defineModule } from '../../http/define-module.ts';
import type { AttendanceServices } from '../attendance/services.ts';
import { getAdminOverview } from './get-admin-overview.ts';
import { hideEvent, showEvent } from './hide-event.ts';
import { listAccounts } from './list-accounts.ts';
import { listAudit } from './list-audit.ts';
import { restoreAccount, suspendAccount } from './suspend-account.ts';
import { hideLateEvents } from './suspension.ts';

/** What admins do about people and events: lists of accounts, suspension, hidden events, the audit trail, and the overview. */
export const moderation = defineModule<AttendanceServices>({
  tag: 'Administration',
  endpoints: {
    getAdminOverview,
    listAccounts,
    suspendAccount,
    restoreAccount,
    hideEvent,
    showEvent,
    listAudit,
  },
  jobs: [
    {
      name: 'hide late events of suspended people',
      everyMs: 15_000,
      run: ({ db, clock }) => hideLateEvents(db, clock()),
    },
    {
      name: 'maintain the audit trail',
      everyMs: 60 * 60_000,
      run: ({ db, clock, config }) => maintainAudit(db, clock(), config.retention.auditDays),
    },
  ],
});
