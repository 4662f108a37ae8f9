/** Events, RSVPs and items under contention on two servers with one database: exact counters, never a 5xx. */

import assert from 'node:assert/strict';
import test from 'node:test';
import { raw } from '#pg';
import { often } from '../support/all-cases.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  eventBody,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { type ApiResponse, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const servers = [api, await api.startAnother()] as const;
/** Alternates between the two servers. */
const server = (i: number): TestApp => servers[i % 2 === 0 ? 0 : 1];
const organizer = await createUser(api);
const admin = await createAdmin(api);
const guests = await createUsers(api, 16);
const states = ['going', 'interested', null] as const;

const rsvp = (i: number, id: string, person: Person, status: string | null) =>
  server(i).post(`/v1/events/${id}/rsvp`, person.token, { status });
const save = (i: number, id: string, person: Person, saved: boolean) =>
  server(i).post(`/v1/events/${id}/save`, person.token, { saved });
const person = (i: number, among = guests.length): Person => guests[i % among] ?? organizer;
const inParallel = <T>(count: number, action: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => action(i)));

function expectOnlyStatuses(responses: ApiResponse[], ...allowed: number[]): void {
  const unexpected = responses.filter(({ status }) => !allowed.includes(status));
  assert.deepEqual(
    unexpected.map(({ status, body }) => [status, body]),
    [],
  );
}
/** A deterministic pseudo-random number below 65,537. */
const pseudoRandom = (i: number): number => (i * 7_919 + ((i * i) % 104_729)) % 65_537;

// spec: 3 POST /v1/events/:id/rsvp: RSVP: going or interested → none
test('rsvp: 200 concurrent RSVPs of few people on few events leave exact counters', async () => {
  const events = await inParallel(3, () => createEvent(api, organizer));
  const responses = await inParallel(200, (i) => {
    const r = pseudoRandom(i);
    return rsvp(i, events[r % 3]?.id, person(r >> 2, 5), states[(r >> 5) % 3] ?? null);
  });
  expectOnlyStatuses(responses, 200);
  await assertCounters(api.sql);
});

test('rsvp: 50 concurrent RSVPs of one person leave a count of 0 or 1', async () => {
  const event = await createEvent(api, organizer);
  const [guest] = guests;
  assert.ok(guest);
  for (const pick of [
    (i: number) => states[i % 3],
    (i: number) => (i % 2 === 0 ? 'going' : null),
    () => 'going',
  ]) {
    const responses: ApiResponse[] = await inParallel(50, (i) =>
      rsvp(i >> 1, event.id, guest, pick(i) ?? null),
    );
    expectOnlyStatuses(responses, 200);
    // No other person has an RSVP, so the count is 0 or 1 in every response.
    for (const { body } of responses) assert.ok(body.rsvpCount === 0 || body.rsvpCount === 1);
    const { body } = await api.get(`/v1/events/${event.id}`, guest.token);
    assert.equal(body.rsvpCount, Number(body.myRsvp !== null));
    assert.equal(body.goingCount, Number(body.myRsvp === 'going'));
  }
  const cleared = await inParallel(20, (i) => rsvp(i, event.id, guest, null));
  for (const { body } of cleared) assert.deepEqual(body, { myRsvp: null, rsvpCount: 0, myRequest: null });
  await assertCounters(api.sql);
});

// spec: 3 POST /v1/events/:id/save: saved flag: saved → not saved
test('save: concurrent changes of one person leave at most one row', async () => {
  const event = await createEvent(api, organizer);
  const responses = await inParallel(60, (i) =>
    save(i >> 1, event.id, person(i, 2), pseudoRandom(i) % 2 === 0),
  );
  expectOnlyStatuses(responses, 200);
  await inParallel(10, (i) => save(i, event.id, person(0), true));
  await inParallel(10, (i) => save(i, event.id, person(1), false));
  const rows = await api.sql`select user_id from saves where event_id = ${event.id}`;
  assert.deepEqual(
    rows.map((row) => row.userId),
    [person(0).id],
  );
});

test('items: 40 added concurrently get consecutive ids, also after removals', async () => {
  const event = await createEvent(api, organizer);
  const add = (i: number) =>
    server(i).post(`/v1/events/${event.id}/items`, i % 3 ? organizer.token : admin.token, {
      title: `Item ${i}`,
      kind: i % 2 ? 'bring' : 'wish',
      quantityNeeded: 1,
    });
  const numbers = (responses: ApiResponse[]) =>
    responses
      .map((response) => Number(expectStatus(response, 201).body.id.split('.')[1]))
      .sort((a, b) => a - b);
  assert.deepEqual(
    numbers(await inParallel(40, add)),
    Array.from({ length: 40 }, (_, i) => i + 1),
  );
  const removed = inParallel(40, (i) => server(i).delete(`/v1/items/${event.id}.${i + 1}`, organizer.token));
  const added = inParallel(10, add);
  expectOnlyStatuses(await removed, 200);
  assert.deepEqual(
    numbers(await added),
    Array.from({ length: 10 }, (_, i) => i + 41),
  );
  await assertCounters(api.sql);
});

test('items: 8 concurrent removals of one item give one 200 and 7 × 404', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const responses = await inParallel(8, (i) => server(i).delete(`/v1/items/${item.id}`, organizer.token));
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, ...Array(7).fill(404)]);
});

test('change: concurrent changes of different fields are all stored', async () => {
  const event = await createEvent(api, organizer);
  const changes: Record<string, unknown> = {
    title: 'Changed',
    description: 'Changed',
    price: 12.5,
    capacity: 7,
    currency: 'NOK',
    timezone: 'Europe/Oslo',
    category: 'music',
    template: 'concert',
    enabledModules: [],
    coverUrl: 'https://example.org/x.png',
  };
  const fields = Object.keys(changes);
  const responses = await inParallel(fields.length * 3, (i) => {
    const field = fields[i % fields.length] ?? '';
    return server(i).patch(`/v1/events/${event.id}`, i % 2 ? organizer.token : admin.token, {
      [field]: changes[field],
    });
  });
  expectOnlyStatuses(responses, 200);
  const { body } = await api.get(`/v1/events/${event.id}`);
  assert.deepEqual(
    fields.map((field) => body[field]?.slug ?? body[field]),
    Object.values(changes),
  );
});

test('change: concurrent changes of startAt and endAt never leave an event that ends before it starts', async () => {
  const day = (number: number) => `2040-01-${String(number).padStart(2, '0')}T00:00:00.000Z`;
  const event = await createEvent(api, organizer, { startAt: day(10), endAt: day(11) });
  const responses = await inParallel(40, (i) => {
    const at = day(1 + (pseudoRandom(i) % 28));
    return server(i).patch(
      `/v1/events/${event.id}`,
      organizer.token,
      i % 2 ? { startAt: at } : { endAt: at },
    );
  });
  expectOnlyStatuses(responses, 200, 400);
  for (const { status, body } of responses) if (status === 200) assert.ok(body.startAt < body.endAt);
});

test('eventsCount: exact after concurrent creation, hiding, cancellation and deletion', async () => {
  const events = await inParallel(6, () => createEvent(api, organizer));
  const changes = [
    { visibility: 'public' },
    { visibility: 'private' },
    { status: 'cancelled' },
    { status: 'scheduled' },
    { visibility: 'unlisted' },
  ];
  const responses = await inParallel(90, (i) => {
    const r = pseudoRandom(i);
    const id = events[r % 6]?.id;
    const { token } = r & 16 ? organizer : admin;
    if (i % 15 === 7) return server(i).post('/v1/events', organizer.token, eventBody());
    if (i % 30 === 29) return server(i).delete(`/v1/events/${events[i % 2]?.id}`, token);
    return server(i).patch(`/v1/events/${id}`, token, changes[(r >> 6) % 5]);
  });
  expectOnlyStatuses(responses, 200, 201, 404);
  await assertCounters(api.sql);
});

test('delete: deleting an event during RSVPs, saves, claims and new items leaves no row', async () => {
  for (let round = 0; round < often(3); round++) {
    const event = await createEvent(api, organizer);
    const items = await inParallel(3, () => createItem(api, organizer, event.id, { quantityNeeded: 20 }));
    await Promise.all(guests.slice(0, 8).map((guest) => rsvpGoing(api, guest, event.id)));
    const remove = async (i: number) => {
      await save(i, event.id, person(i), true);
      return server(i).delete(`/v1/events/${event.id}`, i ? admin.token : organizer.token);
    };
    const item = (i: number) => `/v1/items/${items[i % 3]?.id}`;
    const responses = await Promise.all([
      inParallel(24, (i) => rsvp(i, event.id, person(i), states[i % 3] ?? null)),
      inParallel(16, (i) => server(i).post(`${item(i)}/claim`, person(i, 8).token, { quantity: 1 })),
      inParallel(2, remove),
      inParallel(16, (i) => server(i).delete(`${item(i)}/claim`, person(i, 8).token)),
      inParallel(6, (i) =>
        server(i).post(`/v1/events/${event.id}/items`, organizer.token, {
          title: 'x',
          kind: 'bring',
          quantityNeeded: 1,
        }),
      ),
      inParallel(16, (i) => save(i, event.id, person(i), i % 4 !== 0)),
      inParallel(3, (i) => server(i).delete(item(i), organizer.token)),
      inParallel(6, (i) =>
        server(i).patch(`/v1/events/${event.id}`, organizer.token, { title: `Title ${i}` }),
      ),
      inParallel(6, (i) => server(i).get(`/v1/events/${event.id}/items`, person(i).token)),
    ]);
    expectOnlyStatuses(responses.flat(), 200, 201, 403, 404, 409);
    expectStatus(await api.get(`/v1/events/${event.id}`, organizer.token), 404);
    for (const table of ['event_counters', 'rsvps', 'saves', 'items', 'item_stock', 'claims']) {
      const rows = await api.sql`select 1 from ${raw(table)} where event_id = ${event.id} limit 1`;
      assert.equal(rows.length, 0, table);
    }
  }
  await assertCounters(api.sql);
});

test('lists: total equals the number of elements while events are created, changed and deleted', async () => {
  const [creator] = guests;
  assert.ok(creator);
  const createChangeDelete = async (i: number) => {
    const { body } = await server(i).post(
      '/v1/events',
      creator.token,
      eventBody({ category: 'tech', title: 'Passing' }),
    );
    await server(i + 1).patch(`/v1/events/${body.id}`, creator.token, {
      title: 'Passing by',
      visibility: i % 2 ? 'public' : 'unlisted',
    });
    return server(i).delete(`/v1/events/${body.id}`, creator.token);
  };
  const readList = async (i: number) => {
    const path = i % 2 ? '/v1/events?category=tech&limit=50' : '/v1/events/search?q=passing&limit=50';
    const response = expectStatus(await server(i).get(path, creator.token), 200);
    assert.equal(response.body.data.length, response.body.meta.total);
    return response;
  };
  expectOnlyStatuses(
    (await Promise.all([inParallel(24, createChangeDelete), inParallel(40, readList)])).flat(),
    200,
  );
});
