/** The order in which transactions lock rows, and the keys of advisory locks. Both are defined only here. */
import { empty, type Statement, sql } from './sql.ts';

/**
 * Transactions lock tables in this order, and the rows of a table in ascending order of the key. Two
 * transactions that lock the same rows therefore cannot deadlock. `npm run docs` writes the order into
 * docs/architecture.md.
 *
 * Exception: accounts (`users`) are locked FOR KEY SHARE in any order. That is safe because a transaction
 * locks at most one account exclusively, its caller's own. Suspension and role changes also lock the account
 * of another person: suspension refuses admins, and `AdvisoryLock.roleChange` serializes role changes.
 */
export const LOCK_ORDER = [
  'codes',
  'code_sends',
  'phones',
  'users',
  'sessions',
  'usernames',
  'imports',
  'events',
  'rsvps',
  'saves',
  'event_counters',
  'bookings',
  'items',
  'item_stock',
  'claims',
  'relations',
  'daily_counts',
  'user_counters',
  'reports',
  'flags',
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
  'change_shards',
  'idempotency_keys',
] as const;

export type LockedTable = (typeof LOCK_ORDER)[number];

/**
 * Keys of PostgreSQL's advisory locks. A transaction with idempotency keys also locks each of them, by the
 * two integers at the start of its hash, before any row (idempotency/stored-responses.ts).
 */
export const AdvisoryLock = {
  /** Held while migrations run. */
  migration: 7_305_114,
  /** Held shared by every process that uses the embedded database; the last process stops the database. */
  embeddedDatabase: 7_305_115,
  /** Held while a role changes: two concurrent requests cannot remove the last two admins. */
  roleChange: 7_305_116,
  /** Held while the demo data is written: two servers that start at the same time write it once. */
  demo: 7_305_117,
  /** Held while causes of notifications are delivered: a cause never overtakes an earlier one that it takes back. */
  delivery: 7_305_118,
} as const;

/**
 * The end of a locking clause. A batch skips rows that another transaction has locked; an individual retry
 * waits for them. A lock on one row therefore delays no other item of the batch.
 */
export const skipLockedUnless = (mayWaitForLocks: boolean): Statement =>
  mayWaitForLocks ? empty : sql`skip locked`;
