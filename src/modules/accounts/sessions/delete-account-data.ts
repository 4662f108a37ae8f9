/** Account deletion: sessions. */
import type { DeletionHook } from '../../../http/define-module.ts';
import { changedSessions } from '../../../identity/sessions.ts';
import { listSessionKeys } from './repo.ts';

export const sessionDeletionHooks: DeletionHook[] = [
  {
    // The deletion of the account deletes the sessions and unconfirmed contacts. The lock on the person's row prevents new ones.
    firstTable: 'sessions',
    run: async (tx, { userId }) => ({ records: [changedSessions(await listSessionKeys(tx, userId))] }),
  },
];
