/** QUOTAS: what the daily quotas count, their exactness over two servers, and their rows. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { deleteExpiredDailyCounts } from '../../src/quotas/daily-quotas.ts';
import { often } from '../support/all-cases.ts';
import { calendar, calendarEntry, createImporter } from '../support/calendar-files.ts';
import {
  createEvent,
  createUser,
  createUsers,
  deleteAccount,
  eventBody,
  inDays,
  type Person,
  signIn,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import {
  type ApiResponse,
  expectProblem,
  expectStatus,
  startTestApp,
  type TestApp,
  TestClock,
} from '../support/setup.ts';

const clock = new TestClock();
const quotas = {
  QUOTAS: 'on',
  EVENTS_PER_DAY: '3',
  ITEMS_PER_DAY: '5',
  FOLLOWS_PER_DAY: '4',
  MESSAGES_PER_DAY: '6',
};
const api = await startTestApp({ clock, env: quotas });
const second = await api.startAnother();
const servers = [api, second];
const serverAt = (i: number) => servers[i % 2] as TestApp;

/** A clock that is 90 seconds behind that of the other servers. */
class BehindClock extends TestClock {
  override now = (): Date => new Date(clock.now().getTime() - 90_000);
}

/** Moves the clock to the start of the next day of UTC, so that no test runs over midnight. */
function nextDay(): void {
  clock.advance(86_400_000 - (clock.now().getTime() % 86_400_000) + 100);
}

const postEvent = (server: TestApp, { token }: Person) => server.post('/v1/events', token, eventBody());
const postItem = (server: TestApp, { token }: Person, eventId: string) =>
  server.post(`/v1/events/${eventId}/items`, token, { title: 'Plates', kind: 'bring', quantityNeeded: 1 });
const postBatch = (server: TestApp, { token }: Person, eventId: string, count: number) =>
  server.post(`/v1/events/${eventId}/items/batch`, token, {
    items: Array(count).fill({ title: 'Plates', kind: 'bring', quantityNeeded: 1 }),
  });
const follow = (server: TestApp, { token }: Person, { id }: Person) =>
  server.post(`/v1/users/${id}/follow`, token);
const write = (server: TestApp, { token }: Person, { id }: Person, text = 'Hello') =>
  server.post(`/v1/users/${id}/messages`, token, { text });
const usedBy = async ({ id }: Person) =>
  Object.fromEntries(
    (await api.sql`select kind, used from daily_counts where user_id = ${id}`).map(({ kind, used }) => [
      kind,
      used,
    ]),
  );

function expectQuotaExceeded(response: ApiResponse, detail: RegExp): void {
  const { body, headers } = expectProblem(response, 429, 'quota_exceeded');
  assert.match(body.detail, detail);
  const wait = Number(headers.get('retry-after'));
  assert.ok(wait > 0 && wait <= 86_400, `${wait}`);
}

// spec: 8 POST /v1/events, POST /v1/events/:id/items, POST /v1/users/:id/follow: rate limits
test('quotas: 429 with Retry-After above the events, items and follows of a day, and success on the next day', async () => {
  nextDay();
  const [person, ...others] = await createUsers(api, 6);
  assert.ok(person);
  const event = await createEvent(api, person);
  for (let i = 0; i < 2; i++) expectStatus(await postEvent(serverAt(i), person), 201);
  for (let i = 0; i < 5; i++) expectStatus(await postItem(serverAt(i), person, event.id), 201);
  for (const [i, other] of others.slice(0, 4).entries())
    expectStatus(await follow(serverAt(i), person, other), 200);
  const [last] = others.slice(4);
  assert.ok(last);
  for (const server of servers) {
    expectQuotaExceeded(await postEvent(server, person), /create 3 events/);
    expectQuotaExceeded(await postItem(server, person, event.id), /add 5 items/);
    expectQuotaExceeded(await follow(server, person, last), /follow 4 people/);
  }
  assert.deepEqual(await usedBy(person), { events: 3, items: 5, follows: 4 });
  // Each person has quotas of their own.
  expectStatus(await postEvent(api, last), 201);
  clock.advance(86_400_000);
  const nextDayPerson = await signIn(second, person.phone);
  expectStatus(await postEvent(second, nextDayPerson), 201);
  expectStatus(await postItem(second, nextDayPerson, event.id), 201);
  expectStatus(await follow(second, nextDayPerson, last), 200);
  assert.deepEqual(await usedBy(person), { events: 1, items: 1, follows: 1 });
});

test('quotas: refused requests, idempotent replays and repeated follows do not count; a new follow after an unfollow does', async () => {
  nextDay();
  const [person, other, blocking] = await createUsers(api, 3);
  assert.ok(person && other && blocking);
  const keyed = { token: person.token, body: eventBody(), headers: { 'idempotency-key': 'once' } };
  for (let i = 0; i < 4; i++) expectStatus(await serverAt(i).call('POST', '/v1/events', keyed), 201);
  expectProblem(
    await api.post('/v1/events', person.token, { ...eventBody(), title: '' }),
    400,
    'invalid_request',
  );
  const event = await createEvent(api, other);
  expectProblem(await postItem(api, person, event.id), 403, 'not_organizer');
  for (let i = 0; i < 4; i++) expectStatus(await follow(serverAt(i), person, other), 200);
  expectStatus(await api.post(`/v1/users/${person.id}/block`, blocking.token), 200);
  expectProblem(await follow(api, person, blocking), 403, 'blocked');
  assert.deepEqual(await usedBy(person), { events: 1, follows: 1 });
  for (let i = 0; i < 3; i++) {
    expectStatus(await api.delete(`/v1/users/${other.id}/follow`, person.token), 200);
    expectStatus(await follow(api, person, other), 200);
  }
  expectStatus(await api.delete(`/v1/users/${other.id}/follow`, person.token), 200);
  expectQuotaExceeded(await follow(api, person, other), /follow 4 people/);
  await assertCounters(api.sql);
});

// spec: 8 POST /v1/users/:id/messages: messages per day
test('quotas: 429 with Retry-After above the messages of a day, and 201 on the next day', async () => {
  nextDay();
  const [person, other, blocking] = await createUsers(api, 3);
  assert.ok(person && other && blocking);
  expectStatus(await api.post(`/v1/users/${person.id}/block`, blocking.token), 200);
  const keyed = { token: person.token, body: { text: 'Once' }, headers: { 'idempotency-key': 'once' } };
  // A replay and a refused message do not count.
  for (let i = 0; i < 3; i++)
    expectStatus(await serverAt(i).call('POST', `/v1/users/${other.id}/messages`, keyed), 201);
  for (let i = 0; i < 3; i++) expectProblem(await write(serverAt(i), person, blocking), 403, 'blocked');
  for (let i = 0; i < 5; i++) expectStatus(await write(serverAt(i), person, other), 201);
  for (const server of servers) expectQuotaExceeded(await write(server, person, other), /send 6 messages/);
  expectProblem(await write(api, person, blocking), 403, 'blocked');
  // Each person has a quota of their own.
  expectStatus(await write(api, other, person), 201);
  clock.advance(86_400_000);
  const later = await signIn(second, person.phone);
  for (let i = 0; i < 6; i++) expectStatus(await write(serverAt(i), later, other), 201);
  expectQuotaExceeded(await write(api, later, other), /send 6 messages/);
  const off = await api.startAnother({ env: { ...quotas, QUOTAS: 'off' } });
  expectStatus(await write(off, later, other), 201);
});

test('race: of 40 concurrent messages to three people on two servers exactly the 6 of the quota are sent', async () => {
  for (let round = 0; round < often(3); round++) {
    nextDay();
    const [person, ...others] = await createUsers(api, 4);
    assert.ok(person);
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, i) => write(serverAt(i), person, others[i % 3] as Person)),
    );
    const sent = responses.filter(({ status }) => status === 201);
    assert.equal(sent.length, 6);
    for (const response of responses)
      if (!sent.includes(response)) expectQuotaExceeded(response, /send 6 messages/);
    const [row] = await api.sql`
      select count(*)::int as count from messages where user_id = ${person.id} and is_own`;
    assert.equal(row?.count, 6);
  }
});

// spec: 8 POST /v1/events/:id/items/batch: rate limits
test('quotas: each item of a batch counts; 429 for a batch that does not fit, which adds and counts nothing', async () => {
  nextDay();
  const person = await createUser(api);
  const event = await createEvent(api, person);
  expectQuotaExceeded(await postBatch(api, person, event.id, 6), /add 5 items/);
  assert.deepEqual(await usedBy(person), { events: 1 });
  expectStatus(await postBatch(api, person, event.id, 3), 201);
  expectQuotaExceeded(await postBatch(second, person, event.id, 3), /add 5 items/);
  assert.deepEqual(await usedBy(person), { events: 1, items: 3 });
  expectStatus(await postBatch(second, person, event.id, 2), 201);
  expectQuotaExceeded(await postItem(api, person, event.id), /add 5 items/);
  clock.advance(86_400_000);
  const later = await signIn(api, person.phone);
  expectQuotaExceeded(await postBatch(api, later, event.id, 6), /add 5 items/);
  expectStatus(await postBatch(api, later, event.id, 5), 201);
  assert.deepEqual(await usedBy(person), { events: 1, items: 5 });
});

test('race: of 20 concurrent batches of 2 on two servers exactly the 2 that the quota of 5 allows are added', async () => {
  for (let round = 0; round < often(3); round++) {
    nextDay();
    const person = await createUser(api);
    const events = await Promise.all([createEvent(api, person), createEvent(api, person)]);
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => postBatch(serverAt(i), person, events[i % 2 ? 0 : 1].id, 2)),
    );
    assert.equal(responses.filter(({ status }) => status === 201).length, 2);
    assert.equal(responses.filter(({ status }) => status === 429).length, 18);
    assert.deepEqual(await usedBy(person), { events: 2, items: 4 });
  }
});

// spec: 8 POST /v1/events/:id/duplicate: rate limits
test('race: a duplicate counts as an event and its items; one that does not fit creates and counts nothing', async () => {
  for (let round = 0; round < often(3); round++) {
    nextDay();
    const person = await createUser(api);
    const event = await createEvent(api, person);
    expectStatus(await postBatch(api, person, event.id, 2), 201);
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        serverAt(i).post(`/v1/events/${event.id}/duplicate`, person.token, { startAt: inDays(9) }),
      ),
    );
    const refused = responses.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 9);
    for (const response of refused) expectQuotaExceeded(response, /add 5 items/);
    assert.deepEqual(await usedBy(person), { events: 2, items: 4 });
    const events = await api.sql`select 1 from events where organizer_id = ${person.id}`;
    assert.equal(events.length, 2);
  }
});

test('race: of 40 concurrent events, items and follows on two servers exactly as many succeed as the quotas allow', async () => {
  for (let round = 0; round < often(3); round++) {
    nextDay();
    const [person, organizer, ...others] = await createUsers(api, 22);
    assert.ok(person && organizer);
    const events = await Promise.all([createEvent(api, organizer), createEvent(api, organizer)]);
    const count = (responses: ApiResponse[], status: number) =>
      responses.filter((response) => response.status === status).length;
    const times = Array.from({ length: 40 }, (_, i) => i);
    const [created, added, followed] = await Promise.all([
      Promise.all(times.map((i) => postEvent(serverAt(i), person))),
      Promise.all(times.map((i) => postItem(serverAt(i), organizer, events[i % 2 ? 0 : 1].id))),
      Promise.all(others.map((other, i) => follow(serverAt(i), person, other))),
    ]);
    assert.deepEqual([count(created, 201), count(created, 429)], [3, 37]);
    assert.deepEqual([count(added, 201), count(added, 429)], [5, 35]);
    assert.deepEqual([count(followed, 200), count(followed, 429)], [4, 16]);
    assert.deepEqual(await usedBy(person), { events: 3, follows: 4 });
    const [rows] = await api.sql`
      select (select count(*)::int from events where organizer_id = ${person.id}) as events,
        (select count(*)::int from items i join events e on e.id = i.event_id
          where e.organizer_id = ${organizer.id}) as items,
        (select count(*)::int from relations where user_id = ${person.id} and follows) as follows`;
    assert.deepEqual({ ...rows }, { events: 3, items: 5, follows: 4 });
    // A deletion that is concurrent with further requests leaves no row of the person.
    const [deletion] = await Promise.all([
      deleteAccount(api, person),
      ...times.map((i) => postEvent(serverAt(i), person)),
    ]);
    expectStatus(deletion, 200);
    assert.deepEqual(await usedBy(person), {});
  }
  await assertCounters(api.sql);
});

test('quotas: a server whose clock is behind at midnight does not start the count again', async () => {
  nextDay();
  const person = await createUser(api);
  const behind = await api.startAnother({ clock: new BehindClock() });
  for (let i = 0; i < 3; i++) expectStatus(await postEvent(i % 2 ? behind : api, person), 201);
  for (const server of [behind, api, behind, api])
    expectQuotaExceeded(await postEvent(server, person), /3 events/);
  assert.deepEqual(await usedBy(person), { events: 3 });
  const other = await createUser(api);
  for (let i = 0; i < 6; i++) expectStatus(await write(i % 2 ? behind : api, person, other), 201);
  for (const server of [behind, api, behind, api])
    expectQuotaExceeded(await write(server, person, other), /6 messages/);
});

test('quotas: QUOTAS=off counts nothing, and the import of a calendar is exempt', async () => {
  nextDay();
  const person = await createUser(api);
  const off = await api.startAnother({ env: { ...quotas, QUOTAS: 'off' } });
  for (let i = 0; i < 5; i++) expectStatus(await postEvent(off, person), 201);
  const entries = Array.from({ length: 5 }, (_, i) => calendarEntry({ UID: `entry-${i}@quotas` }));
  const { added } = await createImporter(api).importFile(calendar(...entries), person.phone);
  assert.equal(added, 5);
  assert.deepEqual(await usedBy(person), {});
});

test('housekeeping: deletes the daily counts of past days and keeps those of today and of the day before', async () => {
  nextDay();
  await api.sql`delete from daily_counts`;
  const people = await createUsers(api, 3);
  for (const [days, person] of people.entries())
    await api.sql`
      insert into daily_counts (user_id, kind, day, used)
      values (${person.id}, 'events', (${clock.now()}::timestamptz at time zone 'UTC')::date - ${days}::int, 1)`;
  await deleteExpiredDailyCounts(api.sql, clock.now());
  const kept = await api.sql`select user_id from daily_counts`;
  assert.deepEqual(
    kept.map(({ userId }) => userId).sort(),
    people
      .slice(0, 2)
      .map(({ id }) => id)
      .sort(),
  );
});
