/** Messages: what is sent, who may, what both then read, and what is unread. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { assertCounters } from './invariants.ts';
import { expectProblem, expectStatus, type TestApp, TestClock, testApp } from './setup.ts';
import { anEvent, aUser, deleteAccount, type Person, users } from './world.ts';

const api = await testApp({ env: { MESSAGES_PER_MINUTE: '0' } });
const second = await api.another();

const at = (other: { id: string }, query = '') => `/v1/users/${other.id}/messages${query}`;
const send = (from: Person, to: { id: string }, text: unknown, on: TestApp = api) =>
  on.post(at(to), from.token, { text });
const sent = async (from: Person, to: Person, text: string, on: TestApp = api) =>
  expectStatus(await send(from, to, text, on), 201).body;
const list = async (me: Person, other: Person, query = '', on: TestApp = api) =>
  expectStatus(await on.get(at(other, query), me.token), 200).body;
const texts = async (me: Person, other: Person): Promise<string[]> =>
  (await list(me, other, '?limit=50')).data.map(({ text }: { text: string }) => text);
const conversations = async (me: Person, query = '', on: TestApp = api) =>
  expectStatus(await on.get(`/v1/conversations${query}`, me.token), 200).body;
const unread = async (me: Person, other: Person, on: TestApp = api): Promise<number | undefined> =>
  (await conversations(me, '?limit=50', on)).data.find(
    ({ user }: { user: { id: string } }) => user.id === other.id,
  )?.unreadCount;
const read = (me: Person, other: { id: string }, on: TestApp = api) =>
  on.post(at(other).concat('/read'), me.token);
const block = (me: Person, other: Person) => api.post(`/v1/users/${other.id}/block`, me.token);
const pair = async () => (await users(api, 2)) as [Person, Person];

test('send: 201 with exactly the message, and both find it at once on every server', async () => {
  const [a, b] = await pair();
  const before = Date.now();
  const message = await sent(a, b, 'Shall I bring a second loaf?');
  assert.deepEqual(Object.keys(message).sort(), ['createdAt', 'id', 'recipientId', 'senderId', 'text']);
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

test('send: text is 1 to 2,000 characters of any lines with something to see; 400 naming text for any other', async () => {
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
    const answer = expectProblem(await api.post(at(b), a.token, body), 400, 'invalid_request');
    assert.deepEqual(
      answer.body.errors.map((error: { path: string }) => error.path),
      ['text'],
    );
  }
  const answer = expectProblem(
    await api.post(at(b), a.token, { text: 'Hello', senderId: b.id }),
    400,
    'invalid_request',
  );
  assert.equal(answer.body.errors[0].path, 'senderId');
  assert.equal((await texts(b, a)).length, 7);
});

test('send: 400 to oneself, 404 to nobody, 401 without a token', async () => {
  const [a, b] = await pair();
  expectProblem(await send(a, a, 'Note to self'), 400, 'self_relation');
  expectProblem(await send(a, { id: a.id.toUpperCase() }, 'Note to self'), 400, 'self_relation');
  const event = await anEvent(api, b);
  for (const id of [randomUUID(), 'me', event.id, '%00', `${b.id}x`])
    expectProblem(await send(a, { id }, 'Hello?'), 404, 'user_not_found');
  expectProblem(await api.post(at(b), undefined, { text: 'Hello' }), 401, 'token_missing');
  // What is not a message is a 400 first, and a 404 before that is told nobody.
  expectProblem(await send(a, { id: randomUUID() }, ''), 400, 'invalid_request');
  assert.deepEqual((await conversations(a)).data, []);
});

test('send: a message is taken as written to a private profile, by whoever it is written', async () => {
  const a = await aUser(api);
  const hermit = await aUser(api, { isPrivate: true, name: 'Hermit' });
  await sent(a, hermit, 'Are you in?');
  const { data } = await conversations(a);
  assert.deepEqual([data[0].user.id, data[0].user.name], [hermit.id, 'Hermit']);
});

test('send: 403 while either has blocked the other; 201 before, and after both have ended it', async () => {
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

test('block: 200 for both on what was written before, and it can be marked as read', async () => {
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

test('send: of people with nothing between them nothing but the messages is kept', async () => {
  const [a, b] = await pair();
  await sent(a, b, 'Hello');
  expectProblem(await send(a, b, ''), 400, 'invalid_request');
  assert.equal((await api.sql`select 1 from relations where user_id in (${a.id}, ${b.id})`).count, 0);
  expectStatus(await api.post(`/v1/users/${b.id}/follow`, a.token), 200);
  await sent(b, a, 'Hello to you');
  const { body } = expectStatus(await api.get(`/v1/users/${b.id}`, a.token), 200);
  assert.deepEqual([body.isFollowing, body.followersCount], [true, 1]);
  await assertCounters(api.sql);
});

test('send: with a key the first answer once more, on every server, and one message', async () => {
  const [a, b] = await pair();
  const post = (on: TestApp, key: string, text: string) =>
    on.call('POST', at(b), { token: a.token, body: { text }, headers: { 'idempotency-key': key } });
  const first = expectStatus(await post(api, 'loaf', 'A loaf'), 201);
  for (const on of [api, second]) {
    const again = expectStatus(await post(on, 'loaf', 'A loaf'), 201);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
  }
  expectProblem(await post(api, 'loaf', 'Two loaves'), 422, 'idempotency_key_reused');
  assert.deepEqual(await texts(b, a), ['A loaf']);
  assert.equal(await unread(b, a), 1);
  // What was refused is not kept: the same request may succeed later.
  expectStatus(await block(b, a), 200);
  expectProblem(await post(api, 'jam', 'Jam'), 403, 'blocked');
  expectStatus(await api.delete(`/v1/users/${a.id}/block`, b.token), 200);
  expectStatus(await post(second, 'jam', 'Jam'), 201);
});

test('limit: 429 with Retry-After above MESSAGES_PER_MINUTE, over all servers and people, and 201 a minute later', async () => {
  const limited = await api.another({ env: { MESSAGES_PER_MINUTE: '3' } });
  const other = await limited.another({ env: { MESSAGES_PER_MINUTE: '3' } });
  const [a, b] = await pair();
  const c = await aUser(api);
  await sent(a, b, '1', limited);
  limited.clock.advance(30_000);
  await sent(a, c, '2', other);
  await sent(a, b, '3', limited);
  for (const on of [limited, other]) {
    const answer = expectProblem(await send(a, b, '4', on), 429, 'too_many_requests');
    const wait = Number(answer.headers.get('retry-after'));
    assert.ok(wait > 20 && wait <= 30, `${wait}`);
  }
  // Others have their own; what was refused was neither sent nor counted.
  await sent(b, a, 'I am still here', limited);
  assert.deepEqual(await texts(b, a), ['I am still here', '3', '1']);
  limited.clock.advance(30_000);
  for (const text of ['5', '6', '7']) await sent(a, b, text, other);
  expectProblem(await send(a, b, '8', limited), 429, 'too_many_requests');
});

test('limit: 60 a minute unless said otherwise; a message to whom one may not write costs nothing', async () => {
  const usual = await api.another({ env: { MESSAGES_PER_MINUTE: '' } });
  const [a, b] = await pair();
  const enemy = await aUser(api);
  expectStatus(await block(enemy, a), 200);
  for (let i = 0; i < 3; i++) expectProblem(await send(a, enemy, 'Hello', usual), 403, 'blocked');
  for (let i = 0; i < 60; i++) await sent(a, b, `${i}`, usual);
  expectProblem(await send(a, b, 'One more', usual), 429, 'too_many_requests');
  expectProblem(await send(a, enemy, 'Hello', usual), 403, 'blocked');
});

test('list: pages from the newest back, each message once, while others come in', async () => {
  const [a, b] = await pair();
  const all: string[] = [];
  for (let i = 0; i < 7; i++) all.unshift((await sent(i % 3 === 0 ? b : a, i % 3 === 0 ? a : b, `${i}`)).id);
  const seen: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; page === 0 || cursor !== null; page++) {
    const body: { data: { id: string }[]; nextCursor: string | null } = await list(
      b,
      a,
      `?limit=3${cursor ? `&cursor=${cursor}` : ''}`,
      page % 2 === 0 ? api : second,
    );
    assert.ok(body.data.length <= 3);
    seen.push(...body.data.map(({ id }) => id));
    cursor = body.nextCursor;
    await sent(a, b, `meanwhile ${page}`);
  }
  assert.deepEqual(seen, all);
  assert.equal((await list(a, b, '?limit=10')).nextCursor, null);
  assert.equal((await list(a, b, '?limit=9')).data.length, 9);
});

test('list: empty where nothing was written, 404 for nobody, 401 without a token', async () => {
  const [a, b] = await pair();
  for (const other of [b, a]) assert.deepEqual(await list(a, other), { data: [], nextCursor: null });
  for (const id of [randomUUID(), 'nobody'])
    expectProblem(await api.get(at({ id }), a.token), 404, 'user_not_found');
  expectProblem(await api.get(at(b)), 401, 'token_missing');
});

test('list: nobody but the two finds a message', async () => {
  const [a, b] = await pair();
  const c = await aUser(api);
  await sent(a, b, 'Between us');
  assert.deepEqual(await texts(c, a), []);
  assert.deepEqual(await texts(c, b), []);
  assert.deepEqual((await conversations(c)).data, []);
  assert.equal(await unread(a, b), 0);
});

test('lists: 20 unless limit says otherwise, from 1 to 50; 400 naming limit or cursor for what no list gave', async () => {
  const [a, b] = await pair();
  for (let i = 0; i < 21; i++) await sent(a, b, `${i}`);
  assert.equal((await list(a, b)).data.length, 20);
  assert.equal((await list(a, b, '?limit=50')).data.length, 21);
  const wrong = ['limit=0', 'limit=51', 'limit=x', 'cursor=', 'cursor=xyz', 'cursor=WzFd', 'cursor=WyJhIl0'];
  for (const path of [at(b, '?'), '/v1/conversations?']) {
    for (const query of wrong) {
      const answer = expectProblem(await api.get(path + query, a.token), 400, 'invalid_request');
      assert.equal(answer.body.errors[0].path, query.split('=')[0], query);
    }
  }
});

test('conversations: 200 with the other, the newest message and what is unread, the newest first', async () => {
  const [a, b] = await pair();
  const c = await aUser(api, { name: 'Cleo Park', username: 'cleo.park' });
  await sent(b, a, 'First of b');
  const fromC = await sent(c, a, 'First of c');
  const fromB = await sent(b, a, 'Second of b');
  const { data, nextCursor } = await conversations(a, '', second);
  assert.equal(nextCursor, null);
  const { recipientId: _, ...last } = fromC;
  assert.deepEqual(data[1], {
    user: {
      id: c.id,
      name: 'Cleo Park',
      username: 'cleo.park',
      avatar: data[1].user.avatar,
    },
    lastMessage: last,
    unreadCount: 1,
  });
  assert.match(data[1].user.avatar, new RegExp(`/v1/users/${c.id}/avatar\\.svg$`));
  assert.deepEqual([data[0].user.id, data[0].lastMessage.id, data[0].unreadCount], [b.id, fromB.id, 2]);
  // One's own message moves the conversation up as well, and is not unread.
  const reply = await sent(a, c, 'A reply');
  const moved = (await conversations(a)).data;
  assert.deepEqual([moved[0].user.id, moved[0].lastMessage.id, moved[0].unreadCount], [c.id, reply.id, 1]);
  assert.equal(await unread(c, a), 1);
  expectProblem(await api.get('/v1/conversations'), 401, 'token_missing');
});

test('conversations: a name that changes is seen at once on every server', async () => {
  const [a, b] = await pair();
  await sent(b, a, 'Hello');
  expectStatus(await api.patch('/v1/me', b.token, { name: 'Newly Named' }), 200);
  assert.equal((await conversations(a, '', second)).data[0].user.name, 'Newly Named');
});

test('conversations: pages skip and repeat none that stays where it is, while others move up and come in', async () => {
  const me = await aUser(api);
  const others = await users(api, 9);
  for (const other of others) await sent(other, me, 'Hello');
  const order = others.map(({ id }) => id).reverse();
  const idsOf = ({ data }: { data: { user: { id: string } }[] }) => data.map(({ user }) => user.id);
  const first = await conversations(me, '?limit=3');
  assert.deepEqual(idsOf(first), order.slice(0, 3));
  // One that was seen moves, one that was not does, and a new one comes.
  const [oldest, , third] = others as [Person, Person, Person];
  const seen = others.at(-2) as Person;
  await sent(seen, me, 'Again');
  await sent(me, third, 'Hello to you');
  await sent(await aUser(api), me, 'New here');
  const next = await conversations(me, `?limit=3&cursor=${first.nextCursor}`, second);
  const last = await conversations(me, `?limit=3&cursor=${next.nextCursor}`);
  const stayed = order.slice(3).filter((id) => id !== third.id);
  assert.deepEqual([...idsOf(next), ...idsOf(last)], stayed);
  assert.deepEqual([last.nextCursor, idsOf(last).at(-1)], [null, oldest.id]);
  assert.equal((await conversations(me)).data.length, 10);
});

test('read: 200 with 0, all that came by then, twice the same; what comes later counts anew', async () => {
  const [a, b] = await pair();
  for (const text of ['1', '2', '3']) await sent(b, a, text);
  assert.equal(await unread(a, b), 3);
  for (const on of [second, api]) {
    assert.deepEqual(expectStatus(await read(a, b, on), 200).body, { unreadCount: 0 });
    assert.equal(await unread(a, b), 0);
  }
  await sent(b, a, '4');
  assert.deepEqual([await unread(a, b, second), await unread(b, a)], [1, 0]);
  // Neither reading the list nor a reply of one's own says that all was read.
  await list(a, b);
  await sent(a, b, 'A reply');
  assert.deepEqual([await unread(a, b), await unread(b, a)], [1, 1]);
  await assertCounters(api.sql);
});

test('read: 200 where nothing was written, 404 for nobody, 400 for a body, 401 without a token', async () => {
  const [a, b] = await pair();
  expectStatus(await read(a, b), 200);
  assert.deepEqual((await conversations(a)).data, []);
  expectProblem(await read(a, { id: randomUUID() }), 404, 'user_not_found');
  expectProblem(await api.post(`${at(b)}/read`, a.token, { all: true }), 400, 'invalid_request');
  expectProblem(await api.post(`${at(b)}/read`), 401, 'token_missing');
});

test('order: one for both, with rising times, though the server that sends last has the slower clock', async () => {
  const slow = await testAppBehind(90_000);
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

/** A server on the same database whose clock is `ms` behind. */
async function testAppBehind(ms: number): Promise<TestApp> {
  const clock = new TestClock();
  clock.advance(api.clock.now().getTime() - Date.now() - ms);
  return api.another({ clock });
}

test('deletion: the messages of both go, those with others stay, and 404 on the person afterwards', async () => {
  const [a, b] = await pair();
  const c = await aUser(api);
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
  assert.equal((await api.sql`select 1 from messages where ${a.id} in (user_id, other_id)`).count, 0);
});

test('afterwards every counter is what it counts', () => assertCounters(api.sql));
