/** Who sees a private event, by every way in which an event can be read. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createAnnouncementClient } from '../announcements/announcement-client.ts';
import { createNotificationClient } from '../notifications/notification-client.ts';
import { bookingPath } from '../support/booking-client.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  nextAddress,
  type Person,
} from '../support/factories.ts';
import { answerAsGuest } from '../support/guests.ts';
import { assertCounters } from '../support/invariants.ts';
import { invite as inviteTo } from '../support/invitations.ts';
import { isNamed, openStream } from '../support/live-fixtures.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
const admin = await createAdmin(api);
const unknown = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';

const invite = async (eventId: string, { id }: Person) => {
  await api.sql`
    insert into event_people (event_id, user_id, is_invited) values (${eventId}, ${id}, true)
    on conflict (event_id, user_id) do update set is_invited = true`;
};

/** What people can do with an event by its id, and the status for people who see it. */
const ways = (event: string, item: string): [string, string, number, object?][] => [
  ['GET', `/v1/events/${event}`, 200],
  ['GET', `/v1/events/${event}/items`, 200],
  ['GET', `/v1/events/${event}/guests`, 200],
  ['GET', `/v1/events/${event}/calendar.ics`, 200],
  ['POST', `/v1/events/${event}/rsvp`, 200, { status: 'going' }],
  ['POST', `/v1/events/${event}/save`, 200, { saved: true }],
  ['POST', bookingPath(event), 201, { seats: 1 }],
  ['GET', bookingPath(event), 200],
  ['POST', `/v1/items/${item}/claim`, 201, { quantity: 1 }],
  ['PATCH', `/v1/items/${item}/claim`, 200, { quantity: 2 }],
  ['POST', `/v1/users/${organizer.id}/messages`, 201, { text: 'Hi', eventId: event }],
  ['POST', '/v1/reports', 201, { subject: { type: 'event', id: event }, reason: 'spam' }],
  ['POST', '/v1/reports', 201, { subject: { type: 'item', id: item }, reason: 'spam' }],
];

const secretEvent = (more: object = {}) =>
  createEvent(api, organizer, {
    visibility: 'private',
    capacity: 9,
    guestListVisibility: 'everyone',
    ...more,
  });

// spec: 5 GET /v1/events/:id: private events
test('private: invited people see the event by every way; for others it does not exist', async () => {
  const event = await secretEvent();
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 9 });
  const [invited, other] = [await createUser(api), await createUser(api)];
  await invite(event.id, invited);
  for (const [method, path, , body] of ways(event.id, item.id)) {
    const refused = await api.call(method, path, { token: other.token, body });
    const known = await api.call(method, path.replaceAll(event.id, unknown), {
      token: other.token,
      body: body && JSON.parse(JSON.stringify(body).replaceAll(event.id, unknown)),
    });
    assert.equal(refused.status, 404, `${method} ${path}`);
    const withoutId = ({ body }: { body: object }) => ({ ...body, requestId: '', detail: '' });
    assert.deepEqual(withoutId(refused), withoutId(known), path);
  }
  for (const [method, path, status, body] of ways(event.id, item.id))
    expectStatus(await api.call(method, path, { token: invited.token, body }), status);
  const organizing: [string, string][] = [
    ['PATCH', `/v1/events/${event.id}`],
    ['DELETE', `/v1/events/${event.id}`],
    ['GET', `/v1/events/${event.id}/bookings`],
    ['GET', `/v1/events/${event.id}/claims`],
    ['GET', `/v1/events/${event.id}/mails`],
  ];
  for (const [method, path] of organizing) {
    const call = ({ token }: Person) =>
      api.call(method, path, { token, ...(method === 'PATCH' && { body: {} }) });
    expectProblem(await call(invited), 403, 'not_organizer');
    expectProblem(await call(other), 404, 'event_not_found');
  }
  for (const path of ['items', 'guests', 'calendar.ics'])
    expectProblem(await api.get(`/v1/events/${event.id}/${path}`), 404, 'event_not_found');
  expectStatus(await api.get(`/v1/events/${event.id}`, admin.token), 200);
  await assertCounters(api.sql);
});

// spec: 5 GET /v1/events/:id: private events
test('private: the live stream serves invited people, and ends for those who are no longer invited', async () => {
  const event = await secretEvent();
  const [invited, other] = [await createUser(api), await createUser(api)];
  await invite(event.id, invited);
  expectProblem(await api.get(`/v1/events/${event.id}/live`, other.token), 404, 'event_not_found');
  const stream = await openStream(api, event.id, { token: invited.token });
  await api.sql`update event_people set is_invited = false where event_id = ${event.id}`;
  assert.deepEqual((await stream.until(isNamed('gone'))).data, { code: 'event_not_found' });
  await stream.ended;
});

// spec: 5 GET /v1/me/events: private events
test('private: an event that becomes private leaves the lists of guests who are not invited, and stays in those of others', async () => {
  const event = await secretEvent({ visibility: 'public' });
  const item = await createItem(api, organizer, event.id);
  const [invited, other] = [await createUser(api), await createUser(api)];
  for (const { token } of [invited, other]) {
    expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, token, { status: 'going' }), 200);
    expectStatus(await api.post(`/v1/events/${event.id}/save`, token, { saved: true }), 200);
  }
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, invited.token, { quantity: 1 }), 201);
  await invite(event.id, invited);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { visibility: 'private' }), 200);
  const lists = async ({ token }: Person) => {
    const ids = async (path: string) =>
      expectStatus(await api.get(path, token), 200).body.data.map(
        (each: { id: string; event?: { id: string } }) => each.event?.id ?? each.id,
      );
    const calendar = expectStatus(await api.post('/v1/me/calendar', token), 201).body.url;
    const file = await fetch(calendar.replace(/^.*(?=\/v1\/)/, api.url));
    return [
      await ids('/v1/me/events?relation=going'),
      await ids('/v1/me/events?relation=saved'),
      await ids('/v1/me/claims'),
      (await file.text()).includes(event.id),
    ];
  };
  assert.deepEqual(await lists(invited), [[event.id], [event.id], [event.id], true]);
  assert.deepEqual(await lists(other), [[], [], [], false]);
  for (const { token } of [invited, other]) {
    const listed = expectStatus(await api.get('/v1/events', token), 200).body.data;
    assert.ok(!listed.some(({ id }: { id: string }) => id === event.id));
  }
});

// spec: 5 GET /v1/events/:id: private events
test('private: its guests without an account see the event; an RSVP makes nobody invited', async () => {
  const event = await secretEvent({ visibility: 'public' });
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 5 });
  const { guestToken } = await answerAsGuest(api, event.id, {
    email: nextAddress(),
    name: 'Mara',
    status: 'going',
  });
  const other = await createUser(api);
  expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, other.token, { status: 'going' }), 200);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { visibility: 'private' }), 200);
  expectProblem(await api.get(`/v1/events/${event.id}`, other.token), 404, 'event_not_found');
  // What was theirs can still be taken back.
  expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, other.token, { status: null }), 200);
  const calls: [string, string, number, object?][] = [
    ['GET', `/v1/events/${event.id}`, 200],
    ['GET', `/v1/events/${event.id}/items`, 200],
    ['GET', `/v1/events/${event.id}/guests`, 200],
    ['GET', `/v1/events/${event.id}/calendar.ics`, 200],
    ['POST', `/v1/events/${event.id}/rsvp`, 200, { status: 'interested' }],
    ['POST', `/v1/events/${event.id}/rsvp`, 200, { status: 'going' }],
    ['POST', `/v1/items/${item.id}/claim`, 201, { quantity: 1 }],
    ['POST', bookingPath(event.id), 201, { seats: 1 }],
    ['GET', `/v1/events/${event.id}/guest`, 200],
  ];
  for (const [method, path, status, body] of calls)
    expectStatus(await api.call(method, path, { token: guestToken, body }), status);
  await openStream(api, event.id, { token: guestToken });
  await assertCounters(api.sql);
});

// spec: 5 GET /v1/notifications: private events
test('private: of a change, invited guests are told and others are not', async () => {
  const event = await secretEvent({ visibility: 'public' });
  const [invited, other] = [await createUser(api), await createUser(api)];
  for (const { token } of [invited, other])
    expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, token, { status: 'going' }), 200);
  await invite(event.id, invited);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { visibility: 'private' }), 200);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { status: 'cancelled' }), 200);
  const { deliver, summary } = createNotificationClient(api);
  await deliver();
  assert.deepEqual(await summary(invited), ['eventCancelled×1!']);
  assert.deepEqual(await summary(other), []);
});

// spec: 5 GET /v1/notifications: private events
test('private: an announcement reaches invited guests and who has not answered; others who go get none of it', async () => {
  const event = await secretEvent({ visibility: 'public' });
  const [going, unanswered, other] = [await createUser(api), await createUser(api), await createUser(api)];
  await inviteTo(api, organizer, event.id, [{ userId: going.id }, { userId: unanswered.id }]);
  for (const { token } of [going, other])
    expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, token, { status: 'going' }), 200);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { visibility: 'private' }), 200);
  const { announce, texts } = createAnnouncementClient(api);
  const audience = ['going', 'unanswered'];
  const path = `/v1/events/${event.id}/announcements/recipients?audience=${audience.join(',')}`;
  const counted = expectStatus(await api.get(path, organizer.token), 200).body;
  assert.deepEqual(counted, { recipients: 2 });
  const sent = await announce(organizer, event.id, { text: 'By the back door', audience });
  assert.equal(sent.recipients, 2);
  const { deliver, inbox } = createNotificationClient(api);
  await deliver();
  const read = async (person: Person) =>
    (await inbox(person)).flatMap(({ announcement }) => announcement?.text ?? []);
  assert.deepEqual(await read(going), ['By the back door']);
  assert.deepEqual(await read(unanswered), ['By the back door']);
  assert.deepEqual(await read(other), []);
  assert.deepEqual(await texts(event.id, going), ['By the back door']);
  expectProblem(await api.get(`/v1/events/${event.id}/announcements`, other.token), 404, 'event_not_found');
});
