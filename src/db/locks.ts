import { empty, sql } from './sql.ts';
/** The order in which transactions lock rows, and the numbers of advisory locks: each is defined here and nowhere else. */

/**
 * Transactions lock rows in this order of tables, and within a table in ascending order of the key. Two transactions
 * that lock the same rows therefore never wait for each other in a circle. docs/architecture.md is generated from it.
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
  'user_counters',
  'reports',
  'flags',
  'message_counts',
  'conversations',
  'messages',
  'uploads',
  'upload_usage',
  'loose_files',
  'change_shards',
  'idempotency_keys',
] as const;

export type LockedTable = (typeof LOCK_ORDER)[number];

/** Keys of PostgreSQL's advisory locks. */
export const AdvisoryLock = {
  /** Held while migrations run. */
  migration: 7_305_114,
  /** Held shared by every process that uses the embedded database; the last one stops it. */
  embeddedDatabase: 7_305_115,
  /** Held while an admin's role changes: the last admin cannot be removed by two requests at once. */
  roleChange: 7_305_116,
  /** Held while the demo is written: two servers that start together write it once. */
  demo: 7_305_117,
} as const;

/**
 * Ends a locking clause: who is alone waits for whoever holds the row, a batch passes over it. So what one person or
 * event waits for holds up nobody else.
 */
export const skipLockedUnless = (mayWaitForLocks: boolean) => (mayWaitForLocks ? empty : sql`skip locked`);
