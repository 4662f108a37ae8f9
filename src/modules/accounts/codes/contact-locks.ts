/**
 * Locks that transactions take before any row, in this order: that of an account whose contacts change, then those of
 * contacts, in ascending order of their hashes. They are advisory locks of PostgreSQL, on all servers.
 */
import { keyedHash } from '#base';
import { sql, type Transaction } from '#pg';

/**
 * Locks contacts until the transaction ends: transactions about the codes of a contact run one after the other, and each
 * sees what the one before it has committed. A limit depends on rows that do not exist yet, such as the first try of a
 * network, so locks on rows would not suffice.
 */
export async function lockContacts(tx: Transaction, contactHashes: Buffer[]): Promise<void> {
  for (const hash of contactHashes.toSorted(Buffer.compare)) await lock(tx, hash);
}

/** Locks the contacts of an account: no other transaction changes them or deletes the account. */
export const lockContactsOf = (tx: Transaction, secretKey: string, userId: string): Promise<void> =>
  lock(tx, keyedHash(secretKey, 'contacts', userId));

async function lock(tx: Transaction, hash: Buffer): Promise<void> {
  const [a, b] = [hash.readInt32BE(0), hash.readInt32BE(4)];
  await tx.query(sql`select pg_advisory_xact_lock(${a}::int, ${b}::int)`);
}
