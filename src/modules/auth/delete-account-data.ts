/** Account deletion: codes, tries, known networks and sessions. */
import { sql } from '../../db/sql.ts';
import type { DeletionHook } from '../../http/define-module.ts';
import { changedSessions } from '../../identity/sessions.ts';
import { numberScope, strangersScope } from './code-hashes.ts';
import { listSessionKeys } from './session-repo.ts';

export const authDeletionHooks: DeletionHook[] = [
  {
    // Codes precede accounts, as in a sign-in. The counts of the number's prefix and country identify no
    // person and stay.
    firstTable: 'codes',
    isOnce: true,
    run: async (tx, { phoneHash }) => {
      await tx.query(sql`delete from codes where phone_hash = ${phoneHash}`);
      await tx.query(sql`delete from code_tries where phone_hash = ${phoneHash}`);
      const scopes = [numberScope(phoneHash), strangersScope(phoneHash)];
      await tx.query(sql`delete from code_sends where scope = any(${scopes})`);
      await tx.query(sql`delete from known_networks where phone_hash = ${phoneHash}`);
      return {};
    },
  },
  {
    // The deletion of the account deletes the sessions. The lock on the person's row prevents new ones.
    firstTable: 'sessions',
    run: async (tx, { userId }) => ({ records: [changedSessions(await listSessionKeys(tx, userId))] }),
  },
];
