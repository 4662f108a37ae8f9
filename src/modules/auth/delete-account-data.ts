/** Account deletion: codes, tries, known networks and sessions. */
import type { DeletionHook } from '../../http/define-module.ts';
import { changedSessions } from '../../identity/sessions.ts';
import { deleteCodesOf } from './codes-repo.ts';
import { listSessionKeys } from './session-repo.ts';

export const authDeletionHooks: DeletionHook[] = [
  {
    // Codes precede accounts, as in a sign-in. The counts of a number's prefix and country identify no
    // person and stay.
    firstTable: 'codes',
    isOnce: true,
    run: async (tx, { contactHashes }) => {
      for (const contactHash of contactHashes) await deleteCodesOf(tx, contactHash);
    },
  },
  {
    // The deletion of the account deletes the sessions and unconfirmed contacts. The lock on the person's row prevents new ones.
    firstTable: 'sessions',
    run: async (tx, { userId }) => ({ records: [changedSessions(await listSessionKeys(tx, userId))] }),
  },
];
