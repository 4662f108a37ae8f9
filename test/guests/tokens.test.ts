import assert from 'node:assert/strict';
import test from 'node:test';
import { operations } from '../operations/all.ts';
import {
  addAddress,
  createEvent,
  createItem,
  createUser,
  inDays,
  nextAddress,
  nextPhone,
  rsvpGoing,
  signInBrowser,
} from '../support/factories.ts';
import { answerAsGuest } from '../support/guests.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
const join = (event: string, more: object = {}) =>
  answerAsGuest(api, event, { email: nextAddress(), name: 'Mara', status: 'going', ...more });

// spec: 5 GET /v1/events/:id/guest, PATCH /v1/events/:id/guest, DELETE /v1/events/:id/guest, GET /v1/events/:id/guest/export: guests without an account: tokens
test('guest token: serves the operations of its event', async () => {
  const event = await createEvent(api, organizer, { capacity: 5, guestListVisibility: 'guests' });
  const item = await createItem(api, organizer, event.id);
  const { guestToken: token } = await join(event.id);
  const path = `/v1/events/${event.id}`;
  const calls: [string, string, number, object?][] = [
    ['GET', path, 200],
    ['POST', `${path}/rsvp`, 200, { status: 'going', extraGuests: 1 }],
    ['GET', `${path}/items`, 200],
    ['POST', `/v1/items/${item.id}/claim`, 201, { quantity: 2 }],
    ['PATCH', `/v1/items/${item.id}/claim`, 200, { quantity: 1 }],
    ['DELETE', `/v1/items/${item.id}/claim`, 200],
    ['GET', `${path}/guests`, 200],
    ['POST', `${path}/booking`, 201, { seats: 2 }],
    ['GET', `${path}/booking`, 200],
    ['PATCH', `${path}/booking`, 200, { seats: 1 }],
    ['DELETE', `${path}/booking`, 200],
    ['GET', `${path}/calendar.ics`, 200],
    ['GET', `${path}/guest`, 200],
    // An id in capitals is the same id.
    ['GET', `/v1/events/${event.id.toUpperCase()}`, 200],
  ];
  for (const [method, path, status, body] of calls)
    expectStatus(await api.call(method, path, { token, body }), status);
  await assertCounters(api.sql);
});

// spec: 5 GET /v1/events/:id/guest, PATCH /v1/events/:id/guest, DELETE /v1/events/:id/guest, GET /v1/events/:id/guest/export: guests without an account: tokens
test('guest token: 403 guest_session everywhere else and at other events, before a 404', async () => {
  const event = await createEvent(api, organizer);
  const other = await createEvent(api, organizer);
  const item = await createItem(api, organizer, other.id);
  const { guestToken: token } = await join(event.id);
  const calls: [string, string, object?][] = [
    ['GET', '/v1/auth/me'],
    ['PATCH', '/v1/me', { name: 'X' }],
    ['GET', '/v1/me/export'],
    ['GET', '/v1/events'],
    ['GET', '/v1/events/search?q=potluck'],
    ['POST', `/v1/events/${event.id}/save`, { saved: true }],
    ['GET', `/v1/events/${event.id}/bookings`],
    ['GET', `/v1/events/${other.id}`],
    ['GET', '/v1/events/0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'],
    ['GET', '/v1/events/x'],
    ['POST', `/v1/events/${other.id}/rsvp`, { status: 'going' }],
    ['POST', `/v1/items/${item.id}/claim`, { quantity: 1 }],
    ['GET', `/v1/events/${other.id}/guest`],
    ['POST', '/v1/events', {}],
    ['GET', '/v1/notifications'],
    ['GET', '/v1/auth/sessions'],
  ];
  for (const [method, path, body] of calls)
    expectProblem(await api.call(method, path, { token, body }), 403, 'guest_session');
});

// spec: 5 GET /v1/events/:id/guest, PATCH /v1/events/:id/guest, DELETE /v1/events/:id/guest, GET /v1/events/:id/guest/export: guests without an account: tokens
test('guest token: as a cookie of the pages, it counts at its event and is no token elsewhere', async () => {
  const event = await createEvent(api, organizer);
  const other = await createEvent(api, organizer);
  const { guestToken } = await join(event.id);
  const [session = ''] = (await signInBrowser(api, nextPhone())).split('=');
  const cookieOf = async (path: string) => {
    const cookie = `${session.replace('potluck', 'potluck-guest')}-${event.id}=${guestToken}`;
    return api.call('GET', path, { headers: { cookie } });
  };
  assert.equal(expectStatus(await cookieOf(`/v1/events/${event.id}`), 200).body.myRsvp, 'going');
  assert.ok(!('myRsvp' in expectStatus(await cookieOf(`/v1/events/${other.id}`), 200).body));
  expectProblem(await cookieOf('/v1/auth/me'), 401, 'token_missing');
});

// spec: 5 GET /v1/events/:id/guest, PATCH /v1/events/:id/guest, DELETE /v1/events/:id/guest, GET /v1/events/:id/guest/export: guests without an account: tokens
test('guest token: ends with a logout, and with 30 days after the event, also on another server', async () => {
  const another = await api.startAnother();
  const event = await createEvent(api, organizer);
  const email = nextAddress();
  const { guestToken, expiresAt } = await join(event.id, { email });
  const ms = Date.parse(expiresAt) - Date.parse(event.endAt);
  assert.equal(ms, 30 * 86_400_000);
  expectStatus(await another.get(`/v1/events/${event.id}`, guestToken), 200);
  expectStatus(await api.post('/v1/auth/logout', guestToken), 200);
  expectProblem(await another.get(`/v1/events/${event.id}`, guestToken), 401, 'token_invalid');
  const far = await createEvent(api, organizer, { startAt: inDays(900), endAt: inDays(901) });
  const late = await join(far.id);
  const days = (Date.parse(late.expiresAt) - Date.now()) / 86_400_000;
  assert.ok(days > 399 && days <= 400, `${days}`);
});

// spec: 5 GET /v1/events/:id/guest, PATCH /v1/events/:id/guest, DELETE /v1/events/:id/guest, GET /v1/events/:id/guest/export: guests without an account: tokens
test('guest token: 401 on every server once its event is deleted, and the guest is gone', async () => {
  const another = await api.startAnother();
  const event = await createEvent(api, organizer);
  const { guestToken, user } = await join(event.id);
  expectStatus(await another.get(`/v1/events/${event.id}/guest`, guestToken), 200);
  expectStatus(await api.delete(`/v1/events/${event.id}`, organizer.token), 200);
  for (const server of [api, another])
    expectProblem(await server.get(`/v1/events/${event.id}/guest`, guestToken), 401, 'token_invalid');
  assert.equal((await api.sql`select 1 from users where id = ${user.id}`).length, 0);
  await assertCounters(api.sql);
});

// spec: 5 GET /v1/events/:id/guest, PATCH /v1/events/:id/guest, DELETE /v1/events/:id/guest, GET /v1/events/:id/guest/export: guests without an account: tokens
test('guest: reads and renames itself; 404 for a token of an account; the contact is masked', async () => {
  const event = await createEvent(api, organizer, { capacity: 9 });
  const item = await createItem(api, organizer, event.id);
  const { guestToken, user, expiresAt } = await join(event.id, {
    email: `ada.${Date.now()}@example.org`,
    extraGuests: 1,
    claims: [{ itemId: item.id, quantity: 1 }],
  });
  expectStatus(await api.post(`/v1/events/${event.id}/booking`, guestToken, { seats: 2 }), 201);
  const path = `/v1/events/${event.id}/guest`;
  const { body } = expectStatus(await api.get(path, guestToken), 200);
  assert.deepEqual(
    [body.user.id, body.contact, body.myRsvp, body.extraGuests, body.claims.length, body.booking.seats],
    [user.id, 'a…@example.org', 'going', 1, 1, 2],
  );
  assert.equal(body.expiresAt, expiresAt);
  assert.equal(
    expectStatus(await api.patch(path, guestToken, { name: 'Ada L.' }), 200).body.user.name,
    'Ada L.',
  );
  expectProblem(await api.get(path, organizer.token), 404, 'guest_not_found');
  expectProblem(await api.get(path), 401, 'token_missing');
});

// spec: 5 GET /v1/events/:id/guest, PATCH /v1/events/:id/guest, DELETE /v1/events/:id/guest, GET /v1/events/:id/guest/export: guests without an account: tokens
test('guest: leaves with all that it has, and its tokens end; the export has its data before', async () => {
  const event = await createEvent(api, organizer, { capacity: 9 });
  const item = await createItem(api, organizer, event.id);
  const email = nextAddress();
  const first = await join(event.id, { email, claims: [{ itemId: item.id, quantity: 2 }] });
  const second = await join(event.id, { email });
  expectStatus(await api.post(`/v1/events/${event.id}/booking`, first.guestToken, { seats: 2 }), 201);
  const path = `/v1/events/${event.id}/guest`;
  const data = expectStatus(await api.get(`${path}/export`, first.guestToken), 200).body;
  assert.deepEqual([data.rsvps.length, data.claims.length, data.bookings.length], [1, 1, 1]);
  assert.equal(data.profile[0].email, email);
  expectStatus(await api.delete(path, second.guestToken), 200);
  for (const { guestToken } of [first, second])
    expectProblem(await api.get(path, guestToken), 401, 'token_invalid');
  const record = expectStatus(await api.get(`/v1/events/${event.id}`), 200).body;
  assert.deepEqual([record.rsvpCount, record.bookedCount], [0, 0]);
  const list = expectStatus(await api.get(`/v1/events/${event.id}/items`), 200).body.data;
  assert.equal(list[0].quantityClaimed, 0);
  assert.equal((await api.sql`select 1 from users where email = ${email}`).length, 0);
  await assertCounters(api.sql);
});

// spec: 5 GET /v1/events/:id/guest, PATCH /v1/events/:id/guest, DELETE /v1/events/:id/guest, GET /v1/events/:id/guest/export: guests without an account: tokens
test('guest: with the token of an account, leaving ends its answer and keeps the account', async () => {
  const event = await createEvent(api, organizer, { capacity: 9 });
  const kept = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const person = await createUser(api);
  await rsvpGoing(api, person, kept.id);
  const email = await addAddress(api, person);
  const own = await join(event.id, { email, asAccount: true, claims: [{ itemId: item.id, quantity: 1 }] });
  const data = expectStatus(await api.get(`/v1/events/${event.id}/guest/export`, own.guestToken), 200).body;
  assert.deepEqual(
    data.rsvps.map((rsvp: { eventId: string }) => rsvp.eventId),
    [event.id],
  );
  assert.equal(JSON.stringify(data).includes(email), false);
  expectStatus(await api.delete(`/v1/events/${event.id}/guest`, own.guestToken), 200);
  expectProblem(await api.get(`/v1/events/${event.id}/guest`, own.guestToken), 401, 'token_invalid');
  assert.equal(expectStatus(await api.get(`/v1/events/${event.id}`, person.token), 200).body.myRsvp, null);
  assert.equal(expectStatus(await api.get(`/v1/events/${kept.id}`, person.token), 200).body.myRsvp, 'going');
  await assertCounters(api.sql);
});

/** The operations that serve a guest token, beside POST /v1/auth/logout. */
const ofEvent = new Set([
  'GET /v1/events/{id}',
  'POST /v1/events/{id}/rsvp',
  'GET /v1/events/{id}/items',
  'POST /v1/items/{id}/claim',
  'PATCH /v1/items/{id}/claim',
  'DELETE /v1/items/{id}/claim',
  'GET /v1/events/{id}/guests',
  'POST /v1/events/{id}/booking',
  'GET /v1/events/{id}/booking',
  'PATCH /v1/events/{id}/booking',
  'DELETE /v1/events/{id}/booking',
  'GET /v1/events/{id}/live',
  'GET /v1/events/{id}/announcements',
  'GET /v1/events/{id}/comments',
  'POST /v1/events/{id}/comments',
  'DELETE /v1/comments/{id}',
  'GET /v1/events/{id}/calendar.ics',
  'GET /v1/events/{id}/guest',
  'PATCH /v1/events/{id}/guest',
  'DELETE /v1/events/{id}/guest',
  'GET /v1/events/{id}/guest/export',
]);

/** A guest token counts as no token there. */
const takenAsNone = new Set(['GET /v1/invitation', 'POST /v1/invitation/answer']);

// spec: 5 GET /v1/events/:id/guest: guests without an account: tokens
test('guest token: each operation that reads a token refuses it, but for those of its event and the logout', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const { guestToken: token } = await join(event.id);
  const read = Object.entries(operations).filter(([, { access }]) => access !== 'public');
  for (const [route] of read) {
    if (ofEvent.has(route) || takenAsNone.has(route) || route === 'POST /v1/auth/logout') continue;
    const [method = '', path = ''] = route.split(' ');
    const id = path.startsWith('/v1/items') ? item.id : event.id;
    const at = path.replace('{id}', id).replace('{name}', 'claims').replace('{user}', organizer.id);
    expectProblem(await api.call(method, at, { token }), 403, 'guest_session');
  }
});

// spec: 5 GET /v1/events/:id/guest: guests without an account: tokens
test('guest token: the cookie of a guest who is gone hides no event, and the token of an account ends with the event', async () => {
  const event = await createEvent(api, organizer);
  const { guestToken } = await join(event.id);
  const [session = ''] = (await signInBrowser(api, nextPhone())).split('=');
  const cookie = `${session.replace('potluck', 'potluck-guest')}-${event.id}=${guestToken}`;
  const read = (path: string) => api.call('GET', path, { headers: { cookie } });
  expectStatus(await api.delete(`/v1/events/${event.id}/guest`, guestToken), 200);
  assert.ok(!('myRsvp' in expectStatus(await read(`/v1/events/${event.id}`), 200).body));
  expectProblem(await read(`/v1/events/${event.id}/guest`), 401, 'token_invalid');
  const person = await createUser(api);
  const email = await addAddress(api, person);
  const own = await join(event.id, { email, asAccount: true });
  expectStatus(await api.delete(`/v1/events/${event.id}`, organizer.token), 200);
  expectProblem(await api.get(`/v1/events/${event.id}`, own.guestToken), 401, 'token_invalid');
  expectStatus(await api.get('/v1/auth/me', person.token), 200);
});
