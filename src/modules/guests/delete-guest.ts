import type { Transaction } from '#pg';
import { deleteAccount } from '../accounts/deletion/delete-account.ts';
import { insertTombstone } from '../accounts/deletion/tombstones.ts';
import type { GuestServices } from './services.ts';

/**
 * Deletes a guest without an account with all that it has at its event, as accounts are deleted. The codes and tries of its contact
 * stay: they are not those of one event.
 */
export async function deleteGuest(
  tx: Transaction,
  { config, clock, deletionHooks }: GuestServices,
  userId: string,
): Promise<void> {
  const { names, unseen } = await deleteAccount(tx, { userId, contactHashes: [] }, deletionHooks);
  await insertTombstone(tx, { userId, ...names, unseen }, { secretKey: config.secretKey, now: clock() });
}
