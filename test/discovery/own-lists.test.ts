/** Lists of the caller's events, claims and blocks, and the followers, following and events of a person. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  inDays,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();

type Page = { data: { id: string; [field: string]: unknown }[]; nextCursor: string | null };
const get = async (path: string, caller?: Person, server: TestApp = api): Promise<Page> =>
  expectStatus(await server.get(path, caller?.token), 200).body;
const idsOf = async (path: string, caller?: Person, server: TestApp = api) =>
  (await get(path, caller, server)).data.map(({ id }) => id);
const relate = async (from: Person, action: 'follow' | 'block', to: Person) =>
  expectStatus(await api.post(`/v1/users/${to.id}/${action}`, from.token), 200);
const sorted = (people: Person[]) => people.map(({ id }) => id).sort();

/** Reads all pages of a list, two entries at a time, and returns the ids. */
async function walk(path: string, caller?: Person): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const cursorParameter: string = cursor ? `&cursor=${cursor}` : '';
    const page: Page = await get(`${path}${path.includes('?') ? '&' : '?'}limit=2${cursorParameter}`, caller);
    assert.ok(page.data.length <= 2);
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor);
  return ids;
}

async function refused(path: string, caller: Person | undefined, field: string): Promise<void> {
  const { body } = expectProblem(await api.get(path, caller?.token), 400, 'invalid_request');
  assert.deepEqual(
    body.errors.map((error: { path: string }) => error.path),
    [field],
    path,
  );
}

// spec: 2.4 GET /v1/me/events: lists of the caller's events
test('my events: 200 with the events that the caller organizes, including private and cancelled ones, by start', async () => {
  const [me, other] = await createUsers(api, 2);
  assert.ok(me && other);
  const past = await createEvent(api, me, { startAt: inDays(-5), endAt: inDays(-4) });
  const cancelled = await createEvent(api, me, { startAt: inDays(3), endAt: inDays(4) });
  expectStatus(await api.patch(`/v1/events/${cancelled.id}`, me.token, { status: 'cancelled' }), 200);
  const draft = await createEvent(api, me, { startAt: inDays(2), endAt: inDays(3), visibility: 'private' });
  await createEvent(api, other);
  const path = '/v1/me/events?relation=organizing';
  const { data, nextCursor } = await get(path, me, second);
  assert.deepEqual(
    data.map(({ id, status, visibility }) => [id, status, visibility]),
    [
      [past.id, 'scheduled', 'public'],
      [draft.id, 'scheduled', 'private'],
      [cancelled.id, 'cancelled', 'public'],
    ],
  );
  assert.equal(nextCursor, null);
  // An entry is equal to the entry in the list of all events.
  const { body } = await api.get('/v1/events?limit=50&dateFrom=2020-01-01', me.token);
  assert.deepEqual(
    data[0],
    body.data.find(({ id }: { id: string }) => id === past.id),
  );
  assert.deepEqual(await idsOf(`${path}&when=upcoming`, me), [draft.id, cancelled.id]);
  assert.deepEqual(await idsOf(`${path}&when=past`, me), [past.id]);
});

// spec: 2.4 GET /v1/me/events: lists of the caller's events
test('my events: 200 by RSVP going, RSVP interested and saved flag, without events that are hidden from the caller', async () => {
  const [me, other] = await createUsers(api, 2);
  assert.ok(me && other);
  const created: { id: string }[] = [];
  for (let day = 1; day <= 4; day++)
    created.push(await createEvent(api, other, { startAt: inDays(day), endAt: inDays(day, 1) }));
  const [a, b, c, d] = created;
  assert.ok(a && b && c && d);
  for (const { id } of [b, a]) await rsvpGoing(api, me, id);
  for (const { id } of [c, d])
    expectStatus(await api.post(`/v1/events/${id}/rsvp`, me.token, { status: 'interested' }), 200);
  for (const { id } of [d, b])
    expectStatus(await api.post(`/v1/events/${id}/save`, me.token, { saved: true }), 200);
  const list = (relation: string) => idsOf(`/v1/me/events?relation=${relation}`, me, second);
  assert.deepEqual(await list('going'), [a.id, b.id]);
  assert.deepEqual(await list('interested'), [c.id, d.id]);
  assert.deepEqual(await list('saved'), [b.id, d.id]);
  const [first] = (await get('/v1/me/events?relation=saved', me)).data;
  assert.deepEqual([first?.myRsvp, first?.isSaved], ['going', true]);
  expectStatus(await api.patch(`/v1/events/${a.id}`, other.token, { visibility: 'private' }), 200);
  expectStatus(await api.patch(`/v1/events/${b.id}`, other.token, { status: 'cancelled' }), 200);
  expectStatus(await api.delete(`/v1/events/${c.id}`, other.token), 200);
  assert.deepEqual(await list('going'), [b.id]);
  assert.deepEqual(await list('interested'), [d.id]);
  expectStatus(await api.patch(`/v1/events/${a.id}`, other.token, { visibility: 'unlisted' }), 200);
  assert.deepEqual(await list('going'), [a.id, b.id]);
});

// spec: 2.4 GET /v1/me/events: lists of the caller's events
test('my events: 401 without a token; 400 naming relation, when, limit or cursor for an invalid value', async () => {
  expectProblem(await api.get('/v1/me/events?relation=going'), 401, 'token_missing');
  const me = await createUser(api);
  await refused('/v1/me/events', me, 'relation');
  for (const relation of ['', 'attending', 'Going'])
    await refused(`/v1/me/events?relation=${relation}`, me, 'relation');
  await refused('/v1/me/events?relation=going&when=now', me, 'when');
  for (const limit of [0, 51, 1.5]) await refused(`/v1/me/events?relation=saved&limit=${limit}`, me, 'limit');
  for (const path of ['/v1/me/events?relation=going', '/v1/me/claims?', '/v1/me/blocks?'])
    await refused(`${path}&cursor=W10`, me, 'cursor');
});

// spec: 2.4 GET /v1/me/events: lists of the caller's events
test('pages: each event is on exactly one page in ascending and descending order, also with equal start times', async () => {
  const me = await createUser(api);
  const start = inDays(2);
  for (const day of [1, 3, -3, -2, -1])
    await createEvent(api, me, { startAt: inDays(day), endAt: inDays(day, 1) });
  for (let i = 0; i < 4; i++) await createEvent(api, me, { startAt: start, endAt: inDays(4) });
  for (const when of ['', '&when=upcoming', '&when=past']) {
    const all = await idsOf(`/v1/me/events?relation=organizing&limit=50${when}`, me);
    assert.equal(all.length, { '': 9, '&when=upcoming': 6, '&when=past': 3 }[when]);
    assert.deepEqual(await walk(`/v1/me/events?relation=organizing${when}`, me), all);
  }
  const past = (await get('/v1/me/events?relation=organizing&when=past', me)).data;
  const starts = past.map(({ startAt }) => startAt);
  assert.deepEqual(starts, starts.toSorted().reverse());
});

// spec: 2.7 GET /v1/me/claims: list of the caller's claims
test('my claims: 200 with the claim, its item and its event, newest first', async () => {
  const [me, host, guest] = await createUsers(api, 3);
  assert.ok(me && host && guest);
  const event = await createEvent(api, host);
  for (const person of [me, guest]) await rsvpGoing(api, person, event.id);
  const created = [];
  for (let i = 1; i <= 5; i++) {
    const item = await createItem(api, host, event.id, {
      title: `Item ${i}`,
      kind: i % 2 ? 'bring' : 'wish',
    });
    const claimed = await api.post(`/v1/items/${item.id}/claim`, me.token, { quantity: 1 + (i % 2) });
    created.unshift(expectStatus(claimed, 201).body);
    expectStatus(await api.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 1 }), 201);
  }
  const { data } = await get('/v1/me/claims', me, second);
  assert.deepEqual(
    data.map(({ item: _, event: __, ...claim }) => claim),
    created,
  );
  assert.deepEqual(data[0]?.item, { title: 'Item 5', kind: 'bring', emoji: '🥘' });
  const { id, title, startAt, endAt, allDay, timezone, status } = event;
  assert.deepEqual(data[0]?.event, { id, title, startAt, endAt, allDay, timezone, status });
  assert.deepEqual(
    await walk('/v1/me/claims', me),
    created.map(({ id }) => id),
  );
  expectStatus(await api.delete(`/v1/items/${created[0].itemId}/claim`, me.token), 200);
  assert.equal((await get('/v1/me/claims', me)).data.length, 4);
  expectStatus(await api.patch(`/v1/events/${event.id}`, host.token, { visibility: 'private' }), 200);
  assert.deepEqual((await get('/v1/me/claims', me)).data, []);
  expectProblem(await api.get('/v1/me/claims'), 401, 'token_missing');
});

// spec: 3 GET /v1/me/blocks: list of blocked people
test('my blocks: 200 with the people that the caller blocks, without people that block the caller', async () => {
  const [me, ...others] = await createUsers(api, 6);
  assert.ok(me && others[4]);
  const blocker = others.pop() as Person;
  const privatePerson = others[0] as Person;
  expectStatus(await api.patch('/v1/me', privatePerson.token, { isPrivate: true, bio: 'Not for all.' }), 200);
  for (const other of others) await relate(me, 'block', other);
  await relate(blocker, 'block', me);
  const { data } = await get('/v1/me/blocks', me, second);
  assert.deepEqual(
    data.map(({ id }) => id),
    sorted(others),
  );
  assert.deepEqual(Object.keys(data[0] ?? {}).sort(), [
    'avatar',
    'bio',
    'hasAccount',
    'id',
    'isFollowing',
    'name',
    'username',
  ]);
  assert.ok(data.every(({ isFollowing }) => isFollowing === false));
  assert.equal(data.find(({ id }) => id === privatePerson.id)?.bio, '');
  assert.deepEqual(await walk('/v1/me/blocks', me), sorted(others));
  expectStatus(await api.delete(`/v1/users/${privatePerson.id}/block`, me.token), 200);
  assert.deepEqual(await idsOf('/v1/me/blocks', me, second), sorted(others.slice(1)));
  expectProblem(await api.get('/v1/me/blocks'), 401, 'token_missing');
});

// spec: 2.2 GET /v1/users/:id/followers, GET /v1/users/:id/following: lists of followers and of followed people
test('followers and following: 200 with and without a token; isFollowing of the caller; an empty bio for private profiles', async () => {
  const [person, privatePerson, ...others] = await createUsers(api, 6);
  assert.ok(person && privatePerson && others[0]);
  expectStatus(await api.patch('/v1/me', privatePerson.token, { isPrivate: true, bio: 'Not for all.' }), 200);
  expectStatus(await api.patch('/v1/me', others[0].token, { bio: 'For all.' }), 200);
  for (const one of [privatePerson, ...others]) await relate(one, 'follow', person);
  for (const one of [privatePerson, ...others.slice(1)]) await relate(person, 'follow', one);
  const viewer = await createUser(api);
  await relate(viewer, 'follow', others[0]);
  const path = `/v1/users/${person.id}/followers`;
  const anonymous = (await get(path, undefined, second)).data;
  assert.deepEqual(
    anonymous.map(({ id, isFollowing }) => [id, isFollowing]),
    sorted([privatePerson, ...others]).map((id) => [id, false]),
  );
  const entries = new Map((await get(path, viewer, second)).data.map((one) => [one.id, one]));
  assert.deepEqual(
    [entries.get(others[0].id)?.isFollowing, entries.get(others[0].id)?.bio],
    [true, 'For all.'],
  );
  assert.deepEqual(
    [entries.get(privatePerson.id)?.isFollowing, entries.get(privatePerson.id)?.bio],
    [false, ''],
  );
  assert.deepEqual(await walk(path), sorted([privatePerson, ...others]));
  assert.deepEqual(
    await walk(`/v1/users/${person.id}/following`, viewer),
    sorted([privatePerson, ...others.slice(1)]),
  );
  expectStatus(await api.delete(`/v1/users/${person.id}/follow`, privatePerson.token), 200);
  assert.deepEqual(await idsOf(path, undefined, second), sorted(others));
});

// spec: 2.2 GET /v1/users/:id/followers, GET /v1/users/:id/following: lists of followers and of followed people
test('followers and following: people with a block between them and the caller, in either direction, are absent', async () => {
  const [person, a, b, c, viewer] = await createUsers(api, 5);
  assert.ok(person && a && b && c && viewer);
  for (const one of [a, b, c]) {
    await relate(one, 'follow', person);
    await relate(person, 'follow', one);
  }
  await relate(viewer, 'block', a);
  await relate(b, 'block', viewer);
  for (const list of ['followers', 'following']) {
    assert.deepEqual(await walk(`/v1/users/${person.id}/${list}`, viewer), [c.id]);
    assert.deepEqual(await walk(`/v1/users/${person.id}/${list}`), sorted([a, b, c]));
  }
});

// spec: 2.2 GET /v1/users/:id/events: list of the events that a person organizes
test('user events: 200 with the public, scheduled events of a person, including past ones, with the caller’s fields', async () => {
  const [person, viewer] = await createUsers(api, 2);
  assert.ok(person && viewer);
  const path = `/v1/users/${person.id}/events`;
  const soon = await createEvent(api, person, { startAt: inDays(1), endAt: inDays(2) });
  const past = await createEvent(api, person, { startAt: inDays(-3), endAt: inDays(-2) });
  await createEvent(api, person, { visibility: 'unlisted' });
  await createEvent(api, person, { visibility: 'private' });
  const cancelled = await createEvent(api, person, { startAt: inDays(5), endAt: inDays(6) });
  await rsvpGoing(api, viewer, soon.id);
  assert.deepEqual(await idsOf(path), [past.id, soon.id, cancelled.id]);
  expectStatus(await api.patch(`/v1/events/${cancelled.id}`, person.token, { status: 'cancelled' }), 200);
  // The organizer gets the same list as every other caller.
  for (const caller of [undefined, person])
    assert.deepEqual(await idsOf(path, caller, second), [past.id, soon.id]);
  const [first] = (await get(`${path}?when=upcoming`, viewer, second)).data;
  assert.deepEqual([first?.id, first?.myRsvp, first?.isSaved], [soon.id, 'going', false]);
  const [plain] = (await get(`${path}?when=upcoming`)).data;
  assert.ok(plain && !('myRsvp' in plain) && !('isSaved' in plain));
  assert.deepEqual(await idsOf(`${path}?when=past`), [past.id]);
  assert.deepEqual(await walk(path), [past.id, soon.id]);
});

// spec: 2.2 GET /v1/users/:id/followers, GET /v1/users/:id/following: lists of followers and of followed people
// spec: 2.2 GET /v1/users/:id/events: list of the events that a person organizes
test('lists of a person: 403 for a profile that is private to the caller, 404 for an unknown id, 401 for an invalid token', async () => {
  const [person, friend, follower] = await createUsers(api, 3);
  assert.ok(person && friend && follower);
  const admin = await createAdmin(api);
  await relate(person, 'follow', friend);
  await relate(follower, 'follow', person);
  expectStatus(await api.patch('/v1/me', person.token, { isPrivate: true }), 200);
  for (const list of ['followers', 'following', 'events']) {
    const path = `/v1/users/${person.id}/${list}`;
    for (const caller of [undefined, follower])
      expectProblem(await second.get(path, caller?.token), 403, 'profile_private');
    for (const caller of [person, friend, admin]) await get(path, caller, second);
    for (const id of ['nobody', '0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'])
      expectProblem(await api.get(`/v1/users/${id}/${list}`), 404, 'user_not_found');
    expectProblem(await api.get(path, 'pa_none'), 401, 'token_invalid');
    const open = `/v1/users/${friend.id}/${list}`;
    await refused(`${open}?cursor=x`, undefined, 'cursor');
    await refused(`${open}?limit=51`, friend, 'limit');
  }
});

test('lists: a suspended person, and the events of that person, are absent from every list until restored', async () => {
  const [me, suspended, other] = await createUsers(api, 3);
  assert.ok(me && suspended && other);
  const admin = await createAdmin(api);
  for (const one of [suspended, other]) {
    await relate(one, 'follow', me);
    await relate(me, 'follow', one);
  }
  const blocker = await createUser(api);
  await relate(blocker, 'block', suspended);
  const event = await createEvent(api, suspended);
  const item = await createItem(api, suspended, event.id);
  await rsvpGoing(api, me, event.id);
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, me.token, { quantity: 1 }), 201);
  const path = `/v1/users/${me.id}`;
  const readLists = async () => [
    await idsOf(`${path}/followers`, undefined, second),
    await idsOf(`${path}/following`, me, second),
    await idsOf('/v1/me/blocks', blocker, second),
    await idsOf('/v1/me/events?relation=going', me, second),
    (await get('/v1/me/claims', me, second)).data.map(({ itemId }) => itemId),
  ];
  const before = [
    sorted([suspended, other]),
    sorted([suspended, other]),
    [suspended.id],
    [event.id],
    [item.id],
  ];
  assert.deepEqual(await readLists(), before);
  const suspend = `/v1/admin/users/${suspended.id}/suspend`;
  expectStatus(await api.post(suspend, admin.token, {}), 200);
  assert.deepEqual(await readLists(), [[other.id], [other.id], [], [], []]);
  expectProblem(await second.get(`/v1/users/${suspended.id}/events`, me.token), 404, 'user_not_found');
  expectStatus(await api.delete(suspend, admin.token), 200);
  assert.deepEqual(await readLists(), before);
});
