/** Rows of a deleted account that become visible after the deletion, as on a cluster, and the sweeps that delete them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { raw } from '#pg';
import { recordAudit } from '../../src/audit/audit.ts';
import { sweepDeletedAccounts } from '../../src/modules/accounts/deletion/sweep.ts';
import { insertCauses } from '../../src/outbox/causes.ts';
import { accountHooks } from '../../src/server/account-hooks.ts';
import { slowTest } from '../support/all-cases.ts';
import { findRowsContaining } from '../support/database-snapshots.ts';
import {
  createEvent,
  createItem,
  createUser,
  createUsers,
  deleteAccount,
  type Person,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { insertLateEvent } from '../support/late-events.ts';
import { expectProblem, expectStatus, secretKey, startTestApp } from '../support/setup.ts';
import type { SqlTransaction } from '../support/sql-tag.ts';

const api = await startTestApp();
const host = await createUser(api);
const removed: string[] = [];
const services = {
  db: api.sql,
  clock: api.clock.now,
  log: api.app.log,
  config: { secretKey },
  deletionHooks: accountHooks.deletionHooks,
  storage: {
    write: async () => {},
    read: async () => null,
    remove: async (id: string) => void removed.push(id),
    check: async () => {},
  },
};
const sweep = () => sweepDeletedAccounts(services as never);

const countTombstones = async (): Promise<number> => (await api.sql`select 1 from deleted_accounts`).length;

/**
 * Deletes the account while a transaction of `write` is open, and commits it afterwards: to the deletion, its rows are as
 * invisible as rows that another node has not committed yet.
 */
async function deleteBefore(person: Person, write: (tx: SqlTransaction) => Promise<unknown>): Promise<void> {
  await api.sql.begin(async (tx) => {
    await write(tx);
    expectStatus(await deleteAccount(api, person), 200);
  });
}

const tracesOf = async (person: Person, ...more: string[]): Promise<string[]> => {
  const found = await findRowsContaining(api.sql, [person.id, person.phone, person.username, ...more]);
  return [...new Set(found.map((trace) => trace.split(/[.:]/)[0] ?? ''))].sort();
};

test('late rows: a sweep deletes every row that becomes visible after the deletion, and corrects the counters', async () => {
  const person = await createUser(api);
  const [going, booked, saved] = [
    await createEvent(api, host),
    await createEvent(api, host),
    await createEvent(api, host),
  ];
  const item = await createItem(api, host, saved.id);
  expectStatus(await api.post(`/v1/users/${person.id}/follow`, host.token), 200);
  expectStatus(await api.post(`/v1/users/${person.id}/messages`, host.token, { text: 'Hello' }), 201);
  const late = { event: crypto.randomUUID(), upload: crypto.randomUUID() };
  // The rows of the follower and of the correspondent, which are on their nodes.
  const [relation] = await api.sql`
    select to_jsonb(r) as row from relations r where user_id = ${host.id} and other_id = ${person.id}`;
  const [conversation] = await api.sql`
    select to_jsonb(c) as row from conversations c where user_id = ${host.id} and other_id = ${person.id}`;
  for (const table of [raw('relations'), raw('conversations')])
    await api.sql`delete from ${table} where user_id = ${host.id} and other_id = ${person.id}`;
  await api.sql`delete from contacts where contact = ${person.phone}`;
  await api.sql`delete from usernames where username = ${person.username}`;
  await deleteBefore(person, async (tx) => {
    await tx`insert into contacts values (${person.phone}, ${person.id})`;
    await tx`insert into usernames values (${person.username}, ${person.id})`;
    await tx`insert into relations select * from jsonb_populate_record(null::relations, ${relation?.row}::jsonb)`;
    await tx`
      insert into conversations select * from jsonb_populate_record(null::conversations, ${conversation?.row}::jsonb)`;
    await tx`
      insert into rsvps (event_id, user_id, status, extra_guests, created_at)
      values (${going.id}, ${person.id}, 'going', 2, now())`;
    await tx`
      update event_counters set rsvp_count = 1, going_count = 1, extra_guests_count = 2, version = version + 1
      where event_id = ${going.id}`;
    await tx`
      insert into bookings (event_id, user_id, id, n, seats, status, created_at)
      values (${booked.id}, ${person.id}, ${crypto.randomUUID()}, 1, 3, 'booked', now())`;
    await tx`
      update event_counters set booked_count = 3, last_booking = 1, version = version + 1
      where event_id = ${booked.id}`;
    await tx`insert into saves values (${saved.id}, ${person.id}, now())`;
    await tx`
      insert into claims (event_id, n, user_id, id, quantity, created_at)
      values (${saved.id}, 1, ${person.id}, ${crypto.randomUUID()}, 2, now())`;
    await tx`update item_stock set claimed = 2 where event_id = ${saved.id} and n = 1`;
    await insertLateEvent(tx, going.id, late.event, person);
    await tx`
      insert into uploads (id, user_id, width, height, bytes, created_at)
      values (${late.upload}, ${person.id}, 1, 1, 1, now())`;
    await tx`
      insert into notifications (user_id, id, kind, subject_id, person_id, count, created_at)
      values (${host.id}, ${crypto.randomUUID()}, 'follower', ${person.id}, ${person.id}, 1, now())`;
    await tx.query(
      insertCauses([
        { userId: host.id, kind: 'follower', subjectId: person.id, actorId: person.id, amount: 1 },
      ]),
    );
    await tx`
      insert into reports (reporter_id, id, subject_type, subject_id, about_id, reason, text, status, note, created_at)
      values (${host.id}, ${crypto.randomUUID()}, 'user', ${person.id}, ${person.id}, 'other', '', 'open', '', now())`;
    await recordAudit(
      tx,
      { secretKey, now: api.clock.now(), address: '192.0.2.1' },
      { userId: person.id },
      'signed_in',
    );
  });
  assert.deepEqual(await tracesOf(person, late.event), [
    ...[
      'audit',
      'bookings',
      'claims',
      'contacts',
      'conversations',
      'event_counters',
      'events',
      'notification_causes',
    ],
    ...['notifications', 'relations', 'reports', 'rsvps', 'saves', 'uploads', 'usernames'],
  ]);
  api.clock.advance(5_000);
  await sweep();
  assert.deepEqual(await tracesOf(person, late.event), []);
  assert.deepEqual(removed, [late.upload]);
  await assertCounters(api.sql);
  expectProblem(await api.get(`/v1/events/${late.event}`), 404, 'event_not_found');
  const { body } = expectStatus(await api.get(`/v1/events/${going.id}`), 200);
  assert.deepEqual([body.rsvpCount, body.goingCount], [0, 0]);
  assert.equal(item.quantityNeeded, 3);
});

test('late rows: an account is swept five times in five minutes, and nothing names it meanwhile', async () => {
  await api.sql`delete from deleted_accounts`;
  const person = await createUser(api);
  expectStatus(await deleteAccount(api, person), 200);
  assert.deepEqual(await tracesOf(person), []);
  for (const seconds of [5, 25, 60, 90]) {
    api.clock.advance(seconds * 1_000);
    await sweep();
    assert.equal(await countTombstones(), 1);
  }
  api.clock.advance(119_000);
  await sweep();
  assert.equal(await countTombstones(), 1);
  api.clock.advance(1_000);
  await sweep();
  assert.equal(await countTombstones(), 0);
});

test('late rows: sweeps begin anew after one that failed, and after a late last one, when the time has doubled', async () => {
  const person = await createUser(api);
  expectStatus(await deleteAccount(api, person), 200);
  const rows = () => api.sql<{ sweeps: number }[]>`select sweeps from deleted_accounts`;
  api.clock.advance(5_000);
  await sweep();
  assert.deepEqual(await rows(), [{ sweeps: 1 }]);
  api.clock.advance(25_000);
  const failing = [
    {
      firstTable: 'users' as const,
      run: async () => {
        throw new Error('the node is away');
      },
    },
  ];
  await assert.rejects(
    sweepDeletedAccounts({ ...services, deletionHooks: failing } as never),
    /the node is away/,
  );
  for (const [seconds, sweeps] of [
    [20, 0],
    [15, 1],
    [25, 2],
    [3_600, 3],
    [90, 4],
    [3_600, 0],
    [3_595, 0],
    [5, 1],
  ] as const) {
    api.clock.advance(seconds * 1_000);
    await sweep();
    assert.deepEqual(await rows(), [{ sweeps }]);
  }
  await api.sql`delete from deleted_accounts`;
});

slowTest(
  'late rows: more deletions than can be swept in time are swept later, and their tombstones end',
  async () => {
    const people = await createUsers(api, 12);
    for (const person of people) expectStatus(await deleteAccount(api, person), 200);
    // One sweep of all takes eight minutes: each is due before those of the others are done.
    const slow = {
      firstTable: 'users' as const,
      run: async () => {
        api.clock.advance(40_000);
        return {};
      },
    };
    const deletionHooks = [...services.deletionHooks, slow];
    for (let minutes = 0; minutes < 24 * 60 && (await countTombstones()) > 0; minutes++) {
      api.clock.advance(60_000);
      await sweepDeletedAccounts({ ...services, deletionHooks } as never);
    }
    assert.equal(await countTombstones(), 0);
  },
);

test('late rows: a new account with the same phone and username keeps them and its codes', async () => {
  const person = await createUser(api, { username: 'comes.back' });
  expectStatus(await deleteAccount(api, person), 200);
  const again = await createUser(api);
  expectStatus(await api.patch('/v1/me', again.token, { username: 'comes.back' }), 200);
  await api.sql`delete from contacts where user_id = ${again.id}`;
  await api.sql`insert into contacts values (${person.phone}, ${again.id})`;
  await api.sql`update users set phone = ${person.phone} where id = ${again.id}`;
  expectStatus(await api.post('/v1/auth/otp/request', undefined, { phone: person.phone }), 202);
  const codes = () => api.sql`select * from codes order by contact_hash`;
  const before = await codes();
  api.clock.advance(5_000);
  await sweep();
  assert.deepEqual(await codes(), before);
  const [row] = await api.sql`
    select (select user_id from contacts where contact = ${person.phone}) as phone,
      (select user_id from usernames where username = 'comes.back') as username`;
  assert.deepEqual(row, { phone: again.id, username: again.id });
});

test('late rows: servers share the sweeps, and one with another key forgets the account', async () => {
  await api.sql`delete from deleted_accounts`;
  const people = [await createUser(api), await createUser(api), await createUser(api)];
  for (const person of people) expectStatus(await deleteAccount(api, person), 200);
  api.clock.advance(5_000);
  await Promise.all([sweep(), sweep(), sweep(), sweep()]);
  const rows = await api.sql`select sweeps from deleted_accounts`;
  assert.deepEqual(rows, [{ sweeps: 1 }, { sweeps: 1 }, { sweeps: 1 }]);
  api.clock.advance(25_000);
  await sweepDeletedAccounts({ ...services, config: { secretKey: 'another' } } as never);
  assert.equal(await countTombstones(), 0);
});
