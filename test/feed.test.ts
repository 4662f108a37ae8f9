/** GET /v1/feed: what the people whom the caller follows organize and go to (spec 3). */
import assert from 'node:assert/strict';
import test from 'node:test';
import { firstPosition } from '../src/modules/events/start-pages.ts';
import { findFeed } from '../src/modules/feed/find-feed.ts';
import { listByPeople } from '../src/modules/feed/repo.ts';
import {
  createAdmin,
  createEvent,
  createUser,
  createUsers,
  deleteAccount,
  inDays,
  type Person,
  rsvpGoing,
} from './factories.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from './setup.ts';

const api = await startTestApp();
const second = await api.another();

type Element = {
  id: string;
  title: string;
  startAt: string;
  reasons: { type: string; user: { id: string } }[];
  reasonsCount: number;
};
const follow = async (who: Person, whom: Person) =>
  expectStatus(await api.post(`/v1/users/${whom.id}/follow`, who.token), 200);
const feed = async (who: Person, query = '?limit=50', on: TestApp = api) =>
  expectStatus(await on.get(`/v1/feed${query}`, who.token), 200).body as {
    data: Element[];
    nextCursor: string | null;
  };
const ids = async (who: Person, on: TestApp = api) =>
  (await feed(who, '?limit=50', on)).data.map(({ id }) => id);
const reasonsOf = (element: Element | undefined) =>
  element?.reasons.map(({ type, user }) => [type, user.id]) ?? null;
/** A new person who follows these. */
async function follower(...whom: Person[]): Promise<Person> {
  const person = await createUser(api);
  for (const one of whom) await follow(person, one);
  return person;
}

// spec: 3 GET /v1/feed: the feed
test('feed: 200 with what the people whom the caller follows organize and go to, each event once, with who is the reason', async () => {
  const [a, b, c, stranger] = await createUsers(api, 4);
  assert.ok(a && b && c && stranger);
  const me = await follower(a, b, c);
  const own = await createEvent(api, a, { startAt: inDays(3), endAt: inDays(3, 2) });
  const theirs = await createEvent(api, stranger, { startAt: inDays(2), endAt: inDays(2, 2) });
  const nobodys = await createEvent(api, stranger);
  for (const guest of [a, b, stranger]) await rsvpGoing(api, guest, own.id);
  await rsvpGoing(api, c, theirs.id);
  await rsvpGoing(api, stranger, nobodys.id);
  await rsvpGoing(api, me, theirs.id);
  const { data, nextCursor } = await feed(me);
  assert.deepEqual(
    data.map(({ id, reasonsCount }) => [id, reasonsCount]),
    [
      [theirs.id, 1],
      [own.id, 2],
    ],
  );
  assert.equal(nextCursor, null);
  assert.deepEqual(reasonsOf(data[0]), [['going', c.id]]);
  // Whoever organizes an event and goes there is one reason, not two.
  assert.deepEqual(reasonsOf(data[1]), [
    ['organizing', a.id],
    ['going', b.id],
  ]);
  assert.deepEqual(Object.keys(data[0]?.reasons[0]?.user ?? {}).sort(), ['avatar', 'id', 'name', 'username']);
  const { body } = await api.get('/v1/events?limit=50', me.token);
  const { reasons, reasonsCount, ...element } = data[0] as Element;
  assert.deepEqual(
    element,
    body.data.find(({ id }: Element) => id === theirs.id),
  );
});

test('feed: 401 without a token, and empty for whoever follows nobody', async () => {
  expectProblem(await api.get('/v1/feed'), 401, 'token_missing');
  assert.deepEqual(await feed(await createUser(api)), { data: [], nextCursor: null });
});

test('feed: only listed events that have not ended, and only answers of going', async () => {
  const [a, stranger] = await createUsers(api, 2);
  assert.ok(a && stranger);
  const me = await follower(a);
  const now = await createEvent(api, a, { startAt: inDays(-1), endAt: inDays(1) });
  await createEvent(api, a, { startAt: inDays(-2), endAt: inDays(-1) });
  await createEvent(api, a, { visibility: 'unlisted' });
  await createEvent(api, a, { visibility: 'private' });
  const off = await createEvent(api, a);
  const answered = await createEvent(api, stranger);
  const set = (status: string | null) => api.post(`/v1/events/${answered.id}/rsvp`, a.token, { status });
  expectStatus(await set('interested'), 200);
  assert.deepEqual(await ids(me), [now.id, off.id]);
  expectStatus(await api.patch(`/v1/events/${off.id}`, a.token, { status: 'cancelled' }), 200);
  assert.deepEqual(await ids(me, second), [now.id]);
  expectStatus(await set('going'), 200);
  assert.deepEqual(await ids(me, second), [now.id, answered.id]);
  expectStatus(await set(null), 200);
  assert.deepEqual(await ids(me, second), [now.id]);
  api.clock.advance(2 * 86_400_000);
  const { body } = await api.post('/v1/auth/refresh', undefined, { refreshToken: me.refreshToken });
  assert.deepEqual(await ids({ ...me, token: body.accessToken }), []);
  api.clock.advance(-2 * 86_400_000);
});

test('feed: at most three reasons, the organizer first, and how many there are', async () => {
  const people = await createUsers(api, 6);
  const [organizer, ...guests] = people;
  assert.ok(organizer);
  const me = await follower(...people);
  const event = await createEvent(api, organizer);
  for (const guest of guests) await rsvpGoing(api, guest, event.id);
  const [element] = (await feed(me)).data;
  assert.equal(element?.reasonsCount, 6);
  assert.deepEqual(
    element.reasons.map(({ type }) => type),
    ['organizing', 'going', 'going'],
  );
  assert.equal(element.reasons[0]?.user.id, organizer.id);
  assert.equal(new Set(element.reasons.map(({ user }) => user.id)).size, 3);
});

// spec: 3 GET /v1/feed: the feed
test('feed: a block takes its organizer and its reasons away at the next answer, on every server, in either direction', async () => {
  for (const meFirst of [true, false]) {
    const [friend, organizer] = await createUsers(api, 2);
    assert.ok(friend && organizer);
    const me = await follower(friend, organizer);
    const theirs = await createEvent(api, organizer);
    const own = await createEvent(api, friend);
    await rsvpGoing(api, friend, theirs.id);
    assert.deepEqual((await ids(me, second)).sort(), [theirs.id, own.id].sort());
    const block = (a: Person, b: Person) => (meFirst ? ([a, b] as const) : ([b, a] as const));
    const [by, whom] = block(me, organizer);
    expectStatus(await api.post(`/v1/users/${whom.id}/block`, by.token), 200);
    // The friend still goes there, and that is no reason.
    assert.deepEqual(await ids(me, second), [own.id]);
    const [by2, whom2] = block(me, friend);
    expectStatus(await second.post(`/v1/users/${whom2.id}/block`, by2.token), 200);
    assert.deepEqual(await ids(me), []);
    expectStatus(await api.delete(`/v1/users/${whom.id}/block`, by.token), 200);
    assert.deepEqual(await ids(me, second), []);
  }
});

test('feed: answers of people with a private profile are for those who may see it', async () => {
  const [shy, stranger] = await createUsers(api, 2);
  assert.ok(shy && stranger);
  expectStatus(await api.patch('/v1/me', shy.token, { isPrivate: true }), 200);
  const me = await follower(shy);
  const admin = await createAdmin(api);
  await follow(admin, shy);
  const theirs = await createEvent(api, stranger);
  await rsvpGoing(api, shy, theirs.id);
  assert.deepEqual(await ids(me), []);
  assert.deepEqual(await ids(admin), [theirs.id]);
  await follow(shy, me);
  assert.deepEqual(await ids(me), [theirs.id]);
  // What they organize is in every list anyway.
  const own = await createEvent(api, shy, { startAt: inDays(1), endAt: inDays(1, 1) });
  expectStatus(await api.delete(`/v1/users/${me.id}/follow`, shy.token), 200);
  assert.deepEqual(await ids(me), [own.id]);
});

test('feed: an account that is deleted is no reason any more, and its events are gone', async () => {
  const [a, b, c] = await createUsers(api, 3);
  assert.ok(a && b && c);
  const me = await follower(a, b);
  await createEvent(api, a);
  const event = await createEvent(api, c);
  await rsvpGoing(api, a, event.id);
  await rsvpGoing(api, b, event.id);
  assert.equal((await feed(me, '', second)).data.length, 2);
  expectStatus(await deleteAccount(api, a), 200);
  const { data } = await feed(me, '', second);
  assert.deepEqual(data.map(reasonsOf), [[['going', b.id]]]);
  assert.equal(data[0]?.reasonsCount, 1);
});

test('feed: somebody who is suspended is no reason and organizes nothing, until they are restored', async () => {
  const [friend, stranger] = await createUsers(api, 2);
  assert.ok(friend && stranger);
  const admin = await createAdmin(api);
  const me = await follower(friend);
  await follow(admin, friend);
  await follow(friend, me);
  const own = await createEvent(api, friend, { startAt: inDays(1), endAt: inDays(2) });
  const theirs = await createEvent(api, stranger);
  await rsvpGoing(api, friend, theirs.id);
  assert.deepEqual(await ids(me, second), [own.id, theirs.id]);
  const suspend = `/v1/admin/users/${friend.id}/suspend`;
  expectStatus(await api.post(suspend, admin.token, {}), 200);
  for (const who of [me, admin]) assert.deepEqual(await ids(who, second), []);
  expectStatus(await api.delete(suspend, admin.token), 200);
  assert.deepEqual(await ids(me, second), [own.id, theirs.id]);
});

test('feed: 20 unless limit says otherwise, from 1 to 50; 400 naming limit or cursor for anything else', async () => {
  const a = await createUser(api);
  const me = await follower(a);
  for (let i = 0; i < 21; i++) await createEvent(api, a);
  const first = await feed(me, '');
  assert.equal(first.data.length, 20);
  assert.equal((await feed(me, `?cursor=${first.nextCursor}`)).data.length, 1);
  assert.equal((await feed(me, '?limit=21')).nextCursor, null);
  for (const limit of ['0', '51', '1.5', 'x']) await refused(me, `limit=${limit}`, 'limit');
  const foreign = Buffer.from(JSON.stringify(['x', a.id])).toString('base64url');
  for (const cursor of ['', 'x', '!!', foreign, `${first.nextCursor}=`, `${first.nextCursor}x`])
    await refused(me, `cursor=${encodeURIComponent(cursor)}`, 'cursor');
});

async function refused(me: Person, query: string, field: string): Promise<void> {
  const { body } = expectProblem(await api.get(`/v1/feed?${query}`, me.token), 400, 'invalid_request');
  assert.deepEqual(
    body.errors.map((error: { path: string }) => error.path),
    [field],
    query,
  );
}

// spec: 3 GET /v1/feed: the feed
test('feed: pages neither skip nor repeat while events are added, moved and taken away', async () => {
  const [a, b] = await createUsers(api, 2);
  assert.ok(a && b);
  const me = await follower(a, b);
  const [soon, first, then, third, fourth, last] = [0.5, 1, 2, 3, 4, 5].map((days) => ({
    startAt: inDays(days),
    endAt: inDays(days, 1),
  }));
  const there: string[] = [];
  // Several begin at the very same moment.
  for (const moment of [first, then, then, then, third, fourth, fourth, fourth])
    there.push((await createEvent(api, a, moment)).id);
  const [moved = ''] = there;
  const seen: string[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null; page++) {
    const query: string = `?limit=2${cursor && `&cursor=${cursor}`}`;
    const { data, nextCursor } = await feed(me, query, page % 2 ? api : second);
    seen.push(...data.map(({ id }) => id));
    cursor = nextCursor;
    // Before the place where the page ended, and at the moment that pages are in the middle of.
    await createEvent(api, b, soon);
    if (page < 3) there.push((await createEvent(api, b, then)).id);
    if (page === 0) expectStatus(await api.patch(`/v1/events/${moved}`, a.token, last), 200);
    // The event whose place the cursor is.
    if (page === 1) expectStatus(await api.delete(`/v1/events/${seen.at(-1)}`, a.token), 200);
    assert.ok(page < 30);
  }
  // What moves to behind the place comes once more, at its new time; nothing else comes twice, and nothing is missing.
  assert.deepEqual(seen.sort(), [...there, moved].sort());
});

test('feed: by way of people and by way of time the same is found', async () => {
  const people = await createUsers(api, 12);
  const [organizer, other, hidden, ...guests] = people;
  assert.ok(organizer && other && hidden);
  const made: string[] = [];
  for (let i = 0; i < 40; i++) {
    const day = (i * 7) % 10;
    const moment = { startAt: inDays(day - 1), endAt: inDays(day - 1 + (i % 3 ? 2 : 0.5)) };
    made.push((await createEvent(api, [organizer, other, hidden][i % 3] ?? other, moment)).id);
  }
  for (const [i, id] of made.entries()) {
    for (const [n, guest] of guests.entries()) if ((i * 5 + n * 3) % 7 === 0) await rsvpGoing(api, guest, id);
    if (i % 4 === 0) await rsvpGoing(api, organizer, id);
  }
  const me = await follower(organizer, ...guests);
  expectStatus(await api.post(`/v1/users/${hidden.id}/block`, me.token), 200);
  const [shy, back] = guests;
  assert.ok(shy && back);
  for (const one of [shy, back]) expectStatus(await api.patch('/v1/me', one.token, { isPrivate: true }), 200);
  await follow(back, me);
  const viewer = { id: me.id, role: 'user' as const };
  const wanted = { viewer, now: new Date(), after: firstPosition, limit: 100 };
  const byPeople = [...(await listByPeople(api.sql, wanted))];
  assert.ok(byPeople.length > 12 && byPeople.length < 40);
  const reasons = new Set(byPeople.flatMap(({ people }) => people));
  assert.deepEqual([reasons.has(back.id), reasons.has(shy.id)], [true, false]);
  for (const batchSizes of [[1, 3], [50], [5, 5, 5, 5, 5, 5, 5, 5]]) {
    const byTime = await findFeed(api.sql, wanted, { maxPeople: 0, batchSizes });
    assert.deepEqual(byTime, byPeople, `${batchSizes} at a time`);
    const few = await findFeed(api.sql, { ...wanted, limit: 7 }, { maxPeople: 0, batchSizes });
    assert.deepEqual(few, byPeople.slice(0, 7));
  }
});
