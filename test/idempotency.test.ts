/** `Idempotency-Key`: what is sent again is done once, on whichever server, and gets the first answer. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { deleteExpiredResponses } from '../src/idempotency/stored-responses.ts';
import { findRowsContaining, takeSnapshot } from './database-snapshots.ts';
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
} from './factories.ts';
import {
  type ApiResponse,
  expectProblem,
  expectStatus,
  startTestApp,
  type TestApp,
  TestClock,
} from './setup.ts';
import { openSql } from './sql-tag.ts';

const clock = new TestClock();
const api = await startTestApp({ clock });
const second = await api.another();

type Post = { on?: TestApp; key?: string; body?: unknown };
const post = (
  person: Person,
  path: string,
  { on = api, key = randomUUID(), body }: Post,
): Promise<ApiResponse> =>
  on.call('POST', path, { token: person.token, body, headers: { 'idempotency-key': key } });
const create = (person: Person, options: Post = {}) =>
  post(person, '/v1/events', { body: eventBody(), ...options });

const eventsOf = async ({ id }: Person): Promise<number> =>
  (await api.sql`select 1 from events where organizer_id = ${id}`).length;
const itemsOf = async (event: string): Promise<number> =>
  (await api.sql`select 1 from items where event_id = ${event}`).length;
const kept = async ({ id }: Person): Promise<number> =>
  (await api.sql`select 1 from idempotency_keys where user_id = ${id}`).length;

function expectReplay(again: ApiResponse, first: ApiResponse): void {
  expectStatus(again, first.status);
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get('location'), first.headers.get('location'));
  assert.equal(first.headers.get('idempotent-replayed'), null);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
}

/** An event with an item, and somebody who goes. */
async function aTable(quantityNeeded = 10) {
  const [organizer, guest] = (await createUsers(api, 2)) as [Person, Person];
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { quantityNeeded });
  await rsvpGoing(api, guest, event.id);
  return { organizer, guest, event, item };
}

// spec: 8 POST /v1/events, POST /v1/events/:id/items, POST /v1/items/:id/claim, POST /v1/events/:id/booking: repetition of creating requests with `Idempotency-Key`
test('key: 201 once more with the same body and header on every server, and one event is made', async () => {
  const person = await createUser(api);
  const asked = { key: randomUUID(), body: eventBody() };
  const first = expectStatus(await create(person, asked), 201);
  for (const on of [api, second]) expectReplay(await create(person, { ...asked, on }), first);
  assert.equal(await eventsOf(person), 1);
  expectStatus(await api.get(first.headers.get('location') ?? '', person.token), 200);
});

test('key: the answer is the one that comes without a key', async () => {
  const { organizer, guest, event, item } = await aTable();
  const body = { title: 'Forks', kind: 'bring', quantityNeeded: 2 };
  const plain = expectStatus(await api.post(`/v1/events/${event.id}/items`, organizer.token, body), 201);
  const keyed = expectStatus(await post(organizer, `/v1/events/${event.id}/items`, { body }), 201);
  const claim = expectStatus(await post(guest, `/v1/items/${item.id}/claim`, { body: { quantity: 2 } }), 201);
  assert.deepEqual(Object.keys(keyed.body).sort(), Object.keys(plain.body).sort());
  assert.equal(keyed.headers.get('content-type'), plain.headers.get('content-type'));
  assert.deepEqual([claim.body.itemId, claim.body.quantity], [item.id, 2]);
  const made = expectStatus(await create(organizer), 201);
  assert.deepEqual((await api.get(`/v1/events/${made.body.id}`, organizer.token)).body, made.body);
});

test('key: an item is added once and a claim made once, though each is sent to both servers', async () => {
  const { organizer, guest, event, item } = await aTable();
  const body = { title: 'Forks', kind: 'bring', quantityNeeded: 2 };
  const adding = { key: 'forks', body };
  const added = expectStatus(await post(organizer, `/v1/events/${event.id}/items`, adding), 201);
  expectReplay(await post(organizer, `/v1/events/${event.id}/items`, { ...adding, on: second }), added);
  assert.equal(await itemsOf(event.id), 2);
  const claiming = { key: 'mine', body: { quantity: 3 } };
  const claimed = expectStatus(await post(guest, `/v1/items/${item.id}/claim`, claiming), 201);
  expectReplay(await post(guest, `/v1/items/${item.id}/claim`, { ...claiming, on: second }), claimed);
  // Also when it was given back since: what was asked for was done, once.
  expectStatus(await api.delete(`/v1/items/${item.id}/claim`, guest.token), 200);
  expectReplay(await post(guest, `/v1/items/${item.id}/claim`, claiming), claimed);
  const [row] = await api.sql`select claimed from item_stock where event_id = ${event.id} and n = 1`;
  assert.equal(row?.claimed, 0);
});

test('key: 422 for another body or another path, whatever the order of fields', async () => {
  const { organizer, guest, event, item } = await aTable();
  const key = randomUUID();
  const first = expectStatus(
    await create(organizer, {
      key,
      body: eventBody({ startAt: '2030-05-01T10:00:00Z', endAt: '2030-05-01T12:00:00Z' }),
    }),
    201,
  );
  const { location, ...rest } = eventBody({ startAt: '2030-05-01T10:00:00Z', endAt: '2030-05-01T12:00:00Z' });
  expectReplay(await create(organizer, { key, body: { location, ...rest } }), first);
  expectProblem(
    await create(organizer, { key, body: eventBody({ title: 'Another' }) }),
    422,
    'idempotency_key_reused',
  );
  const item2 = { title: 'Forks', kind: 'bring', quantityNeeded: 2 };
  expectProblem(
    await post(organizer, `/v1/events/${event.id}/items`, { key, body: item2 }),
    422,
    'idempotency_key_reused',
  );
  expectStatus(await post(guest, `/v1/items/${item.id}/claim`, { key: 'k', body: { quantity: 1 } }), 201);
  expectProblem(
    await post(guest, `/v1/items/${item.id}/claim`, { key: 'k', body: { quantity: 2 } }),
    422,
    'idempotency_key_reused',
  );
  assert.deepEqual([await eventsOf(organizer), await itemsOf(event.id)], [2, 1]);
});

test("key: it is the person's own, on all of their devices", async () => {
  const [one, other] = (await createUsers(api, 2)) as [Person, Person];
  const first = expectStatus(await create(one, { key: 'same' }), 201);
  const others = expectStatus(await create(other, { key: 'same' }), 201);
  assert.notEqual(first.body.id, others.body.id);
  const device = await signIn(second, one.phone);
  const body = eventBody({ startAt: first.body.startAt, endAt: first.body.endAt });
  expectReplay(await create(device, { key: 'same', body }), first);
});

test('key: 400 for what is no key, and quotes make no difference', async () => {
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
    const answer = await create(person, { key, body });
    assert.equal(answer.status, 400, `"${key}"`);
    assert.match(JSON.stringify(answer.body.errors), /idempotency-key/i, key);
  }
  assert.equal(await eventsOf(person), 0);
  const first = expectStatus(await create(person, { key: '"a-1"', body }), 201);
  expectReplay(await create(person, { key: 'a-1', body }), first);
  for (const key of ['"with \\"quotes\\" and \\\\"', 'x'.repeat(255), `"${'x'.repeat(254)}"`])
    expectStatus(await create(person, { key, body }), 201);
});

test('key: refusals are not kept: 401 and 400 come first, and what was refused can be asked for again', async () => {
  const { guest, event, item } = await aTable(1);
  const rival = await createUser(api);
  await rsvpGoing(api, rival, event.id);
  expectProblem(
    await api.call('POST', '/v1/events', { body: eventBody(), headers: { 'idempotency-key': 'k' } }),
    401,
    'token_missing',
  );
  expectStatus(await post(rival, `/v1/items/${item.id}/claim`, { body: { quantity: 1 } }), 201);
  const claiming = { key: 'again', body: { quantity: 1 } };
  expectProblem(await post(guest, `/v1/items/${item.id}/claim`, claiming), 422, 'quantity_unavailable');
  assert.equal(await kept(guest), 0);
  expectStatus(await api.delete(`/v1/items/${item.id}/claim`, rival.token), 200);
  expectStatus(await post(guest, `/v1/items/${item.id}/claim`, claiming), 201);
  expectProblem(await create(guest, { key: 'bad', body: { title: '' } }), 400, 'invalid_request');
  expectStatus(await create(guest, { key: 'bad' }), 201);
});

// spec: 8 POST /v1/events, POST /v1/events/:id/items, POST /v1/items/:id/claim, POST /v1/events/:id/booking: repetition of creating requests with `Idempotency-Key`
test('race: of twenty at once on two servers one event is made, and all get its answer', async () => {
  const person = await createUser(api);
  const body = eventBody();
  for (let round = 0; round < 5; round++) {
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => create(person, { key, body, on: i % 2 ? api : second })),
    );
    for (const answer of answers) expectStatus(answer, 201);
    assert.equal(new Set(answers.map((answer) => answer.body.id)).size, 1);
    assert.equal(answers.filter(({ headers }) => !headers.has('idempotent-replayed')).length, 1);
    assert.equal(await eventsOf(person), round + 1);
  }
});

test('race: of many who claim at once, each sent four times to two servers, each has one claim and one answer', async () => {
  const { event, item } = await aTable(100);
  const people = await createUsers(api, 12);
  await Promise.all(people.map((person) => rsvpGoing(api, person, event.id)));
  const answers = await Promise.all(
    people.flatMap((person) =>
      [api, second, api, second].map((on) =>
        post(person, `/v1/items/${item.id}/claim`, { on, key: 'one', body: { quantity: 2 } }),
      ),
    ),
  );
  for (const answer of answers) expectStatus(answer, 201);
  assert.equal(new Set(answers.map((answer) => answer.body.id)).size, people.length);
  assert.equal(answers.filter(({ headers }) => !headers.has('idempotent-replayed')).length, people.length);
  const [row] = await api.sql`select claimed from item_stock where event_id = ${event.id} and n = 1`;
  assert.equal(row?.claimed, 24);
});

test('race: one key for two items, and two keys for one item, at once: each once or refused', async () => {
  const { organizer, guest, event, item } = await aTable(10);
  const other = await createItem(api, organizer, event.id, { quantityNeeded: 10 });
  const shared = await Promise.all(
    [item, other].map(({ id }, i) =>
      post(guest, `/v1/items/${id}/claim`, { on: i ? api : second, key: 'both', body: { quantity: 1 } }),
    ),
  );
  assert.deepEqual(shared.map(({ status }) => status).sort(), [201, 422]);
  await api.delete(`/v1/items/${item.id}/claim`, guest.token);
  const twice = await Promise.all(
    ['x', 'y', 'z'].map((key) => post(guest, `/v1/items/${item.id}/claim`, { key, body: { quantity: 1 } })),
  );
  assert.deepEqual(twice.map(({ status }) => status).sort(), [201, 409, 409]);
});

test('key: 409 while the first is under way and does not end, and nothing is made', async () => {
  const person = await createUser(api);
  const body = eventBody();
  expectStatus(await create(person, { key: 'held', body }), 201);
  const [row] = await api.sql`delete from idempotency_keys where user_id = ${person.id} returning *`;
  assert.ok(row);
  const holder = await openSql(api.target);
  await holder`begin`;
  await holder`
    insert into idempotency_keys (user_id, key_hash, request_hash, answer, created_at)
    values (${row.userId}, ${row.keyHash}, ${row.requestHash}, ${row.answer}, ${clock.now()})`;
  const answer = expectProblem(await create(person, { key: 'held', body }), 409, 'idempotency_key_in_use');
  assert.equal(answer.headers.get('idempotent-replayed'), null);
  assert.equal(await eventsOf(person), 1);
  await holder`commit`;
  await holder.end();
  expectStatus(await create(person, { key: 'held', body }), 201);
  assert.equal(await eventsOf(person), 1);
});

test('key: after a day it is a new one', async () => {
  const person = await createUser(api);
  const body = eventBody();
  const first = expectStatus(await create(person, { key: 'day', body }), 201);
  await api.sql`
    update idempotency_keys set created_at = ${clock.now()}::timestamptz - interval '24 hours' where user_id = ${person.id}`;
  const next = expectStatus(await create(person, { key: 'day', body }), 201);
  assert.notEqual(next.body.id, first.body.id);
  expectReplay(await create(person, { key: 'day', body }), next);
});

test('housekeeping: removes the answers of yesterday, and not those that still count', async () => {
  const person = await createUser(api);
  await create(person, { key: 'old' });
  await create(person, { key: 'new' });
  await api.sql`
    update idempotency_keys set created_at = created_at - interval '25 hours'
    where user_id = ${person.id} and ctid = (select min(ctid) from idempotency_keys where user_id = ${person.id})`;
  await deleteExpiredResponses(api.sql, clock.now());
  assert.equal(await kept(person), 1);
});

test('key: nothing is kept without one, and neither key nor answer can be read in the table', async () => {
  const { organizer, guest, event, item } = await aTable();
  assert.equal(await kept(organizer), 0);
  const key = 'a-key-to-look-for';
  expectStatus(await post(guest, `/v1/items/${item.id}/claim`, { key, body: { quantity: 1 } }), 201);
  const { idempotency_keys: rows } = await takeSnapshot(api.sql);
  assert.ok(JSON.stringify(rows).includes(guest.id));
  const traces = await findRowsContaining(api.sql, [key, event.id]);
  assert.deepEqual(
    traces.filter((trace) => trace.startsWith('idempotency_keys')),
    [],
  );
});

test('key: an account takes its keys along', async () => {
  const person = await createUser(api);
  await create(person);
  assert.equal(await kept(person), 1);
  expectStatus(await deleteAccount(api, person), 200);
  assert.equal(await kept(person), 0);
});

test('openapi: the header is declared where it is taken, with its refusals and the header of an answer given again', async () => {
  const { body: document } = await api.get('/openapi.json');
  for (const path of ['/v1/events', '/v1/events/{id}/items', '/v1/items/{id}/claim']) {
    const { parameters, responses } = document.paths[path].post;
    const header = parameters.find((parameter: { in: string }) => parameter.in === 'header');
    assert.deepEqual([header.name, header.required ?? false], ['Idempotency-Key', false], path);
    assert.ok(responses[201].headers['Idempotent-Replayed'], path);
    assert.match(responses[422].description, /idempotency_key_reused/);
    assert.match(responses[409].description, /idempotency_key_in_use/);
  }
});
