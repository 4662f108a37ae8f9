/** Concurrent follows, blocks and username changes on two servers. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { often } from '../support/all-cases.ts';
import { createUser, createUsers } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { randomOf } from '../support/random.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const either = (i: number) => (i % 2 === 0 ? api : second);

const actions = [
  ['POST', 'follow'],
  ['POST', 'follow'],
  ['DELETE', 'follow'],
  ['POST', 'block'],
  ['DELETE', 'block'],
] as const;

test('follow and block: 200 concurrent follows, unfollows, blocks and unblocks get 200 or 403; the counters are exact', async () => {
  const people = await createUsers(api, 12);
  const { below: roll } = randomOf(4);
  for (let round = 0; round < often(3); round++) {
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, i) => {
        const from = people[roll(12)];
        const to = people[roll(12)];
        const [method, action] = actions[roll(actions.length)] ?? actions[0];
        assert.ok(from && to);
        return from === to
          ? null
          : either(i).call(method, `/v1/users/${to.id}/${action}`, { token: from.token });
      }),
    );
    for (const response of responses) {
      if (response)
        assert.ok(response.status === 200 || response.body.code === 'blocked', JSON.stringify(response.body));
    }
    await assertCounters(api.sql);
  }
});

test('follow and block: the counters are exact after concurrent changes of one pair from both sides', async () => {
  const [a, b] = [await createUser(api), await createUser(api)];
  const { below: roll } = randomOf(7);
  for (let round = 0; round < often(3); round++) {
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, i) => {
        const [from, to] = roll(2) === 0 ? [a, b] : [b, a];
        const [method, action] = actions[roll(actions.length)] ?? actions[0];
        return either(i).call(method, `/v1/users/${to.id}/${action}`, { token: from.token });
      }),
    );
    for (const response of responses)
      assert.ok(response.status === 200 || response.body.code === 'blocked', JSON.stringify(response.body));
    await assertCounters(api.sql);
  }
});

// spec: 3 POST /v1/users/:id/follow: follow: not following → following
test('follow: 25 people who concurrently follow one person four times each make exactly 25 followers', async () => {
  const followed = await createUser(api);
  const followers = await createUsers(api, 25);
  const responses = await Promise.all(
    [...followers, ...followers, ...followers, ...followers].map((follower, i) =>
      either(i).post(`/v1/users/${followed.id}/follow`, follower.token),
    ),
  );
  for (const response of responses) expectStatus(response, 200);
  const { body } = expectStatus(await api.get(`/v1/users/${followed.id}`), 200);
  assert.equal(body.followersCount, 25);
  assert.equal(Math.max(...responses.map((response) => response.body.followersCount)), 25);
  await assertCounters(api.sql);
});

test('username: of twenty concurrent changes to one username one gets 200 and the others 409', async () => {
  const people = await createUsers(api, 20);
  for (const username of ['wanted', 'wanted_too', 'wanted']) {
    const responses = await Promise.all(
      people.map((person, i) => either(i).patch('/v1/me', person.token, { username })),
    );
    const statuses = responses.map((response) => response.status).sort();
    // In the last round "wanted" is free, or only the person who already has it gets 200.
    assert.deepEqual(statuses, [200, ...Array.from({ length: 19 }, () => 409)]);
    for (const response of responses)
      if (response.status === 409) assert.equal(response.body.code, 'username_taken');
    const [holder] = await api.sql`select count(*)::int as count from users where username = ${username}`;
    assert.equal(holder?.count, 1);
    await assertCounters(api.sql);
  }
});

test('username: four people who concurrently change between three usernames never have the same one', async () => {
  const people = await createUsers(api, 4);
  const names = ['trade_a', 'trade_b', 'trade_c'];
  const { below: roll } = randomOf(11);
  for (let round = 0; round < often(3); round++) {
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        either(i).patch('/v1/me', people[roll(4)]?.token, { username: names[roll(3)] }),
      ),
    );
    for (const response of responses)
      assert.ok([200, 409].includes(response.status), JSON.stringify(response.body));
    await assertCounters(api.sql);
  }
});
