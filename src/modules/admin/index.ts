import { maintainAudit } from '../../audit/audit.ts';
import { defineModule } from '../../http/define-module.ts';
import type { BaseServices } from '../../http/services.ts';
import { changeRole } from './change-role.ts';
import { getAdminOverview } from './get-admin-overview.ts';
import { getFeatures } from './get-features.ts';
import { hideEvent, showEvent } from './hide-event.ts';
import { listAccounts } from './list-accounts.ts';
import { listAdminMails } from './list-admin-mails.ts';
import { listAudit } from './list-audit.ts';
import { listFlags } from './list-flags.ts';
import { previewMail } from './preview-mail.ts';
import { sendTestMail } from './send-test-mail.ts';
import { restoreAccount, suspendAccount } from './suspend-account.ts';
import { hideLateEvents } from './suspension.ts';
import { switchFlag } from './switch-flag.ts';

/** Administration: accounts, roles, feature flags, the audit trail and mails. */
export const admin = defineModule<BaseServices>({
  tag: 'Administration',
  endpoints: {
    getFeatures,
    getAdminOverview,
    listAccounts,
    suspendAccount,
    restoreAccount,
    hideEvent,
    showEvent,
    changeRole,
    listFlags,
    switchFlag,
    listAudit,
    listAdminMails,
    previewMail,
    sendTestMail,
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
