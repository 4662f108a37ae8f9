/**
 * The locks that every write takes on the account and session of its author. Each test holds the other transaction at a
 * point where the write must wait for it.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { areAllCases, sampleOf } from '../support/all-cases.ts';
import { connectionOf, untilBlockedBy } from '../support/blocked-transactions.ts';
import { findRowsContaining } from '../support/database-snapshots.ts';
import {
  createEvent,
  createItem,
  createUser,
  deleteAccount,
  eventBody,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { type ApiResponse, expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { skipsOnCitus } from '../support/test-database.ts';

const api = await startTestApp();
const second = await api.startAnother();
const host = await createUser(api);

type Fixtures = { event: string; item: string; full: string; own: string };
type Write = (author: Person, fixtures: Fixtures) => Promise<ApiResponse>;

const post = (author: Person, path: string, body?: unknown) => second.post(path, author.token, body);
const withKey = (author: Person, path: string, body: unknown) =>
  second.call('POST', path, { token: author.token, body, headers: { 'idempotency-key': author.id } });

/** A write of each kind: alone and in a batch, with and without an idempotency key. */
const writes: Record<string, Write> = {
  'a new event': (author) => post(author, '/v1/events', eventBody()),
  'a new event with an idempotency key': (author) => withKey(author, '/v1/events', eventBody()),
  'an RSVP': (author, { full }) => post(author, `/v1/events/${full}/rsvp`, { status: 'interested' }),
  'a saved event': (author, { full }) => post(author, `/v1/events/${full}/save`, { saved: true }),
  'a claim': (author, { item }) => post(author, `/v1/items/${item}/claim`, { quantity: 1 }),
  'a claim with an idempotency key': (author, { item }) =>
    withKey(author, `/v1/items/${item}/claim`, { quantity: 1 }),
  'a booking': (author, { event }) => post(author, `/v1/events/${event}/booking`, { seats: 1 }),
  'a place in the waitlist': (author, { full }) =>
    post(author, `/v1/events/${full}/booking`, { seats: 1, waitlist: true }),
  'a message': (author) => post(author, `/v1/users/${host.id}/messages`, { text: 'Hello' }),
  'a message with an idempotency key': (author) =>
    withKey(author, `/v1/users/${host.id}/messages`, { text: 'Hello' }),
  'an item of the own event': (author, { own }) =>
    post(author, `/v1/events/${own}/items`, { title: 'Bread', kind: 'bring', quantityNeeded: 2 }),
  'a change of the own event': (author, { own }) =>
    second.patch(`/v1/events/${own}`, author.token, { status: 'cancelled' }),
  'the deletion of the own event': (author, { own }) => second.delete(`/v1/events/${own}`, author.token),
  'a change of the profile': (author) =>
    second.patch('/v1/me', author.token, { name: `Ghost of ${author.username}` }),
  'a follow': (author) => post(author, `/v1/users/${host.id}/follow`),
  'a block': (author) => post(author, `/v1/users/${host.id}/block`),
};

/** The writes, or in `npm test` each third one: the three tests have each write once. */
const writesFrom = (first: number) => sampleOf(Object.entries(writes).slice(areAllCases ? 0 : first), 3);

/** An author with an RSVP of `going`, an item to claim, and an event without free seats. */
async function createFixtures(): Promise<{ author: Person; fixtures: Fixtures }> {
  const author = await createUser(api);
  const [event, full] = [
    await createEvent(api, host, { capacity: 5 }),
    await createEvent(api, host, { capacity: 1 }),
  ];
  expectStatus(await api.post(`/v1/events/${full.id}/booking`, host.token, { seats: 1 }), 201);
  const item = await createItem(api, host, event.id);
  const own = await createEvent(api, author);
  await rsvpGoing(api, author, event.id);
  // The second server has the session in its cache.
  expectStatus(await second.get('/v1/auth/me', author.token), 200);
  return { author, fixtures: { event: event.id, item: item.id, full: full.id, own: own.id } };
}

test('deletion: 401 for a write that begins while the deletion of its author is not committed, and no row remains', {
  skip: skipsOnCitus('Citus locks a table on the coordinator alone, and the deletion writes to its shards.'),
}, async () => {
  for (const [name, write] of writesFrom(0)) {
    const { author, fixtures } = await createFixtures();
    const { deletion, response } = await api.sql.begin(async (tx) => {
      // The deletion has locked the account and deleted most of its rows when it reaches this table.
      await tx`lock table upload_usage in exclusive mode`;
      const deletion = deleteAccount(api, author);
      const deleting = await untilBlockedBy(api.sql, await connectionOf(tx), deletion);
      assert.ok(deleting, 'the deletion has not reached the table');
      const response = write(author, fixtures);
      await untilBlockedBy(api.sql, deleting, response);
      return { deletion, response };
    });
    expectStatus(await deletion, 200);
    const { status, body } = await response;
    assert.deepEqual([name, status, body?.code], [name, 401, 'token_invalid']);
    assert.deepEqual(await findRowsContaining(api.sql, [author.id, author.username]), [], name);
  }
  await assertCounters(api.sql);
});

test('deletion: 200 after a write of the author that is not committed yet, and no row of it remains', async () => {
  const { author, fixtures } = await createFixtures();
  const { deletion, response } = await api.sql.begin(async (tx) => {
    await tx`select 1 from item_stock where event_id = ${fixtures.event} for update`;
    const response = post(author, `/v1/items/${fixtures.item}/claim`, { quantity: 1 });
    const claiming = await untilBlockedBy(api.sql, await connectionOf(tx), response);
    assert.ok(claiming, 'the claim has not waited for its item');
    const deletion = deleteAccount(api, author);
    assert.ok(await untilBlockedBy(api.sql, claiming, deletion), 'the deletion has not waited for the claim');
    return { deletion, response };
  });
  expectStatus(await response, 201);
  expectStatus(await deletion, 200);
  assert.deepEqual(await findRowsContaining(api.sql, [author.id]), []);
  await assertCounters(api.sql);
});

test('logout: 401 for a write that begins while the end of its session is not committed', async () => {
  for (const [name, write] of writesFrom(1)) {
    const { author, fixtures } = await createFixtures();
    const { response } = await api.sql.begin(async (tx) => {
      await tx`delete from sessions where user_id = ${author.id}`;
      const response = write(author, fixtures);
      await untilBlockedBy(api.sql, await connectionOf(tx), response);
      return { response };
    });
    const { status, body } = await response;
    assert.deepEqual([name, status, body?.code], [name, 401, 'token_invalid']);
  }
});

test('logout: 401 for a deletion of the account that begins while the end of its session is not committed', async () => {
  const author = await createUser(api);
  const { body } = expectStatus(await api.post('/v1/me/delete-code', author.token), 202);
  const { response } = await api.sql.begin(async (tx) => {
    await tx`delete from sessions where user_id = ${author.id}`;
    const response = second.delete('/v1/me', author.token, { confirmCode: body.devCode });
    await untilBlockedBy(api.sql, await connectionOf(tx), response);
    return { response };
  });
  expectProblem(await response, 401, 'token_invalid');
  expectStatus(await api.get(`/v1/users/${author.id}`), 200);
});

test('suspension: 401 for a write that begins while the suspension is not committed, also with a session that remains', async () => {
  for (const [name, write] of writesFrom(2)) {
    const { author, fixtures } = await createFixtures();
    const { response } = await api.sql.begin(async (tx) => {
      await tx`select 1 from users where id = ${author.id} for update`;
      await tx`update users set suspended_at = now() where id = ${author.id}`;
      const response = write(author, fixtures);
      await untilBlockedBy(api.sql, await connectionOf(tx), response);
      return { response };
    });
    const { status, body } = await response;
    assert.deepEqual([name, status, body?.code], [name, 401, 'token_invalid']);
  }
});
