/** Access to live streams, the end of streams when access ends, and the limits on open streams. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, transaction } from '#pg';
import { setRole } from '../../src/modules/accounts/sessions/repo.ts';
import { Streams } from '../../src/modules/live/streams.ts';
import type { EventStream } from '../support/event-stream-client.ts';
import {
  createAdmin,
  createEvent,
  createUser,
  type Person,
  rsvpGoing,
  signIn,
} from '../support/factories.ts';
import { createLiveEvent, isNamed, openStream } from '../support/live-fixtures.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const otherServer = await api.startAnother();
const organizer = await createUser(api);
const guest = await createUser(api);

const newLiveEvent = () => createLiveEvent(api, organizer, guest);

test('access: 404 for an event hidden from the caller, 401 for an invalid token, 200 for organizer and admin on a draft', async () => {
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  for (const id of [draft.id, organizer.id, 'nothing'])
    expectProblem(await api.get(`/v1/events/${id}/live`, guest.token), 404, 'event_not_found');
  expectProblem(await api.get(`/v1/events/${draft.id}/live`), 404, 'event_not_found');
  expectProblem(await api.get(`/v1/events/${draft.id}/live`, 'pa_junk'), 401, 'token_invalid');
  for (const { token } of [organizer, await createAdmin(api)])
    await openStream(otherServer, draft.id, { token });
});

/** Waits for the message `gone` with this code and for the end of the stream. */
async function expectGone(stream: EventStream, code: string): Promise<void> {
  assert.deepEqual((await stream.until(isNamed('gone'))).data, { code });
  await stream.ended;
}

test('gone: sent to every stream when the event is deleted', async () => {
  const { event } = await newLiveEvent();
  const both = await Promise.all([
    openStream(api, event),
    openStream(otherServer, event, { token: organizer.token }),
  ]);
  await api.delete(`/v1/events/${event}`, organizer.token);
  await Promise.all(both.map((stream) => expectGone(stream, 'event_not_found')));
});

// spec: 6 GET /v1/events/:id/live: live updates of the counts and items of an event
test('gone: sent to all callers but the organizer when the event becomes a draft, without data of the draft', async () => {
  const { event } = await newLiveEvent();
  const strangers = await Promise.all([
    openStream(api, event),
    openStream(otherServer, event, { token: guest.token }),
  ]);
  const own = await openStream(otherServer, event, { token: organizer.token });
  const draft = { visibility: 'private', title: 'A surprise' };
  expectStatus(await api.patch(`/v1/events/${event}`, organizer.token, draft), 200);
  for (const stream of strangers) {
    await expectGone(stream, 'event_not_found');
    assert.ok(!JSON.stringify(stream.messages).includes('surprise'));
  }
  assert.equal((await own.until(isNamed('event'))).data.title, 'A surprise');
});

test('gone: sent to all callers but admins when the organizer is suspended', async () => {
  const [host, admin] = [await createUser(api), await createAdmin(api)];
  const { id: event } = await createEvent(api, host);
  const own = await openStream(api, event, { token: host.token });
  const others = [await openStream(api, event), await openStream(otherServer, event, { token: guest.token })];
  const allowed = await openStream(api, event, { token: admin.token });
  expectStatus(await otherServer.post(`/v1/admin/users/${host.id}/suspend`, admin.token, {}), 200);
  await expectGone(own, 'token_invalid');
  for (const stream of others) await expectGone(stream, 'event_not_found');
  await rsvpGoing(api, admin, event);
  await allowed.until(isNamed('counts'));
});

async function createUserWithTwoSessions(): Promise<Person & { secondToken: string }> {
  const person = await createUser(api);
  return { ...person, secondToken: (await signIn(api, person.phone)).token };
}

test('gone: sent to the streams of a session that ends on the other server by logout, refresh or account deletion', async () => {
  const { event } = await newLiveEvent();
  const [loggedOut, refreshed] = [await createUserWithTwoSessions(), await createUserWithTwoSessions()];
  const open = (token: string) => openStream(api, event, { token });
  const [a, b, stays] = await Promise.all(
    [loggedOut.token, refreshed.token, loggedOut.secondToken].map(open),
  );
  expectStatus(await otherServer.post('/v1/auth/logout', loggedOut.token), 200);
  if (a) await expectGone(a, 'token_invalid');
  expectStatus(
    await otherServer.post('/v1/auth/refresh', undefined, { refreshToken: refreshed.refreshToken }),
    200,
  );
  if (b) await expectGone(b, 'token_invalid');
  assert.ok(stays?.isOpen());
  await rsvpGoing(otherServer, guest, event);
  await sleep(400);
  assert.ok(stays?.isOpen());
  const { body } = await otherServer.post('/v1/me/delete-code', loggedOut.secondToken);
  expectStatus(await otherServer.delete('/v1/me', loggedOut.secondToken, { confirmCode: body.devCode }), 200);
  if (stays) await expectGone(stays, 'token_invalid');
});

test('gone: sent to the stream of an admin on a draft when the admin role is revoked', async () => {
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  const admin = await createAdmin(api);
  const stream = await openStream(otherServer, draft.id, { token: admin.token });
  await transaction(api.sql, (tx) => setRole(tx, admin.id, 'user'));
  await expectGone(stream, 'event_not_found');
});

test('limit: 429 with Retry-After for a person with 20 streams or an address with 200 streams without a token, until one closes; 200 for other callers', async () => {
  const { event } = await newLiveEvent();
  const [busy, idle] = await Promise.all([createUser(api), createUser(api)]);
  for (const [token, max] of [
    [busy.token, 20],
    [undefined, 200],
  ] as const) {
    const own = await Promise.all(Array.from({ length: max }, () => openStream(api, event, { token })));
    for (const query of ['', '?once=true']) {
      const refused = await api.get(`/v1/events/${event}/live${query}`, token);
      expectProblem(refused, 429, 'too_many_requests');
      assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    }
    await openStream(api, event, { token: idle.token });
    own[0]?.close();
    await sleep(100);
    expectStatus(await api.get(`/v1/events/${event}/live?once=true`, token), 200);
    await openStream(api, event, { token });
  }
});

test('limit: a request with once=true counts as a stream while the server reads the state: 429 for the 21st, then 200', async () => {
  const { event } = await newLiveEvent();
  const { token } = await createUser(api);
  await Promise.all(Array.from({ length: 19 }, () => openStream(api, event, { token })));
  const path = `/v1/events/${event}/live?once=true`;
  const requests = await transaction(api.sql, async (tx) => {
    // The server cannot read a state while this lock is held.
    await tx.query(sql`lock table item_stock in access exclusive mode`);
    const sent = [api.get(path, token), api.get(path, token)];
    expectProblem(await Promise.race(sent), 429, 'too_many_requests');
    return { sent };
  });
  const statuses = (await Promise.all(requests.sent)).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [200, 429]);
  for (let i = 0; i < 5; i++) expectStatus(await api.get(path, token), 200);
});

test('limit: 1,000 streams of one network with any tokens; another network gets a stream', () => {
  const registry = new Streams(() => new Date());
  const address = '2001:db8:1:1::7';
  for (let i = 0; i < 1_000; i++) registry.reserve({ caller: { id: `${i % 50}` }, address });
  const reserveAt = (address: string) => () => registry.reserve({ caller: { id: 'other' }, address });
  assert.throws(reserveAt('2001:db8:1:1::8'), { code: 'too_many_requests' });
  // Another network of the same customer, which may have a /48.
  assert.throws(reserveAt('2001:db8:1:ffff::8'), { code: 'too_many_requests' });
  reserveAt('2001:db8:2:1::8')();
  registry.close();
});

test('limit: 503 above 5,000 streams on a server; each released stream allows one new stream', () => {
  const registry = new Streams(() => new Date());
  const reserve = (n: number) => registry.reserve({ caller: null, address: `192.0.2.${n % 250}` });
  const releases = Array.from({ length: 5_000 }, (_, i) => reserve(i));
  assert.throws(() => reserve(250), { code: 'unavailable' });
  releases[7]?.();
  reserve(251);
  assert.throws(() => reserve(7), { code: 'unavailable' });
  registry.close();
});

test('limit: a client that disconnects before the first message releases its stream', async () => {
  const { event } = await newLiveEvent();
  const person = await createUser(api);
  for (let i = 0; i < 30; i++) {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write(
      `GET /v1/events/${event}/live HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${person.token}\r\n\r\n`,
    );
    await sleep(i % 6);
    socket.destroy();
  }
  await sleep(300);
  await Promise.all(Array.from({ length: 20 }, () => openStream(api, event, { token: person.token })));
});

test('limit: streams that wait behind another on one connection are released with the connection', async () => {
  const { event } = await newLiveEvent();
  const person = await createUser(api);
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  const head = `GET /v1/events/${event}/live HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${person.token}\r\n\r\n`;
  socket.write(head.repeat(5));
  await once(socket, 'data');
  await sleep(500);
  socket.destroy();
  await sleep(300);
  await Promise.all(Array.from({ length: 20 }, () => openStream(api, event, { token: person.token })));
});

test('limit: a stream counts as one request and has the header RateLimit-Remaining', async () => {
  api.clock.advance(60_000 - (api.clock.now().getTime() % 60_000));
  const limited = await api.startAnother({ env: { RATE_LIMIT: '60' } });
  const { event } = await newLiveEvent();
  const stream = await openStream(limited, event);
  assert.equal(stream.headers['ratelimit-remaining'], '59');
  await rsvpGoing(api, organizer, event);
  await stream.until(isNamed('counts'));
  const { headers } = await limited.get(`/v1/events/${event}`);
  assert.equal(headers.get('ratelimit-remaining'), '58');
});

// This test runs last: it advances the clock beyond the expiry of all access tokens.
test('gone: sent when the access token expires; an anonymous stream stays open', async () => {
  const { event } = await newLiveEvent();
  const [own, anonymous] = [
    await openStream(api, event, { token: guest.token }),
    await openStream(api, event),
  ];
  api.clock.advance(31 * 60_000);
  await expectGone(own, 'token_invalid');
  assert.ok(anonymous.isOpen());
});
