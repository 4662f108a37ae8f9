import { defineModule } from '../../http/define-module.ts';
import { deleteExpiredContactChanges } from './contact-changes.ts';
import { deleteMe } from './delete-me.ts';
import { exportMe } from './export-me.ts';
import { accountExportSections } from './export-sections.ts';
import { removeEmail, removeIdentity, removePhone } from './remove-contact.ts';
import { requestEmail, requestPhone } from './request-contact.ts';
import { requestContactCode } from './request-contact-code.ts';
import { requestDeleteCode } from './request-delete-code.ts';
import type { AccountServices } from './services.ts';
import { sweepDeletedAccounts } from './sweep-deleted-accounts.ts';
import { updateMe } from './update-me.ts';
import { verifyEmail, verifyPhone } from './verify-contact.ts';

/** The caller's own account: profile, contacts, export and deletion. */
export const account = defineModule<AccountServices>({
  tag: 'Me',
  endpoints: {
    updateMe,
    requestEmail,
    verifyEmail,
    removeEmail,
    requestPhone,
    verifyPhone,
    removePhone,
    removeIdentity,
    requestContactCode,
    requestDeleteCode,
    deleteMe,
    exportMe,
  },
  jobs: [
    { name: 'sweep deleted accounts', everyMs: 5_000, run: sweepDeletedAccounts },
    {
      name: 'delete unconfirmed contacts',
      everyMs: 60 * 60_000,
      run: ({ db, clock }) => deleteExpiredContactChanges(db, clock()),
    },
  ],
  exportSections: accountExportSections,
});
