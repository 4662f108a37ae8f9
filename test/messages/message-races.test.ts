/** Concurrent sending, reading and blocking of messages, and account deletion, on two servers. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { often } from '../support/all-cases.ts';
import { findRowsContaining } from '../support/database-snapshots.ts';
import { createUser, createUsers, deleteAccount, type Person } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { createMessageClient } from '../support/message-client.ts';
import {
  type ApiResponse,
  expectProblem,
  expectStatus,
  startTestApp,
  type TestApp,
} from '../support/setup.ts';

const api = await startTestApp({ env: { MESSAGES_PER_MINUTE: '0' } });
const second = await api.startAnother();
const either = (i: number) => (i % 2 === 0 ? api : second);

const { send, unread, read, pair } = createMessageClient(api);

type Message = { id: string; senderId: string; text: string; createdAt: string };

async function listAll(me: Person, other: Person): Promise<Message[]> {
  const messages: Message[] = [];
  for (let cursor = ''; ; ) {
    const path = `/v1/users/${other.id}/messages?limit=50${cursor && `&cursor=${cursor}`}`;
    const { body } = expectStatus(await either(messages.length).get(path, me.token), 200);
    messages.push(...body.data);
    if (body.nextCursor === null) return messages;
    cursor = body.nextCursor;
  }
}

// spec: 3 POST /v1/users/:id/messages, GET /v1/users/:id/messages: messages between two people
test('order: two people who concurrently send each other messages read all in one order, with exact unread counts', async () => {
  const [a, b] = await pair();
  const responses = await Promise.all(
    Array.from({ length: often(400, 80) }, (_, i) => {
      const [from, to] = i % 4 < 2 ? [a, b] : [b, a];
      return send(from, to, `${i}`, either(i));
    }),
  );
  const messages = responses.map((response) => expectStatus(response, 201).body as Message);
  assert.equal(new Set(messages.map(({ id }) => id)).size, responses.length);
  const ofA = await listAll(a, b);
  assert.deepEqual(await listAll(b, a), ofA);
  const newestFirst = messages.sort((x, y) => Date.parse(y.createdAt) - Date.parse(x.createdAt));
  assert.deepEqual(ofA, newestFirst);
  assert.deepEqual(
    [await unread(a, b), await unread(b, a, second)],
    [responses.length / 2, responses.length / 2],
  );
  await assertCounters(api.sql);
});

test('order: concurrent first messages from both sides create one conversation', async () => {
  for (let round = 0; round < often(20); round++) {
    const [a, b] = await pair();
    const responses = await Promise.all([
      send(a, b, 'From a', either(round)),
      send(b, a, 'From b', either(round + 1)),
      read(a, b, either(round)),
    ]);
    assert.deepEqual(
      responses.map(({ status }) => status),
      [201, 201, 200],
    );
    assert.deepEqual(await listAll(a, b), await listAll(b, a));
    assert.ok((await unread(a, b)) <= 1);
    assert.equal(await unread(b, a), 1);
  }
  await assertCounters(api.sql);
});

test('order: six people who concurrently write to each other cause no deadlock; every message gets 201', async () => {
  const people = await createUsers(api, 6);
  const pairs = people.flatMap((from) => people.filter((to) => to !== from).map((to) => ({ from, to })));
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => pairs)
      .flat()
      .map(({ from, to }, i) => send(from, to, `${i}`, either(i))),
  );
  for (const response of responses) expectStatus(response, 201);
  for (const { from, to } of pairs) assert.equal(await unread(from, to), 10);
  await assertCounters(api.sql);
});

// spec: 3 GET /v1/conversations, POST /v1/users/:id/messages/read: conversations, and the number of unread messages
test('unread: the count is exact while messages are sent and read concurrently', async () => {
  const [a, b] = await pair();
  let started = 0;
  let acknowledged = 0;
  let reads = 0;
  const writer = async (n: number) => {
    while (reads < 15 || started < 100) {
      started++;
      expectStatus(await send(a, b, `${started}`, either(n)), 201);
      acknowledged++;
    }
  };
  const reader = async () => {
    while (reads < 15) {
      const before = acknowledged;
      expectStatus(await read(b, a, either(reads)), 200);
      const remaining = await unread(b, a, either(++reads));
      // All messages acknowledged before the read are marked as read, and the count is never negative.
      assert.ok(remaining >= 0 && remaining <= started - before, `${remaining} of ${started - before}`);
    }
  };
  await Promise.all([reader(), ...Array.from({ length: 8 }, (_, n) => writer(n))]);
  // All messages sent after the read are counted.
  expectStatus(await read(b, a, api), 200);
  await Promise.all(Array.from({ length: 30 }, (_, i) => send(a, b, `late ${i}`, either(i))));
  assert.equal(await unread(b, a, second), 30);
  await assertCounters(api.sql);
});

test('unread: all messages acknowledged after concurrent sends and a read are counted', async () => {
  for (let round = 0; round < often(10, 2); round++) {
    const [a, b] = await pair();
    const early = Array.from({ length: 5 }, (_, i) => send(a, b, `early ${i}`, either(i)));
    const [reading] = await Promise.all([read(b, a, either(round)), ...early]);
    expectStatus(reading, 200);
    const before = await unread(b, a);
    assert.ok(before <= 5);
    await Promise.all(Array.from({ length: 5 }, (_, i) => send(a, b, `late ${i}`, either(i))));
    assert.equal(await unread(b, a, second), before + 5);
  }
  await assertCounters(api.sql);
});

// spec: 3 POST /v1/users/:id/messages: block: a blocked person cannot send messages to the blocker
test('block: of 20 messages sent concurrently on two servers none is stored after the response to the block', async () => {
  for (let round = 0; round < often(10, 2); round++) {
    const [a, b] = await pair();
    // Half of the pairs already have a conversation and a follow.
    if (round % 2 === 0) {
      expectStatus(await send(a, b, 'Hello', api), 201);
      expectStatus(await api.post(`/v1/users/${b.id}/follow`, a.token), 200);
    }
    const blocking = sleep(Math.random() * 60).then(async () => {
      expectStatus(await either(round).post(`/v1/users/${a.id}/block`, b.token), 200);
      // No message may be stored after this query, which reads the table directly to avoid a delay.
      const rows = await api.sql<{ id: string }[]>`
        select id from messages where user_id = ${b.id} and other_id = ${a.id}`;
      return { blockedAt: performance.now(), ids: rows.map(({ id }) => id).sort() };
    });
    const sending = Array.from({ length: 20 }, async (_, i) => {
      await sleep(Math.random() * 60);
      const sentAt = performance.now();
      const [from, to] = i % 4 === 3 ? [b, a] : [a, b];
      return { sentAt, response: await send(from, to, `${i}`, either(i)) };
    });
    const [{ blockedAt, ids }, ...sent] = await Promise.all([blocking, ...sending]);
    for (const { sentAt, response } of sent) {
      if (response.status === 403) expectProblem(response, 403, 'blocked');
      else {
        expectStatus(response, 201);
        assert.ok(sentAt < blockedAt);
      }
    }
    expectProblem(await send(a, b, 'After the block', either(round)), 403, 'blocked');
    const created = sent.flatMap(({ response }) => (response.status === 201 ? [response.body.id] : []));
    const stored = (await listAll(b, a)).map(({ id }) => id).sort();
    assert.deepEqual(stored, ids);
    assert.deepEqual(
      stored.filter((id) => !created.includes(id)).length,
      round % 2 === 0 ? 1 : 0,
      'a refused message is stored',
    );
    assert.deepEqual(await listAll(a, b), await listAll(b, a));
  }
  await assertCounters(api.sql);
});

// spec: 8 POST /v1/users/:id/messages: messages per minute
test('limit: of 100 concurrent messages on two servers with MESSAGES_PER_MINUTE=25, 25 get 201 and 75 get 429', async () => {
  const env = { MESSAGES_PER_MINUTE: '25' };
  const servers = [await api.startAnother({ env }), await api.startAnother({ env })];
  const from = await createUser(api);
  const others = await createUsers(api, 4);
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      send(from, others[i % 4] as Person, `${i}`, servers[i % 2] as TestApp),
    ),
  );
  const by = Map.groupBy(responses, ({ status }) => status);
  assert.deepEqual([by.get(201)?.length, by.get(429)?.length], [25, 75]);
  const lists = await Promise.all(others.map((other) => listAll(other, from)));
  assert.equal(lists.flat().length, 25);
  await assertCounters(api.sql);
});

test('idempotency key: twenty concurrent requests on two servers create one message; the others get its 201 or a 409', async () => {
  const [a, b] = await pair();
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      either(i).call('POST', `/v1/users/${b.id}/messages`, {
        token: a.token,
        body: { text: 'Once' },
        headers: { 'idempotency-key': 'once' },
      }),
    ),
  );
  const created = responses.filter(({ status }) => status === 201);
  for (const response of responses)
    if (response.status !== 201) expectProblem(response, 409, 'idempotency_key_in_use');
  assert.equal(new Set(created.map(({ body }) => body.id)).size, 1);
  assert.equal((await listAll(b, a)).length, 1);
  assert.equal(await unread(b, a), 1);
});

test('deletion: accounts that write to each other are deleted without a deadlock, and no message of them remains', async () => {
  for (let round = 0; round < often(5); round++) {
    const people = await createUsers(api, 4);
    const [a, b, c] = people as [Person, Person, Person];
    for (const from of people)
      for (const to of people) if (from !== to) expectStatus(await send(from, to, 'Hello', api), 201);
    const writes: Promise<ApiResponse>[] = people.flatMap((from) =>
      people
        .filter((to) => to !== from)
        .flatMap((to) =>
          Array.from({ length: 4 }, async (_, i) => {
            await sleep(Math.random() * 40);
            return i === 3 ? read(from, to, either(i)) : send(from, to, `${i}`, either(i));
          }),
        ),
    );
    const deletions = [a, b, c].map((person, i) => deleteAccount(either(i), person));
    const responses = await Promise.all([...deletions, ...writes]);
    for (const response of responses.slice(0, 3)) expectStatus(response, 200);
    for (const { status, body } of responses)
      assert.ok([200, 201, 401, 404].includes(status), JSON.stringify(body));
    assert.deepEqual(await findRowsContaining(api.sql, [a.id, b.id, c.id]), []);
    await assertCounters(api.sql);
  }
});
