/**
 * Deletes an account with all data of the person in one transaction, and corrects what other people see. The
 * transaction touches every event on which the person has an RSVP, save, claim or booking.
 *
 * The hooks of the modules lock rows in LOCK_ORDER, so the deletion never deadlocks with another transaction.
 * The locks that later hooks rely on are documented at the hook of the account (delete-user.ts) and at that of `events`.
 */
import { recordChange } from '#fresh-records';
import { sql, type Transaction } from '#pg';
import type { DeletedAccount, DeletionEffects, DeletionHook } from '../../../http/define-module.ts';
import { LOCK_ORDER } from '../../../schema/locks.ts';
import { type AccountNames, deleteNames, deleteUser } from './delete-user.ts';

/** Sorts hooks by the place of their first table in LOCK_ORDER. */
export const orderHooks = <H extends Pick<DeletionHook, 'firstTable'>>(hooks: H[]): H[] =>
  hooks.toSorted((a, b) => LOCK_ORDER.indexOf(a.firstTable) - LOCK_ORDER.indexOf(b.firstTable));

type Deletion = {
  names: AccountNames;
  /** Ids of files to remove after the commit; the regular sweep removes files that remain. */
  files: string[];
  /** The effect `unseen` of the hooks. */
  unseen: string[];
};

/**
 * @param account the transaction must hold the code that confirms the deletion
 * @param hooks in lock order
 */
export async function deleteAccount(
  tx: Transaction,
  account: Omit<DeletedAccount, 'unseen'>,
  hooks: DeletionHook[],
): Promise<Deletion> {
  const effects = await runHooks(tx, { ...account, unseen: [] }, hooks);
  const names = await deleteUser(tx, account.userId);
  await recordEffects(tx, effects);
  return {
    names,
    files: effects.flatMap(({ files = [] }) => files),
    unseen: [...new Set(effects.flatMap(({ unseen = [] }) => unseen))],
  };
}

/**
 * Deletes what has become visible since the account was deleted.
 * @returns ids of files to remove after the commit
 */
export async function deleteLateRows(
  tx: Transaction,
  account: DeletedAccount,
  names: AccountNames,
  hooks: DeletionHook[],
): Promise<string[]> {
  const repeated = hooks.filter(({ isOnce }) => !isOnce);
  const effects = await runHooks(tx, account, repeated);
  await deleteNames(tx, account.userId, names);
  await recordEffects(tx, effects);
  return effects.flatMap(({ files = [] }) => files);
}

async function runHooks(
  tx: Transaction,
  account: DeletedAccount,
  hooks: DeletionHook[],
): Promise<DeletionEffects[]> {
  // An organizer of ten thousand events needs longer than the default timeouts.
  await tx.query(sql`set local statement_timeout = '60s'`);
  await tx.query(sql`set local lock_timeout = '30s'`);
  const effects: DeletionEffects[] = [];
  for (const hook of hooks) effects.push((await hook.run(tx, account)) ?? {});
  return effects;
}

const recordEffects = (tx: Transaction, effects: DeletionEffects[]): Promise<void> =>
  recordChange(tx, {
    records: effects.flatMap(({ records = [] }) => records),
    listingKeys: effects.flatMap(({ listingKeys = [] }) => listingKeys),
  });
