/** Sending messages: validation, access, limits, and the messages that both participants read. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { createAdmin, createEvent, createUser, deleteAccount } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { createMessageClient } from '../support/message-client.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp({ env: { MESSAGES_PER_MINUTE: '0' } });
const second = await api.startAnother();
const { at, send, sent, list, texts, conversations, unread, read, block, pair } = createMessageClient(api);

// spec: 3 POST /v1/users/:id/messages, GET /v1/users/:id/messages: messages between two people
test('send: 201 with the message; both participants read it immediately on every server', async () => {
  const [a, b] = await pair();
  const before = Date.now();
  const message = await sent(a, b, 'Shall I bring a second loaf?');
  assert.deepEqual(Object.keys(message).sort(), [
    'createdAt',
    'eventId',
    'id',
    'recipientId',
    'senderId',
    'text',
  ]);
  assert.deepEqual(
    [message.senderId, message.recipientId, message.text],
    [a.id, b.id, 'Shall I bring a second loaf?'],
  );
  const createdAt = Date.parse(message.createdAt);
  assert.ok(createdAt >= before && createdAt <= Date.now());
  for (const on of [api, second]) {
    for (const [me, other] of [
      [a, b],
      [b, a],
    ] as const)
      assert.deepEqual(await list(me, other, '', on), { data: [message], nextCursor: null });
  }
});

// spec: 3 POST /v1/users/:id/messages, GET /v1/users/:id/messages: messages between two people
test('send: 201 for a text of 1 to 2,000 characters with a visible character, 400 naming text otherwise', async () => {
  const [a, b] = await pair();
  for (const text of [
    'x',
    '🥖'.repeat(2_000),
    'First line\nSecond\tline\r\n\nفارسی',
    '  👋  ',
    '0',
    'NULL',
    '{"a\\\\,b"}',
  ])
    assert.equal((await sent(a, b, text)).text, text);
  const bodies: object[] = [{}, { text: null }, { text: 7 }, { text: ['Hello'] }];
  for (const text of ['', ' ', '\n\t', '\u200b', '🥖'.repeat(2_001), 'x'.repeat(2_001), 'a\u0000b', '\ud800'])
    bodies.push({ text });
  for (const body of bodies) {
    const response = expectProblem(await api.post(at(b), a.token, body), 400, 'invalid_request');
    assert.deepEqual(
      response.body.errors.map((error: { path: string }) => error.path),
      ['text'],
    );
  }
  const response = expectProblem(
    await api.post(at(b), a.token, { text: 'Hello', senderId: b.id }),
    400,
    'invalid_request',
  );
  assert.equal(response.body.errors[0].path, 'senderId');
  assert.equal((await texts(b, a)).length, 7);
});

test('send: 400 to oneself, 404 to an unknown person, 401 without a token', async () => {
  const [a, b] = await pair();
  expectProblem(await send(a, a, 'Note to self'), 400, 'self_relation');
  expectProblem(await send(a, { id: a.id.toUpperCase() }, 'Note to self'), 400, 'self_relation');
  const event = await createEvent(api, b);
  for (const id of [randomUUID(), 'me', event.id, '%00', `${b.id}x`])
    expectProblem(await send(a, { id }, 'Hello?'), 404, 'user_not_found');
  expectProblem(await api.post(at(b), undefined, { text: 'Hello' }), 401, 'token_missing');
  // The body is validated before the recipient is looked up.
  expectProblem(await send(a, { id: randomUUID() }, ''), 400, 'invalid_request');
  assert.deepEqual((await conversations(a)).data, []);
});

test('send: 201 to a private profile from a person whom the owner does not follow', async () => {
  const a = await createUser(api);
  const hermit = await createUser(api, { isPrivate: true, name: 'Hermit' });
  await sent(a, hermit, 'Are you in?');
  const { data } = await conversations(a);
  assert.deepEqual([data[0].user.id, data[0].user.name], [hermit.id, 'Hermit']);
});

// spec: 3 POST /v1/users/:id/messages: block: a blocked person cannot send messages to the blocker
test('send: 403 while either person blocks the other; 201 before the blocks and after both are removed', async () => {
  const [a, b] = await pair();
  await sent(a, b, 'One');
  expectStatus(await block(b, a), 200);
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    for (const on of [api, second]) expectProblem(await send(from, to, 'Two', on), 403, 'blocked');
  }
  expectStatus(await block(a, b), 200);
  expectStatus(await api.delete(`/v1/users/${a.id}/block`, b.token), 200);
  expectProblem(await send(a, b, 'Three'), 403, 'blocked');
  expectStatus(await api.delete(`/v1/users/${b.id}/block`, a.token), 200);
  await sent(a, b, 'Four');
  assert.deepEqual(await texts(b, a), ['Four', 'One']);
});

// spec: 3 POST /v1/users/:id/messages: block: a blocked person cannot send messages to the blocker
test('block: both people can still read earlier messages and mark them as read', async () => {
  const [a, b] = await pair();
  await sent(a, b, 'Before');
  expectStatus(await block(b, a), 200);
  for (const [me, other] of [
    [a, b],
    [b, a],
  ] as const) {
    assert.deepEqual(await texts(me, other), ['Before']);
    assert.equal((await conversations(me)).data.length, 1);
    expectStatus(await read(me, other), 200);
  }
  assert.equal(await unread(b, a), 0);
});

test('send: a message between people without a follow or block stores no relation row', async () => {
  const [a, b] = await pair();
  await sent(a, b, 'Hello');
  expectProblem(await send(a, b, ''), 400, 'invalid_request');
  assert.equal((await api.sql`select 1 from relations where user_id in (${a.id}, ${b.id})`).length, 0);
  expectStatus(await api.post(`/v1/users/${b.id}/follow`, a.token), 200);
  await sent(b, a, 'Hello to you');
  const { body } = expectStatus(await api.get(`/v1/users/${b.id}`, a.token), 200);
  assert.deepEqual([body.isFollowing, body.followersCount], [true, 1]);
  await assertCounters(api.sql);
});

test('send: a repeated idempotency key gets the first response on every server, and one message is stored', async () => {
  const [a, b] = await pair();
  const post = (server: TestApp, key: string, text: string) =>
    server.call('POST', at(b), { token: a.token, body: { text }, headers: { 'idempotency-key': key } });
  const first = expectStatus(await post(api, 'loaf', 'A loaf'), 201);
  for (const on of [api, second]) {
    const again = expectStatus(await post(on, 'loaf', 'A loaf'), 201);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
  }
  expectProblem(await post(api, 'loaf', 'Two loaves'), 422, 'idempotency_key_reused');
  assert.deepEqual(await texts(b, a), ['A loaf']);
  assert.equal(await unread(b, a), 1);
  // A refusal is not stored under the key: the same request may succeed later.
  expectStatus(await block(b, a), 200);
  expectProblem(await post(api, 'jam', 'Jam'), 403, 'blocked');
  expectStatus(await api.delete(`/v1/users/${a.id}/block`, b.token), 200);
  expectStatus(await post(second, 'jam', 'Jam'), 201);
});

// spec: 8 POST /v1/users/:id/messages: messages per minute
test('limit: 429 with Retry-After above MESSAGES_PER_MINUTE over all servers and recipients, 201 a minute later', async () => {
  const limited = await api.startAnother({ env: { MESSAGES_PER_MINUTE: '3' } });
  const other = await limited.startAnother({ env: { MESSAGES_PER_MINUTE: '3' } });
  const [a, b] = await pair();
  const c = await createUser(api);
  await sent(a, b, '1', limited);
  limited.clock.advance(30_000);
  await sent(a, c, '2', other);
  await sent(a, b, '3', limited);
  for (const on of [limited, other]) {
    const response = expectProblem(await send(a, b, '4', on), 429, 'too_many_requests');
    const wait = Number(response.headers.get('retry-after'));
    assert.ok(wait > 20 && wait <= 30, `${wait}`);
  }
  // Each sender has a separate limit; a refused message is neither stored nor counted.
  await sent(b, a, 'I am still here', limited);
  assert.deepEqual(await texts(b, a), ['I am still here', '3', '1']);
  limited.clock.advance(30_000);
  for (const text of ['5', '6', '7']) await sent(a, b, text, other);
  expectProblem(await send(a, b, '8', limited), 429, 'too_many_requests');
});

test('limit: 60 messages per minute by default; a message refused with 403 does not count', async () => {
  const usual = await api.startAnother({ env: { MESSAGES_PER_MINUTE: '' } });
  const [a, b] = await pair();
  const enemy = await createUser(api);
  expectStatus(await block(enemy, a), 200);
  for (let i = 0; i < 3; i++) expectProblem(await send(a, enemy, 'Hello', usual), 403, 'blocked');
  for (let i = 0; i < 60; i++) await sent(a, b, `${i}`, usual);
  expectProblem(await send(a, b, 'One more', usual), 429, 'too_many_requests');
  expectProblem(await send(a, enemy, 'Hello', usual), 403, 'blocked');
});

test('flag: 403 while the flag messages is off; earlier messages can still be read', async () => {
  const [a, b] = await pair();
  const admin = await createAdmin(api);
  await sent(a, b, 'Before');
  const turn = async (enabled: boolean) =>
    expectStatus(
      await api.call('PUT', '/v1/admin/flags/messages', { token: admin.token, body: { enabled } }),
      200,
    );
  await turn(false);
  expectProblem(await send(a, b, 'While it is off'), 403, 'feature_disabled');
  expectProblem(await send(a, { id: randomUUID() }, 'While it is off'), 404, 'user_not_found');
  assert.deepEqual(await texts(b, a), ['Before']);
  expectStatus(await read(b, a), 200);
  await turn(true);
  await sent(a, b, 'After');
});

test('deletion: removes the conversations of the account and keeps other conversations; 404 for the deleted person', async () => {
  const [a, b] = await pair();
  const c = await createUser(api);
  await sent(a, b, 'To b');
  await sent(b, a, 'To a');
  await sent(c, b, 'From c');
  expectStatus(await deleteAccount(api, a), 200);
  for (const on of [api, second]) {
    expectProblem(await on.get(at(a), b.token), 404, 'user_not_found');
    expectProblem(await send(b, a, 'Are you there?', on), 404, 'user_not_found');
    expectProblem(await read(b, a, on), 404, 'user_not_found');
  }
  const { data } = await conversations(b, '', second);
  assert.deepEqual(
    data.map(({ user, unreadCount }: { user: { id: string }; unreadCount: number }) => [
      user.id,
      unreadCount,
    ]),
    [[c.id, 1]],
  );
  assert.equal((await api.sql`select 1 from messages where ${a.id} in (user_id, other_id)`).length, 0);
});

test('counters: every counter equals the rows it counts after all tests', () => assertCounters(api.sql));

test('send: eventId names the event for those who may see it, until it is deleted; 404 for an event that the sender may not see', async () => {
  const [a, b] = await pair();
  const event = await createEvent(api, b);
  const post = (eventId: string) =>
    api.post(`/v1/users/${b.id}/messages`, a.token, { text: 'Is there parking?', eventId });
  const message = expectStatus(await post(event.id), 201).body;
  assert.equal(message.eventId, event.id);
  const eventOf = async (me: typeof a, other: typeof a) => (await list(me, other)).data[0].eventId;
  assert.deepEqual([await eventOf(a, b), await eventOf(b, a)], [event.id, event.id]);

  const path = `/v1/events/${event.id}`;
  expectStatus(await api.patch(path, b.token, { visibility: 'private' }), 200);
  assert.deepEqual([await eventOf(a, b), await eventOf(b, a)], [null, event.id]);
  for (const id of [event.id, randomUUID(), 'none']) expectProblem(await post(id), 404, 'event_not_found');
  expectStatus(await api.delete(path, b.token), 200);
  assert.deepEqual([await eventOf(a, b), await eventOf(b, a)], [null, null]);
});
