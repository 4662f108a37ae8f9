/** GET /v1/feed: the events that the followed people organize or attend (specification 3). */
import assert from 'node:assert/strict';
import test from 'node:test';
import { firstPosition } from '../../src/modules/events/start-pages.ts';
import { findFeed } from '../../src/modules/feed/find-feed.ts';
import { listByPeople } from '../../src/modules/feed/repo.ts';
import { startBothModes, untilIndexed } from '../support/both-modes.ts';
import {
  createAdmin,
  createEvent,
  createUser,
  createUsers,
  deleteAccount,
  inDays,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { expectProblem, expectStatus, type TestApp } from '../support/setup.ts';

const api = await startBothModes();
const second = await api.startAnother();
await untilIndexed(second);

type Element = {
  id: string;
  title: string;
  startAt: string;
  reasons: { type: string; user: { id: string } }[];
  reasonsCount: number;
};
const follow = async (person: Person, followed: Person) =>
  expectStatus(await api.post(`/v1/users/${followed.id}/follow`, person.token), 200);
const feed = async (person: Person, query = '?limit=50', server: TestApp = api) =>
  expectStatus(await server.get(`/v1/feed${query}`, person.token), 200).body as {
    data: Element[];
    nextCursor: string | null;
  };
const ids = async (person: Person, server: TestApp = api) =>
  (await feed(person, '?limit=50', server)).data.map(({ id }) => id);
const reasonsOf = (element: Element | undefined) =>
  element?.reasons.map(({ type, user }) => [type, user.id]) ?? null;
/** Creates a person who follows the given people. */
async function createFollower(...followed: Person[]): Promise<Person> {
  const person = await createUser(api);
  for (const one of followed) await follow(person, one);
  return person;
}

// spec: 3 GET /v1/feed: the feed
test('feed: 200 with the events that followed people organize or attend, each once, with the people as reasons', async () => {
  const [a, b, c, stranger] = await createUsers(api, 4);
  assert.ok(a && b && c && stranger);
  const caller = await createFollower(a, b, c);
  const ownEvent = await createEvent(api, a, { startAt: inDays(3), endAt: inDays(3, 2) });
  const otherEvent = await createEvent(api, stranger, { startAt: inDays(2), endAt: inDays(2, 2) });
  const unrelated = await createEvent(api, stranger);
  for (const guest of [a, b, stranger]) await rsvpGoing(api, guest, ownEvent.id);
  await rsvpGoing(api, c, otherEvent.id);
  await rsvpGoing(api, stranger, unrelated.id);
  await rsvpGoing(api, caller, otherEvent.id);
  const { data, nextCursor } = await feed(caller);
  assert.deepEqual(
    data.map(({ id, reasonsCount }) => [id, reasonsCount]),
    [
      [otherEvent.id, 1],
      [ownEvent.id, 2],
    ],
  );
  assert.equal(nextCursor, null);
  assert.deepEqual(reasonsOf(data[0]), [['going', c.id]]);
  // An organizer who attends their own event is one reason.
  assert.deepEqual(reasonsOf(data[1]), [
    ['organizing', a.id],
    ['going', b.id],
  ]);
  assert.deepEqual(Object.keys(data[0]?.reasons[0]?.user ?? {}).sort(), [
    'avatar',
    'hasAccount',
    'id',
    'name',
    'username',
  ]);
  const { body } = await api.get('/v1/events?limit=50', caller.token);
  const { reasons, reasonsCount, ...element } = data[0] as Element;
  assert.deepEqual(
    element,
    body.data.find(({ id }: Element) => id === otherEvent.id),
  );
});

test('feed: 401 without a token, 200 and empty without followed people', async () => {
  expectProblem(await api.get('/v1/feed'), 401, 'token_missing');
  assert.deepEqual(await feed(await createUser(api)), { data: [], nextCursor: null });
});

test('feed: only listed events that have not ended, and only RSVPs of going', async () => {
  const [a, stranger] = await createUsers(api, 2);
  assert.ok(a && stranger);
  const caller = await createFollower(a);
  const now = await createEvent(api, a, { startAt: inDays(-1), endAt: inDays(1) });
  await createEvent(api, a, { startAt: inDays(-2), endAt: inDays(-1) });
  await createEvent(api, a, { visibility: 'unlisted' });
  await createEvent(api, a, { visibility: 'private' });
  const cancelled = await createEvent(api, a);
  const withRsvp = await createEvent(api, stranger);
  const set = (status: string | null) => api.post(`/v1/events/${withRsvp.id}/rsvp`, a.token, { status });
  expectStatus(await set('interested'), 200);
  assert.deepEqual(await ids(caller), [now.id, cancelled.id]);
  expectStatus(await api.patch(`/v1/events/${cancelled.id}`, a.token, { status: 'cancelled' }), 200);
  assert.deepEqual(await ids(caller, second), [now.id]);
  expectStatus(await set('going'), 200);
  assert.deepEqual(await ids(caller, second), [now.id, withRsvp.id]);
  expectStatus(await set(null), 200);
  assert.deepEqual(await ids(caller, second), [now.id]);
  api.clock.advance(2 * 86_400_000);
  const { body } = await api.post('/v1/auth/refresh', undefined, { refreshToken: caller.refreshToken });
  assert.deepEqual(await ids({ ...caller, token: body.accessToken }), []);
  api.clock.advance(-2 * 86_400_000);
});

test('feed: at most three reasons, the organizer first, and reasonsCount has the total', async () => {
  const people = await createUsers(api, 6);
  const [organizer, ...guests] = people;
  assert.ok(organizer);
  const caller = await createFollower(...people);
  const event = await createEvent(api, organizer);
  for (const guest of guests) await rsvpGoing(api, guest, event.id);
  const [element] = (await feed(caller)).data;
  assert.equal(element?.reasonsCount, 6);
  assert.deepEqual(
    element.reasons.map(({ type }) => type),
    ['organizing', 'going', 'going'],
  );
  assert.equal(element.reasons[0]?.user.id, organizer.id);
  assert.equal(new Set(element.reasons.map(({ user }) => user.id)).size, 3);
});

// spec: 3 GET /v1/feed: the feed
test("feed: a block in either direction removes the person's events and reasons at once on every server", async () => {
  for (const callerBlocks of [true, false]) {
    const [followed, organizer] = await createUsers(api, 2);
    assert.ok(followed && organizer);
    const caller = await createFollower(followed, organizer);
    const otherEvent = await createEvent(api, organizer);
    const ownEvent = await createEvent(api, followed);
    await rsvpGoing(api, followed, otherEvent.id);
    assert.deepEqual((await ids(caller, second)).sort(), [otherEvent.id, ownEvent.id].sort());
    const blockPair = (a: Person, b: Person) => (callerBlocks ? ([a, b] as const) : ([b, a] as const));
    const [blocker, blocked] = blockPair(caller, organizer);
    expectStatus(await api.post(`/v1/users/${blocked.id}/block`, blocker.token), 200);
    // The RSVP of the followed person is no reason for an event of a blocked organizer.
    assert.deepEqual(await ids(caller, second), [ownEvent.id]);
    const [blocker2, blocked2] = blockPair(caller, followed);
    expectStatus(await second.post(`/v1/users/${blocked2.id}/block`, blocker2.token), 200);
    assert.deepEqual(await ids(caller), []);
    expectStatus(await api.delete(`/v1/users/${blocked.id}/block`, blocker.token), 200);
    assert.deepEqual(await ids(caller, second), []);
  }
});

test('feed: RSVPs of people with a private profile are reasons only for callers who may see the profile', async () => {
  const [privatePerson, stranger] = await createUsers(api, 2);
  assert.ok(privatePerson && stranger);
  expectStatus(await api.patch('/v1/me', privatePerson.token, { isPrivate: true }), 200);
  const caller = await createFollower(privatePerson);
  const admin = await createAdmin(api);
  await follow(admin, privatePerson);
  const otherEvent = await createEvent(api, stranger);
  await rsvpGoing(api, privatePerson, otherEvent.id);
  assert.deepEqual(await ids(caller), []);
  assert.deepEqual(await ids(admin), [otherEvent.id]);
  await follow(privatePerson, caller);
  assert.deepEqual(await ids(caller), [otherEvent.id]);
  // Public events of people with a private profile are visible to all callers.
  const ownEvent = await createEvent(api, privatePerson, { startAt: inDays(1), endAt: inDays(1, 1) });
  expectStatus(await api.delete(`/v1/users/${caller.id}/follow`, privatePerson.token), 200);
  assert.deepEqual(await ids(caller), [ownEvent.id]);
});

test('feed: a hidden RSVP is no reason', async () => {
  const [guest, organizer] = await createUsers(api, 2);
  assert.ok(guest && organizer);
  const caller = await createFollower(guest);
  const event = await createEvent(api, organizer);
  const hide = async (isHidden: boolean) =>
    expectStatus(
      await api.post(`/v1/events/${event.id}/rsvp`, guest.token, { status: 'going', isHidden }),
      200,
    );
  await hide(false);
  assert.deepEqual(await ids(caller), [event.id]);
  await hide(true);
  assert.deepEqual(await ids(caller), []);
});

test('feed: a deleted account is no reason, and its events are omitted', async () => {
  const [a, b, c] = await createUsers(api, 3);
  assert.ok(a && b && c);
  const caller = await createFollower(a, b);
  await createEvent(api, a);
  const event = await createEvent(api, c);
  await rsvpGoing(api, a, event.id);
  await rsvpGoing(api, b, event.id);
  assert.equal((await feed(caller, '', second)).data.length, 2);
  expectStatus(await deleteAccount(api, a), 200);
  const { data } = await feed(caller, '', second);
  assert.deepEqual(data.map(reasonsOf), [[['going', b.id]]]);
  assert.equal(data[0]?.reasonsCount, 1);
});

test('feed: a suspended person is no reason, and their events are omitted until restoration', async () => {
  const [followed, stranger] = await createUsers(api, 2);
  assert.ok(followed && stranger);
  const admin = await createAdmin(api);
  const caller = await createFollower(followed);
  await follow(admin, followed);
  await follow(followed, caller);
  const ownEvent = await createEvent(api, followed, { startAt: inDays(1), endAt: inDays(2) });
  const otherEvent = await createEvent(api, stranger);
  await rsvpGoing(api, followed, otherEvent.id);
  assert.deepEqual(await ids(caller, second), [ownEvent.id, otherEvent.id]);
  const suspend = `/v1/admin/users/${followed.id}/suspend`;
  expectStatus(await api.post(suspend, admin.token, {}), 200);
  for (const person of [caller, admin]) assert.deepEqual(await ids(person, second), []);
  expectStatus(await api.delete(suspend, admin.token), 200);
  assert.deepEqual(await ids(caller, second), [ownEvent.id, otherEvent.id]);
});

test('feed: 20 by default, limit from 1 to 50; 400 naming limit or cursor', async () => {
  const a = await createUser(api);
  const caller = await createFollower(a);
  for (let i = 0; i < 21; i++) await createEvent(api, a);
  const first = await feed(caller, '');
  assert.equal(first.data.length, 20);
  assert.equal((await feed(caller, `?cursor=${first.nextCursor}`)).data.length, 1);
  assert.equal((await feed(caller, '?limit=21')).nextCursor, null);
  for (const limit of ['0', '51', '1.5', 'x']) await expectRefused(caller, `limit=${limit}`, 'limit');
  const foreign = Buffer.from(JSON.stringify(['x', a.id])).toString('base64url');
  for (const cursor of ['', 'x', '!!', foreign, `${first.nextCursor}=`, `${first.nextCursor}x`])
    await expectRefused(caller, `cursor=${encodeURIComponent(cursor)}`, 'cursor');
});

async function expectRefused(caller: Person, query: string, field: string): Promise<void> {
  const { body } = expectProblem(await api.get(`/v1/feed?${query}`, caller.token), 400, 'invalid_request');
  assert.deepEqual(
    body.errors.map((error: { path: string }) => error.path),
    [field],
    query,
  );
}

// spec: 3 GET /v1/feed: the feed
test('feed: pages neither skip nor repeat events while events are created, moved and deleted', async () => {
  const [a, b] = await createUsers(api, 2);
  assert.ok(a && b);
  const caller = await createFollower(a, b);
  const [soon, first, atSameTime, third, fourth, last] = [0.5, 1, 2, 3, 4, 5].map((days) => ({
    startAt: inDays(days),
    endAt: inDays(days, 1),
  }));
  const expectedIds: string[] = [];
  // Several events have the same start.
  for (const times of [first, atSameTime, atSameTime, atSameTime, third, fourth, fourth, fourth])
    expectedIds.push((await createEvent(api, a, times)).id);
  const [moved = ''] = expectedIds;
  const listedIds: string[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null; page++) {
    const query: string = `?limit=2${cursor && `&cursor=${cursor}`}`;
    const { data, nextCursor } = await feed(caller, query, page % 2 ? api : second);
    listedIds.push(...data.map(({ id }) => id));
    cursor = nextCursor;
    // Creates an event before the cursor, and one with the same start as events around the cursor.
    await createEvent(api, b, soon);
    if (page < 3) expectedIds.push((await createEvent(api, b, atSameTime)).id);
    if (page === 0) expectStatus(await api.patch(`/v1/events/${moved}`, a.token, last), 200);
    // Deletes the event at the cursor.
    if (page === 1) expectStatus(await api.delete(`/v1/events/${listedIds.at(-1)}`, a.token), 200);
    assert.ok(page < 30);
  }
  // An event that moves behind the cursor appears again at its new time. Every other event appears exactly
  // once.
  assert.deepEqual(listedIds.sort(), [...expectedIds, moved].sort());
});

test('feed: the query by people and the query by time return the same events', async () => {
  const people = await createUsers(api, 12);
  const [organizer, other, hidden, ...guests] = people;
  assert.ok(organizer && other && hidden);
  const created: string[] = [];
  for (let i = 0; i < 40; i++) {
    const day = (i * 7) % 10;
    const times = { startAt: inDays(day - 1), endAt: inDays(day - 1 + (i % 3 ? 2 : 0.5)) };
    created.push((await createEvent(api, [organizer, other, hidden][i % 3] ?? other, times)).id);
  }
  for (const [i, id] of created.entries()) {
    for (const [n, guest] of guests.entries()) if ((i * 5 + n * 3) % 7 === 0) await rsvpGoing(api, guest, id);
    if (i % 4 === 0) await rsvpGoing(api, organizer, id);
  }
  const caller = await createFollower(organizer, ...guests);
  expectStatus(await api.post(`/v1/users/${hidden.id}/block`, caller.token), 200);
  const [privatePerson, followedBack] = guests;
  assert.ok(privatePerson && followedBack);
  for (const one of [privatePerson, followedBack])
    expectStatus(await api.patch('/v1/me', one.token, { isPrivate: true }), 200);
  await follow(followedBack, caller);
  const viewer = { id: caller.id, role: 'user' as const };
  const query = { viewer, now: new Date(), after: firstPosition, limit: 100, collapse: false };
  const byPeople = [...(await listByPeople(api.sql, query))];
  assert.ok(byPeople.length > 12 && byPeople.length < 40);
  const reasons = new Set(byPeople.flatMap(({ people }) => people));
  assert.deepEqual([reasons.has(followedBack.id), reasons.has(privatePerson.id)], [true, false]);
  for (const batchSizes of [[1, 3], [50], [5, 5, 5, 5, 5, 5, 5, 5]]) {
    const byTime = await findFeed(api.sql, query, { maxPeople: 0, batchSizes });
    assert.deepEqual(byTime, byPeople, `${batchSizes} at a time`);
    const firstSeven = await findFeed(api.sql, { ...query, limit: 7 }, { maxPeople: 0, batchSizes });
    assert.deepEqual(firstSeven, byPeople.slice(0, 7));
  }
});
