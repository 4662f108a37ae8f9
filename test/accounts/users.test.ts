/** Profiles, follows and blocks (spec 4.2–4.6, 2.2). */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createAdmin, createEvent, createUser, inDays, type Person } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const unknownId = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0ff';
const admin = await createAdmin(api);
const owner = await createUser(api, { name: 'Owner' });
const stranger = await createUser(api, { name: 'Stranger' });

const follow = (from: Person, to: { id: string }) => api.post(`/v1/users/${to.id}/follow`, from.token);
const unfollow = (from: Person, to: { id: string }) => api.delete(`/v1/users/${to.id}/follow`, from.token);
const block = (from: Person, to: { id: string }) => api.post(`/v1/users/${to.id}/block`, from.token);
const unblock = (from: Person, to: { id: string }) => api.delete(`/v1/users/${to.id}/block`, from.token);
const profile = async (person: Person, token?: string) =>
  expectStatus(await api.get(`/v1/users/${person.id}`, token), 200).body;
const counts = async (person: Person) => {
  const { followersCount, followingCount } = await profile(person, person.token);
  return [followersCount, followingCount];
};

// spec: 2.2 GET /v1/users/:id: `id`; `name`; `username`; `avatar`; `bio`; `followersCount`; `followingCount`
// spec: 2.2 GET /v1/users/:id: `eventsCount`; `isFollowing`; `isBlocked`; `hasAccount`
// spec: 4.2 GET /v1/users/:id: profile, token optional
test('profile: 200 with every field of the specification, with and without a token', async () => {
  const person = await createUser(api, {
    name: 'Mara Lindgren',
    username: 'mara.l',
    bio: 'Brings the sourdough.',
  });
  const expected = {
    id: person.id,
    name: 'Mara Lindgren',
    username: 'mara.l',
    hasAccount: true,
    bio: 'Brings the sourdough.',
    followersCount: 0,
    followingCount: 0,
    eventsCount: 0,
    isFollowing: false,
    isBlocked: false,
  };
  for (const token of [undefined, stranger.token, person.token]) {
    const { avatar, ...rest } = await profile(person, token);
    assert.deepEqual(rest, expected);
    const { headers } = expectStatus(await api.get(new URL(avatar).pathname), 200);
    assert.match(headers.get('content-type') ?? '', /^image\/svg\+xml/);
  }
});

// spec: 7 GET /v1/users/:id: 404 user not found
test('profile: 404 for an unknown id, a malformed id and the id of an event', async () => {
  const event = await createEvent(api, owner);
  for (const id of [unknownId, 'me', '1', event.id, `${owner.id}x`]) {
    expectProblem(await api.get(`/v1/users/${id}`), 404, 'user_not_found');
    expectProblem(await api.get(`/v1/users/${id}`, owner.token), 404, 'user_not_found');
  }
  expectProblem(await api.get('/v1/users/nobody/avatar.svg'), 404, 'user_not_found');
});

// spec: 4.2 GET /v1/users/:id: profile, token optional
test('profile: 401 for an invalid token although the token is optional', async () => {
  expectProblem(await api.get(`/v1/users/${owner.id}`, 'nonsense'), 401, 'token_invalid');
});

// spec: 7 GET /v1/users/:id: 403 profile is private
test('private profile: 403 for strangers, followers and anonymous callers; 200 for owner, admins and people the owner follows', async () => {
  const hidden = await createUser(api, { name: 'Hidden', isPrivate: true });
  const [follower, friend] = [await createUser(api), await createUser(api)];
  expectStatus(await follow(follower, hidden), 200);
  expectStatus(await follow(hidden, friend), 200);
  for (const token of [undefined, stranger.token, follower.token]) {
    const { body } = expectProblem(await api.get(`/v1/users/${hidden.id}`, token), 403, 'profile_private');
    assert.ok(!JSON.stringify(body).includes('Hidden'));
  }
  for (const { token } of [hidden, admin, friend])
    assert.equal((await profile(hidden, token)).name, 'Hidden');
  expectStatus(await unfollow(hidden, friend), 200);
  expectProblem(await api.get(`/v1/users/${hidden.id}`, friend.token), 403, 'profile_private');
  expectStatus(await follow(hidden, friend), 200);
  expectStatus(await block(hidden, friend), 200);
  expectProblem(await api.get(`/v1/users/${hidden.id}`, friend.token), 403, 'profile_private');
  expectStatus(await api.patch('/v1/me', hidden.token, { isPrivate: false }), 200);
  expectStatus(await api.get(`/v1/users/${hidden.id}`), 200);
});

// spec: 2.2 GET /v1/users/:id: `followersCount`; `isFollowing`
// spec: 3 POST /v1/users/:id/follow: follow: not following → following
// spec: 3 DELETE /v1/users/:id/follow: follow: following → not following
// spec: 4.3 POST /v1/users/:id/follow: follow
// spec: 4.4 DELETE /v1/users/:id/follow: unfollow
test('follow and unfollow: 200 with the new count; a repeated request changes nothing', async () => {
  const [a, b, c] = [await createUser(api), await createUser(api), await createUser(api)];
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(expectStatus(await follow(a, b), 200).body, { isFollowing: true, followersCount: 1 });
  }
  assert.equal(expectStatus(await follow(c, b), 200).body.followersCount, 2);
  assert.deepEqual(
    [await counts(a), await counts(b)],
    [
      [0, 1],
      [2, 0],
    ],
  );
  assert.equal((await profile(b, a.token)).isFollowing, true);
  assert.equal((await profile(a, b.token)).isFollowing, false);
  assert.equal((await profile(b)).isFollowing, false);
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(expectStatus(await unfollow(a, b), 200).body, { isFollowing: false, followersCount: 1 });
  }
  assert.deepEqual(
    [await counts(a), await counts(b)],
    [
      [0, 0],
      [1, 0],
    ],
  );
  assert.equal((await profile(b, a.token)).isFollowing, false);
});

test('follow, unfollow, block, unblock: 400 for oneself, 404 for an unknown person, 401 without a token', async () => {
  for (const action of [follow, unfollow, block, unblock]) {
    expectProblem(await action(owner, owner), 400, 'self_relation');
    expectProblem(await action(owner, { id: owner.id.toUpperCase() }), 400, 'self_relation');
    for (const id of [unknownId, 'nobody']) expectProblem(await action(owner, { id }), 404, 'user_not_found');
  }
  for (const path of ['follow', 'block']) {
    expectProblem(await api.post(`/v1/users/${owner.id}/${path}`), 401, 'token_missing');
    expectProblem(await api.delete(`/v1/users/${owner.id}/${path}`), 401, 'token_missing');
  }
});

// spec: 2.2 GET /v1/users/:id: `isBlocked`
// spec: 3 POST /v1/users/:id/block: block: not blocked → blocked, hidden from the blocker's feed
// spec: 4.5 POST /v1/users/:id/block: block
test('block: 200, ends follows in both directions with exact counts; 403 for a follow in either direction', async () => {
  const [a, b] = [await createUser(api), await createUser(api)];
  expectStatus(await follow(a, b), 200);
  expectStatus(await follow(b, a), 200);
  assert.deepEqual(
    [await counts(a), await counts(b)],
    [
      [1, 1],
      [1, 1],
    ],
  );
  for (let round = 0; round < 2; round++)
    assert.deepEqual(expectStatus(await block(a, b), 200).body, { isBlocked: true });
  assert.deepEqual(
    [await counts(a), await counts(b)],
    [
      [0, 0],
      [0, 0],
    ],
  );
  expectProblem(await follow(a, b), 403, 'blocked');
  expectProblem(await follow(b, a), 403, 'blocked');
  assert.deepEqual(expectStatus(await unfollow(b, a), 200).body, { isFollowing: false, followersCount: 0 });
  assert.deepEqual(expectStatus(await unfollow(a, b), 200).body, { isFollowing: false, followersCount: 0 });
  const profiles = [await profile(b, a.token), await profile(a, b.token), await profile(b)];
  assert.deepEqual(
    profiles.map(({ isFollowing, isBlocked }) => [isFollowing, isBlocked]),
    [
      [false, true],
      [false, false],
      [false, false],
    ],
  );
});

// spec: 3 DELETE /v1/users/:id/block: block: blocked → not blocked
// spec: 4.6 DELETE /v1/users/:id/block: unblock
test('unblock: 200, also when repeated, and does not restore follows', async () => {
  const [a, b] = [await createUser(api), await createUser(api)];
  expectStatus(await follow(a, b), 200);
  expectStatus(await follow(b, a), 200);
  expectStatus(await block(a, b), 200);
  expectStatus(await block(b, a), 200);
  for (let round = 0; round < 2; round++)
    assert.deepEqual(expectStatus(await unblock(a, b), 200).body, { isBlocked: false });
  expectProblem(await follow(a, b), 403, 'blocked');
  expectStatus(await unblock(b, a), 200);
  assert.deepEqual(
    [await counts(a), await counts(b)],
    [
      [0, 0],
      [0, 0],
    ],
  );
  assert.equal(expectStatus(await follow(a, b), 200).body.followersCount, 1);
});

test('relations: no row remains for two people without a follow or block', async () => {
  const [a, b] = [await createUser(api), await createUser(api)];
  for (const action of [unfollow, unblock, follow, unfollow, block, unblock])
    expectStatus(await action(a, b), 200);
  assert.equal((await api.sql`select from relations where user_id in (${a.id}, ${b.id})`).length, 0);
});

// spec: 2.2 GET /v1/users/:id: `eventsCount`
test('eventsCount: counts public, scheduled events, including past ones', async () => {
  const person = await createUser(api);
  const eventsCount = async () => (await profile(person)).eventsCount;
  const change = async (id: string, body: object) =>
    expectStatus(await api.patch(`/v1/events/${id}`, person.token, body), 200);
  const event = await createEvent(api, person);
  const past = await createEvent(api, person, { startAt: inDays(-9), endAt: inDays(-8) });
  const draft = await createEvent(api, person, { visibility: 'private' });
  await createEvent(api, person, { visibility: 'unlisted' });
  assert.equal(await eventsCount(), 2);
  await change(event.id, { status: 'cancelled' });
  assert.equal(await eventsCount(), 1);
  await change(event.id, { visibility: 'private' });
  await change(event.id, { status: 'scheduled' });
  assert.equal(await eventsCount(), 1);
  await change(event.id, { visibility: 'public' });
  await change(draft.id, { visibility: 'public' });
  assert.equal(await eventsCount(), 3);
  await change(draft.id, { title: 'Another title' });
  await change(draft.id, { visibility: 'unlisted' });
  assert.equal(await eventsCount(), 2);
  expectStatus(await api.delete(`/v1/events/${past.id}`, person.token), 200);
  expectStatus(await api.delete(`/v1/events/${draft.id}`, admin.token), 200);
  assert.equal(await eventsCount(), 1);
});

test('counters: every counter equals the rows it counts after all tests', () => assertCounters(api.sql));
