/** People who act on each other at the same moment, over two instances of the server. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { randomOf } from '../bench/seed/random.ts';
import { createUser, createUsers } from './factories.ts';
import { assertCounters } from './invariants.ts';
import { expectStatus, startTestApp } from './setup.ts';

const api = await startTestApp();
const second = await api.another();
const either = (i: number) => (i % 2 === 0 ? api : second);

const acts = [
  ['POST', 'follow'],
  ['POST', 'follow'],
  ['DELETE', 'follow'],
  ['POST', 'block'],
  ['DELETE', 'block'],
] as const;

test('two hundred follows, unfollows, blocks and unblocks at once: 200 or 403, and every count is right', async () => {
  const people = await createUsers(api, 12);
  const { below: roll } = randomOf(4);
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => {
        const from = people[roll(12)];
        const to = people[roll(12)];
        const [method, what] = acts[roll(acts.length)] ?? acts[0];
        assert.ok(from && to);
        return from === to
          ? null
          : either(i).call(method, `/v1/users/${to.id}/${what}`, { token: from.token });
      }),
    );
    for (const answer of answers) {
      if (answer)
        assert.ok(answer.status === 200 || answer.body.code === 'blocked', JSON.stringify(answer.body));
    }
    await assertCounters(api.sql);
  }
});

test('two people toggling the same pair from both sides: the counts stay right', async () => {
  const [a, b] = [await createUser(api), await createUser(api)];
  const { below: roll } = randomOf(7);
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => {
        const [from, to] = roll(2) === 0 ? [a, b] : [b, a];
        const [method, what] = acts[roll(acts.length)] ?? acts[0];
        return either(i).call(method, `/v1/users/${to.id}/${what}`, { token: from.token });
      }),
    );
    for (const answer of answers)
      assert.ok(answer.status === 200 || answer.body.code === 'blocked', JSON.stringify(answer.body));
    await assertCounters(api.sql);
  }
});

// spec: 3 POST /v1/users/:id/follow: follow: not following → following
test('follow: a hundred at once of one person make exactly a hundred followers', async () => {
  const star = await createUser(api);
  const fans = await createUsers(api, 25);
  // Each of them four times: a second tap is no second follower.
  const answers = await Promise.all(
    [...fans, ...fans, ...fans, ...fans].map((fan, i) =>
      either(i).post(`/v1/users/${star.id}/follow`, fan.token),
    ),
  );
  for (const answer of answers) expectStatus(answer, 200);
  const { body } = expectStatus(await api.get(`/v1/users/${star.id}`), 200);
  assert.equal(body.followersCount, 25);
  assert.equal(Math.max(...answers.map((answer) => answer.body.followersCount)), 25);
  await assertCounters(api.sql);
});

test('username: of twenty who want one name at once exactly one gets it', async () => {
  const people = await createUsers(api, 20);
  for (const username of ['wanted', 'wanted_too', 'wanted']) {
    const answers = await Promise.all(
      people.map((person, i) => either(i).patch('/v1/me', person.token, { username })),
    );
    const statuses = answers.map((answer) => answer.status).sort();
    // In the last round whoever holds "wanted_too" may let it go for "wanted", which is free again by then or not.
    assert.deepEqual(statuses, [200, ...Array.from({ length: 19 }, () => 409)]);
    for (const answer of answers) if (answer.status === 409) assert.equal(answer.body.code, 'username_taken');
    const [holder] = await api.sql`select count(*)::int as count from users where username = ${username}`;
    assert.equal(holder?.count, 1);
    await assertCounters(api.sql);
  }
});

test('username: two people who trade names with each other, over and over, never share one', async () => {
  const people = await createUsers(api, 4);
  const names = ['trade_a', 'trade_b', 'trade_c'];
  const { below: roll } = randomOf(11);
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        either(i).patch('/v1/me', people[roll(4)]?.token, { username: names[roll(3)] }),
      ),
    );
    for (const answer of answers) assert.ok([200, 409].includes(answer.status), JSON.stringify(answer.body));
    await assertCounters(api.sql);
  }
});
