/**
 * Where the rows of each table are on a cluster with Citus. `potluck distribute` and the migration of a distributed
 * database read it. test/database/distribution.test.ts compares it with the catalogue: a new table without a line here fails.
 */

/**
 * The distribution column by table. The tables of a group have keys of one type and are colocated: rows with equal keys
 * are on one node, so foreign keys and joins between them are local. A table comes after those that it references.
 */
export const distributedTables: Record<string, string>[] = [
  // Ids of people, events and uploads.
  {
    users: 'id',
    user_counters: 'user_id',
    relations: 'user_id',
    sessions: 'user_id',
    imports: 'organizer_id',
    events: 'id',
    event_counters: 'event_id',
    rsvps: 'event_id',
    saves: 'event_id',
    items: 'event_id',
    item_stock: 'event_id',
    claims: 'event_id',
    bookings: 'event_id',
    idempotency_keys: 'user_id',
    conversations: 'user_id',
    messages: 'user_id',
    message_counts: 'user_id',
    daily_counts: 'user_id',
    uploads: 'id',
    upload_usage: 'user_id',
    loose_files: 'id',
    calendars: 'user_id',
    reports: 'reporter_id',
    notification_causes: 'user_id',
    notification_fan_outs: 'event_id',
    event_reminders: 'event_id',
    notifications: 'user_id',
    notification_settings: 'user_id',
    push_subscriptions: 'user_id',
    push_deliveries: 'user_id',
  },
  // What must be unique and is not the key of the rows that have it.
  { phones: 'phone', usernames: 'username' },
  // Keyed hashes of phones and of people's ids.
  { codes: 'phone_hash', code_tries: 'phone_hash', known_networks: 'phone_hash', audit: 'who' },
];

/** Tables that stay on the coordinator, and why. */
export const coordinatorTables: Record<string, string> = {
  // A transaction commits on the coordinator before it commits on other nodes. A server therefore never sees a changed
  // row whose note it cannot see; what it reads too early it reads again, by the versions in the notes.
  change_shards: 'the change log',
  changes: 'the change log',
  deleted_accounts: 'a few minutes of deletions: sweeps know of each one as soon as it is committed',
  database_instances: 'about the server of the change log',
  schema_version: 'read and written by migrations, before anything is distributed',
  flags: 'a few rows, which every server reads',
  code_sends: 'the counts of one day; the count of all codes is a single row that every code locks',
  request_counts: 'the counts of one minute, written in batches that contain callers of all nodes',
};

const columns: Record<string, string> = Object.assign({}, ...distributedTables);

/** The distribution column of a table; undefined for a table of the coordinator. */
export const distributionColumnOf = (table: string): string | undefined => columns[table];
