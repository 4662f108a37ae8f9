/** POST /v1/events/:id/duplicate: a copy of an event with its items, on another date. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { often } from '../support/all-cases.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUpload,
  createUser,
  createUsers,
  deleteAccount,
  inDays,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const on = (i: number): TestApp => (i % 2 ? api : second);
const organizer = await createUser(api);
const admin = await createAdmin(api);
const guest = await createUser(api);

type Options = { on?: TestApp; token?: string };
const duplicate = (id: string, body: object = { startAt: inDays(14) }, options: Options = {}) =>
  (options.on ?? api).post(`/v1/events/${id}/duplicate`, options.token ?? organizer.token, body);
const copyOf = async (id: string, body?: object, options?: Options) =>
  expectStatus(await duplicate(id, body, options), 201).body;
const read = async (id: string, token = organizer.token) =>
  expectStatus(await second.get(`/v1/events/${id}`, token), 200).body;
const list = async (id: string) =>
  expectStatus(await second.get(`/v1/events/${id}/items`, organizer.token), 200).body.data;
const errorPaths = (body: { errors: { path: string }[] }) => body.errors.map(({ path }) => path);
const timesOf = ({ startAt, endAt }: Record<string, unknown>) => [startAt, endAt];

const richFields = {
  description: 'Two\nlines',
  coverUrl: 'https://example.org/cover.jpg',
  coverTheme: 'tiles',
  coverFocus: 'left',
  timezone: 'Asia/Tokyo',
  price: 12.5,
  currency: 'NOK',
  capacity: 20,
  template: 'potluck',
  enabledModules: ['bringList', 'booking'],
};

/** The fields of a record that a copy shares with its original. */
function sharedFields(record: Record<string, unknown>) {
  const { id, startAt, endAt, visibility, status, createdAt, updatedAt, coverUrl, ...rest } = record;
  const {
    rsvpCount,
    goingCount,
    partyCount,
    bookedCount,
    myRsvp,
    isSaved,
    myBooking,
    myWaitlist,
    ...shared
  } = rest;
  return shared;
}

// spec: 2.5 POST /v1/events/:id/duplicate: a copy of an event with its items
test('duplicate: 201 with a draft that has the fields of the event, its duration and no people', async () => {
  const event = await createEvent(api, organizer, richFields);
  await rsvpGoing(api, organizer, event.id);
  expectStatus(await api.post(`/v1/events/${event.id}/save`, organizer.token, { saved: true }), 200);
  expectStatus(await api.post(`/v1/events/${event.id}/booking`, guest.token, { seats: 2 }), 201);
  const original = await read(event.id);
  const { eventsCount } = (await api.get('/v1/auth/me', organizer.token)).body;
  const response = expectStatus(await duplicate(event.id, { startAt: '2030-05-01T18:00:00+02:00' }), 201);
  const copy = response.body;
  assert.equal(response.headers.get('location'), `/v1/events/${copy.id}`);
  assert.notEqual(copy.id, event.id);
  assert.deepEqual(sharedFields(copy), sharedFields(original));
  assert.equal(copy.coverUrl, richFields.coverUrl);
  assert.deepEqual(timesOf(copy), ['2030-05-01T16:00:00.000Z', '2030-05-01T20:00:00.000Z']);
  assert.deepEqual([copy.visibility, copy.status], ['private', 'scheduled']);
  assert.deepEqual(
    [
      copy.rsvpCount,
      copy.goingCount,
      copy.partyCount,
      copy.bookedCount,
      copy.myRsvp,
      copy.isSaved,
      copy.myBooking,
    ],
    [0, 0, 0, 0, null, false, null],
  );
  assert.deepEqual(await read(copy.id), copy);
  assert.deepEqual(await read(event.id), original);
  expectProblem(await api.get(`/v1/events/${copy.id}`, guest.token), 404, 'event_not_found');
  assert.equal((await api.get('/v1/auth/me', organizer.token)).body.eventsCount, eventsCount);
  // Publishing makes it an event like any other.
  expectStatus(await api.patch(`/v1/events/${copy.id}`, organizer.token, { visibility: 'public' }), 200);
  await rsvpGoing(api, guest, copy.id);
  await assertCounters(api.sql);
});

test('duplicate: the items in their order, with numbers from 1 and without claims', async () => {
  const event = await createEvent(api, organizer);
  const removed = await createItem(api, organizer, event.id);
  const full = { description: 'Warm', emoji: '🍞', imageUrl: 'https://a.org/b.png', link: 'https://b.org' };
  const claimed = await createItem(api, organizer, event.id, { title: 'b', ...full });
  for (const title of ['c', 'a']) await createItem(api, organizer, event.id, { title, kind: 'wish' });
  expectStatus(await api.delete(`/v1/items/${removed.id}`, organizer.token), 200);
  await rsvpGoing(api, guest, event.id);
  expectStatus(await api.post(`/v1/items/${claimed.id}/claim`, guest.token, { quantity: 2 }), 201);
  const original = await list(event.id);
  const copy = await copyOf(event.id);
  assert.deepEqual(
    await list(copy.id),
    original.map((item: object, i: number) => ({
      ...item,
      id: `${copy.id}.${i + 1}`,
      quantityClaimed: 0,
      claimsVersion: 0,
      claims: [],
    })),
  );
  assert.equal((await createItem(api, organizer, copy.id)).id, `${copy.id}.4`);
  assert.deepEqual(await list(event.id), original);
  assert.deepEqual(await list((await copyOf((await createEvent(api, organizer)).id)).id), []);
  await assertCounters(api.sql);
});

test('duplicate: a cancelled, past or private event gives a scheduled draft', async () => {
  const past = { startAt: '2020-01-01T18:00:00Z', endAt: '2020-01-02T03:30:00Z', visibility: 'private' };
  const event = await createEvent(api, organizer, past);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { status: 'cancelled' }), 200);
  const copy = await copyOf(event.id, { startAt: '2031-01-01T18:00:00Z' });
  assert.deepEqual(
    [copy.status, copy.visibility, copy.endAt],
    ['scheduled', 'private', '2031-01-02T03:30:00.000Z'],
  );
  expectStatus(
    await api.post(`/v1/events/${copy.id}/items`, organizer.token, {
      title: 'Plates',
      kind: 'bring',
      quantityNeeded: 1,
    }),
    201,
  );
});

test('dates: endAt replaces the duration; 400 naming the field for missing, malformed and unordered times', async () => {
  const { id } = await createEvent(api, organizer);
  const startAt = '2030-05-01T18:00:00Z';
  const longer = await copyOf(id, { startAt, endAt: '2030-05-03T18:00:00Z' });
  assert.deepEqual(timesOf(longer), ['2030-05-01T18:00:00.000Z', '2030-05-03T18:00:00.000Z']);
  const refused: [body: object, path: string][] = [
    [{}, 'startAt'],
    [{ startAt: '2030-05-01' }, 'startAt'],
    [{ startAt: null }, 'startAt'],
    [{ startAt, endAt: startAt }, 'endAt'],
    [{ startAt, endAt: '2030-05-01T17:00:00Z' }, 'endAt'],
    [{ startAt, endAt: null }, 'endAt'],
    // The copy would last longer than the last valid year.
    [{ startAt: '9999-12-31T23:00:00Z' }, 'endAt'],
    [{ startAt, title: 'Another' }, 'title'],
  ];
  for (const [body, path] of refused) {
    const response = expectProblem(await duplicate(id, body), 400, 'invalid_request');
    assert.deepEqual(errorPaths(response.body), [path], JSON.stringify(body));
  }
});

test('dates: an all-day event keeps its number of days in its timezone, also over a clock change', async () => {
  const { id } = await createEvent(api, organizer, {
    startAt: '2027-03-05T00:00:00+01:00',
    endAt: '2027-03-07T00:00:00+01:00',
    allDay: true,
  });
  const copy = await copyOf(id, { startAt: '2027-03-27T00:00:00+01:00' });
  assert.deepEqual(timesOf(copy), ['2027-03-26T23:00:00.000Z', '2027-03-28T22:00:00.000Z']);
  assert.deepEqual([copy.allDay, copy.timezone], [true, 'Europe/Oslo']);
  const shorter = { startAt: '2027-06-05T00:00:00+02:00', endAt: '2027-06-06T00:00:00+02:00' };
  assert.deepEqual(timesOf(await copyOf(id, shorter)), [
    '2027-06-04T22:00:00.000Z',
    '2027-06-05T22:00:00.000Z',
  ]);
  for (const [body, path] of [
    [{ startAt: '2027-03-27T00:00:00Z' }, 'startAt'],
    [{ ...shorter, endAt: '2027-06-06T12:00:00+02:00' }, 'endAt'],
  ] as const) {
    const response = expectProblem(await duplicate(id, body), 400, 'invalid_request');
    assert.deepEqual(errorPaths(response.body), [path]);
  }
});

// spec: 2.5 POST /v1/events/:id/duplicate: a copy of an event with its items
test('dates: without endAt the copy ends at the same time of the clock, also over a clock change', async () => {
  const summer = '+02:00';
  const [winter, timezone] = ['+01:00', 'Europe/Berlin'];
  const cases: [startAt: string, endAt: string, copyStartAt: string, copyEndAt: string][] = [
    // Over the night in which the clocks are set forward, and over the one in which they are set back.
    [
      `2027-06-12T10:00:00${summer}`,
      `2027-06-14T12:00:00${summer}`,
      `2027-03-26T10:00:00${winter}`,
      '2027-03-28T10:00:00.000Z',
    ],
    [
      `2027-06-12T10:00:00${summer}`,
      `2027-06-14T12:00:00${summer}`,
      `2027-10-29T10:00:00${summer}`,
      '2027-10-31T11:00:00.000Z',
    ],
    [
      `2027-06-12T22:00:00${summer}`,
      `2027-06-13T04:00:00${summer}`,
      `2027-03-27T22:00:00${winter}`,
      '2027-03-28T02:00:00.000Z',
    ],
    // From the night of a clock change to another night, and from summer to winter.
    [
      `2027-03-27T22:00:00${winter}`,
      `2027-03-28T04:00:00${summer}`,
      `2027-06-12T22:00:00${summer}`,
      '2027-06-13T02:00:00.000Z',
    ],
    [
      `2027-06-12T18:00:00${summer}`,
      `2027-06-12T22:00:00${summer}`,
      `2027-12-11T18:00:00${winter}`,
      '2027-12-11T21:00:00.000Z',
    ],
    // 02:30 does not exist, and is 03:30.
    [
      `2027-06-12T23:00:00${summer}`,
      `2027-06-13T02:30:00${summer}`,
      `2027-03-27T23:00:00${winter}`,
      '2027-03-28T01:30:00.000Z',
    ],
    // The second 02:45 of the night, after the second 02:30.
    [
      `2027-06-12T02:30:00${summer}`,
      `2027-06-12T02:45:00${summer}`,
      `2027-10-31T02:30:00${winter}`,
      '2027-10-31T01:45:00.000Z',
    ],
    // From the first 02:30 to the second: no time elapses on the clock.
    [
      `2027-10-31T02:30:00${summer}`,
      `2027-10-31T02:30:00${winter}`,
      `2027-06-12T18:00:00${summer}`,
      '2027-06-12T17:00:00.000Z',
    ],
  ];
  for (const [startAt, endAt, copyStartAt, copyEndAt] of cases) {
    const { id } = await createEvent(api, organizer, { startAt, endAt, timezone });
    assert.equal(
      (await copyOf(id, { startAt: copyStartAt })).endAt,
      copyEndAt,
      `${startAt} → ${copyStartAt}`,
    );
  }
});

test('access: the organizer; an admin becomes the organizer of the copy; 403 and 404 as for a change', async () => {
  const event = await createEvent(api, organizer);
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  await createItem(api, organizer, draft.id);
  const body = { startAt: inDays(14) };
  const ofAdmin = await copyOf(draft.id, body, { token: admin.token });
  assert.equal(ofAdmin.organizer.id, admin.id);
  expectProblem(await api.get(`/v1/events/${ofAdmin.id}`, organizer.token), 404, 'event_not_found');
  expectProblem(await api.post(`/v1/events/${event.id}/duplicate`, undefined, body), 401, 'token_missing');
  expectProblem(await duplicate(event.id, body, { token: guest.token }), 403, 'not_organizer');
  for (const id of [draft.id, randomUUID(), 'nonsense'])
    expectProblem(await duplicate(id, body, { token: guest.token }), 404, 'event_not_found');
  const own = await api.sql`select 1 from events where organizer_id = ${guest.id}`;
  assert.equal(own.length, 0);
});

test('cover: an uploaded image stays after the original is deleted; a generated cover belongs to the copy', async () => {
  const { url } = await createUpload(api, organizer);
  const event = await createEvent(api, organizer, { coverUrl: url });
  await createItem(api, organizer, event.id, { imageUrl: url });
  const copy = await copyOf(event.id);
  expectStatus(await api.delete(`/v1/events/${event.id}`, organizer.token), 200);
  assert.equal((await read(copy.id)).coverUrl, url);
  assert.equal((await list(copy.id))[0].imageUrl, url);
  expectStatus(await api.get(new URL(url).pathname), 200);
  const plain = await copyOf((await createEvent(api, organizer)).id);
  assert.ok(plain.coverUrl.includes(`/v1/events/${plain.id}/cover.svg`));
});

test('limits: 409 for an item list above the limits, from a time without them, and nothing is created', async () => {
  const event = await createEvent(api, organizer);
  await api.sql`
    insert into items (event_id, n, kind, title, emoji, created_at)
    select ${event.id}, n, 'bring', 'x', 'x', now() from generate_series(1, 501) n`;
  await api.sql`
    insert into item_stock (event_id, n, needed, claimed) select ${event.id}, n, 1, 0 from generate_series(1, 501) n`;
  await api.sql`update event_counters set last_item = 501 where event_id = ${event.id}`;
  const countEvents = async () =>
    (await api.sql`select 1 from events where organizer_id = ${organizer.id}`).length;
  const before = await countEvents();
  const { body } = expectProblem(await duplicate(event.id), 409, 'item_list_full');
  assert.match(body.detail, /501 items; 500/);
  assert.equal(await countEvents(), before);
  expectStatus(await api.delete(`/v1/items/${event.id}.300`, organizer.token), 200);
  assert.equal((await list((await copyOf(event.id)).id)).length, 500);
});

// spec: 8 POST /v1/events/:id/duplicate: repetition of creating requests with `Idempotency-Key`
test('race: 12 concurrent requests with one key on two servers create one copy, and all get its record', async () => {
  const person = await createUser(api);
  const event = await createEvent(api, person);
  await createItem(api, person, event.id);
  const body = { startAt: inDays(30) };
  const send = (i: number, fields: object = body) =>
    on(i).call('POST', `/v1/events/${event.id}/duplicate`, {
      token: person.token,
      body: fields,
      headers: { 'idempotency-key': 'copy' },
    });
  const responses = await Promise.all(Array.from({ length: 12 }, (_, i) => send(i)));
  for (const response of responses) expectStatus(response, 201);
  assert.equal(new Set(responses.map(({ body, headers }) => body.id + headers.get('location'))).size, 1);
  assert.equal(responses.filter(({ headers }) => !headers.has('idempotent-replayed')).length, 1);
  assert.equal((await api.sql`select 1 from events where organizer_id = ${person.id}`).length, 2);
  expectProblem(await send(0, { startAt: inDays(31) }), 422, 'idempotency_key_reused');
});

/**
 * Changes an event and its items, one request after the other, on alternating servers.
 * @returns every state that the event had: its title, and the titles and quantities of its items
 */
async function changeRepeatedly(eventId: string, title: string, rounds: number): Promise<Set<string>> {
  const { token } = organizer;
  const state = { title, items: [] as { id: string; title: string; needed: number }[] };
  const states = new Set<string>();
  const remember = () =>
    states.add(JSON.stringify([state.title, state.items.map(({ title, needed }) => [title, needed])]));
  const itemBody = (title: string) => ({ title, kind: 'bring', quantityNeeded: 5 });
  remember();
  for (let round = 0; round < rounds; round++) {
    const server = on(round);
    const items = ['x', 'y', 'z'].map((name) => itemBody(`${name}${round}`));
    const batch = await server.post(`/v1/events/${eventId}/items/batch`, token, { items });
    for (const { id, title } of expectStatus(batch, 201).body.data)
      state.items.push({ id, title, needed: 5 });
    remember();
    state.title = `Title ${round}`;
    expectStatus(await server.patch(`/v1/events/${eventId}`, token, { title: state.title }), 200);
    remember();
    for (const item of state.items.slice(-2)) {
      item.needed = 10 + round;
      const fields = { quantityNeeded: item.needed };
      expectStatus(await server.patch(`/v1/items/${item.id}`, token, fields), 200);
      remember();
    }
    const [first] = state.items;
    assert.ok(first);
    first.title = `renamed ${round}`;
    expectStatus(await server.patch(`/v1/items/${first.id}`, token, { title: first.title }), 200);
    remember();
    for (const item of state.items.slice(1, 3)) {
      expectStatus(await server.delete(`/v1/items/${item.id}`, token), 200);
      state.items.splice(state.items.indexOf(item), 1);
      remember();
    }
  }
  return states;
}

test('race: copies made on two servers during changes of the event and its items equal states that the event had', async () => {
  const { id, title } = await createEvent(api, organizer);
  const copies: string[] = [];
  let isOver = false;
  const copyRepeatedly = async (server: TestApp) => {
    while (!isOver) copies.push((await copyOf(id, undefined, { on: server })).id);
  };
  const copying = [copyRepeatedly(api), copyRepeatedly(second)];
  const states = await changeRepeatedly(id, title, often(12, 4)).finally(() => {
    isOver = true;
  });
  await Promise.all(copying);
  assert.ok(copies.length > 0);
  for (const copy of copies) {
    const [record, items] = await Promise.all([read(copy), list(copy)]);
    const contents = items.map((item: { title: string; quantityNeeded: number }) => [
      item.title,
      item.quantityNeeded,
    ]);
    const state = JSON.stringify([record.title, contents]);
    assert.ok(states.has(state), state);
  }
  await assertCounters(api.sql);
});

test('race: duplicates while the event or the account is deleted are complete or refused', async () => {
  for (const [i, person] of (await createUsers(api, 4)).entries()) {
    const event = await createEvent(api, person);
    await createItem(api, person, event.id);
    const remove = () =>
      i % 2 ? api.delete(`/v1/events/${event.id}`, person.token) : deleteAccount(api, person);
    const copies = Array.from({ length: 10 }, (_, n) =>
      duplicate(event.id, undefined, { on: on(n), token: person.token }),
    );
    const [removed, ...responses] = await Promise.all([remove(), ...copies]);
    expectStatus(removed, 200);
    for (const response of responses) {
      if (response.status === 201) continue;
      if (i % 2) expectProblem(response, 404, 'event_not_found');
      else assert.equal(response.status, 401);
    }
    const created = responses.filter(({ status }) => status === 201).length;
    const remaining = await countCopies(person);
    assert.deepEqual(remaining, i % 2 ? { events: created, items: created } : { events: 0, items: 0 });
  }
  await assertCounters(api.sql);
});

async function countCopies({ id }: Person) {
  const [row] = await api.sql`
    select count(distinct e.id)::int as events, count(i.n)::int as items
    from events e left join items i on i.event_id = e.id where e.organizer_id = ${id}`;
  return { ...row };
}
