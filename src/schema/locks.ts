/** The order in which transactions lock rows, and the keys of advisory locks. Both are defined only here. */

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
  'sources',
  'source_fetches',
  'import_fetches',
  'import_runs',
  'import_entries',
  'imports',
  'series',
  'series_rsvps',
  'series_people',
  'events',
  'event_tombstones',
  'event_counters',
  'invitations',
  'invitation_sends',
  'event_people',
  'rsvps',
  'requests',
  'saves',
  'bookings',
  'items',
  'item_stock',
  'claims',
  'comment_counters',
  'comments',
  'relations',
  'daily_counts',
  'user_counters',
  'reports',
  'flags',
  'instance_settings',
  'comment_limits',
  'message_counts',
  'conversations',
  'messages',
  'uploads',
  'upload_usage',
  'loose_files',
  'announcements',
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
 * codes of a contact, by the contact's hash, and before it a change of the contacts of an account (modules/accounts/codes/contact-locks.ts).
 * `packages/` uses 7_305_115 (the embedded database) and 7_305_119 (partitions).
 */
export const AdvisoryLock = {
  /** Held while migrations run. */
  migration: 7_305_114,
  /** Held while a role changes: two concurrent requests cannot remove the last two admins, or both make the first one. */
  roleChange: 7_305_116,
  /** Held while the demo data is written: two servers that start at the same time write it once. */
  demo: 7_305_117,
  /** Held while causes of notifications are delivered: a cause never overtakes an earlier one that it takes back. */
  delivery: 7_305_118,
  /** Held while a mail is counted: of two servers that send the last mail of an hour, the second sees the first. */
  mailCounts: 7_305_120,
  /** Held while the daily mails of organizers are stored: of two servers, one stores them. */
  mailSummaries: 7_305_121,
  /** Held while a backup is written to a directory: of two servers whose backup is due, one makes it. */
  backup: 7_305_122,
} as const;
