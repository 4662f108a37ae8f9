import { defineModule } from '../../http/define-module.ts';
import { deleteExpiredCodes } from './codes-repo.ts';
import { authDeletionHooks } from './delete-account-data.ts';
import { endSession } from './end-session.ts';
import { authExportSections } from './export-sections.ts';
import { getMe } from './get-me.ts';
import { listSessions } from './list-sessions.ts';
import { logout } from './logout.ts';
import { readLink } from './read-link.ts';
import { refresh } from './refresh.ts';
import { requestCode, requestMailCode } from './request-code.ts';
import { deleteExpiredNetworks } from './requesters.ts';
import type { AuthServices } from './services.ts';
import { deleteExpiredSessions } from './session-repo.ts';
import { signIn, signInByMail } from './sign-in.ts';
import { signInBrowser, signInBrowserByMail, signInByLink } from './sign-in-browser.ts';

/** Signing in: codes, accounts and sessions. */
export const auth = defineModule<AuthServices>({
  tag: 'Sign in',
  endpoints: {
    requestCode,
    signIn,
    signInBrowser,
    requestMailCode,
    signInByMail,
    signInBrowserByMail,
    signInByLink,
    readLink,
    refresh,
    logout,
    getMe,
    listSessions,
    endSession,
  },
  jobs: [
    {
      name: 'delete expired sessions, codes and known networks',
      everyMs: 60 * 60_000,
      run: async ({ db, clock }) => {
        await deleteExpiredSessions(db, clock());
        await deleteExpiredCodes(db, clock());
        await deleteExpiredNetworks(db, clock());
      },
    },
  ],
  deletionHooks: authDeletionHooks,
  exportSections: authExportSections,
});
