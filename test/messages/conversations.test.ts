/** The messages of a conversation and the list of conversations. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { createUser, createUsers, type Person } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { createMessageClient } from '../support/message-client.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp, TestClock } from '../support/setup.ts';

const api = await startTestApp({ env: { MESSAGES_PER_MINUTE: '0' } });
const second = await api.startAnother();
const { at, sent, list, texts, conversations, unread, read, pair } = createMessageClient(api);

// spec: 3 POST /v1/users/:id/messages, GET /v1/users/:id/messages: messages between two people
test('list: pages from the newest message back contain each message once, also while messages are sent', async () => {
  const [a, b] = await pair();
  const sentIds: string[] = [];
  for (let i = 0; i < 7; i++)
    sentIds.unshift((await sent(i % 3 === 0 ? b : a, i % 3 === 0 ? a : b, `${i}`)).id);
  const listedIds: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; page === 0 || cursor !== null; page++) {
    const body: { data: { id: string }[]; nextCursor: string | null } = await list(
      b,
      a,
      `?limit=3${cursor ? `&cursor=${cursor}` : ''}`,
      page % 2 === 0 ? api : second,
    );
    assert.ok(body.data.length <= 3);
    listedIds.push(...body.data.map(({ id }) => id));
    cursor = body.nextCursor;
    await sent(a, b, `meanwhile ${page}`);
  }
  assert.deepEqual(listedIds, sentIds);
  assert.equal((await list(a, b, '?limit=10')).nextCursor, null);
  assert.equal((await list(a, b, '?limit=9')).data.length, 9);
});

test('list: 200 and empty without messages, 404 for an unknown person, 401 without a token', async () => {
  const [a, b] = await pair();
  for (const other of [b, a]) assert.deepEqual(await list(a, other), { data: [], nextCursor: null });
  for (const id of [randomUUID(), 'nobody'])
    expectProblem(await api.get(at({ id }), a.token), 404, 'user_not_found');
  expectProblem(await api.get(at(b)), 401, 'token_missing');
});

// spec: 3 POST /v1/users/:id/messages, GET /v1/users/:id/messages: messages between two people
test('list: 200 and empty for people outside the conversation', async () => {
  const [a, b] = await pair();
  const c = await createUser(api);
  await sent(a, b, 'Between us');
  assert.deepEqual(await texts(c, a), []);
  assert.deepEqual(await texts(c, b), []);
  assert.deepEqual((await conversations(c)).data, []);
  assert.equal(await unread(a, b), 0);
});

test('lists: 20 by default, limit from 1 to 50; 400 naming limit or cursor', async () => {
  const [a, b] = await pair();
  for (let i = 0; i < 21; i++) await sent(a, b, `${i}`);
  assert.equal((await list(a, b)).data.length, 20);
  assert.equal((await list(a, b, '?limit=50')).data.length, 21);
  const wrong = ['limit=0', 'limit=51', 'limit=x', 'cursor=', 'cursor=xyz', 'cursor=WzFd', 'cursor=WyJhIl0'];
  for (const path of [at(b, '?'), '/v1/conversations?']) {
    for (const query of wrong) {
      const response = expectProblem(await api.get(path + query, a.token), 400, 'invalid_request');
      assert.equal(response.body.errors[0].path, query.split('=')[0], query);
    }
  }
});

// spec: 3 GET /v1/conversations, POST /v1/users/:id/messages/read: conversations, and the number of unread messages
test('conversations: 200 with the other person, the last message and unreadCount, newest first', async () => {
  const [a, b] = await pair();
  const c = await createUser(api, { name: 'Cleo Park', username: 'cleo.park' });
  await sent(b, a, 'First of b');
  const fromC = await sent(c, a, 'First of c');
  const fromB = await sent(b, a, 'Second of b');
  const { data, nextCursor } = await conversations(a, '', second);
  assert.equal(nextCursor, null);
  const { recipientId: _, eventId: __, ...last } = fromC;
  assert.deepEqual(data[1], {
    user: {
      id: c.id,
      name: 'Cleo Park',
      username: 'cleo.park',
      hasAccount: true,
      avatar: data[1].user.avatar,
    },
    lastMessage: last,
    unreadCount: 1,
  });
  assert.match(data[1].user.avatar, new RegExp(`/v1/users/${c.id}/avatar\\.svg$`));
  assert.deepEqual([data[0].user.id, data[0].lastMessage.id, data[0].unreadCount], [b.id, fromB.id, 2]);
  // Sending a message moves the conversation up and does not change the sender's unreadCount.
  const reply = await sent(a, c, 'A reply');
  const moved = (await conversations(a)).data;
  assert.deepEqual([moved[0].user.id, moved[0].lastMessage.id, moved[0].unreadCount], [c.id, reply.id, 1]);
  assert.equal(await unread(c, a), 1);
  expectProblem(await api.get('/v1/conversations'), 401, 'token_missing');
});

test('conversations: unreadConversations counts those with unread messages of all pages', async () => {
  const me = await createUser(api);
  const others = await createUsers(api, 3);
  assert.equal((await conversations(me)).unreadConversations, 0);
  for (const other of others) for (const text of ['One', 'Two']) await sent(other, me, text);
  const first = await conversations(me, '?limit=1');
  const rest = await conversations(me, `?cursor=${first.nextCursor}`, second);
  assert.deepEqual([first.unreadConversations, rest.unreadConversations], [3, 3]);
  const [one] = others as [Person, ...Person[]];
  expectStatus(await read(me, one), 200);
  assert.equal((await conversations(me, '', second)).unreadConversations, 2);
  assert.equal((await conversations(one)).unreadConversations, 0);
});

test('conversations: a changed name is visible at once on every server', async () => {
  const [a, b] = await pair();
  await sent(b, a, 'Hello');
  expectStatus(await api.patch('/v1/me', b.token, { name: 'Newly Named' }), 200);
  assert.equal((await conversations(a, '', second)).data[0].user.name, 'Newly Named');
});

// spec: 3 GET /v1/conversations, POST /v1/users/:id/messages/read: conversations, and the number of unread messages
test('conversations: pages neither skip nor repeat unchanged conversations while others change', async () => {
  const me = await createUser(api);
  const others = await createUsers(api, 9);
  for (const other of others) await sent(other, me, 'Hello');
  const order = others.map(({ id }) => id).reverse();
  const idsOf = ({ data }: { data: { user: { id: string } }[] }) => data.map(({ user }) => user.id);
  const first = await conversations(me, '?limit=3');
  assert.deepEqual(idsOf(first), order.slice(0, 3));
  // A conversation of the first page moves up, another one moves up, and a new one is added.
  const [oldest, , third] = others as [Person, Person, Person];
  const listed = others.at(-2) as Person;
  await sent(listed, me, 'Again');
  await sent(me, third, 'Hello to you');
  await sent(await createUser(api), me, 'New here');
  const next = await conversations(me, `?limit=3&cursor=${first.nextCursor}`, second);
  const last = await conversations(me, `?limit=3&cursor=${next.nextCursor}`);
  const stayed = order.slice(3).filter((id) => id !== third.id);
  assert.deepEqual([...idsOf(next), ...idsOf(last)], stayed);
  assert.deepEqual([last.nextCursor, idsOf(last).at(-1)], [null, oldest.id]);
  assert.equal((await conversations(me)).data.length, 10);
});

// spec: 3 GET /v1/conversations, POST /v1/users/:id/messages/read: conversations, and the number of unread messages
test('read: 200 with unreadCount 0, idempotent; later messages are unread', async () => {
  const [a, b] = await pair();
  for (const text of ['1', '2', '3']) await sent(b, a, text);
  assert.equal(await unread(a, b), 3);
  for (const on of [second, api]) {
    assert.deepEqual(expectStatus(await read(a, b, on), 200).body, { unreadCount: 0 });
    assert.equal(await unread(a, b), 0);
  }
  await sent(b, a, '4');
  assert.deepEqual([await unread(a, b, second), await unread(b, a)], [1, 0]);
  // Reading the messages or sending a reply does not mark messages as read.
  await list(a, b);
  await sent(a, b, 'A reply');
  assert.deepEqual([await unread(a, b), await unread(b, a)], [1, 1]);
  await assertCounters(api.sql);
});

test('read: 200 without messages, 404 for an unknown person, 400 for a body, 401 without a token', async () => {
  const [a, b] = await pair();
  expectStatus(await read(a, b), 200);
  assert.deepEqual((await conversations(a)).data, []);
  expectProblem(await read(a, { id: randomUUID() }), 404, 'user_not_found');
  expectProblem(await api.post(`${at(b)}/read`, a.token, { all: true }), 400, 'invalid_request');
  expectProblem(await api.post(`${at(b)}/read`), 401, 'token_missing');
});

test("order: equal for both people, with increasing createdAt, also if one server's clock is behind", async () => {
  const slow = await startWithClockBehind(90_000);
  const [a, b] = await pair();
  const messages = [await sent(a, b, '1'), await sent(b, a, '2', slow), await sent(a, b, '3', slow)];
  messages.push(await sent(b, a, '4'));
  for (const [me, other] of [
    [a, b],
    [b, a],
  ] as const)
    assert.deepEqual((await list(me, other)).data, [...messages].reverse());
  const times = messages.map(({ createdAt }) => Date.parse(createdAt));
  assert.deepEqual(
    times,
    [...new Set(times)].sort((x, y) => x - y),
  );
});

/** Starts a server on the same database with a clock that is `ms` behind. */
async function startWithClockBehind(ms: number): Promise<TestApp> {
  const clock = new TestClock();
  clock.advance(api.clock.now().getTime() - Date.now() - ms);
  return api.startAnother({ clock });
}

test('counters: equal to the counted rows after all tests', () => assertCounters(api.sql));
