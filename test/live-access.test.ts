/** Who may listen, for how long, and how many. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { transaction } from '../src/db/transaction.ts';
import { setRole } from '../src/modules/auth/session-repo.ts';
import { Streams } from '../src/modules/live/streams.ts';
import type { EventStream } from './event-stream-client.ts';
import { createAdmin, createEvent, createUser, type Person, rsvpGoing, signIn } from './factories.ts';
import { createLiveEvent, isNamed, openStream } from './live-fixtures.ts';
import { expectProblem, expectStatus, startTestApp } from './setup.ts';

const api = await startTestApp();
const other = await api.another();
const organizer = await createUser(api);
const guest = await createUser(api);

const aStage = () => createLiveEvent(api, organizer, guest);

test('listen: 404 for what the caller may not see, 401 for a bad token, and a draft is there for its organizer', async () => {
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  for (const id of [draft.id, organizer.id, 'nothing'])
    expectProblem(await api.get(`/v1/events/${id}/live`, guest.token), 404, 'event_not_found');
  expectProblem(await api.get(`/v1/events/${draft.id}/live`), 404, 'event_not_found');
  expectProblem(await api.get(`/v1/events/${draft.id}/live`, 'pa_junk'), 401, 'token_invalid');
  for (const { token } of [organizer, await createAdmin(api)]) await openStream(other, draft.id, { token });
});

/** The stream ends with this code. */
async function expectGone(stream: EventStream, code: string): Promise<void> {
  assert.deepEqual((await stream.until(isNamed('gone'))).data, { code });
  await stream.ended;
}

test('gone: everybody, when the event is deleted', async () => {
  const { event } = await aStage();
  const both = await Promise.all([
    openStream(api, event),
    openStream(other, event, { token: organizer.token }),
  ]);
  await api.delete(`/v1/events/${event}`, organizer.token);
  await Promise.all(both.map((stream) => expectGone(stream, 'event_not_found')));
});

// spec: 6 GET /v1/events/:id/live: live updates of the counts and items of an event
test('gone: who may not see it, when it becomes a draft; nothing of it as a draft is told', async () => {
  const { event } = await aStage();
  const strangers = await Promise.all([
    openStream(api, event),
    openStream(other, event, { token: guest.token }),
  ]);
  const own = await openStream(other, event, { token: organizer.token });
  const draft = { visibility: 'private', title: 'A surprise' };
  expectStatus(await api.patch(`/v1/events/${event}`, organizer.token, draft), 200);
  for (const stream of strangers) {
    await expectGone(stream, 'event_not_found');
    assert.ok(!JSON.stringify(stream.messages).includes('surprise'));
  }
  assert.equal((await own.until(isNamed('event'))).data.title, 'A surprise');
});

test('gone: all but admins, when the organizer is suspended', async () => {
  const [host, admin] = [await createUser(api), await createAdmin(api)];
  const { id: event } = await createEvent(api, host);
  const own = await openStream(api, event, { token: host.token });
  const others = [await openStream(api, event), await openStream(other, event, { token: guest.token })];
  const allowed = await openStream(api, event, { token: admin.token });
  expectStatus(await other.post(`/v1/admin/users/${host.id}/suspend`, admin.token, {}), 200);
  await expectGone(own, 'token_invalid');
  for (const stream of others) await expectGone(stream, 'event_not_found');
  await rsvpGoing(api, admin, event);
  await allowed.until(isNamed('counts'));
});

async function someone(): Promise<Person & { again: string }> {
  const person = await createUser(api);
  return { ...person, again: (await signIn(api, person.phone)).token };
}

test('gone: whose session ends on the other server, by logout, refresh or deletion, and nobody else', async () => {
  const { event } = await aStage();
  const [left, refreshed] = [await someone(), await someone()];
  const open1 = (token: string) => openStream(api, event, { token });
  const [a, b, stays] = await Promise.all([left.token, refreshed.token, left.again].map(open1));
  expectStatus(await other.post('/v1/auth/logout', left.token), 200);
  if (a) await expectGone(a, 'token_invalid');
  expectStatus(
    await other.post('/v1/auth/refresh', undefined, { refreshToken: refreshed.refreshToken }),
    200,
  );
  if (b) await expectGone(b, 'token_invalid');
  assert.ok(stays?.isOpen());
  await rsvpGoing(other, guest, event);
  await sleep(400);
  assert.ok(stays?.isOpen());
  const { body } = await other.post('/v1/me/delete-code', left.again);
  expectStatus(await other.delete('/v1/me', left.again, { confirmCode: body.devCode }), 200);
  if (stays) await expectGone(stays, 'token_invalid');
});

test('gone: an admin on a draft who is none any more', async () => {
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  const admin = await createAdmin(api);
  const stream = await openStream(other, draft.id, { token: admin.token });
  await transaction(api.sql, (tx) => setRole(tx, admin.id, 'user'));
  await expectGone(stream, 'event_not_found');
});

test('limit: 429 with Retry-After for a caller with 20 open streams, until one is closed; others are served', async () => {
  const { event } = await aStage();
  const [busy, idle] = await Promise.all([createUser(api), createUser(api)]);
  for (const token of [busy.token, undefined]) {
    const own = await Promise.all(Array.from({ length: 20 }, () => openStream(api, event, { token })));
    const refused = expectProblem(await api.get(`/v1/events/${event}/live`, token), 429, 'too_many_requests');
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    await openStream(api, event, { token: idle.token });
    own[0]?.close();
    await sleep(100);
    await openStream(api, event, { token });
  }
});

test('limit: 503 above 5,000 streams on a server, and each that is given back makes room for one', () => {
  const all = new Streams(() => new Date());
  const seats = Array.from({ length: 5_000 }, (_, i) => all.reserve(`${i}`));
  assert.throws(() => all.reserve('one more'), { code: 'unavailable' });
  seats[7]?.();
  all.reserve('one more');
  assert.throws(() => all.reserve('7'), { code: 'unavailable' });
  all.close();
});

test('limit: who leaves before the first message gives the seat back', async () => {
  const { event } = await aStage();
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

test('limit: a stream counts as one request, and says how many are left', async () => {
  api.clock.advance(60_000 - (api.clock.now().getTime() % 60_000));
  const limited = await api.another({ env: { RATE_LIMIT: '60' } });
  const { event } = await aStage();
  const stream = await openStream(limited, event);
  assert.equal(stream.headers['ratelimit-remaining'], '59');
  await rsvpGoing(api, organizer, event);
  await stream.until(isNamed('counts'));
  const { headers } = await limited.get(`/v1/events/${event}`);
  assert.equal(headers.get('ratelimit-remaining'), '58');
});

// The last one: nobody's token is good after it.
test('gone: when the access token ends', async () => {
  const { event } = await aStage();
  const [own, nobodys] = [await openStream(api, event, { token: guest.token }), await openStream(api, event)];
  api.clock.advance(31 * 60_000);
  await expectGone(own, 'token_invalid');
  assert.ok(nobodys.isOpen());
});
