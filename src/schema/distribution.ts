/**
 * Which folder of src/, or package, owns each table, and where its rows are on a cluster with Citus. Only the owner writes a table;
 * other folders call its functions (test/database/table-owners.test.ts). `potluck distribute` and the migration of a
 * distributed database read the keys. test/database/distribution.test.ts compares the tables with the catalogue: a new
 * table without a line here fails.
 */

/** `key`: the distribution column. */
type DistributedTable = { key: string; owner: string };

/**
 * The tables of a group have keys of one type and are colocated: rows with equal keys
 * are on one node, so foreign keys and joins between them are local. A table comes after those that it references.
 */
export const distributedTables: Record<string, DistributedTable>[] = [
  // Ids of people, events and uploads.
  {
    users: { key: 'id', owner: 'modules/accounts' },
    user_counters: { key: 'user_id', owner: 'modules/people' },
    relations: { key: 'user_id', owner: 'modules/people' },
    sessions: { key: 'user_id', owner: 'modules/accounts' },
    suspended_tokens: { key: 'user_id', owner: 'modules/accounts' },
    contact_changes: { key: 'user_id', owner: 'modules/accounts' },
    imports: { key: 'organizer_id', owner: 'modules/events' },
    sources: { key: 'user_id', owner: 'modules/imports' },
    import_runs: { key: 'user_id', owner: 'modules/imports' },
    import_entries: { key: 'user_id', owner: 'modules/imports' },
    series: { key: 'id', owner: 'modules/events' },
    series_rsvps: { key: 'series_id', owner: 'modules/events' },
    series_people: { key: 'series_id', owner: 'modules/events' },
    events: { key: 'id', owner: 'modules/events' },
    event_tombstones: { key: 'event_id', owner: 'modules/events' },
    event_counters: { key: 'event_id', owner: 'modules/events' },
    event_people: { key: 'event_id', owner: 'modules/events' },
    rsvps: { key: 'event_id', owner: 'modules/attendance' },
    requests: { key: 'subject_id', owner: 'modules/attendance' },
    saves: { key: 'event_id', owner: 'modules/attendance' },
    items: { key: 'event_id', owner: 'modules/items' },
    item_stock: { key: 'event_id', owner: 'modules/items' },
    claims: { key: 'event_id', owner: 'modules/items' },
    comments: { key: 'event_id', owner: 'modules/comments' },
    comment_counters: { key: 'event_id', owner: 'modules/comments' },
    bookings: { key: 'event_id', owner: 'modules/attendance' },
    invitations: { key: 'subject_id', owner: 'modules/invitations' },
    invitation_uses: { key: 'subject_id', owner: 'modules/invitations' },
    invitation_sends: { key: 'user_id', owner: 'modules/invitations' },
    idempotency_keys: { key: 'user_id', owner: 'idempotency' },
    conversations: { key: 'user_id', owner: 'modules/messages' },
    messages: { key: 'user_id', owner: 'modules/messages' },
    message_counts: { key: 'user_id', owner: 'modules/messages' },
    comment_limits: { key: 'user_id', owner: 'modules/comments' },
    daily_counts: { key: 'user_id', owner: 'quotas' },
    uploads: { key: 'id', owner: 'modules/uploads' },
    upload_usage: { key: 'user_id', owner: 'modules/uploads' },
    loose_files: { key: 'id', owner: 'modules/uploads' },
    calendars: { key: 'user_id', owner: 'modules/calendars' },
    reports: { key: 'reporter_id', owner: 'modules/moderation' },
    announcements: { key: 'subject_id', owner: 'modules/announcements' },
    notification_causes: { key: 'user_id', owner: 'outbox' },
    notification_fan_outs: { key: 'event_id', owner: 'outbox' },
    event_notices: { key: 'event_id', owner: 'outbox' },
    event_reminders: { key: 'event_id', owner: 'modules/notifications' },
    notifications: { key: 'user_id', owner: 'modules/notifications' },
    notification_settings: { key: 'user_id', owner: 'modules/notifications' },
    push_subscriptions: { key: 'user_id', owner: 'modules/notifications' },
    push_deliveries: { key: 'user_id', owner: 'modules/notifications' },
    mails: { key: 'user_id', owner: 'mail' },
  },
  // What must be unique and is not the key of the rows that have it.
  {
    contacts: { key: 'contact', owner: 'modules/accounts' },
    usernames: { key: 'username', owner: 'modules/accounts' },
    guest_contacts: { key: 'contact', owner: 'modules/accounts' },
  },
  // Keyed hashes of contacts and of people's ids.
  {
    codes: { key: 'contact_hash', owner: 'modules/accounts' },
    code_tries: { key: 'contact_hash', owner: 'modules/accounts' },
    known_networks: { key: 'contact_hash', owner: 'modules/accounts' },
    audit: { key: 'who', owner: 'audit' },
    suppressed_addresses: { key: 'address_hash', owner: 'mail' },
    refused_invitations: { key: 'contact_hash', owner: 'modules/invitations' },
  },
];

/** Tables that stay on the coordinator, and why. */
export const coordinatorTables: Record<string, { owner: string; why: string }> = {
  // A transaction commits on the coordinator before it commits on other nodes. A server therefore never sees a changed
  // row whose note it cannot see; what it reads too early it reads again, by the versions in the notes.
  change_shards: { owner: 'packages/fresh-records', why: 'the change log' },
  changes: { owner: 'packages/fresh-records', why: 'the change log' },
  deleted_accounts: {
    owner: 'modules/accounts',
    why: 'a few minutes of deletions: sweeps know of each one as soon as it is committed',
  },
  database_instances: { owner: 'packages/fresh-records', why: 'about the server of the change log' },
  schema_version: { owner: 'schema', why: 'read and written by migrations, before anything is distributed' },
  flags: { owner: 'flags', why: 'a few rows, which every server reads' },
  instance_settings: { owner: 'instance', why: 'one row, which every server reads' },
  code_sends: {
    owner: 'modules/accounts',
    why: 'the counts of one day; the count of all codes is a single row that every code locks',
  },
  mail_counts: { owner: 'mail', why: 'the counts of one hour, whose sum each mail reads' },
  geocoder_answers: {
    owner: 'modules/places',
    why: 'a few answers, of which one row is the turn of all servers',
  },
  source_fetches: {
    owner: 'modules/imports',
    why: 'what a few addresses answered, for people of all nodes',
  },
  import_fetches: {
    owner: 'modules/imports',
    why: 'the counts of one hour of each host',
  },
  request_counts: {
    owner: 'http',
    why: 'the counts of one minute, written in batches that contain callers of all nodes',
  },
};
