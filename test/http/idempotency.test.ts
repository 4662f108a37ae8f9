/** `Idempotency-Key`: a repeated request has effect once, on any server, and gets the first response. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { deleteExpiredResponses } from '../../src/idempotency/stored-responses.ts';
import { often } from '../support/all-cases.ts';
import { resolveResponse } from '../support/contract.ts';
import { findRowsContaining, takeSnapshot } from '../support/database-snapshots.ts';
import {
  createEvent,
  createItem,
  createUser,
  createUsers,
  deleteAccount,
  eventBody,
  type Person,
  rsvpGoing,
  signIn,
} from '../support/factories.ts';
import {
  type ApiResponse,
  expectProblem,
  expectStatus,
  startTestApp,
  type TestApp,
  TestClock,
} from '../support/setup.ts';
import { connectSql, openSql } from '../support/sql-tag.ts';

const clock = new TestClock();
const api = await startTestApp({ clock });
const second = await api.startAnother();

type Post = { on?: TestApp; key?: string; body?: unknown };
const postWithKey = (
  person: Person,
  path: string,
  { on = api, key = randomUUID(), body }: Post,
): Promise<ApiResponse> =>
  on.call('POST', path, { token: person.token, body, headers: { 'idempotency-key': key } });
const createWithKey = (person: Person, options: Post = {}) =>
  postWithKey(person, '/v1/events', { body: eventBody(), ...options });

const countEvents = async ({ id }: Person): Promise<number> =>
  (await api.sql`select 1 from events where organizer_id = ${id}`).length;
const countItems = async (event: string): Promise<number> =>
  (await api.sql`select 1 from items where event_id = ${event}`).length;
const countKeys = async ({ id }: Person): Promise<number> =>
  (await api.sql`select 1 from idempotency_keys where user_id = ${id}`).length;

function expectReplay(again: ApiResponse, first: ApiResponse): void {
  expectStatus(again, first.status);
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get('location'), first.headers.get('location'));
  assert.equal(first.headers.get('idempotent-replayed'), null);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
}

/** An event with an item, and a guest with an RSVP. */
async function createFixtures(quantityNeeded = 10) {
  const [organizer, guest] = (await createUsers(api, 2)) as [Person, Person];
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { quantityNeeded });
  await rsvpGoing(api, guest, event.id);
  return { organizer, guest, event, item };
}

// spec: 8 POST /v1/events, POST /v1/events/:id/items, POST /v1/items/:id/claim, POST /v1/events/:id/booking: repetition of creating requests with `Idempotency-Key`
test('key: a replay of the 201 with equal body and Location on every server, and one event is created', async () => {
  const person = await createUser(api);
  const request = { key: randomUUID(), body: eventBody() };
  const first = expectStatus(await createWithKey(person, request), 201);
  for (const on of [api, second]) expectReplay(await createWithKey(person, { ...request, on }), first);
  assert.equal(await countEvents(person), 1);
  expectStatus(await api.get(first.headers.get('location') ?? '', person.token), 200);
});

test('key: the first response equals the response without a key', async () => {
  const { organizer, guest, event, item } = await createFixtures();
  const body = { title: 'Forks', kind: 'bring', quantityNeeded: 2 };
  const plain = expectStatus(await api.post(`/v1/events/${event.id}/items`, organizer.token, body), 201);
  const keyed = expectStatus(await postWithKey(organizer, `/v1/events/${event.id}/items`, { body }), 201);
  const claim = expectStatus(
    await postWithKey(guest, `/v1/items/${item.id}/claim`, { body: { quantity: 2 } }),
    201,
  );
  assert.deepEqual(Object.keys(keyed.body).sort(), Object.keys(plain.body).sort());
  assert.equal(keyed.headers.get('content-type'), plain.headers.get('content-type'));
  assert.deepEqual([claim.body.itemId, claim.body.quantity], [item.id, 2]);
  const created = expectStatus(await createWithKey(organizer), 201);
  assert.deepEqual((await api.get(`/v1/events/${created.body.id}`, organizer.token)).body, created.body);
});

test('key: a repeated new item and a repeated claim have effect once, sent to two servers', async () => {
  const { organizer, guest, event, item } = await createFixtures();
  const body = { title: 'Forks', kind: 'bring', quantityNeeded: 2 };
  const itemRequest = { key: 'forks', body };
  const added = expectStatus(await postWithKey(organizer, `/v1/events/${event.id}/items`, itemRequest), 201);
  expectReplay(
    await postWithKey(organizer, `/v1/events/${event.id}/items`, { ...itemRequest, on: second }),
    added,
  );
  assert.equal(await countItems(event.id), 2);
  const claimRequest = { key: 'mine', body: { quantity: 3 } };
  const claimed = expectStatus(await postWithKey(guest, `/v1/items/${item.id}/claim`, claimRequest), 201);
  expectReplay(
    await postWithKey(guest, `/v1/items/${item.id}/claim`, { ...claimRequest, on: second }),
    claimed,
  );
  // The replay also follows the removal of the claim, and does not create it again.
  expectStatus(await api.delete(`/v1/items/${item.id}/claim`, guest.token), 200);
  expectReplay(await postWithKey(guest, `/v1/items/${item.id}/claim`, claimRequest), claimed);
  const [row] = await api.sql`select claimed from item_stock where event_id = ${event.id} and n = 1`;
  assert.equal(row?.claimed, 0);
});

test('key: 422 for another body or another path; a replay for another order of fields', async () => {
  const { organizer, guest, event, item } = await createFixtures();
  const key = randomUUID();
  const first = expectStatus(
    await createWithKey(organizer, {
      key,
      body: eventBody({ startAt: '2030-05-01T10:00:00Z', endAt: '2030-05-01T12:00:00Z' }),
    }),
    201,
  );
  const { location, ...rest } = eventBody({ startAt: '2030-05-01T10:00:00Z', endAt: '2030-05-01T12:00:00Z' });
  expectReplay(await createWithKey(organizer, { key, body: { location, ...rest } }), first);
  expectProblem(
    await createWithKey(organizer, { key, body: eventBody({ title: 'Another' }) }),
    422,
    'idempotency_key_reused',
  );
  const newItem = { title: 'Forks', kind: 'bring', quantityNeeded: 2 };
  expectProblem(
    await postWithKey(organizer, `/v1/events/${event.id}/items`, { key, body: newItem }),
    422,
    'idempotency_key_reused',
  );
  expectStatus(
    await postWithKey(guest, `/v1/items/${item.id}/claim`, { key: 'k', body: { quantity: 1 } }),
    201,
  );
  expectProblem(
    await postWithKey(guest, `/v1/items/${item.id}/claim`, { key: 'k', body: { quantity: 2 } }),
    422,
    'idempotency_key_reused',
  );
  assert.deepEqual([await countEvents(organizer), await countItems(event.id)], [2, 1]);
});

test('key: keys are scoped to the person, across all sessions', async () => {
  const [one, other] = (await createUsers(api, 2)) as [Person, Person];
  const first = expectStatus(await createWithKey(one, { key: 'same' }), 201);
  const otherResponse = expectStatus(await createWithKey(other, { key: 'same' }), 201);
  assert.notEqual(first.body.id, otherResponse.body.id);
  const device = await signIn(second, one.phone);
  const body = eventBody({ startAt: first.body.startAt, endAt: first.body.endAt });
  expectReplay(await createWithKey(device, { key: 'same', body }), first);
});

test('key: 400 for an invalid key; a quoted and an unquoted key are equal', async () => {
  const person = await createUser(api);
  const body = eventBody();
  for (const key of [
    '',
    '"',
    '""',
    'a b',
    'a,b',
    'a"b',
    '"a',
    '"a\\b"',
    'x'.repeat(256),
    `"${'x'.repeat(256)}"`,
    '\u00e9',
  ]) {
    const response = await createWithKey(person, { key, body });
    assert.equal(response.status, 400, `"${key}"`);
    assert.match(JSON.stringify(response.body.errors), /idempotency-key/i, key);
  }
  assert.equal(await countEvents(person), 0);
  const first = expectStatus(await createWithKey(person, { key: '"a-1"', body }), 201);
  expectReplay(await createWithKey(person, { key: 'a-1', body }), first);
  for (const key of ['"with \\"quotes\\" and \\\\"', 'x'.repeat(255), `"${'x'.repeat(254)}"`])
    expectStatus(await createWithKey(person, { key, body }), 201);
});

test('key: error responses are not stored; 401 and 400 precede the check of the key', async () => {
  const { guest, event, item } = await createFixtures(1);
  const otherGuest = await createUser(api);
  await rsvpGoing(api, otherGuest, event.id);
  expectProblem(
    await api.call('POST', '/v1/events', { body: eventBody(), headers: { 'idempotency-key': 'k' } }),
    401,
    'token_missing',
  );
  expectStatus(await postWithKey(otherGuest, `/v1/items/${item.id}/claim`, { body: { quantity: 1 } }), 201);
  const claimRequest = { key: 'again', body: { quantity: 1 } };
  expectProblem(
    await postWithKey(guest, `/v1/items/${item.id}/claim`, claimRequest),
    422,
    'quantity_unavailable',
  );
  assert.equal(await countKeys(guest), 0);
  expectStatus(await api.delete(`/v1/items/${item.id}/claim`, otherGuest.token), 200);
  expectStatus(await postWithKey(guest, `/v1/items/${item.id}/claim`, claimRequest), 201);
  expectProblem(await createWithKey(guest, { key: 'bad', body: { title: '' } }), 400, 'invalid_request');
  expectStatus(await createWithKey(guest, { key: 'bad' }), 201);
});

// spec: 8 POST /v1/events, POST /v1/events/:id/items, POST /v1/items/:id/claim, POST /v1/events/:id/booking: repetition of creating requests with `Idempotency-Key`
test('race: 20 concurrent requests on two servers create one event, and all get the same response', async () => {
  const person = await createUser(api);
  const body = eventBody();
  for (let round = 0; round < often(5); round++) {
    const key = randomUUID();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => createWithKey(person, { key, body, on: i % 2 ? api : second })),
    );
    for (const response of responses) expectStatus(response, 201);
    assert.equal(new Set(responses.map((response) => response.body.id)).size, 1);
    assert.equal(responses.filter(({ headers }) => !headers.has('idempotent-replayed')).length, 1);
    assert.equal(await countEvents(person), round + 1);
  }
});

test('race: 12 people send each claim four times to two servers: one claim and one response each', async () => {
  const { event, item } = await createFixtures(100);
  const people = await createUsers(api, 12);
  await Promise.all(people.map((person) => rsvpGoing(api, person, event.id)));
  const responses = await Promise.all(
    people.flatMap((person) =>
      [api, second, api, second].map((on) =>
        postWithKey(person, `/v1/items/${item.id}/claim`, { on, key: 'one', body: { quantity: 2 } }),
      ),
    ),
  );
  for (const response of responses) expectStatus(response, 201);
  assert.equal(new Set(responses.map((response) => response.body.id)).size, people.length);
  assert.equal(responses.filter(({ headers }) => !headers.has('idempotent-replayed')).length, people.length);
  const [row] = await api.sql`select claimed from item_stock where event_id = ${event.id} and n = 1`;
  assert.equal(row?.claimed, 24);
});

test('race: one key for two items gives 201 and 422; three keys for one item give 201 and 2 × 409', async () => {
  const { organizer, guest, event, item } = await createFixtures(10);
  const other = await createItem(api, organizer, event.id, { quantityNeeded: 10 });
  const sharedKey = await Promise.all(
    [item, other].map(({ id }, i) =>
      postWithKey(guest, `/v1/items/${id}/claim`, {
        on: i ? api : second,
        key: 'both',
        body: { quantity: 1 },
      }),
    ),
  );
  assert.deepEqual(sharedKey.map(({ status }) => status).sort(), [201, 422]);
  await api.delete(`/v1/items/${item.id}/claim`, guest.token);
  const conflicting = await Promise.all(
    ['x', 'y', 'z'].map((key) =>
      postWithKey(guest, `/v1/items/${item.id}/claim`, { key, body: { quantity: 1 } }),
    ),
  );
  assert.deepEqual(conflicting.map(({ status }) => status).sort(), [201, 409, 409]);
});

/** Starts two servers. @returns them, and the number of transactions that they have rolled back so far */
async function startCountingServers(): Promise<{
  servers: [TestApp, TestApp];
  countRollbacks: () => number;
}> {
  let rollbacks = 0;
  const start = () => {
    const sql = connectSql(api.target);
    const checkOutUncounted = sql.checkOut;
    const checkOut = async () => {
      const connection = await checkOutUncounted();
      const command: typeof connection.command = (statement) => {
        if (statement.text === 'rollback') rollbacks++;
        return connection.command(statement);
      };
      return { ...connection, command };
    };
    return api.startAnother({ sql: Object.assign(sql, { checkOut }) });
  };
  return { servers: [await start(), await start()], countRollbacks: () => rollbacks };
}

test('race: people who send one key for two items or bookings on two servers abort no transaction of other people', async () => {
  const { servers, countRollbacks } = await startCountingServers();
  const { organizer, event, item } = await createFixtures(1_000);
  const other = await createItem(api, organizer, event.id, { quantityNeeded: 1_000 });
  const bookable = [
    await createEvent(api, organizer, { capacity: 1_000 }),
    await createEvent(api, organizer, { capacity: 1_000 }),
  ] as const;
  const people = await createUsers(api, 26);
  const racers = people.slice(0, 6);
  await Promise.all(people.map((person) => rsvpGoing(api, person, event.id)));
  const post = (server: number, person: Person, path: string, key: string, body: unknown) =>
    postWithKey(person, path, { on: servers[server] ?? api, key, body });
  const claim = (server: number, person: Person, id: string, key: string) =>
    post(server, person, `/v1/items/${id}/claim`, key, { quantity: 1 });
  const book = (server: number, person: Person, id: string, key: string) =>
    post(server, person, `/v1/events/${id}/booking`, key, { seats: 1 });
  for (let round = 0; round < often(12); round++) {
    const [raced, honest] = await Promise.all([
      Promise.all(
        racers.flatMap((person) => [
          Promise.all([item, other].map(({ id }, i) => claim(i, person, id, `claim-${round}`))),
          Promise.all(bookable.map(({ id }, i) => book(i, person, id, `book-${round}`))),
        ]),
      ),
      Promise.all(people.slice(6).map((person, i) => claim(i % 2, person, item.id, `claim-${round}`))),
    ]);
    for (const pair of raced) assert.deepEqual(pair.map(({ status }) => status).sort(), [201, 422]);
    for (const response of honest) expectStatus(response, 201);
    await api.sql`delete from claims where event_id = ${event.id}`;
    await api.sql`update item_stock set claimed = 0 where event_id = ${event.id}`;
    const bookableIds = bookable.map(({ id }) => id);
    await api.sql`delete from bookings where event_id = any(${bookableIds}::uuid[])`;
    await api.sql`update event_counters set booked_count = 0 where event_id = any(${bookableIds}::uuid[])`;
  }
  assert.equal(countRollbacks(), 0);
});

test('key: 409 while the first request has not committed, and no event is created', async () => {
  const person = await createUser(api);
  const body = eventBody();
  expectStatus(await createWithKey(person, { key: 'held', body }), 201);
  const [row] = await api.sql`delete from idempotency_keys where user_id = ${person.id} returning *`;
  assert.ok(row);
  const holder = await openSql(api.target);
  await holder`begin`;
  await holder`
    insert into idempotency_keys (user_id, key_hash, request_hash, answer, created_at)
    values (${row.userId}, ${row.keyHash}, ${row.requestHash}, ${row.answer}, ${clock.now()})`;
  const response = expectProblem(
    await createWithKey(person, { key: 'held', body }),
    409,
    'idempotency_key_in_use',
  );
  assert.equal(response.headers.get('idempotent-replayed'), null);
  assert.equal(await countEvents(person), 1);
  await holder`commit`;
  await holder.end();
  expectStatus(await createWithKey(person, { key: 'held', body }), 201);
  assert.equal(await countEvents(person), 1);
});

test('key: a key expires after 24 hours', async () => {
  const person = await createUser(api);
  const body = eventBody();
  const first = expectStatus(await createWithKey(person, { key: 'day', body }), 201);
  await api.sql`
    update idempotency_keys set created_at = ${clock.now()}::timestamptz - interval '24 hours' where user_id = ${person.id}`;
  const next = expectStatus(await createWithKey(person, { key: 'day', body }), 201);
  assert.notEqual(next.body.id, first.body.id);
  expectReplay(await createWithKey(person, { key: 'day', body }), next);
});

test('housekeeping: removes stored responses older than 24 hours', async () => {
  const person = await createUser(api);
  await createWithKey(person, { key: 'old' });
  await createWithKey(person, { key: 'new' });
  const [old] = await api.sql<[{ keyHash: Buffer }]>`
    select key_hash from idempotency_keys where user_id = ${person.id} order by created_at limit 1`;
  await api.sql`
    update idempotency_keys set created_at = ${clock.now()}::timestamptz - interval '25 hours'
    where user_id = ${person.id} and key_hash = ${old.keyHash}`;
  await deleteExpiredResponses(api.sql, clock.now());
  assert.equal(await countKeys(person), 1);
});

test('key: no row without a key, and the table contains neither key nor response in plain text', async () => {
  const { organizer, guest, event, item } = await createFixtures();
  assert.equal(await countKeys(organizer), 0);
  const key = 'a-key-to-look-for';
  expectStatus(await postWithKey(guest, `/v1/items/${item.id}/claim`, { key, body: { quantity: 1 } }), 201);
  const { idempotency_keys: rows } = await takeSnapshot(api.sql);
  assert.ok(JSON.stringify(rows).includes(guest.id));
  const traces = await findRowsContaining(api.sql, [key, event.id]);
  assert.deepEqual(
    traces.filter((trace) => trace.startsWith('idempotency_keys')),
    [],
  );
});

test('key: deleting an account deletes its keys', async () => {
  const person = await createUser(api);
  await createWithKey(person);
  assert.equal(await countKeys(person), 1);
  expectStatus(await deleteAccount(api, person), 200);
  assert.equal(await countKeys(person), 0);
});

test('openapi: Idempotency-Key is declared on its endpoints, with its errors and the header Idempotent-Replayed', async () => {
  const { body: document } = await api.get('/openapi.json');
  for (const path of ['/v1/events', '/v1/events/{id}/items', '/v1/items/{id}/claim']) {
    const { parameters, responses } = document.paths[path].post;
    const header = parameters.find((parameter: { in: string }) => parameter.in === 'header');
    assert.deepEqual([header.name, header.required ?? false], ['Idempotency-Key', false], path);
    assert.ok(responses[201].headers['Idempotent-Replayed'], path);
    const declared = (status: number) => resolveResponse(document, responses[status]).description;
    assert.match(declared(422), /idempotency_key_reused/);
    assert.match(declared(409), /idempotency_key_in_use/);
  }
});
