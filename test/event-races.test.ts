/** Events, answers and items under contention, from two servers on one database: counters count, and never a 5xx. */

import assert from 'node:assert/strict';
import test from 'node:test';
import { raw } from '../src/db/sql.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  eventBody,
  type Person,
  rsvpGoing,
} from './factories.ts';
import { assertCounters } from './invariants.ts';
import { type ApiResponse, expectStatus, startTestApp, type TestApp } from './setup.ts';

const api = await startTestApp();
const servers = [api, await api.another()] as const;
/** One server after the other. */
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
const times = <T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));

function only(answers: ApiResponse[], ...allowed: number[]): void {
  const others = answers.filter(({ status }) => !allowed.includes(status));
  assert.deepEqual(
    others.map(({ status, body }) => [status, body]),
    [],
  );
}
/** Small, repeatable and unordered. */
const scattered = (i: number): number => (i * 7_919 + ((i * i) % 104_729)) % 65_537;

// spec: 3 POST /v1/events/:id/rsvp: RSVP: going or interested → none
test('rsvp: 200 mixed answers of few people on few events leave counters that count', async () => {
  const events = await times(3, () => createEvent(api, organizer));
  const answers = await times(200, (i) => {
    const r = scattered(i);
    return rsvp(i, events[r % 3]?.id, person(r >> 2, 5), states[(r >> 5) % 3] ?? null);
  });
  only(answers, 200);
  await assertCounters(api.sql);
});

test('rsvp: one person changing one answer 50 times at once is counted once or not at all', async () => {
  const event = await createEvent(api, organizer);
  const [guest] = guests;
  assert.ok(guest);
  for (const pick of [
    (i: number) => states[i % 3],
    (i: number) => (i % 2 === 0 ? 'going' : null),
    () => 'going',
  ]) {
    const answers: ApiResponse[] = await times(50, (i) => rsvp(i >> 1, event.id, guest, pick(i) ?? null));
    only(answers, 200);
    // Nobody else answers, so every answer must agree with itself.
    for (const { body } of answers) assert.ok(body.rsvpCount === 0 || body.rsvpCount === 1);
    const { body } = await api.get(`/v1/events/${event.id}`, guest.token);
    assert.equal(body.rsvpCount, Number(body.myRsvp !== null));
    assert.equal(body.goingCount, Number(body.myRsvp === 'going'));
  }
  const cleared = await times(20, (i) => rsvp(i, event.id, guest, null));
  for (const { body } of cleared) assert.deepEqual(body, { myRsvp: null, rsvpCount: 0 });
  await assertCounters(api.sql);
});

// spec: 3 POST /v1/events/:id/save: saved flag: saved → not saved
test('save: one person toggling at once ends saved or not, with one row at most', async () => {
  const event = await createEvent(api, organizer);
  const answers = await times(60, (i) => save(i >> 1, event.id, person(i, 2), scattered(i) % 2 === 0));
  only(answers, 200);
  await times(10, (i) => save(i, event.id, person(0), true));
  await times(10, (i) => save(i, event.id, person(1), false));
  const rows = await api.sql`select user_id from saves where event_id = ${event.id}`;
  assert.deepEqual(
    rows.map((row) => row.userId),
    [person(0).id],
  );
});

test('items: 40 added at once get 40 ids without a gap, and after removals the next ones', async () => {
  const event = await createEvent(api, organizer);
  const add = (i: number) =>
    server(i).post(`/v1/events/${event.id}/items`, i % 3 ? organizer.token : admin.token, {
      title: `Item ${i}`,
      kind: i % 2 ? 'bring' : 'wish',
      quantityNeeded: 1,
    });
  const numbers = (answers: ApiResponse[]) =>
    answers.map((answer) => Number(expectStatus(answer, 201).body.id.split('.')[1])).sort((a, b) => a - b);
  assert.deepEqual(
    numbers(await times(40, add)),
    Array.from({ length: 40 }, (_, i) => i + 1),
  );
  const removed = times(40, (i) => server(i).delete(`/v1/items/${event.id}.${i + 1}`, organizer.token));
  const added = times(10, add);
  only(await removed, 200);
  assert.deepEqual(
    numbers(await added),
    Array.from({ length: 10 }, (_, i) => i + 41),
  );
  await assertCounters(api.sql);
});

test('items: removed by several at once, one gets 200 and the others 404', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const answers = await times(8, (i) => server(i).delete(`/v1/items/${item.id}`, organizer.token));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(404)]);
});

test('change: of changes to different fields at once none is lost', async () => {
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
  const answers = await times(fields.length * 3, (i) => {
    const field = fields[i % fields.length] ?? '';
    return server(i).patch(`/v1/events/${event.id}`, i % 2 ? organizer.token : admin.token, {
      [field]: changes[field],
    });
  });
  only(answers, 200);
  const { body } = await api.get(`/v1/events/${event.id}`);
  assert.deepEqual(
    fields.map((field) => body[field]?.slug ?? body[field]),
    Object.values(changes),
  );
});

test('change: startAt and endAt moved at once never leave an event that ends before it starts', async () => {
  const day = (number: number) => `2040-01-${String(number).padStart(2, '0')}T00:00:00.000Z`;
  const event = await createEvent(api, organizer, { startAt: day(10), endAt: day(11) });
  const answers = await times(40, (i) => {
    const at = day(1 + (scattered(i) % 28));
    return server(i).patch(
      `/v1/events/${event.id}`,
      organizer.token,
      i % 2 ? { startAt: at } : { endAt: at },
    );
  });
  only(answers, 200, 400);
  for (const { status, body } of answers) if (status === 200) assert.ok(body.startAt < body.endAt);
});

test('eventsCount: creating, hiding, cancelling and deleting at once leave the count that a count gives', async () => {
  const events = await times(6, () => createEvent(api, organizer));
  const shown = [
    { visibility: 'public' },
    { visibility: 'private' },
    { status: 'cancelled' },
    { status: 'scheduled' },
    { visibility: 'unlisted' },
  ];
  const answers = await times(90, (i) => {
    const r = scattered(i);
    const id = events[r % 6]?.id;
    const { token } = r & 16 ? organizer : admin;
    if (i % 15 === 7) return server(i).post('/v1/events', organizer.token, eventBody());
    if (i % 30 === 29) return server(i).delete(`/v1/events/${events[i % 2]?.id}`, token);
    return server(i).patch(`/v1/events/${id}`, token, shown[(r >> 6) % 5]);
  });
  only(answers, 200, 201, 404);
  await assertCounters(api.sql);
});

test('delete: an event that goes while people answer, save, claim and add leaves nothing behind', async () => {
  for (let round = 0; round < 3; round++) {
    const event = await createEvent(api, organizer);
    const items = await times(3, () => createItem(api, organizer, event.id, { quantityNeeded: 20 }));
    await Promise.all(guests.slice(0, 8).map((guest) => rsvpGoing(api, guest, event.id)));
    const remove = async (i: number) => {
      await save(i, event.id, person(i), true);
      return server(i).delete(`/v1/events/${event.id}`, i ? admin.token : organizer.token);
    };
    const item = (i: number) => `/v1/items/${items[i % 3]?.id}`;
    const answers = await Promise.all([
      times(24, (i) => rsvp(i, event.id, person(i), states[i % 3] ?? null)),
      times(16, (i) => server(i).post(`${item(i)}/claim`, person(i, 8).token, { quantity: 1 })),
      times(2, remove),
      times(16, (i) => server(i).delete(`${item(i)}/claim`, person(i, 8).token)),
      times(6, (i) =>
        server(i).post(`/v1/events/${event.id}/items`, organizer.token, {
          title: 'x',
          kind: 'bring',
          quantityNeeded: 1,
        }),
      ),
      times(16, (i) => save(i, event.id, person(i), i % 4 !== 0)),
      times(3, (i) => server(i).delete(item(i), organizer.token)),
      times(6, (i) => server(i).patch(`/v1/events/${event.id}`, organizer.token, { title: `Title ${i}` })),
      times(6, (i) => server(i).get(`/v1/events/${event.id}/items`, person(i).token)),
    ]);
    only(answers.flat(), 200, 201, 403, 404, 409);
    expectStatus(await api.get(`/v1/events/${event.id}`, organizer.token), 404);
    for (const table of ['event_counters', 'rsvps', 'saves', 'items', 'item_stock', 'claims']) {
      const rows = await api.sql`select 1 from ${raw(table)} where event_id = ${event.id} limit 1`;
      assert.equal(rows.length, 0, table);
    }
  }
  await assertCounters(api.sql);
});

test('lists: total and page agree while events come, change and go', async () => {
  const [maker] = guests;
  assert.ok(maker);
  const make = async (i: number) => {
    const { body } = await server(i).post(
      '/v1/events',
      maker.token,
      eventBody({ category: 'tech', title: 'Passing' }),
    );
    await server(i + 1).patch(`/v1/events/${body.id}`, maker.token, {
      title: 'Passing by',
      visibility: i % 2 ? 'public' : 'unlisted',
    });
    return server(i).delete(`/v1/events/${body.id}`, maker.token);
  };
  const look = async (i: number) => {
    const path = i % 2 ? '/v1/events?category=tech&limit=50' : '/v1/events/search?q=passing&limit=50';
    const answer = expectStatus(await server(i).get(path, maker.token), 200);
    assert.equal(answer.body.data.length, answer.body.meta.total);
    return answer;
  };
  only((await Promise.all([times(24, make), times(40, look)])).flat(), 200);
});
