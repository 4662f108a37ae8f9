/** GET /v1/me/export: everything stored about the caller, and no private data of others. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { hashContact } from '../../src/modules/accounts/codes/hashes.ts';
import { accountHooks } from '../../src/server/account-hooks.ts';
import { findRowsContaining, takeSnapshot } from '../support/database-snapshots.ts';
import {
  createAdmin,
  createEvent,
  createUser,
  deleteAccount,
  eventBody,
  type Person,
} from '../support/factories.ts';
import { createPersonWithEverything } from '../support/person-with-everything.ts';
import { expectProblem, expectStatus, secretKey, startTestApp } from '../support/setup.ts';

const { exportSections: sections } = accountHooks;
const api = await startTestApp({ env: { QUOTAS: 'on' } });
const second = await api.startAnother();

type Row = Record<string, unknown>;
type Export = Record<string, Row[]>;
const readExport = async (who: Person): Promise<Export> =>
  expectStatus(await second.get('/v1/me/export', who.token), 200).body;

const { person, around, owned, contactHashes } = await createPersonWithEverything(api, second);
const keyedRequest = { token: person.token, body: eventBody(), headers: { 'idempotency-key': 'once' } };
const createdEvent = expectStatus(await api.call('POST', '/v1/events', keyedRequest), 201).body;
const document = await readExport(person);
const snapshot = await takeSnapshot(api.sql);
const rows = (table: string) => snapshot[table] ?? [];

/** Tables without rows of one person. */
const tablesWithoutPersonalData = new Set([
  'change_shards',
  'comment_counters',
  'changes',
  'database_instances',
  // Encrypted, for the minutes after a deletion (decision 51).
  'deleted_accounts',
  'event_reminders',
  // The ids of events alone.
  'event_tombstones',
  'flags',
  // Keyed hashes of searches, and what a geocoder answered.
  'geocoder_answers',
  // The hosts of calendars, and no person.
  'import_fetches',
  // What addresses answered, by their hashes, and no person.
  'source_fetches',
  'instance_settings',
  'loose_files',
  'notification_fan_outs',
  'request_counts',
  'mail_counts',
  // Hashes of addresses that name no account.
  'suppressed_addresses',
  // Hashes of contacts that name no account.
  'refused_invitations',
  'schema_version',
]);

// spec: 4.8 GET /v1/me/export: export of everything stored about the caller
test('export: 200 with a section for every table that contains the person', async () => {
  const needles = [
    person.id,
    person.phone,
    person.username,
    ...contactHashes.flatMap((hash) => [hash.toString('hex'), hash.toString('base64url')]),
  ];
  const traces = await findRowsContaining(api.sql, needles);
  const tables = new Set(traces.map((trace) => trace.split('.', 1)[0] ?? ''));
  assert.ok(tables.size > 15, [...tables].join());
  for (const table of tables) {
    const sectionsOfTable = sections.filter((section) => section.tables.includes(table));
    assert.ok(
      sectionsOfTable.some(({ name }) => (document[name]?.length ?? 0) > 0),
      `no export section names the table ${table}`,
    );
  }
  assert.deepEqual(Object.keys(document), ['exportedAt', ...sections.map(({ name }) => name)]);
});

test('export: every section has a named schema, and the test data has rows for it', async () => {
  const { body: openapi } = await api.get('/openapi.json');
  const { components } = openapi;
  const [admin, newUser] = [await createAdmin(api), await createUser(api)];
  const suspend = `/v1/admin/users/${newUser.id}/suspend`;
  expectStatus(await api.post(suspend, admin.token, { reason: 'Spam.' }), 200);
  // Rows of `code_sends` exist only if the SMS driver delivers, so the test inserts one.
  const scope = `contact:${hashContact(secretKey, { kind: 'phone', value: admin.phone }).toString('base64url')}`;
  await api.sql`insert into code_sends (scope, day, sent) values (${scope}, '2026-12-24', 2)`;
  const documents = [document, await readExport(admin)];
  await api.sql`delete from code_sends where scope = ${scope}`;
  for (const { name } of sections) {
    const { items } = components.schemas.Export.properties[name];
    assert.match(items.$ref ?? '', /^#\/components\/schemas\/Export[A-Z]/, name);
    const { properties, required } = components.schemas[items.$ref.split('/').at(-1)];
    const row = documents.flatMap((each) => each[name] ?? []).at(0);
    assert.ok(row, `no test data for ${name}`);
    // The contract validates the values of each column. This test compares the names of the columns.
    assert.deepEqual(Object.keys(row).sort(), Object.keys(properties).sort(), name);
    assert.deepEqual([...required].sort(), Object.keys(properties).sort(), name);
  }
});

// spec: 4.8 GET /v1/me/export: export of everything stored about the caller
test('export: every table of the database is in a section or has no rows of one person', () => {
  const exportedTables = new Set(sections.flatMap(({ tables }) => tables));
  const tables = Object.keys(snapshot).filter((table) => !tablesWithoutPersonalData.has(table));
  assert.deepEqual([...exportedTables].sort(), tables.sort());
});

// spec: 4.8 GET /v1/me/export: export of everything stored about the caller
test('export: 200 with every row of the person and with no row of others, as in the database', () => {
  const [a, b, c, d] = around;
  assert.ok(a && b && c && d);
  const [profile] = document.profile ?? [];
  const { phone, email, name, username, bio, city, isPrivate, role, followersCount, followingCount } =
    profile ?? {};
  assert.deepEqual(
    { phone, email, name, username, bio, city, isPrivate, role, followersCount, followingCount },
    {
      phone: person.phone,
      email: 'xanthippe.q@example.org',
      name: 'Xanthippe Quistgaard',
      username: 'xanthippe.q',
      bio: 'Writes epigrams.',
      city: 'Ouagadougou',
      isPrivate: false,
      role: 'user',
      followersCount: 2,
      followingCount: 2,
    },
  );
  const rowsOfPerson = (table: string, column = 'user_id') =>
    rows(table).filter((row) => row[column] === person.id);
  const sectionsOf: [section: string, table: string, column?: string][] = [
    ['sessions', 'sessions'],
    ['events', 'events', 'organizer_id'],
    ['imports', 'imports', 'organizer_id'],
    ['sources', 'sources'],
    ['importRuns', 'import_runs'],
    ['importEntries', 'import_entries'],
    ['series', 'series', 'organizer_id'],
    ['seriesRsvps', 'series_rsvps'],
    ['seriesStandings', 'series_people'],
    ['rsvps', 'rsvps'],
    ['requests', 'requests'],
    ['saves', 'saves'],
    ['standings', 'event_people'],
    ['announcements', 'announcements', 'author_id'],
    ['invitations', 'invitations', 'inviter_id'],
    ['invitationSends', 'invitation_sends'],
    ['claims', 'claims'],
    ['comments', 'comments'],
    ['commentsWritten', 'comment_limits'],
    ['bookings', 'bookings'],
    ['conversations', 'conversations'],
    ['messages', 'messages'],
    ['notificationSettings', 'notification_settings'],
    ['uploads', 'uploads'],
    ['calendar', 'calendars'],
    ['reports', 'reports', 'reporter_id'],
    ['dailyCounts', 'daily_counts'],
    ['idempotencyKeys', 'idempotency_keys'],
  ];
  for (const [section, table, column] of sectionsOf)
    assert.equal(document[section]?.length, rowsOfPerson(table, column).length, section);
  const userIds = (section: string) => document[section]?.map(({ userId }) => userId);
  assert.deepEqual(userIds('following'), [a.id, c.id].sort());
  assert.deepEqual(userIds('followers'), [a.id, b.id].sort());
  assert.deepEqual(userIds('blocks'), [d.id]);
  assert.deepEqual(document.events?.map(({ id }) => id).sort(), [...owned, createdEvent.id].sort());
  assert.deepEqual(
    document.items?.map(({ title, quantityNeeded, quantityClaimed }) => [
      title,
      quantityNeeded,
      quantityClaimed,
    ]),
    [['Olives', 5, 3]],
  );
  assert.deepEqual(document.claims?.map(({ quantity, note }) => `${quantity} ${note}`).sort(), [
    '1 null',
    '4 Flat bread from the island',
    '4 null',
  ]);
  assert.deepEqual(
    document.audit?.map(({ what }) => what),
    [
      'account_created',
      'contact_changed',
      'invitations_sent',
      'invitations_sent',
      'signed_in',
      'signed_in',
      'signed_in',
    ],
  );
});

// spec: 4.8 GET /v1/me/export: export of everything stored about the caller
test('export: no secrets, and no data that other people keep private', async () => {
  const text = JSON.stringify(document);
  const blocker = around[4];
  assert.ok(blocker);
  assert.ok(!text.includes(blocker.id));
  for (const { phone } of around) assert.ok(!text.includes(phone));
  const secrets = ['sessions', 'codes', 'calendars', 'idempotency_keys', 'audit'].flatMap((table) =>
    rows(table).flatMap((row) => Object.values(row).filter((value) => /^\\x/.test(`${value}`))),
  );
  assert.ok(secrets.length > 10);
  for (const secret of secrets) {
    const bytes = Buffer.from(`${secret}`.slice(2), 'hex');
    for (const form of ['hex', 'base64', 'base64url'] as const)
      assert.ok(!text.includes(bytes.toString(form)), `${secret}`);
  }
  assert.ok(!text.includes(person.token) && !text.includes(person.refreshToken));
});

test("export: an admin's actions are in the admin's export, without the id of the affected person", async () => {
  const [admin, newUser] = [await createAdmin(api), await createUser(api)];
  const suspend = `/v1/admin/users/${newUser.id}/suspend`;
  expectStatus(await api.post(suspend, admin.token, { reason: 'Spam.' }), 200);
  const exportOfAdmin = await readExport(admin);
  assert.deepEqual(
    exportOfAdmin.adminActions?.map(({ what }) => what),
    ['account_suspended'],
  );
  assert.ok(!JSON.stringify(exportOfAdmin).includes(newUser.id));
  expectStatus(await api.delete(suspend, admin.token), 200);
});

test('export: 200 as an attachment with no-store; empty sections for a new account', async () => {
  const newUser = await createUser(api);
  await createEvent(api, newUser);
  const { headers, body } = expectStatus(await api.get('/v1/me/export', newUser.token), 200);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('content-disposition'), 'attachment; filename="potluck-export.json"');
  assert.deepEqual([body.events.length, body.rsvps, body.blocks], [1, [], []]);
  assert.ok(Math.abs(Date.parse(body.exportedAt) - Date.now()) < 60_000);
});

test('export: more rows than one batch appear once each', async () => {
  const newUser = await createUser(api);
  await api.sql`
    insert into imports (organizer_id, uid, event_id)
    select ${newUser.id}, n::text, ${createdEvent.id} from generate_series(1, 1203) n`;
  const { imports } = await readExport(newUser);
  assert.equal(new Set(imports?.map(({ uid }) => uid)).size, 1203);
  assert.equal(imports?.length, 1203);
  await api.sql`delete from imports where organizer_id = ${newUser.id}`;
});

test('export: 401 without a token, and after the account is deleted', async () => {
  expectProblem(await api.get('/v1/me/export'), 401, 'token_missing');
  const newUser = await createUser(api);
  expectStatus(await deleteAccount(api, newUser), 200);
  expectProblem(await second.get('/v1/me/export', newUser.token), 401, 'token_invalid');
});
