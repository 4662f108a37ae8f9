/**
 * Deletes an account with all data of the person in one transaction, and corrects what other people see. The
 * transaction touches every event on which the person has an RSVP, save, claim or booking.
 *
 * The hooks of the modules lock rows in LOCK_ORDER, so the deletion never deadlocks with another transaction.
 * The locks that later hooks rely on are documented at the hooks of `users` and `events`.
 */
import { recordChange } from '../../cache/change-log.ts';
import { LOCK_ORDER } from '../../db/locks.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { DeletedAccount, DeletionEffects, DeletionHook } from '../../http/define-module.ts';
import { deleteUser } from '../users/delete-account-data.ts';

/** Sorts hooks by the place of their first table in LOCK_ORDER. */
export const orderHooks = (hooks: DeletionHook[]): DeletionHook[] =>
  hooks.toSorted((a, b) => LOCK_ORDER.indexOf(a.firstTable) - LOCK_ORDER.indexOf(b.firstTable));

/**
 * @param account the transaction must hold the code that confirms the deletion
 * @param hooks in lock order
 * @returns ids of files to remove after the commit; the regular sweep removes files that remain
 */
export async function deleteAccount(
  tx: Transaction,
  account: DeletedAccount,
  hooks: DeletionHook[],
): Promise<string[]> {
  // An organizer of ten thousand events needs longer than the default timeouts.
  await tx.query(sql`set local statement_timeout = '60s'`);
  await tx.query(sql`set local lock_timeout = '30s'`);
  const effects: DeletionEffects[] = [];
  for (const hook of hooks) effects.push(await hook.run(tx, account));
  await deleteUser(tx, account.userId);
  await recordChange(tx, {
    records: effects.flatMap(({ records = [] }) => records),
    listingKeys: effects.flatMap(({ listingKeys = [] }) => listingKeys),
  });
  return effects.flatMap(({ files = [] }) => files);
}
