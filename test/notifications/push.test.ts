/** Web push: subscriptions, what is sent to which browser, retries, and refused addresses. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, transaction } from '#pg';
import type { PushRequest, PushResponse } from '../../src/modules/notifications/push/post-push.ts';
import { PushPlaces } from '../../src/modules/notifications/push/push-places.ts';
import { maxSubscriptions } from '../../src/modules/notifications/push/push-repo.ts';
import { sendPushes } from '../../src/modules/notifications/push/send-pushes.ts';
import { often } from '../support/all-cases.ts';
import {
  createEvent,
  createItem,
  createUser,
  createUsers,
  deleteAccount,
  type Person,
  rsvpGoing,
  signIn,
} from '../support/factories.ts';
import { Browser, readSignature } from '../support/push-browser.ts';
import { expectProblem, expectStatus, secretKey, startTestApp } from '../support/setup.ts';
import { createNotificationClient } from './notification-client.ts';

const publicUrl = 'https://potluck.example';
const api = await startTestApp({ env: { PUBLIC_URL: publicUrl, DEV_CODES: 'on' } });
const second = await api.startAnother();
const { deliver, inbox, markRead, set } = createNotificationClient(api);
const path = '/v1/push/subscriptions';

const subscribe = async (person: Person, browser = new Browser()): Promise<Browser & { id: string }> => {
  const { body } = expectStatus(await api.post(path, person.token, browser.toJSON()), 201);
  return Object.assign(browser, { id: body.id });
};
const follow = async (follower: Person, person: Person) =>
  expectStatus(await api.post(`/v1/users/${person.id}/follow`, follower.token), 200);
const log = { info: () => {} };
/** By how much the clock of the sending servers is ahead. */
let aheadMs = 0;
const clock = () => new Date(Date.now() + aheadMs);

/** Sends what is due, on both servers at once, and returns the requests. */
async function send(respond: (request: PushRequest) => Partial<PushResponse> | Error = () => ({})) {
  await deliver();
  const sent: PushRequest[] = [];
  const post = async (request: PushRequest) => {
    sent.push(request);
    const response = respond(request);
    if (response instanceof Error) throw response;
    return { status: 201, retryAfter: undefined, ...response };
  };
  const context = { clock, config: { secretKey, publicUrl }, log };
  await Promise.all([api, second].map((server) => sendPushes({ ...context, db: server.sql }, post)));
  return sent;
}

// spec: 6 POST /v1/push/subscriptions: web push to the browsers of a person
test('push: each browser of the person gets each notification once, encrypted and signed', async () => {
  const [me, other] = await createUsers(api, 2);
  assert.ok(me && other);
  const phone = { ...me, token: (await signIn(api, me.phone)).token };
  const browsers = [await subscribe(me), await subscribe(phone)];
  const event = await createEvent(api, other, { title: 'Søndagsmiddag 🍲' });
  await rsvpGoing(api, me, event.id);
  const cancellation = { status: 'cancelled', message: 'I am ill.' };
  expectStatus(await api.patch(`/v1/events/${event.id}`, other.token, cancellation), 200);
  await follow(other, me);
  const sent = await send();
  assert.deepEqual(await send(), []);
  const { publicKey } = expectStatus(await api.get('/v1/push/key'), 200).body;
  const [about] = (await inbox(me)).filter(({ kind }) => kind === 'eventCancelled');
  for (const browser of browsers) {
    const requests = sent.filter(({ endpoint }) => endpoint === browser.endpoint);
    const pushes = requests.map((request) => browser.read(request));
    assert.deepEqual(pushes.map(({ kind }) => kind).sort(), ['eventCancelled', 'follower']);
    assert.deepEqual(
      pushes.find(({ kind }) => kind === 'eventCancelled'),
      {
        id: about?.id,
        kind: 'eventCancelled',
        count: 1,
        decision: null,
        person: { id: other.id, name: about?.person && 'name' in about.person ? about.person.name : '' },
        event: { id: event.id, title: event.title, startAt: event.startAt, timezone: event.timezone },
        announcement: { id: about?.announcement?.id, text: 'I am ill.' },
      },
    );
    for (const request of requests) {
      const { sub, exp } = readSignature(request, publicKey);
      assert.equal(sub, publicUrl);
      assert.ok(exp * 1_000 > Date.now());
      assert.match(`${request.headers.Topic}`, /^[\w-]{32}$/);
      assert.equal(request.headers['Content-Encoding'], 'aes128gcm');
    }
  }
});

test('push: only kinds with the level push, nothing that was read before, and RSVPs once until they are read', async () => {
  const [me, a, b] = await createUsers(api, 3);
  assert.ok(me && a && b);
  const browser = await subscribe(me);
  await set(me, { follower: 'inbox' });
  await follow(a, me);
  assert.deepEqual(await send(), []);
  await set(me, { follower: 'push' });
  await follow(b, me);
  await deliver();
  const [newest] = await inbox(me);
  expectStatus(await markRead(me, newest?.id ?? ''), 200);
  assert.deepEqual(await send(), []);
  const event = await createEvent(api, me);
  const kinds = async () => (await send()).map((request) => browser.read(request).kind);
  await rsvpGoing(api, a, event.id);
  assert.deepEqual(await kinds(), ['rsvps']);
  await rsvpGoing(api, b, event.id);
  assert.deepEqual(await kinds(), []);
});

test('push: of RSVPs, claims and bookings the first until they are read, with the count when it is sent', async () => {
  const [me, ...guests] = await createUsers(api, 4);
  const [a, b, c] = guests;
  assert.ok(me && a && b && c);
  const browser = await subscribe(me);
  const event = await createEvent(api, me);
  const many = { quantityNeeded: 9 };
  const items = [await createItem(api, me, event.id, many), await createItem(api, me, event.id, many)];
  const pushes = async () =>
    (await send())
      .map((request) => browser.read(request))
      .map(({ kind, count }) => `${kind} ${count}`)
      .sort();
  for (const guest of [me, a, b]) {
    await rsvpGoing(api, guest, event.id);
    expectStatus(await api.post(`/v1/events/${event.id}/booking`, guest.token, { seats: 1 }), 201);
    for (const { id } of items)
      expectStatus(await api.post(`/v1/items/${id}/claim`, guest.token, { quantity: 1 }), 201);
  }
  assert.deepEqual(await pushes(), ['bookings 2', 'claims 4', 'rsvps 2']);
  await rsvpGoing(api, c, event.id);
  expectStatus(await api.post(`/v1/items/${items[1]?.id}/claim`, c.token, { quantity: 1 }), 201);
  assert.deepEqual(await pushes(), []);
  const [newest] = await inbox(me);
  expectStatus(await api.post('/v1/notifications/read', me.token, { upTo: newest?.id }), 200);
  expectStatus(await api.post(`/v1/events/${event.id}/booking`, c.token, { seats: 1 }), 201);
  await set(me, { rsvps: 'inbox' });
  for (const status of [null, 'going'])
    expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, c.token, { status }), 200);
  assert.deepEqual(await pushes(), ['bookings 1']);
});

test('push: a failed push is retried at Retry-After, otherwise later and later, four times in all', async () => {
  const [me, a, b] = await createUsers(api, 3);
  assert.ok(me && a && b);
  await subscribe(me);
  await follow(a, me);
  assert.equal((await send(() => ({ status: 429, retryAfter: '120' }))).length, 1);
  aheadMs += 110_000;
  assert.equal((await send()).length, 0);
  aheadMs += 11_000;
  assert.equal((await send(() => ({ status: 503 }))).length, 1);
  aheadMs += 61_000;
  assert.equal((await send(() => new Error('no connection'))).length, 1);
  aheadMs += 121_000;
  assert.equal((await send(() => ({ status: 500 }))).length, 1);
  aheadMs += 7_200_000;
  assert.equal((await send()).length, 0);
  await follow(b, me);
  assert.equal((await send(() => ({ status: 400 }))).length, 1, 'later notifications are sent');
  aheadMs += 7_200_000;
  assert.equal((await send()).length, 0, 'a refused push is not retried');
});

test('push: a push that another server postpones after this one has found it is sent at its new time alone', async () => {
  const [me, other] = await createUsers(api, 2);
  assert.ok(me && other);
  await subscribe(me);
  await follow(other, me);
  await deliver();
  const statuses: number[] = [];
  const sendFrom = (db: typeof api.sql, status: number) =>
    sendPushes({ clock, config: { secretKey, publicUrl }, log, db }, async () => {
      statuses.push(status);
      return { status, retryAfter: '120' };
    });
  const late: typeof api.sql = Object.create(second.sql);
  late.query = async (statement) => {
    const rows = await second.sql.query(statement);
    // The other server takes, sends and postpones what this one has found.
    if (statuses.length === 0) await sendFrom(api.sql, 429);
    return rows as never;
  };
  await sendFrom(late, 201);
  assert.deepEqual(statuses, [429]);
  aheadMs += 121_000;
  assert.equal((await send()).length, 1);
});

test('push: a push service that does not respond delays no pushes to other people', async () => {
  const [slow, quick, ...followers] = await createUsers(api, 5);
  assert.ok(slow && quick);
  const endpoint = (await subscribe(slow)).endpoint;
  await subscribe(quick);
  for (const follower of followers) for (const person of [slow, quick]) await follow(follower, person);
  await deliver();
  const requests: string[] = [];
  const stuck = Promise.withResolvers<PushResponse>();
  const post = async (request: PushRequest) => {
    requests.push(request.endpoint);
    if (requests.filter((each) => each !== endpoint).length === followers.length)
      stuck.resolve({ status: 201, retryAfter: undefined });
    return request.endpoint === endpoint ? stuck.promise : { status: 201, retryAfter: undefined };
  };
  await sendPushes({ clock, config: { secretKey, publicUrl }, log, db: api.sql }, post);
  assert.equal(requests.length, 2 * followers.length);
  assert.equal(requests.filter((each) => each === endpoint).length, followers.length);
});

test('push: services that do not answer, with more people than a server has places, delay no push of one that does', async () => {
  const people = await createUsers(api, 61);
  const follower = people.pop();
  assert.ok(follower);
  // More people than places name one service, others a service each. Then come the people of a service that answers.
  const services = people.map((_, i) => {
    if (i >= 50) return 'push.answers.example';
    return i < 25 ? 'push.silent.example' : `push-${i}.silent.example`;
  });
  for (const [i, person] of people.entries()) {
    await subscribe(person, new Browser(`https://${services[i]}/${randomUUID()}`));
    await follow(follower, person);
  }
  await deliver();
  const places = new PushPlaces();
  const response: PushResponse = { status: 201, retryAfter: undefined };
  // The service has answered before.
  await places.observe('push.answers.example', async () => response);
  const stuck = Promise.withResolvers<PushResponse>();
  let [silent, mostSilent, answered] = [0, 0, 0];
  const post = async ({ endpoint }: PushRequest) => {
    const isSilent = endpoint.includes('silent.example');
    if (isSilent) mostSilent = Math.max(mostSilent, ++silent);
    else answered++;
    // The last of the silent ones may be sent after the others have answered.
    if ((answered === 10 && mostSilent === 4) || mostSilent > 4) stuck.resolve(response);
    return isSilent ? stuck.promise.finally(() => silent--) : response;
  };
  await sendPushes({ clock, config: { secretKey, publicUrl }, log, db: api.sql }, post, places);
  assert.deepEqual([answered, mostSilent], [10, 4]);
});

test('push: 404 and 410 of the push service delete the subscription', async () => {
  for (const status of [404, 410]) {
    const [me, a, b] = await createUsers(api, 3);
    assert.ok(me && a && b);
    const { id } = await subscribe(me);
    await follow(a, me);
    assert.equal((await send(() => ({ status }))).length, 1);
    await follow(b, me);
    assert.deepEqual(await send(), []);
    expectProblem(await api.delete(`${path}/${id}`, me.token), 404, 'push_subscription_not_found');
  }
});

// spec: 6 DELETE /v1/push/subscriptions/:id: the end of a subscription
test('subscription: one for each session; it ends with the session, and when another person uses the browser', async () => {
  const [me, other, follower] = await createUsers(api, 3);
  assert.ok(me && other && follower);
  const first = await subscribe(me);
  const changed = await subscribe(me);
  assert.equal(changed.id, first.id);
  const shared = { ...me, token: (await signIn(api, me.phone)).token };
  const browser = await subscribe(shared);
  await subscribe(other, browser);
  await follow(follower, me);
  assert.deepEqual(
    (await send()).map(({ endpoint }) => endpoint),
    [changed.endpoint],
  );
  const phone = { ...me, token: (await signIn(api, me.phone)).token };
  await subscribe(phone);
  expectStatus(await api.post('/v1/auth/logout', phone.token), 200);
  expectStatus(await api.delete(`${path}/${changed.id}`, me.token), 200);
  expectStatus(await api.post(`/v1/users/${me.id}/messages`, follower.token, { text: 'Hello' }), 201);
  assert.deepEqual(await send(), []);
});

test('subscription: the latest 20 of a person remain, also of concurrent requests on two servers', async () => {
  const me = await createUser(api);
  const sessions = [];
  for (let i = 0; i < maxSubscriptions + 4; i++) sessions.push(await signIn(api, me.phone));
  const responses = await Promise.all(
    sessions.map(({ token }, i) => (i % 2 ? api : second).post(path, token, new Browser().toJSON())),
  );
  for (const response of responses) expectStatus(response, 201);
  const [row] = await api.sql<{ count: number }[]>`
    select count(*)::int as count from push_subscriptions where user_id = ${me.id}`;
  assert.equal(row?.count, maxSubscriptions);
});

test('subscription: two people with one endpoint at the same time on two servers: one of them keeps it', async () => {
  const [a, b] = await createUsers(api, 2);
  assert.ok(a && b);
  for (let round = 0; round < often(5); round++) {
    const browser = new Browser();
    const responses = await Promise.all([
      api.post(path, a.token, browser.toJSON()),
      second.post(path, b.token, browser.toJSON()),
    ]);
    for (const response of responses) expectStatus(response, 201);
    const rows = await api.sql`select 1 from push_subscriptions where endpoint = ${browser.endpoint}`;
    assert.equal(rows.length, 1);
  }
});

test('subscription: 400 for an endpoint that is not on the internet, and for keys that are no keys', async () => {
  const me = await createUser(api);
  const valid = new Browser().toJSON();
  const endpoints = [
    'http://push.example.net/x',
    'https://push.example.net:8443/x',
    'https://a:b@push.example.net/x',
  ];
  const hosts = [
    'localhost',
    'db',
    '127.0.0.1',
    '0x7f.1',
    '169.254.169.254',
    '[::1]',
    '[::ffff:10.0.0.1]',
    '2130706433',
  ];
  for (const endpoint of [
    ...endpoints,
    ...hosts.map((host) => `https://${host}/x`),
    'push',
    `https://p.example/${'x'.repeat(2048)}`,
  ]) {
    const { body } = expectProblem(
      await api.post(path, me.token, { ...valid, endpoint }),
      400,
      'invalid_request',
    );
    assert.equal(body.errors[0].path, 'endpoint', endpoint);
  }
  const { p256dh, auth } = valid.keys;
  const wrong = [
    { p256dh: 'A'.repeat(87), auth },
    { p256dh: 'short', auth },
    { p256dh, auth: 'short' },
    { p256dh },
  ];
  for (const keys of wrong)
    expectProblem(await api.post(path, me.token, { ...valid, keys }), 400, 'invalid_request');
  for (const id of [randomUUID(), 'x'])
    expectProblem(await api.delete(`${path}/${id}`, me.token), 404, 'push_subscription_not_found');
});

// spec: 6 GET /v1/push/key: web push needs https
test('push: 403 push_unavailable without an https PUBLIC_URL; a subscription can still be deleted', async () => {
  const plain = await api.startAnother({ env: { PUBLIC_URL: 'http://localhost:3000' } });
  const me = await createUser(api);
  const { id } = await subscribe(me);
  expectProblem(await plain.get('/v1/push/key'), 403, 'push_unavailable');
  expectProblem(await plain.post(path, me.token, new Browser().toJSON()), 403, 'push_unavailable');
  expectStatus(await plain.delete(`${path}/${id}`, me.token), 200);
});

test('push: the deletion of the account deletes its subscriptions and what is still to be sent', async () => {
  const [me, other] = await createUsers(api, 2);
  assert.ok(me && other);
  await subscribe(me);
  await follow(other, me);
  await deliver();
  expectStatus(await deleteAccount(api, me), 200);
  assert.deepEqual(await send(), []);
  const rows = await api.sql`select user_id from push_subscriptions where user_id = ${me.id}
    union all select user_id from push_deliveries where user_id = ${me.id}`;
  assert.deepEqual([...rows], []);
});

test('push: a claim on another item while notifications are marked as read is pushed, or the pushed claim stays unread', async () => {
  const [organizer, first, next] = await createUsers(api, 3);
  assert.ok(organizer && first && next);
  const browser = await subscribe(organizer);
  const event = await createEvent(api, organizer);
  const [claimed, other] = [
    await createItem(api, organizer, event.id),
    await createItem(api, organizer, event.id),
  ];
  for (const guest of [first, next]) await rsvpGoing(api, guest, event.id);
  const claim = (guest: Person, item: { id: string }) =>
    api.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 1 });
  expectStatus(await claim(first, claimed), 201);
  await send();
  const [seen] = await inbox(organizer);
  const { requests } = await transaction(api.sql, async (tx) => {
    await tx.query(
      sql`select 1 from item_stock where event_id = ${event.id} and n = ${Number(claimed.id.split('.')[1])} for update`,
    );
    const marking = api.post('/v1/notifications/read', organizer.token, { upTo: seen?.id });
    await sleep(300);
    const claiming = claim(next, other);
    await sleep(300);
    return { requests: Promise.all([marking, claiming]) };
  });
  const [marked, made] = await requests;
  expectStatus(marked, 200);
  expectStatus(made, 201);
  const [unread] = (await inbox(organizer)).filter(({ kind, isRead }) => kind === 'claims' && !isRead);
  const pushes = (await send()).filter(({ endpoint }) => endpoint === browser.endpoint);
  assert.ok(unread?.count === 2 || pushes.length === 1, `${unread?.count} unread, ${pushes.length} pushes`);
});
