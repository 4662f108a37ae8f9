import { defineModule } from '../../http/define-module.ts';
import { deleteMe } from './delete-me.ts';
import { exportMe } from './export-me.ts';
import { accountExportSections } from './export-sections.ts';
import { listMyClaims } from './list-my-claims.ts';
import { listMyEvents } from './list-my-events.ts';
import { requestDeleteCode } from './request-delete-code.ts';
import type { AccountServices } from './services.ts';
import { sweepDeletedAccounts } from './sweep-deleted-accounts.ts';
import { updateMe } from './update-me.ts';

/** The caller's own account: profile, lists, export and deletion. */
export const account = defineModule<AccountServices>({
  name: 'account',
  endpoints: [updateMe, requestDeleteCode, deleteMe, listMyEvents, listMyClaims, exportMe],
  jobs: [{ name: 'sweep deleted accounts', everyMs: 5_000, run: sweepDeletedAccounts }],
  exportSections: accountExportSections,
});
