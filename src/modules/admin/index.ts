import { deleteExpiredAudit } from '../../audit/audit.ts';
import { defineModule } from '../../http/define-module.ts';
import type { BaseServices } from '../../http/services.ts';
import { changeRole } from './change-role.ts';
import { getFeatures } from './get-features.ts';
import { listAccounts } from './list-accounts.ts';
import { listAudit } from './list-audit.ts';
import { listFlags } from './list-flags.ts';
import { restoreAccount } from './restore-account.ts';
import { suspendAccount } from './suspend-account.ts';
import { switchFlag } from './switch-flag.ts';

/** Administration: accounts, roles, feature flags and the audit trail. */
export const admin = defineModule<BaseServices>({
  name: 'admin',
  endpoints: [
    listAccounts,
    suspendAccount,
    restoreAccount,
    changeRole,
    listFlags,
    switchFlag,
    listAudit,
    getFeatures,
  ],
  jobs: [
    {
      name: 'delete expired audit entries',
      everyMs: 60 * 60_000,
      run: ({ db, clock }) => deleteExpiredAudit(db, clock()),
    },
  ],
});
