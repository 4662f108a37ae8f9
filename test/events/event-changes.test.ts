import assert from 'node:assert/strict';
import test from 'node:test';
import { maxId } from '#base';
import { raw } from '#pg';
import { createAdmin, createEvent, createItem, createUser, inDays, rsvpGoing } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
const stranger = await createUser(api);
const admin = await createAdmin(api);
const unknown = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';

const eventsCount = async () => (await api.get(`/v1/users/${organizer.id}`)).body.eventsCount;
const paths = (body: { errors: { path: string }[] }) => body.errors.map((error) => error.path);

// spec: 2.4 PATCH /v1/events/:id: changing and cancelling an event
test('change: 200, and only the fields of the request change', async () => {
  const event = await createEvent(api, organizer, {
    description: 'Before',
    price: 5,
    // An explicit timezone does not change with the location.
    timezone: 'UTC',
    enabledModules: ['bringList'],
  });
  const changes = {
    title: 'After',
    description: '',
    coverUrl: 'https://example.org/x.png',
    coverTheme: 'moon',
    coverFocus: 'top',
    startAt: inDays(20),
    endAt: inDays(21),
    timezone: 'Europe/Oslo',
    location: { address: 'Elsewhere', lat: -33.5, lng: 151, isExact: false },
    category: 'music',
    price: 0.5,
    currency: 'AUD',
    capacity: 12,
    template: 'concert',
    enabledModules: [],
    visibility: 'unlisted',
    status: 'cancelled',
  };
  const expanded: Record<string, unknown> = {
    category: { slug: 'music', name: 'Music', emoji: '🎵' },
    template: { slug: 'concert', name: 'Concert' },
  };
  let before = event;
  for (const [field, value] of Object.entries(changes).reverse()) {
    const changed = await api.patch(`/v1/events/${event.id}`, organizer.token, { [field]: value });
    const { affected, ...body } = expectStatus(changed, 200).body;
    assert.equal(affected, 1);
    assert.ok(body.updatedAt >= before.updatedAt);
    // The URL of the generated cover contains the category and the theme.
    const cover =
      ['category', 'coverTheme'].includes(field) && body.coverUrl.includes('/cover.svg')
        ? { coverUrl: body.coverUrl }
        : {};
    assert.deepEqual(body, {
      ...before,
      ...cover,
      [field]: expanded[field] ?? value,
      updatedAt: body.updatedAt,
    });
    assert.deepEqual((await api.get(`/v1/events/${event.id}`, organizer.token)).body, body);
    before = body;
  }
});

test('change: new coordinates are those of the address unless the request denies it', async () => {
  const town = { address: 'Kastanjegatan 14, Mölndal', lat: 57.6554, lng: 12.0138 };
  const { id } = await createEvent(api, organizer, { location: { ...town, isExact: false } });
  const isExact = async (body: object) =>
    expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, body), 200).body.location.isExact;
  assert.equal(await isExact({ title: 'Elsewhere' }), false);
  assert.equal(await isExact({ location: town }), true);
  assert.equal(await isExact({ location: { ...town, isExact: false } }), false);
});

test('change: 200 for an empty body; coverUrl null restores the generated cover', async () => {
  const event = await createEvent(api, organizer, { coverUrl: 'https://example.org/x.png' });
  const { body } = expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, {}), 200);
  assert.deepEqual({ ...body, updatedAt: '' }, { ...event, updatedAt: '', affected: 1 });
  const { body: bare } = await api.patch(`/v1/events/${event.id}`, organizer.token, { coverUrl: null });
  assert.match(bare.coverUrl, /\/cover\.svg\?category=food$/);
});

test('change: 400 naming endAt when a change of startAt or endAt alone makes the event end before it starts', async () => {
  const event = await createEvent(api, organizer, { startAt: inDays(5), endAt: inDays(6) });
  for (const change of [
    { startAt: inDays(7) },
    { startAt: event.endAt },
    { endAt: inDays(4) },
    { endAt: event.startAt },
  ]) {
    const { body } = expectProblem(
      await api.patch(`/v1/events/${event.id}`, organizer.token, change),
      400,
      'invalid_request',
    );
    assert.deepEqual(paths(body), ['endAt'], JSON.stringify(change));
  }
  expectStatus(
    await api.patch(`/v1/events/${event.id}`, organizer.token, { startAt: inDays(7), endAt: inDays(8) }),
    200,
  );
});

test('change: 400 for the invalid values of creation, and the event does not change', async () => {
  const event = await createEvent(api, organizer);
  for (const [field, value, path = field] of [
    ['title', ' '],
    ['title', null],
    ['price', 0.001],
    ['capacity', -1],
    ['status', 'over'],
    ['visibility', null],
    ['category', 'nonsense'],
    ['location', { lat: 1, lng: 1 }, 'location.address'],
    ['enabledModules', ['wishList', 'wishList']],
    ['organizer', stranger.id],
    ['rsvpCount', 5],
  ] as const) {
    const { body } = expectProblem(
      await api.patch(`/v1/events/${event.id}`, organizer.token, { [field]: value }),
      400,
      'invalid_request',
    );
    assert.deepEqual(paths(body), [path]);
  }
  for (const body of [[], 'x', null, 1]) {
    expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, body), 400);
  }
  assert.deepEqual((await api.get(`/v1/events/${event.id}`, organizer.token)).body, event);
});

test('change and delete: 200 for organizer and admin, 403 for others, 401 without a token, 404 for an unknown or hidden event', async () => {
  const event = await createEvent(api, organizer);
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  const calls = [
    (id: string, token?: string) => api.patch(`/v1/events/${id}`, token, { title: 'Changed' }),
    (id: string, token?: string) => api.delete(`/v1/events/${id}`, token),
  ];
  for (const call of calls) {
    expectProblem(await call(event.id), 401, 'token_missing');
    expectProblem(await call(event.id, stranger.token), 403, 'not_organizer');
    expectProblem(await call(draft.id, stranger.token), 404, 'event_not_found');
    for (const id of [unknown, 'nonsense'])
      expectProblem(await call(id, organizer.token), 404, 'event_not_found');
    for (const { token } of [organizer, admin]) {
      const ownEvent = await createEvent(api, organizer);
      expectStatus(await call(ownEvent.id, token), 200);
    }
  }
  assert.equal((await api.get(`/v1/events/${event.id}`)).body.title, event.title);
  assert.equal(
    expectStatus(await api.patch(`/v1/events/${event.id}`, admin.token, { title: 'By the admin' }), 200).body
      .organizer.id,
    organizer.id,
  );
});

// spec: 2.4 PATCH /v1/events/:id: changing and cancelling an event
test('cancel: 200 for cancelling and rescheduling; eventsCount counts only public, scheduled events', async () => {
  const before = await eventsCount();
  const event = await createEvent(api, organizer);
  const steps = [
    [{ status: 'cancelled' }, 0],
    [{ status: 'cancelled' }, 0],
    [{ visibility: 'unlisted' }, 0],
    [{ status: 'scheduled' }, 0],
    [{ visibility: 'public' }, 1],
    [{ visibility: 'private' }, 0],
    [{ visibility: 'public', title: 'Again' }, 1],
  ] as const;
  for (const [change, counted] of steps) {
    const { body } = expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, change), 200);
    for (const [field, value] of Object.entries(change)) assert.equal(body[field], value);
    assert.equal(await eventsCount(), before + counted, JSON.stringify(change));
  }
  await createEvent(api, organizer, { startAt: '2001-01-01T00:00:00Z', endAt: '2001-01-02T00:00:00Z' });
  assert.equal(await eventsCount(), before + 2);
  expectStatus(await api.delete(`/v1/events/${event.id}`, organizer.token), 200);
  assert.equal(await eventsCount(), before + 1);
  await assertCounters(api.sql);
});

// spec: 2.4 DELETE /v1/events/:id: deleting an event
test('delete: 200, then 404, and of the event its tombstone and the key of its import alone remain', async () => {
  const event = await createEvent(api, organizer, { capacity: 2 });
  const item = await createItem(api, organizer, event.id);
  await createItem(api, organizer, event.id, { kind: 'wish' });
  await rsvpGoing(api, stranger, event.id);
  expectStatus(await api.post(`/v1/events/${event.id}/save`, admin.token, { saved: true }), 200);
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, stranger.token, { quantity: 2 }), 201);
  await api.sql`insert into imports (organizer_id, uid, event_id) values (${organizer.id}, 'a@b', ${event.id})`;
  const booking = `/v1/events/${event.id}/booking`;
  expectStatus(await api.post(booking, stranger.token, { seats: 2 }), 201);
  // Notifications that are read, and others that are not delivered.
  expectStatus(await api.post('/v1/notifications/read', organizer.token, { upTo: maxId }), 200);
  await rsvpGoing(api, admin, event.id);
  expectStatus(await api.post(booking, admin.token, { seats: 1, waitlist: true }), 201);
  expectStatus(await api.patch(booking, stranger.token, { seats: 1 }), 200);
  const moved = { startAt: inDays(6), message: 'A day earlier.' };
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, moved), 200);
  assert.deepEqual(await tablesWith(event.id), [
    'announcements',
    'bookings',
    'claims',
    'event_counters',
    'event_notices',
    'events',
    'imports',
    'item_stock',
    'items',
    'notification_causes',
    'notification_fan_outs',
    'notifications',
    'rsvps',
    'saves',
  ]);
  assert.deepEqual(expectStatus(await api.delete(`/v1/events/${event.id}`, organizer.token), 200).body, {
    success: true,
    affected: 1,
  });
  assert.deepEqual(await tablesWith(event.id), ['event_tombstones', 'imports']);
  expectProblem(await api.get(`/v1/events/${event.id}`, organizer.token), 404, 'event_not_found');
  expectProblem(await api.delete(`/v1/events/${event.id}`, organizer.token), 404, 'event_not_found');
  expectProblem(
    await api.post(`/v1/items/${item.id}/claim`, stranger.token, { quantity: 1 }),
    404,
    'item_not_found',
  );
  expectProblem(await api.delete(`/v1/items/${item.id}/claim`, stranger.token), 404, 'item_not_found');
  await assertCounters(api.sql);
});

/** The tables with a row that contains the id. */
async function tablesWith(id: string): Promise<string[]> {
  const tables = await api.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and not (select relispartition from pg_class where oid = quote_ident(table_name)::regclass) order by table_name`;
  const tablesWithId: string[] = [];
  for (const { name } of tables) {
    const rows = await api.sql`select 1 from ${raw(name)} t where t::text like ${`%${id}%`} limit 1`;
    if (rows.length > 0) tablesWithId.push(name);
  }
  return tablesWithId;
}
