/** Messages that are sent, read and cut off at the same moment, over two instances of the server. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findRowsContaining } from './database-snapshots.ts';
import { createUser, createUsers, deleteAccount, type Person } from './factories.ts';
import { assertCounters } from './invariants.ts';
import { createMessageClient } from './message-client.ts';
import { type ApiResponse, expectProblem, expectStatus, startTestApp, type TestApp } from './setup.ts';

const api = await startTestApp({ env: { MESSAGES_PER_MINUTE: '0' } });
const second = await api.another();
const either = (i: number) => (i % 2 === 0 ? api : second);

const { send, unread, read, pair } = createMessageClient(api);

type Message = { id: string; senderId: string; text: string; createdAt: string };

async function listAll(me: Person, other: Person): Promise<Message[]> {
  const all: Message[] = [];
  for (let cursor = ''; ; ) {
    const path = `/v1/users/${other.id}/messages?limit=50${cursor && `&cursor=${cursor}`}`;
    const { body } = expectStatus(await either(all.length).get(path, me.token), 200);
    all.push(...body.data);
    if (body.nextCursor === null) return all;
    cursor = body.nextCursor;
  }
}

// spec: 3 POST /v1/users/:id/messages, GET /v1/users/:id/messages: messages between two people
test('order: two who send each other 200 messages each at once have all of them, in one order, and exact counts', async () => {
  const [a, b] = await pair();
  const answers = await Promise.all(
    Array.from({ length: 400 }, (_, i) => {
      const [from, to] = i % 4 < 2 ? [a, b] : [b, a];
      return send(from, to, `${i}`, either(i));
    }),
  );
  const messages = answers.map((answer) => expectStatus(answer, 201).body as Message);
  assert.equal(new Set(messages.map(({ id }) => id)).size, 400);
  const ofA = await listAll(a, b);
  assert.deepEqual(await listAll(b, a), ofA);
  const newestFirst = messages.sort((x, y) => Date.parse(y.createdAt) - Date.parse(x.createdAt));
  assert.deepEqual(ofA, newestFirst);
  assert.deepEqual([await unread(a, b), await unread(b, a, second)], [200, 200]);
  await assertCounters(api.sql);
});

test('order: a first message from either side at once makes one conversation', async () => {
  for (let round = 0; round < 20; round++) {
    const [a, b] = await pair();
    const answers = await Promise.all([
      send(a, b, 'From a', either(round)),
      send(b, a, 'From b', either(round + 1)),
      read(a, b, either(round)),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 200],
    );
    assert.deepEqual(await listAll(a, b), await listAll(b, a));
    assert.ok((await unread(a, b)) <= 1);
    assert.equal(await unread(b, a), 1);
  }
  await assertCounters(api.sql);
});

test('order: among six who all write to each other at once nobody waits in a circle', async () => {
  const people = await createUsers(api, 6);
  const pairs = people.flatMap((from) => people.filter((to) => to !== from).map((to) => ({ from, to })));
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => pairs)
      .flat()
      .map(({ from, to }, i) => send(from, to, `${i}`, either(i))),
  );
  for (const answer of answers) expectStatus(answer, 201);
  for (const { from, to } of pairs) assert.equal(await unread(from, to), 10);
  await assertCounters(api.sql);
});

// spec: 3 GET /v1/conversations, POST /v1/users/:id/messages/read: conversations, and the number of unread messages
test('unread: while messages come, reading leaves neither too many nor too few uncounted', async () => {
  const [a, b] = await pair();
  let asked = 0;
  let answered = 0;
  let reads = 0;
  const writer = async (n: number) => {
    while (reads < 15 || asked < 100) {
      asked++;
      expectStatus(await send(a, b, `${asked}`, either(n)), 201);
      answered++;
    }
  };
  const reader = async () => {
    while (reads < 15) {
      const before = answered;
      expectStatus(await read(b, a, either(reads)), 200);
      const left = await unread(b, a, either(++reads));
      // All that was answered before the reading began was read by it, and no count is below nothing.
      assert.ok(left >= 0 && left <= asked - before, `${left} of ${asked - before}`);
    }
  };
  await Promise.all([reader(), ...Array.from({ length: 8 }, (_, n) => writer(n))]);
  // What came after a reading is there to the last one.
  expectStatus(await read(b, a, api), 200);
  await Promise.all(Array.from({ length: 30 }, (_, i) => send(a, b, `late ${i}`, either(i))));
  assert.equal(await unread(b, a, second), 30);
  await assertCounters(api.sql);
});

test('unread: of messages and readings that overlap, all that were answered after the last reading are counted', async () => {
  for (let round = 0; round < 10; round++) {
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
test('block: none of 200 messages that are sent at the same moment, on two servers, comes after its answer', async () => {
  let cutOff = 0;
  for (let round = 0; round < 10; round++) {
    const [a, b] = await pair();
    // Of half of the pairs there is a conversation, and a follow, already.
    if (round % 2 === 0) {
      expectStatus(await send(a, b, 'Hello', api), 201);
      expectStatus(await api.post(`/v1/users/${b.id}/follow`, a.token), 200);
    }
    const blocking = sleep(Math.random() * 60).then(async () => {
      expectStatus(await either(round).post(`/v1/users/${a.id}/block`, b.token), 200);
      // What is there now is what there will be: read past the API, so that nothing comes in between.
      const rows = await api.sql<{ id: string }[]>`
        select id from messages where user_id = ${b.id} and other_id = ${a.id}`;
      return { answeredAt: performance.now(), ids: rows.map(({ id }) => id).sort() };
    });
    const sending = Array.from({ length: 20 }, async (_, i) => {
      await sleep(Math.random() * 60);
      const askedAt = performance.now();
      const [from, to] = i % 4 === 3 ? [b, a] : [a, b];
      return { askedAt, answer: await send(from, to, `${i}`, either(i)) };
    });
    const [{ answeredAt, ids }, ...sent] = await Promise.all([blocking, ...sending]);
    for (const { askedAt, answer } of sent) {
      if (answer.status === 403) expectProblem(answer, 403, 'blocked');
      else {
        expectStatus(answer, 201);
        assert.ok(askedAt < answeredAt);
      }
    }
    const made = sent.flatMap(({ answer }) => (answer.status === 201 ? [answer.body.id] : []));
    cutOff += sent.length - made.length;
    const kept = (await listAll(b, a)).map(({ id }) => id).sort();
    assert.deepEqual(kept, ids);
    assert.deepEqual(
      kept.filter((id) => !made.includes(id)).length,
      round % 2 === 0 ? 1 : 0,
      'what was refused has left nothing',
    );
    assert.deepEqual(await listAll(a, b), await listAll(b, a));
  }
  assert.ok(cutOff > 20 && cutOff < 180, `${cutOff}`);
  await assertCounters(api.sql);
});

// spec: 8 POST /v1/users/:id/messages: messages per minute
test('limit: of 100 messages at once on two servers exactly as many are sent as one may', async () => {
  const env = { MESSAGES_PER_MINUTE: '25' };
  const servers = [await api.another({ env }), await api.another({ env })];
  const from = await createUser(api);
  const others = await createUsers(api, 4);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      send(from, others[i % 4] as Person, `${i}`, servers[i % 2] as TestApp),
    ),
  );
  const by = Map.groupBy(answers, ({ status }) => status);
  assert.deepEqual([by.get(201)?.length, by.get(429)?.length], [25, 75]);
  const lists = await Promise.all(others.map((other) => listAll(other, from)));
  assert.equal(lists.flat().length, 25);
  await assertCounters(api.sql);
});

test('key: of twenty at once on two servers one message is made, and all get its answer', async () => {
  const [a, b] = await pair();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      either(i).call('POST', `/v1/users/${b.id}/messages`, {
        token: a.token,
        body: { text: 'Once' },
        headers: { 'idempotency-key': 'once' },
      }),
    ),
  );
  const made = answers.filter(({ status }) => status === 201);
  for (const answer of answers)
    if (answer.status !== 201) expectProblem(answer, 409, 'idempotency_key_in_use');
  assert.equal(new Set(made.map(({ body }) => body.id)).size, 1);
  assert.equal((await listAll(b, a)).length, 1);
  assert.equal(await unread(b, a), 1);
});

test('deletion: of accounts that are writing to each other, no message is left and nobody waits in a circle', async () => {
  for (let round = 0; round < 5; round++) {
    const people = await createUsers(api, 4);
    const [a, b, c] = people as [Person, Person, Person];
    for (const from of people)
      for (const to of people) if (from !== to) expectStatus(await send(from, to, 'Hello', api), 201);
    const writing: Promise<ApiResponse>[] = people.flatMap((from) =>
      people
        .filter((to) => to !== from)
        .flatMap((to) =>
          Array.from({ length: 4 }, async (_, i) => {
            await sleep(Math.random() * 40);
            return i === 3 ? read(from, to, either(i)) : send(from, to, `${i}`, either(i));
          }),
        ),
    );
    const leaving = [a, b, c].map((person, i) => deleteAccount(either(i), person));
    const answers = await Promise.all([...leaving, ...writing]);
    for (const answer of answers.slice(0, 3)) expectStatus(answer, 200);
    for (const { status, body } of answers)
      assert.ok([200, 201, 401, 404].includes(status), JSON.stringify(body));
    assert.deepEqual(await findRowsContaining(api.sql, [a.id, b.id, c.id]), []);
    await assertCounters(api.sql);
  }
});
