/** Requests to join events whose organizer approves guests. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { minuteMs } from '#base';
import { deliverCauses } from '../../src/modules/notifications/delivery/deliver-causes.ts';
import { bookingPath } from '../support/booking-client.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  deleteAccount,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { type Ask, askToJoin, decide, requestsPath, rsvpPath } from '../support/requests.ts';
import { expectProblem, expectStatus, startTestApp, TestClock } from '../support/setup.ts';

const clock = new TestClock();
const api = await startTestApp({ clock });
const organizer = await createUser(api);
const [admin, other] = [await createAdmin(api), await createUser(api)];

const createClosed = (fields: Record<string, unknown> = {}) =>
  createEvent(api, organizer, { rsvpApproval: 'organizer', ...fields });
const rsvp = (event: string, { token }: Person, body: Record<string, unknown>) =>
  api.post(rsvpPath(event), token, body);
const ask = (event: string, person: Person, more: Ask = {}) =>
  rsvp(event, person, { status: 'going', ...more, ask: true });
const change = (event: string, fields: Record<string, unknown>) =>
  api.patch(`/v1/events/${event}`, organizer.token, fields);
const approve = (eventId: string, { id: userId }: Person, by = organizer) =>
  decide(api, by, { eventId, userId, status: 'approved' });
const refuse = (eventId: string, { id: userId }: Person, by = organizer) =>
  decide(api, by, { eventId, userId, status: 'refused' });
const record = async (event: string, person?: Person) =>
  expectStatus(await api.get(`/v1/events/${event}`, person?.token), 200).body;
const list = async (event: string, query = '') =>
  expectStatus(await api.get(`${requestsPath(event)}${query}`, organizer.token), 200).body;

// spec: 5 POST /v1/events/:id/rsvp: 409 `approval_required`; requests
test('rsvp: 409 without an approval; the same body with ask is a request, which adds nobody', async () => {
  const event = await createClosed({ guestListVisibility: 'guests' });
  const item = await createItem(api, organizer, event.id);
  const person = await createUser(api);
  const body = { status: 'going', extraGuests: 2, message: 'I am a friend of Ana.' };
  for (const status of ['going', 'interested'])
    expectProblem(await rsvp(event.id, person, { ...body, status }), 409, 'approval_required');
  expectProblem(await rsvp(event.id, person, { ...body, ask: false }), 409, 'approval_required');
  assert.equal((await record(event.id, person)).myRequest, null);
  assert.deepEqual((await list(event.id)).data, []);

  const asked = expectStatus(await rsvp(event.id, person, { ...body, ask: true }), 200).body;
  assert.deepEqual(asked, { myRsvp: null, rsvpCount: 0, myRequest: 'pending' });
  const own = await record(event.id, person);
  assert.deepEqual(
    [own.myRsvp, own.myRequest, own.rsvpCount, own.goingCount, own.partyCount],
    [null, 'pending', 0, 0, 0],
  );
  assert.equal((await record(event.id, other)).myRequest, null);
  assert.ok(!('myRequest' in (await record(event.id))));
  // A person who asks is no guest, and has no claims and seats.
  expectProblem(await api.get(`/v1/events/${event.id}/guests`, person.token), 403, 'guest_list_private');
  const claim = await api.post(`/v1/items/${item.id}/claim`, person.token, { quantity: 1 });
  expectProblem(claim, 403, 'rsvp_required');
  expectProblem(await api.post(bookingPath(event.id), person.token, { seats: 1 }), 403, 'rsvp_required');
  expectProblem(await rsvp(event.id, person, { status: 'going' }), 409, 'approval_required');
  await assertCounters(api.sql);
});

// spec: 5 GET /v1/events/:id/requests: the requests of an event
test('requests: 200 with the oldest first, in pages, for the organizer and admins; 403 and 404 for others', async () => {
  const event = await createClosed();
  const people = [await createUser(api), await createUser(api), await createUser(api)];
  const [first, second, third] = people as [Person, Person, Person];
  await askToJoin(api, first, event.id, { extraGuests: 3, message: 'Two lines\nof text' });
  clock.advance(minuteMs);
  await askToJoin(api, second, event.id, { status: 'interested', message: '  ' });
  clock.advance(minuteMs);
  await askToJoin(api, third, event.id);
  clock.advance(minuteMs);
  // A pending request that changes keeps its place, and has the new content.
  await askToJoin(api, first, event.id, { extraGuests: 1, message: 'One line' });
  expectStatus(await refuse(event.id, third), 200);

  const { data } = await list(event.id);
  const shown = data.map(({ user, createdAt: _, ...rest }: { user: Person; createdAt: string }) => ({
    id: user.id,
    ...rest,
  }));
  assert.deepEqual(shown, [
    { id: first.id, status: 'pending', answer: 'going', extraGuests: 1, message: 'One line' },
    { id: second.id, status: 'pending', answer: 'interested', extraGuests: 0, message: null },
    { id: third.id, status: 'refused', answer: 'going', extraGuests: 0, message: null },
  ]);
  assert.equal(data[0].user.hasAccount, true);
  assert.equal((await list(event.id, '?status=refused')).data.length, 1);
  const page = await list(event.id, '?limit=2');
  assert.equal(page.data.length, 2);
  const next = await list(event.id, `?limit=2&cursor=${encodeURIComponent(page.nextCursor)}`);
  assert.deepEqual([next.data.length, next.data[0].user.id, next.nextCursor], [1, third.id, null]);

  expectStatus(await api.get(requestsPath(event.id), admin.token), 200);
  expectProblem(await api.get(requestsPath(event.id), first.token), 403, 'not_organizer');
  expectProblem(await api.get(requestsPath(event.id)), 401, 'token_missing');
  expectProblem(await approve(event.id, first, first), 403, 'not_organizer');
  expectProblem(await approve(event.id, other), 404, 'request_not_found');
  const noBody = await api.call('PUT', `${requestsPath(event.id)}/${first.id}`, {
    token: organizer.token,
    body: { status: 'pending' },
  });
  expectProblem(noBody, 400, 'invalid_request');
  expectStatus(await change(event.id, { visibility: 'private' }), 200);
  expectProblem(await api.get(requestsPath(event.id), first.token), 404, 'event_not_found');
});

// spec: 5 PUT /v1/events/:id/requests/:userId: approves and refuses
test('approve: 200 with the RSVP as asked, also after the deadline and a refusal; repeated is the same', async () => {
  const event = await createClosed({ guestListVisibility: 'everyone' });
  const person = await createUser(api);
  await askToJoin(api, person, event.id, { status: 'interested', extraGuests: 2, isHidden: true });
  expectStatus(await refuse(event.id, person), 200);
  expectStatus(await change(event.id, { rsvpUntil: '2020-01-01T00:00:00Z' }), 200);
  const { body } = expectStatus(await approve(event.id, person), 200);
  assert.deepEqual([body.status, body.answer, body.user.id], ['approved', 'interested', person.id]);
  assert.deepEqual(expectStatus(await approve(event.id, person), 200).body, body);
  const own = await record(event.id, person);
  assert.deepEqual(
    [own.myRsvp, own.myExtraGuests, own.isRsvpHidden, own.myRequest, own.rsvpCount, own.partyCount],
    ['interested', 2, true, null, 1, 0],
  );
  assert.deepEqual((await list(event.id)).data, []);
  expectProblem(await refuse(event.id, person), 404, 'request_not_found');
  // The answer changes as others do: also after the person has left.
  expectProblem(await rsvp(event.id, person, { status: 'going' }), 409, 'rsvp_closed');
  expectStatus(await change(event.id, { rsvpUntil: null }), 200);
  expectStatus(await rsvp(event.id, person, { status: 'going' }), 200);
  expectStatus(await api.post(bookingPath(event.id), person.token, { seats: 1 }), 201);
  expectStatus(await rsvp(event.id, person, { status: null }), 200);
  expectStatus(await approve(event.id, person), 200);
  assert.equal((await record(event.id, person)).myRsvp, null);
  expectStatus(await rsvp(event.id, person, { status: 'going' }), 200);
  await assertCounters(api.sql);
});

// spec: 5 PUT /v1/events/:id/requests/:userId: 409 `request_refused` for 24 hours
test('refuse: 409 for a new request for 24 hours, also after the person takes the answer back', async () => {
  const event = await createClosed();
  const person = await createUser(api);
  await askToJoin(api, person, event.id, { message: 'Please' });
  assert.equal(expectStatus(await refuse(event.id, person), 200).body.status, 'refused');
  assert.equal((await record(event.id, person)).myRequest, 'refused');
  const passes = (minutes: number) => api.sql`
    update requests set refused_at = refused_at - ${minutes} * interval '1 minute' where user_id = ${person.id}`;
  await passes(60);
  // Repeated, a refusal does not begin again.
  expectStatus(await refuse(event.id, person), 200);
  const taken = expectStatus(await rsvp(event.id, person, { status: null }), 200).body;
  assert.equal(taken.myRequest, 'refused');
  await passes(22 * 60 + 59);
  expectProblem(await ask(event.id, person), 409, 'request_refused');
  expectProblem(await rsvp(event.id, person, { status: 'going' }), 409, 'approval_required');
  await passes(1);
  await askToJoin(api, person, event.id);
  const { data } = await list(event.id);
  assert.deepEqual([data[0].status, data[0].message], ['pending', null]);
});

// spec: 5 POST /v1/events/:id/rsvp: null withdraws
test('rsvp: 200 for null, which withdraws a request; an RSVP ends it', async () => {
  const event = await createClosed();
  const person = await createUser(api);
  await askToJoin(api, person, event.id);
  const withdrawn = expectStatus(await rsvp(event.id, person, { status: null }), 200).body;
  assert.deepEqual(withdrawn, { myRsvp: null, rsvpCount: 0, myRequest: null });
  expectProblem(await approve(event.id, person), 404, 'request_not_found');

  await askToJoin(api, person, event.id);
  expectStatus(await change(event.id, { rsvpApproval: 'none' }), 200);
  assert.equal((await record(event.id, person)).myRequest, 'pending');
  const going = expectStatus(await ask(event.id, person), 200).body;
  assert.deepEqual(going, { myRsvp: 'going', rsvpCount: 1, myRequest: null });
  assert.deepEqual((await list(event.id)).data, []);
  await assertCounters(api.sql);
});

// spec: 5 PUT /v1/events/:id/requests/:userId: 409 `event_cancelled`
test('cancelled event: 409 for a request and an approval, 200 for a refusal and a withdrawal', async () => {
  const event = await createClosed();
  const [first, second, third] = [await createUser(api), await createUser(api), await createUser(api)];
  for (const person of [first, second]) await askToJoin(api, person, event.id);
  expectStatus(await change(event.id, { status: 'cancelled' }), 200);
  expectProblem(await ask(event.id, third), 409, 'event_cancelled');
  expectProblem(await approve(event.id, first), 409, 'event_cancelled');
  expectStatus(await refuse(event.id, first), 200);
  expectStatus(await rsvp(event.id, second, { status: null }), 200);
});

// spec: 5 PATCH /v1/events/:id: a switch of `rsvpApproval` changes no answer and no request
test('rsvpApproval: people with an RSVP count as approved when it is switched on, also after they leave', async () => {
  const event = await createEvent(api, organizer);
  const [present, gone] = [await createUser(api), await createUser(api)];
  for (const person of [present, gone]) await rsvpGoing(api, person, event.id);
  expectStatus(await rsvp(event.id, gone, { status: null }), 200);
  assert.equal(expectStatus(await change(event.id, { rsvpApproval: 'organizer' }), 200).body.rsvpCount, 1);
  expectStatus(await rsvp(event.id, present, { status: 'interested', extraGuests: 1 }), 200);
  expectStatus(await rsvp(event.id, present, { status: null }), 200);
  expectStatus(await rsvp(event.id, present, { status: 'going' }), 200);
  expectProblem(await rsvp(event.id, gone, { status: 'going' }), 409, 'approval_required');
  for (const rsvpApproval of ['none', 'organizer'])
    expectStatus(await change(event.id, { rsvpApproval }), 200);
  assert.equal((await record(event.id, present)).myRsvp, 'going');
});

// spec: 5 POST /v1/events/:id/rsvp: the organizer and invited people need no approval
test('rsvp: 200 without an approval for the organizer, admins and invited people', async () => {
  const event = await createClosed();
  const invited = await createUser(api);
  await api.sql`insert into event_people (event_id, user_id, is_invited) values (${event.id}, ${invited.id}, true)`;
  for (const person of [organizer, admin, invited])
    expectStatus(await rsvp(event.id, person, { status: 'going' }), 200);
});

// spec: 5 POST /v1/events/:id/booking: 403 `rsvp_required`
test('booking: 403 without the RSVP going where the organizer approves guests, except for the organizer', async () => {
  const event = await createClosed({ capacity: 5 });
  const path = bookingPath(event.id);
  const [person, seated] = [await createUser(api), await createUser(api)];
  const seats = { seats: 1, waitlist: true };
  expectProblem(await api.post(path, person.token, seats), 403, 'rsvp_required');
  await askToJoin(api, person, event.id, { status: 'interested' });
  expectProblem(await api.post(path, person.token, seats), 403, 'rsvp_required');
  expectStatus(await approve(event.id, person), 200);
  expectProblem(await api.post(path, person.token, seats), 403, 'rsvp_required');
  expectStatus(await rsvp(event.id, person, { status: 'going' }), 200);
  expectStatus(await api.post(path, person.token, seats), 201);
  expectStatus(await api.post(path, organizer.token, seats), 201);
  expectStatus(await change(event.id, { rsvpApproval: 'none' }), 200);
  expectStatus(await api.post(path, seated.token, seats), 201);
  expectStatus(await change(event.id, { rsvpApproval: 'organizer' }), 200);
  expectProblem(await api.patch(path, seated.token, { seats: 2 }), 403, 'rsvp_required');
  expectStatus(await api.delete(path, seated.token), 200);
});

// spec: 5 GET /v1/notifications: `requests` for the organizer
test('notifications: a summary of requests for the organizer, less what people withdraw', async () => {
  const host = await createUser(api);
  const event = await createEvent(api, host, { rsvpApproval: 'organizer' });
  const [first, second] = [await createUser(api, { name: 'Ida' }), await createUser(api, { name: 'Ole' })];
  const unread = async () => {
    const { data } = expectStatus(await api.get('/v1/notifications', host.token), 200).body;
    return data.map(
      ({ kind, count, person }: { kind: string; count: number; person: Person & { name: string } }) => [
        kind,
        count,
        person?.name,
      ],
    );
  };
  await askToJoin(api, first, event.id);
  await askToJoin(api, first, event.id, { message: 'Again' });
  await askToJoin(api, second, event.id);
  assert.deepEqual(await unread(), [['requests', 2, 'Ole']]);
  expectStatus(await rsvp(event.id, second, { status: null }), 200);
  assert.deepEqual(await unread(), [['requests', 1, undefined]]);
  const approved = { eventId: event.id, userId: first.id, status: 'approved' as const };
  expectStatus(await decide(api, host, approved), 200);
  // The organizer is not notified of the RSVP that the approval makes.
  assert.deepEqual(await unread(), [['requests', 1, undefined]]);
  await assertCounters(api.sql);
});

// spec: 5 GET /v1/notifications: `decision` for the person who asked
test('notifications: each decision once for the person who asked', async () => {
  const event = await createClosed({ title: 'Supper club' });
  const person = await createUser(api);
  await askToJoin(api, person, event.id);
  const audience = '?audience=requesting';
  const recipients = () =>
    api.get(`/v1/events/${event.id}/announcements/recipients${audience}`, organizer.token);
  assert.equal(expectStatus(await recipients(), 200).body.recipients, 1);
  for (const status of ['refused', 'refused', 'approved', 'approved'] as const) {
    expectStatus(await decide(api, organizer, { eventId: event.id, userId: person.id, status }), 200);
    await deliverCauses({ db: api.sql, clock: clock.now, mailer: { isOn: false } });
  }
  assert.equal(expectStatus(await recipients(), 200).body.recipients, 0);
  const { data } = expectStatus(await api.get('/v1/notifications', person.token), 200).body;
  assert.deepEqual(
    data.map(
      ({
        kind,
        decision,
        event: about,
      }: {
        kind: string;
        decision: { what: string };
        event: { id: string };
      }) => [kind, decision.what, about.id],
    ),
    [
      ['decision', 'approved', event.id],
      ['decision', 'refused', event.id],
    ],
  );
});

test('requests: deleted with the account of the person; suspended people are left out of the list', async () => {
  const event = await createClosed();
  const [gone, suspended] = [await createUser(api), await createUser(api)];
  for (const person of [gone, suspended]) await askToJoin(api, person, event.id);
  await deleteAccount(api, gone);
  const reason = { reason: 'Spam' };
  expectStatus(await api.post(`/v1/admin/users/${suspended.id}/suspend`, admin.token, reason), 200);
  assert.deepEqual((await list(event.id)).data, []);
  expectProblem(await approve(event.id, gone), 404, 'request_not_found');
  await assertCounters(api.sql);
});
