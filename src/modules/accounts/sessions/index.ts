import { defineModule } from '../../../http/define-module.ts';
import type { AccountServices } from '../services.ts';
import { sessionDeletionHooks } from './delete-account-data.ts';
import { endSession } from './end-session.ts';
import { sessionExportSections } from './export-sections.ts';
import { listSessions } from './list-sessions.ts';
import { logout } from './logout.ts';
import { refresh } from './refresh.ts';
import { deleteExpiredSessions } from './repo.ts';

/** Sessions: the devices on which a person is signed in. */
export const sessions = defineModule<AccountServices>({
  tag: 'Sign in',
  endpoints: { refresh, logout, listSessions, endSession },
  jobs: [
    {
      name: 'delete expired sessions',
      everyMs: 60 * 60_000,
      run: ({ db, clock }) => deleteExpiredSessions(db, clock()),
    },
  ],
  deletionHooks: sessionDeletionHooks,
  exportSections: sessionExportSections,
});
