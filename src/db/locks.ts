/** The order in which transactions lock rows, and the keys of advisory locks. Both are defined only here. */
import { byPosition } from './query.ts';
import { empty, type Statement, sql } from './sql.ts';
import type { Transaction } from './transaction.ts';

/**
 * Transactions lock tables in this order, and the rows of a table in ascending order of the key. Two
 * transactions that lock the same rows therefore cannot deadlock. `npm run docs` writes the order into
 * docs/architecture.md.
 *
 * Exception: accounts (`users`) are locked FOR KEY SHARE in any order. That is safe because a transaction
 * locks at most one account exclusively, its caller's own. Suspension and role changes also lock the account
 * of another person: suspension refuses admins, and `AdvisoryLock.roleChange` serializes role changes. Sweeps first lock
 * their row of `deleted_accounts`, which other sweeps skip.
 */
export const LOCK_ORDER = [
  'codes',
  'code_tries',
  'code_sends',
  'known_networks',
  'contacts',
  'users',
  'sessions',
  'suspended_tokens',
  'contact_changes',
  'usernames',
  'imports',
  'events',
  'event_tombstones',
  'event_counters',
  'rsvps',
  'saves',
  'bookings',
  'items',
  'item_stock',
  'claims',
  'relations',
  'daily_counts',
  'user_counters',
  'reports',
  'flags',
  'instance_settings',
  'message_counts',
  'conversations',
  'messages',
  'uploads',
  'upload_usage',
  'loose_files',
  'notification_fan_outs',
  'notification_causes',
  'notifications',
  'notification_settings',
  'push_subscriptions',
  'push_deliveries',
  'mails',
  'deleted_accounts',
  'change_shards',
  'idempotency_keys',
] as const;

export type LockedTable = (typeof LOCK_ORDER)[number];

/**
 * Keys of PostgreSQL's advisory locks. A transaction with idempotency keys also locks each of them, by the
 * two integers at the start of its hash, before any row (idempotency/stored-responses.ts). So does a transaction about the
 * codes of a contact, by the contact's hash, and before it a change of the contacts of an account (modules/auth/contact-locks.ts).
 */
export const AdvisoryLock = {
  /** Held while migrations run. */
  migration: 7_305_114,
  /** Held shared by every process that uses the embedded database; the last process stops the database. */
  embeddedDatabase: 7_305_115,
  /** Held while a role changes: two concurrent requests cannot remove the last two admins, or both make the first one. */
  roleChange: 7_305_116,
  /** Held while the demo data is written: two servers that start at the same time write it once. */
  demo: 7_305_117,
  /** Held while causes of notifications are delivered: a cause never overtakes an earlier one that it takes back. */
  delivery: 7_305_118,
  /** Held while the partitions of a table change. */
  partitions: 7_305_119,
  /** Held while a mail is counted: of two servers that send the last mail of an hour, the second sees the first. */
  mailCounts: 7_305_120,
  /** Held while the daily mails of organizers are stored: of two servers, one stores them. */
  mailSummaries: 7_305_121,
  /** Held while a backup is written to a directory: of two servers whose backup is due, one makes it. */
  backup: 7_305_122,
} as const;

/**
 * Which locks of other transactions a transaction waits for; it skips the other rows. `targets`: those of the rows that its
 * commands change in common, such as the counters of an event.
 */
export type LockWaits = 'none' | 'targets' | 'all';

/**
 * The end of a locking clause. A batch skips rows that another transaction has locked; retries wait for them
 * (lock-retries.ts). A lock on one row therefore delays no other item of the batch.
 */
export const skipLockedUnless = (mayWaitForLocks: boolean): Statement =>
  mayWaitForLocks ? empty : sql`skip locked`;

/**
 * Locks rows with a statement for each distinct key, in ascending order of the keys: of a table that is distributed over
 * several machines, only rows of a given key can be locked. The statements are sent together.
 * @param keyOf its order must be that of the rows in LOCK_ORDER
 * @returns the results of `lock` by key
 */
export async function lockEach<T, R>(
  items: T[],
  keyOf: (item: T) => string,
  lock: (item: T) => Promise<R>,
): Promise<Map<string, R>> {
  const distinct = new Map(items.map((item) => [keyOf(item), item]));
  const sorted = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(await Promise.all(sorted.map(async ([key, item]) => [key, await lock(item)] as const)));
}

/**
 * Locks rows that a statement selects, in ascending order of their keys. One PostgreSQL locks the rows of all keys in one
 * statement. Citus can lock rows of a single node only, so a distributed database gets a statement for each key; they are
 * sent together.
 * @param keyOf its order must be that of the rows in LOCK_ORDER; items with the same key select the same row
 * @param select a statement that locks rows of the items it is given in the order of their keys. `nth`: the number of
 *   the item, from 1
 * @returns for each item its row; undefined if the statement returned none
 */
export async function lockRows<R extends object, T>(
  tx: Transaction,
  items: T[],
  keyOf: (item: T) => string,
  select: (items: T[]) => Statement,
): Promise<(R | undefined)[]> {
  if (!tx.isDistributed) return byPosition(await tx.query<R & { nth: number }>(select(items)), items.length);
  const rows = await lockEach(items, keyOf, (item) => tx.query<R>(select([item])));
  return items.map((item) => rows.get(keyOf(item))?.[0]);
}
