import { defineModule } from '../../../http/define-module.ts';
import type { AccountServices } from '../services.ts';
import { codeDeletionHooks } from './delete-account-data.ts';
import { codeExportSections } from './export-sections.ts';
import { deleteExpiredCodes } from './repo.ts';
import { deleteExpiredNetworks } from './requesters.ts';

/** One-time codes: how they are sent, compared and limited. Other parts of an account say what a code confirms. */
export const codes = defineModule<AccountServices>({
  tag: 'Sign in',
  endpoints: {},
  jobs: [
    {
      name: 'delete expired codes and known networks',
      everyMs: 60 * 60_000,
      run: async ({ db, clock }) => {
        await deleteExpiredCodes(db, clock());
        await deleteExpiredNetworks(db, clock());
      },
    },
  ],
  deletionHooks: codeDeletionHooks,
  exportSections: codeExportSections,
});
