/** Partitions of audit and messages: their creation, and the deletion of old rows. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { maxId, minId, newIdAt } from '#base';
import { createPartitions, sql } from '#pg';
import { maintainAudit } from '../../src/audit/audit.ts';
import { selectMessages } from '../../src/modules/messages/repo.ts';
import { maintainMessages } from '../../src/modules/messages/retention.ts';
import { createUser, type Person, signIn } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { createMessageClient } from '../support/message-client.ts';
import { expectStatus, startTestApp, TestClock } from '../support/setup.ts';
import { connectSql } from '../support/sql-tag.ts';

const clock = new TestClock();
const api = await startTestApp({ clock, env: { MESSAGES_PER_MINUTE: '0' } });
const { send, texts, conversations, unread, read, pair } = createMessageClient(api);

const inDays = (days: number): Date => new Date(Date.now() + days * 86_400_000);
/** The sessions of before have expired. */
const signInAgain = async (people: Person[]): Promise<void> => {
  for (const person of people) person.token = (await signIn(api, person.phone)).token;
};
const countPartitions = async (table: string): Promise<number> => {
  const [row] = await api.sql<{ count: number }[]>`
    select count(*)::int as count from pg_inherits where inhparent = ${table}::regclass`;
  return row?.count ?? 0;
};

test('partitions: ten servers create those of the next 13 months at once; each exists once', async () => {
  const servers = Array.from({ length: 10 }, () =>
    createPartitions(api.sql, { name: 'audit', key: 'who', months: 1 }, inDays(365)),
  );
  await Promise.all(servers);
  // A year, the present month and the next one, and the two without a bound. The first month may have begun before.
  const count = await countPartitions('audit');
  assert.ok(count === 14 || count === 15, `${count}`);
  await createPartitions(api.sql, { name: 'audit', key: 'who', months: 1 }, inDays(365));
  assert.equal(await countPartitions('audit'), count);
});

test('partitions: rows of any time are stored, and are found after the partitions of their time were created', async () => {
  const [a, b] = await pair();
  const times = [-40_000, -400, 0, 100, 400, 4_000].map(inDays);
  expectStatus(await send(a, b, 'now'), 201);
  for (const at of times) {
    await api.sql`
      insert into messages (user_id, other_id, id, is_own, text, created_at)
      values (${a.id}, ${b.id}, ${at < new Date(0) ? '00000000-0000-7000-8000-000000000001' : newIdAt(at)}, true, 'x', ${at})`;
  }
  const before = await texts(a, b);
  assert.equal(before.length, 7);
  await maintainMessages(api.sql, inDays(450), 36_500);
  assert.deepEqual(await texts(a, b), before);
  const [later] = await api.sql<{ count: number }[]>`select count(*)::int as count from messages_after`;
  assert.equal(later?.count, 1);
  await api.sql`delete from messages where user_id = ${a.id} and text = 'x'`;
});

test('partitions: a conversation is read newest first without sorting, from the newest partition on', async () => {
  const plan = await api.sql.begin(async (tx) => {
    // As with many rows: a table that is nearly empty is read whole.
    await tx`set local enable_seqscan = off`;
    const id = sql`${minId}::uuid`;
    const page = { userId: id, otherId: id, before: sql`${maxId}::uuid`, atMost: sql`${20}::int` };
    return tx.query(sql`explain ${selectMessages(page)}`);
  });
  const lines = plan.map((row) => Object.values(row).join(''));
  assert.ok(
    lines.some((line) => /^\s*(->\s*)?Append/.test(line)),
    lines.join('\n'),
  );
  assert.ok(!lines.some((line) => /Sort|Merge Append/.test(line)), lines.join('\n'));
});

test('retention: messages stay by default; with a number of days, partitions, conversations and unread counts follow', async () => {
  const [a, b] = await pair();
  const [c, d] = await pair();
  for (const text of ['1', '2']) expectStatus(await send(a, b, text), 201);
  expectStatus(await send(c, d, 'old'), 201);
  // 200 days later, in another partition.
  clock.advance(200 * 86_400_000);
  await signInAgain([a, b, c, d]);
  await maintainMessages(api.sql, clock.now(), 36_500);
  for (const text of ['3', '4']) expectStatus(await send(a, b, text), 201);
  assert.deepEqual(await texts(a, b), ['4', '3', '2', '1']);
  assert.equal(await unread(b, a), 4);

  await maintainMessages(api.sql, clock.now(), 150);
  assert.deepEqual(await texts(a, b), ['4', '3']);
  assert.equal(await unread(b, a), 2);
  assert.deepEqual((await conversations(c)).data, []);
  expectStatus(await send(c, d, 'new'), 201);
  assert.deepEqual(await texts(d, c), ['new']);
  expectStatus(await read(b, a), 200);
  await assertCounters(api.sql);

  // A year later, the partition of the newest messages is dropped; rows of that time still find a place.
  const count = await countPartitions('messages');
  clock.advance(400 * 86_400_000);
  await signInAgain([a]);
  await maintainMessages(api.sql, clock.now(), 36_500);
  const grown = await countPartitions('messages');
  assert.ok(grown > count);
  await maintainMessages(api.sql, clock.now(), 150);
  assert.ok((await countPartitions('messages')) < grown);
  assert.deepEqual((await conversations(a)).data, []);
  await api.sql`
    insert into conversations (user_id, other_id, last_id, unread_count)
    values (${a.id}, ${b.id}, ${newIdAt(inDays(200))}, 0)`;
  await api.sql`
    insert into messages (user_id, other_id, id, is_own, text, created_at)
    values (${a.id}, ${b.id}, ${newIdAt(inDays(200))}, true, 'late', ${inDays(200)})`;
  assert.deepEqual(await texts(a, b), ['late']);
  await api.sql`delete from conversations where user_id = ${a.id}`;
  await assertCounters(api.sql);
});

test('race: messages sent while partitions are created and dropped are all stored', async () => {
  const [a, b] = await pair();
  const statuses: number[] = [];
  let isDone = false;
  const sender = async () => {
    for (let n = 0; !isDone; n++) statuses.push((await send(n % 2 ? a : b, n % 2 ? b : a, `${n}`)).status);
  };
  const work = Promise.all([sender(), sender(), sender()]);
  try {
    const now = clock.now();
    for (let days = 0; days < 800; days += 100) {
      await maintainMessages(api.sql, new Date(now.getTime() + days * 86_400_000), 36_500);
    }
    const count = await countPartitions('messages');
    for (let days = 140; days > 0; days -= 20) await maintainMessages(api.sql, now, days);
    assert.ok((await countPartitions('messages')) < count);
  } finally {
    isDone = true;
    await work;
  }
  assert.deepEqual(
    statuses.filter((status) => status !== 201),
    [],
  );
  const [row] = await api.sql<{ count: number }[]>`
    select count(*)::int as count from messages where user_id = ${a.id} and other_id = ${b.id}`;
  assert.ok((row?.count ?? 0) > 0);
  await assertCounters(api.sql);
});

test('audit: entries are deleted by partition after the retention time, and later entries are stored', async () => {
  const person = await createUser(api);
  const list = async () => (await api.sql`select 1 from audit where user_id = ${person.id}`).length;
  assert.ok((await list()) > 0);
  await maintainAudit(api.sql, new Date(clock.now().getTime() + 300 * 86_400_000), 365);
  assert.ok((await list()) > 0);
  await maintainAudit(api.sql, new Date(clock.now().getTime() + 400 * 86_400_000), 365);
  assert.equal(await list(), 0);
  expectStatus(await api.post('/v1/auth/logout', person.token), 200);
  assert.equal(await list(), 1);
});

test('audit: of 25,000 entries of the first partition, two servers delete those that are too old, and no other', async () => {
  const firstAt = 1_700_000_000;
  // An entry for each minute of 17 days before the first bound, with an id of that time.
  await api.sql`
    insert into audit_before (who, id, at, what, detail)
    select sha256(n::text::bytea),
      (lpad(to_hex((${firstAt}::bigint + n * 60) * 1000), 12, '0') || '7000' || lpad(to_hex(n), 16, '8'))::uuid,
      to_timestamp(${firstAt}::bigint + n * 60), 'signed_in', 'old'
    from generate_series(0, 24999) n`;
  const keptFrom = Math.ceil((firstAt + 12_345 * 60) / 86_400) * 86_400;
  const now = new Date((keptFrom + 365 * 86_400) * 1_000);
  const otherServer = connectSql(api.target, 1);
  await Promise.all([maintainAudit(api.sql, now, 365), maintainAudit(otherServer, now, 365)]);
  await otherServer.end();
  const [row] = await api.sql<[{ first: number; count: number }]>`
    select extract(epoch from min(at))::int as first, count(*)::int as count from audit where detail = 'old'`;
  assert.ok(row.first >= keptFrom && row.first < keptFrom + 60, `${row.first}`);
  assert.equal(row.count, (firstAt + 24_999 * 60 - row.first) / 60 + 1);
});
