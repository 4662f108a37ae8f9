/** What notifies whom: each cause notifies each recipient exactly once. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { untilWaiting } from '../support/blocked-transactions.ts';
import { bookingPath } from '../support/booking-client.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  deleteAccount,
  inDays,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { createMessageClient } from '../support/message-client.ts';
import { type ApiResponse, expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { createNotificationClient } from './notification-client.ts';

const api = await startTestApp();
const { deliver, inbox, summary, markRead, read, set } = createNotificationClient(api);
const { sent, read: readMessages, block } = createMessageClient(api);

const change = async (organizer: Person, id: string, fields: object) =>
  expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, fields), 200);
const rsvp = async (person: Person, id: string, status: string | null) =>
  expectStatus(await api.post(`/v1/events/${id}/rsvp`, person.token, { status }), 200);
const book = async (person: Person, id: string, seats: number, waitlist = false) =>
  expectStatus(await api.post(bookingPath(id), person.token, { seats, waitlist }), 201);
const claim = async (person: Person, item: { id: string }, quantity = 1) =>
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, person.token, { quantity }), 201);
const unclaim = async (person: Person, item: { id: string }) =>
  expectStatus(await api.delete(`/v1/items/${item.id}/claim`, person.token), 200);
const follow = async (person: Person, other: Person) =>
  expectStatus(await api.post(`/v1/users/${other.id}/follow`, person.token), 200);

// spec: 6 GET /v1/notifications: notifications of changes of events, bookings, messages and followers
test('eventChanged: everybody with an RSVP, a booking, a place in the waitlist or a claim is notified once of a new time or place', async () => {
  const [organizer, going, interested, booked, waiting, bringing, stranger] = await createUsers(api, 7);
  assert.ok(organizer && going && interested && booked && waiting && bringing && stranger);
  const event = await createEvent(api, organizer, { capacity: 2 });
  const item = await createItem(api, organizer, event.id);
  for (const guest of [going, bringing, organizer]) await rsvpGoing(api, guest, event.id);
  await rsvp(interested, event.id, 'interested');
  await book(booked, event.id, 2);
  await book(going, event.id, 1, true);
  await book(waiting, event.id, 1, true);
  await claim(bringing, item);
  await rsvp(bringing, event.id, null);
  await deliver();
  expectStatus(
    await api.post(`/v1/notifications/${(await inbox(organizer))[0]?.id}/read`, organizer.token),
    200,
  );

  await change(organizer, event.id, { title: 'Another title', description: 'And more', capacity: 2 });
  await deliver();
  for (const guest of [going, interested, booked, waiting, bringing])
    assert.deepEqual(await summary(guest), []);

  await change(organizer, event.id, { startAt: inDays(8), endAt: inDays(8, 4) });
  await deliver();
  await deliver();
  for (const guest of [going, interested, booked, waiting, bringing]) {
    const [notification, ...more] = await inbox(guest);
    assert.deepEqual(more, []);
    const { kind, count, isRead, person } = notification ?? {};
    assert.deepEqual([kind, count, isRead, person?.id], ['eventChanged', 1, false, organizer.id]);
    assert.equal(notification?.event?.id, event.id);
  }
  assert.deepEqual(await summary(stranger), []);
  assert.ok((await summary(organizer)).every((entry) => !entry.startsWith('eventChanged')));

  await change(organizer, event.id, { location: { address: 'Indoors', lat: 59.9, lng: 10.7 } });
  await change(organizer, event.id, { endAt: inDays(8, 5) });
  await deliver();
  assert.deepEqual(await summary(going), ['eventChanged×2!'], 'changes before the fan-out count once');
});

test('newEvent: followers are notified once of an event that becomes public, in the inbox alone', async () => {
  const [organizer, follower, former, stranger] = await createUsers(api, 4);
  assert.ok(organizer && follower && former && stranger);
  await follow(follower, organizer);
  await follow(former, organizer);
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  await createEvent(api, organizer, { visibility: 'unlisted' });
  await createEvent(api, organizer, { startAt: inDays(-2), endAt: inDays(-1) });
  await deliver();
  assert.deepEqual(await summary(follower), []);

  await change(organizer, draft.id, { visibility: 'public' });
  expectStatus(await api.delete(`/v1/users/${organizer.id}/follow`, former.token), 200);
  await deliver();
  const [notification, ...more] = await inbox(follower);
  const { kind, count, person, event } = notification ?? {};
  assert.deepEqual([kind, count, person?.id, event?.id, more], ['newEvent', 1, organizer.id, draft.id, []]);
  for (const person of [former, stranger]) assert.deepEqual(await summary(person), []);

  await change(organizer, draft.id, { visibility: 'private' });
  await change(organizer, draft.id, { visibility: 'public', title: 'Another title' });
  await deliver();
  assert.deepEqual(await summary(follower), ['newEvent×1!'], 'it is new once');
  const created = await createEvent(api, organizer);
  await deliver();
  assert.equal((await inbox(follower))[0]?.event?.id, created.id);
});

test('newEvent: not for an event that is a draft again, or cancelled, before the delivery', async () => {
  const [organizer, follower] = await createUsers(api, 2);
  assert.ok(organizer && follower);
  await follow(follower, organizer);
  const [hidden, cancelled] = [await createEvent(api, organizer), await createEvent(api, organizer)];
  await change(organizer, hidden.id, { visibility: 'private' });
  await change(organizer, cancelled.id, { status: 'cancelled' });
  await deliver();
  assert.deepEqual(await summary(follower), []);
});

// The lock on the row of the event orders the changes, so the second one reads that the event was public.
test('race: an event that is published on two servers at once is new once', async () => {
  const second = await api.startAnother();
  const [organizer, follower] = await createUsers(api, 2);
  assert.ok(organizer && follower);
  await follow(follower, organizer);
  const { id } = await createEvent(api, organizer, { visibility: 'private' });
  const changes: Promise<ApiResponse>[] = [];
  await api.sql.begin(async (tx) => {
    await tx`select 1 from events where id = ${id} for update`;
    for (const [i, server] of [api, second].entries())
      changes.push(
        server.patch(`/v1/events/${id}`, organizer.token, { visibility: 'public', title: `${i}` }),
      );
    await untilWaiting(api.sql, 2);
  });
  for (const response of await Promise.all(changes)) expectStatus(response, 200);
  const fanOuts = await api.sql`select is_repeated from notification_fan_outs where event_id = ${id}`;
  assert.deepEqual(
    fanOuts.map(({ isRepeated }) => isRepeated),
    [false],
  );
  await deliver();
  assert.deepEqual(await summary(follower), ['newEvent×1!']);
});

// spec: 2.4 GET /v1/notifications: the event of a notification
test('inbox: the event of a notification has the fields of its record, whether its location is exact included', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const location = { address: 'Vejle', lat: 55.709, lng: 9.535, isExact: false };
  const event = await createEvent(api, organizer, { location });
  await rsvpGoing(api, guest, event.id);
  await change(organizer, event.id, { startAt: inDays(8), endAt: inDays(8, 4) });
  await deliver();
  const shown = (await inbox(guest))[0]?.event;
  const record = expectStatus(await api.get(`/v1/events/${event.id}`, guest.token), 200).body;
  const names = 'id title coverUrl startAt endAt allDay timezone location status'.split(' ');
  assert.deepEqual(shown, Object.fromEntries(names.map((name) => [name, record[name]])));
  assert.equal(shown?.location.isExact, false);
});

test('eventCancelled: guests are notified once, and of an event that takes place again', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  await change(organizer, event.id, { status: 'cancelled', startAt: inDays(6) });
  await change(organizer, event.id, { status: 'cancelled' });
  await deliver();
  assert.deepEqual(await summary(guest), ['eventCancelled×1!']);
  const [cancelled] = await inbox(guest);
  assert.equal(cancelled?.event?.status, 'cancelled');
  await change(organizer, event.id, { status: 'scheduled' });
  await deliver();
  assert.deepEqual(await summary(guest), ['eventChanged×1!', 'eventCancelled×1!']);
});

test('event: no notification of a cancellation that is taken back before the fan-out, of a private event to people who are not invited, or of one that is over', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer);
  const draft = await createEvent(api, organizer);
  const past = await createEvent(api, organizer, { startAt: inDays(-3), endAt: inDays(-2) });
  const closed = await createEvent(api, organizer);
  for (const { id } of [event, draft, past, closed]) await rsvpGoing(api, guest, id);
  await change(organizer, event.id, { status: 'cancelled' });
  await change(organizer, event.id, { status: 'scheduled' });
  await change(organizer, draft.id, { visibility: 'private', startAt: inDays(5) });
  await change(organizer, past.id, { startAt: inDays(-4) });
  await change(organizer, closed.id, { startAt: inDays(5) });
  await change(organizer, closed.id, { visibility: 'private' });
  await deliver();
  assert.deepEqual(await summary(guest), ['eventChanged×1!']);
  for (const { id } of [draft, closed]) await change(organizer, id, { visibility: 'public' });
  await deliver();
  const shown = ['eventChanged×1!', 'eventChanged×1!', 'eventChanged×1!'];
  assert.deepEqual(await summary(guest), shown, 'the guest sees the events again, and how they changed');
});

test('notifications about an event disappear while its guests cannot see it, and when it is deleted', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const full = await createEvent(api, organizer, { capacity: 1 });
  await book(organizer, full.id, 1);
  await book(guest, full.id, 1, true);
  await change(organizer, full.id, { capacity: 2 });
  await deliver();
  await change(organizer, full.id, { visibility: 'private' });
  assert.deepEqual(await read(guest), { data: [], nextCursor: null, unreadCount: 0 });
  await change(organizer, full.id, { visibility: 'public' });
  assert.deepEqual(await summary(guest), ['bookingConfirmed×1!']);
  expectStatus(await api.delete(`/v1/events/${full.id}`, organizer.token), 200);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  await change(organizer, event.id, { status: 'cancelled' });
  await deliver();
  const admin = await createAdmin(api);
  expectStatus(await api.post(`/v1/admin/users/${organizer.id}/suspend`, admin.token, {}), 200);
  assert.deepEqual(await read(guest), { data: [], nextCursor: null, unreadCount: 0 });
  expectStatus(await api.delete(`/v1/admin/users/${organizer.id}/suspend`, admin.token), 200);
  assert.equal((await read(guest)).unreadCount, 1);
  expectStatus(await api.delete(`/v1/events/${event.id}`, admin.token), 200);
  assert.deepEqual(await read(guest), { data: [], nextCursor: null, unreadCount: 0 });
});

test('bookingConfirmed: a person who moves up from the waitlist is notified once', async () => {
  const [organizer, first, second, third] = await createUsers(api, 4);
  assert.ok(organizer && first && second && third);
  const event = await createEvent(api, organizer, { capacity: 2 });
  await book(first, event.id, 2);
  for (const person of [second, third]) await book(person, event.id, 1, true);
  expectStatus(await api.patch(bookingPath(event.id), first.token, { seats: 1 }), 200);
  await deliver();
  assert.deepEqual(await summary(second), ['bookingConfirmed×1!']);
  assert.deepEqual(await summary(third), []);
  await change(organizer, event.id, { capacity: 0 });
  await deliver();
  assert.deepEqual(await summary(third), ['bookingConfirmed×1!']);
  assert.deepEqual(await summary(second), ['bookingConfirmed×1!']);
});

test('message: one unread notification for each conversation; reading the messages makes it read', async () => {
  const [me, a, b] = await createUsers(api, 3);
  assert.ok(me && a && b);
  for (let i = 0; i < 3; i++) await sent(a, me, `${i}`);
  await sent(b, me, 'Hello');
  await deliver();
  await sent(a, me, 'Once more');
  await deliver();
  assert.deepEqual(await summary(me), ['message×4!', 'message×1!']);
  assert.deepEqual(
    (await inbox(me)).map(({ person }) => person?.id),
    [a.id, b.id],
  );
  assert.equal((await read(me)).unreadCount, 2);
  expectStatus(await readMessages(me, a), 200);
  assert.equal((await read(me)).unreadCount, 1);
  await sent(a, me, 'And again');
  await deliver();
  assert.deepEqual(await summary(me), ['message×1!', 'message×1!']);
  assert.deepEqual(await summary(a), []);
});

test('message: messages that are read before the delivery do not leave an unread notification', async () => {
  const [me, other] = await createUsers(api, 2);
  assert.ok(me && other);
  await sent(other, me, 'Hello');
  expectStatus(await readMessages(me, other), 200);
  await deliver();
  assert.equal((await read(me)).unreadCount, 0);
});

test('follower: a new follower notifies once; unfollowing takes an unread notification back', async () => {
  const [me, other] = await createUsers(api, 2);
  assert.ok(me && other);
  for (let i = 0; i < 2; i++) await follow(other, me);
  await deliver();
  assert.deepEqual(await summary(me), ['follower×1!']);
  expectStatus(await api.delete(`/v1/users/${me.id}/follow`, other.token), 200);
  await deliver();
  assert.deepEqual(await summary(me), []);
  for (let i = 0; i < 3; i++) {
    await follow(other, me);
    await deliver();
    if (i < 2) expectStatus(await api.delete(`/v1/users/${me.id}/follow`, other.token), 200);
  }
  const [notification, ...more] = await inbox(me);
  assert.deepEqual([notification?.kind, notification?.count, more], ['follower', 1, []]);
  expectStatus(await markRead(me, notification?.id ?? ''), 200);
  expectStatus(await api.delete(`/v1/users/${me.id}/follow`, other.token), 200);
  await deliver();
  assert.deepEqual(await summary(me), ['follower×1']);
});

test('follower: isFollowing tells whether the reader follows back', async () => {
  const [me, other] = await createUsers(api, 2);
  assert.ok(me && other);
  await follow(other, me);
  await deliver();
  assert.equal((await inbox(me))[0]?.isFollowing, false);
  await follow(me, other);
  assert.equal((await inbox(me))[0]?.isFollowing, true);
});

// spec: 6 GET /v1/notifications: batched notifications of RSVPs, claims and bookings for organizers
test('rsvps, claims, bookings: one unread notification of each kind counts them, without what is taken back and without the own', async () => {
  const organizer = await createUser(api);
  const guests = await createUsers(api, 3);
  const [first, second, third] = guests;
  assert.ok(first && second && third);
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 9 });
  for (const guest of [organizer, ...guests]) {
    await rsvpGoing(api, guest, event.id);
    await claim(guest, item, 2);
    await book(guest, event.id, 1);
  }
  for (let i = 0; i < 3; i++) {
    await rsvp(first, event.id, null);
    await rsvp(first, event.id, 'interested');
    await rsvp(first, event.id, 'going');
    await deliver();
  }
  expectStatus(await api.patch(`/v1/items/${item.id}/claim`, second.token, { quantity: 1 }), 200);
  await unclaim(third, item);
  expectStatus(await api.delete(bookingPath(event.id), third.token), 200);
  await deliver();
  assert.deepEqual((await summary(organizer)).sort(), ['bookings×2!', 'claims×2!', 'rsvps×3!']);
  const inboxOfOrganizer = await inbox(organizer);
  for (const { event: about } of inboxOfOrganizer) assert.equal(about?.id, event.id);
  const answers = async () => (await inbox(organizer)).filter(({ kind }) => kind === 'rsvps');
  const [reply] = await answers();
  assert.deepEqual([reply?.person?.id, reply?.answer], [first.id, 'going']);
  for (const { kind, answer } of inboxOfOrganizer) if (kind !== 'rsvps') assert.equal(answer, null);
  await rsvp(first, event.id, 'interested');
  assert.deepEqual(
    (await answers()).map(({ answer }) => answer),
    ['interested'],
  );
  for (const { id } of await inbox(organizer)) expectStatus(await markRead(organizer, id), 200);
  await claim(third, item);
  await unclaim(second, item);
  await rsvp(third, event.id, null);
  await deliver();
  assert.deepEqual((await read(organizer, '?unread=true')).data, [], 'an equal number was taken back');
});

// spec: 6 DELETE /v1/items/:id: no notification
test('the removal of an item causes no notification', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  await rsvpGoing(api, guest, event.id);
  await claim(guest, item);
  await deliver();
  assert.deepEqual((await summary(organizer)).sort(), ['claims×1!', 'rsvps×1!']);
  expectStatus(await api.delete(`/v1/items/${item.id}`, organizer.token), 200);
  await deliver();
  assert.deepEqual([await summary(guest), await summary(organizer)], [[], ['rsvps×1!']]);
});

test('a block: nothing arrives from the other person, and earlier notifications of them are hidden', async () => {
  const [me, other] = await createUsers(api, 2);
  assert.ok(me && other);
  const [mine, theirs] = [await createEvent(api, me), await createEvent(api, other)];
  await follow(other, me);
  await sent(other, me, 'Hello');
  await rsvpGoing(api, me, theirs.id);
  await rsvpGoing(api, other, mine.id);
  await change(other, theirs.id, { startAt: inDays(6) });
  await deliver();
  assert.equal((await inbox(me)).length, 4);
  await follow(me, other);
  expectStatus(await block(me, other), 200);
  await book(other, mine.id, 1);
  await change(other, theirs.id, { status: 'cancelled' });
  await deliver();
  const rest = await inbox(me);
  assert.deepEqual(
    rest.map(({ kind, person, answer }) => [kind, person, answer]),
    [['rsvps', null, null]],
  );
  assert.equal((await read(me)).unreadCount, 1);
  assert.ok((await summary(other)).every((entry) => !entry.startsWith('follower')));
});

test('a block and a suspension: what the other person caused before, and was not delivered, does not arrive after their end either', async () => {
  const [me, blocked, suspended] = await createUsers(api, 3);
  assert.ok(me && blocked && suspended);
  const admin = await createAdmin(api);
  const event = await createEvent(api, blocked);
  await rsvpGoing(api, me, event.id);
  await change(blocked, event.id, { startAt: inDays(6) });
  for (const other of [blocked, suspended]) await sent(other, me, 'Hello');
  await follow(suspended, me);
  expectStatus(await block(me, blocked), 200);
  const suspension = `/v1/admin/users/${suspended.id}/suspend`;
  expectStatus(await api.post(suspension, admin.token, {}), 200);
  await deliver();
  expectStatus(await api.delete(`/v1/users/${blocked.id}/block`, me.token), 200);
  expectStatus(await api.delete(suspension, admin.token), 200);
  await deliver();
  assert.deepEqual(await summary(me), []);
});

test('bookingConfirmed: not for an organizer whose own change makes a seat free', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer, { capacity: 1 });
  await book(guest, event.id, 1);
  await book(organizer, event.id, 1, true);
  await change(organizer, event.id, { capacity: 2 });
  await deliver();
  assert.deepEqual(
    (await summary(organizer)).filter((entry) => entry.startsWith('bookingConfirmed')),
    [],
  );
});

test('suspended people get no notifications', async () => {
  const [me, other] = await createUsers(api, 2);
  assert.ok(me && other);
  const admin = await createAdmin(api);
  await follow(other, me);
  expectStatus(await api.post(`/v1/admin/users/${me.id}/suspend`, admin.token, {}), 200);
  await deliver();
  const [row] = await api.sql`select
    (select count(*)::int from notifications where user_id = ${me.id}) as notifications,
    (select count(*)::int from notification_causes where user_id = ${me.id}) as causes`;
  assert.deepEqual(row, { notifications: 0, causes: 0 });
});

test('a suspended person disappears from the notifications of others, and returns with the restoration', async () => {
  const [me, other] = await createUsers(api, 2);
  assert.ok(me && other);
  const admin = await createAdmin(api);
  const event = await createEvent(api, me);
  await follow(other, me);
  await rsvpGoing(api, other, event.id);
  await deliver();
  const people = async () => (await inbox(me)).map(({ kind, person }) => [kind, person?.id ?? null]).sort();
  const suspension = `/v1/admin/users/${other.id}/suspend`;
  expectStatus(await api.post(suspension, admin.token, {}), 200);
  assert.deepEqual(await people(), [['rsvps', null]]);
  expectStatus(await api.delete(suspension, admin.token), 200);
  assert.deepEqual(await people(), [
    ['follower', other.id],
    ['rsvps', other.id],
  ]);
});

// spec: 4.8 DELETE /v1/me: the person disappears from notifications of others
test('a deleted person disappears from the notifications of others, delivered or not', async () => {
  const [me, other, third] = await createUsers(api, 3);
  assert.ok(me && other && third);
  const event = await createEvent(api, me);
  const theirs = await createEvent(api, other);
  const act = async () => {
    await sent(other, me, 'Hello');
    await rsvp(other, event.id, 'going');
    await rsvp(other, event.id, null);
    await change(other, theirs.id, { startAt: inDays(5 + Math.random()) });
  };
  await rsvpGoing(api, me, theirs.id);
  await rsvpGoing(api, third, event.id);
  await follow(other, me);
  await act();
  await rsvp(other, event.id, 'going');
  await deliver();
  await act();
  expectStatus(await deleteAccount(api, other), 200);
  await deliver();
  assert.deepEqual(
    (await inbox(me)).map(({ kind, count, person }) => [kind, count, person]),
    [['rsvps', 1, null]],
  );
});

// spec: 6 GET /v1/notifications/settings, PATCH /v1/notifications/settings: which kinds of notifications arrive
test('settings: a kind that is off does not arrive; 400 for an unknown kind or level', async () => {
  const [me, other] = await createUsers(api, 2);
  assert.ok(me && other);
  const defaults = expectStatus(await api.get('/v1/notifications/settings', me.token), 200).body;
  const changed = await set(me, { follower: 'off' });
  assert.deepEqual(changed, { ...defaults, follower: 'off' });
  assert.deepEqual(await set(me, {}), changed);
  await follow(other, me);
  await sent(other, me, 'Hello');
  await deliver();
  assert.deepEqual(await summary(me), ['message×1!']);
  await set(me, { follower: 'push', message: 'off' });
  assert.deepEqual(expectStatus(await api.get('/v1/notifications/settings', me.token), 200).body, {
    ...defaults,
    message: 'off',
  });
  const event = await createEvent(api, other);
  await rsvpGoing(api, me, event.id);
  await set(me, { eventChanged: 'off' });
  await change(other, event.id, { startAt: inDays(6) });
  await deliver();
  assert.deepEqual(await summary(me), ['message×1!']);
  for (const body of [{ weather: 'off' }, { message: 'loud' }, { message: null }])
    expectProblem(await api.patch('/v1/notifications/settings', me.token, body), 400, 'invalid_request');
});

test('eventChanged: says what changed from what to what, of all changes while it is unread, with the latest message', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const startAt = inDays(7);
  const event = await createEvent(api, organizer, { title: 'Picnic', startAt, endAt: inDays(7, 4) });
  await rsvp(guest, event.id, 'interested');
  const indoors = { address: 'Indoors', lat: 59.9, lng: 10.7 };
  await change(organizer, event.id, { location: indoors, message: 'It rains.\nBring slippers!' });
  await deliver();
  await change(organizer, event.id, { startAt: inDays(8), endAt: inDays(8, 4), title: 'Feast' });
  await deliver();
  const [entry] = await inbox(guest);
  assert.equal(entry?.count, 2);
  assert.deepEqual(entry.changes?.parts, ['title', 'time', 'address']);
  const { before, after } = entry.changes ?? {};
  assert.deepEqual(
    [before?.title, before?.startAt, before?.location.address],
    ['Picnic', startAt, event.location.address],
  );
  assert.deepEqual([after?.title, after?.startAt, after?.location.address], ['Feast', inDays(8), 'Indoors']);
  assert.equal(entry.announcement?.text, 'It rains.\nBring slippers!');

  expectStatus(await markRead(guest, entry.id), 200);
  await change(organizer, event.id, { location: { ...indoors, lat: 59.91 } });
  await deliver();
  const [newest, earlier] = await inbox(guest);
  assert.deepEqual([newest?.changes?.parts, newest?.announcement], [['map'], null]);
  assert.deepEqual(earlier?.changes?.after.location.lat, 59.9, 'what was read stays as it was');
});

test('eventCancelled: has the message of the organizer, and the record of the event has none', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  const { body } = await change(organizer, event.id, { status: 'cancelled', message: 'I am ill.' });
  assert.ok(!('message' in body));
  await deliver();
  const [entry] = await inbox(guest);
  assert.deepEqual(
    [entry?.kind, entry?.announcement?.text, entry?.changes],
    ['eventCancelled', 'I am ill.', null],
  );
  await change(organizer, event.id, { status: 'scheduled' });
  await deliver();
  assert.deepEqual((await inbox(guest))[0]?.changes?.parts, ['status']);
});

test('event change: 400 at message for a change that notifies no guests, and for an empty or too long message; nothing changes', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer);
  const patch = (id: string, fields: object) => api.patch(`/v1/events/${id}`, organizer.token, fields);
  for (const [id, fields] of [
    [event.id, { message: 'Hello' }],
    [event.id, { title: 'Another title', message: 'Hello' }],
    [event.id, { status: 'cancelled', message: '' }],
    [event.id, { status: 'cancelled', message: ' \n' }],
    [event.id, { status: 'cancelled', message: 'x'.repeat(1_001) }],
  ] as const) {
    const { body } = expectProblem(await patch(id, fields), 400, 'invalid_request');
    assert.deepEqual(
      body.errors.map(({ path }: { path: string }) => path),
      ['message'],
    );
  }
  const record = expectStatus(await api.get(`/v1/events/${event.id}`, organizer.token), 200).body;
  assert.deepEqual([record.title, record.status], [event.title, 'scheduled']);
  expectStatus(await patch(event.id, { status: 'cancelled', message: '😀'.repeat(1_000) }), 200);
});

test('notices: the latest 20 of an event are stored, and the notification begins with the oldest of them', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  for (let n = 0; n < 22; n++)
    await change(organizer, event.id, { location: { address: `Hall ${n}`, lat: 59.9, lng: 10.7 } });
  const stored =
    await api.sql`select before->>'address' as address from event_notices where event_id = ${event.id} order by id`;
  assert.deepEqual([stored.length, stored[0]?.address], [20, 'Hall 1']);
  await deliver();
  const { before, after } = (await inbox(guest))[0]?.changes ?? {};
  assert.deepEqual([before?.location.address, after?.location.address], ['Hall 1', 'Hall 21']);
});

test('rsvps, bookings: a guest who takes the answer back and comes again with 3 people is one notification, with the answer and the number', async () => {
  const [organizer, guest, other] = await createUsers(api, 3);
  assert.ok(organizer && guest && other);
  const event = await createEvent(api, organizer, { capacity: 10 });
  const answer = async (status: string | null, extraGuests?: number) =>
    expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, guest.token, { status, extraGuests }), 200);
  const readNewest = async () => markRead(organizer, (await inbox(organizer))[0]?.id ?? '');
  await rsvp(other, event.id, 'going');
  await answer('going');
  await readNewest();
  await answer('interested');
  await answer(null);
  await answer('going', 3);
  const [entry, ...earlier] = await inbox(organizer);
  assert.deepEqual(
    [entry?.count, entry?.person?.id, entry?.answer, entry?.people],
    [1, guest.id, 'going', 4],
  );
  assert.deepEqual(
    earlier.map(({ count }) => count),
    [1],
    'the other guest is counted, this one is not counted again',
  );

  await book(guest, event.id, 2);
  await readNewest();
  expectStatus(await api.delete(bookingPath(event.id), guest.token), 200);
  await book(guest, event.id, 4);
  const bookings = (await inbox(organizer)).filter(({ kind }) => kind === 'bookings');
  assert.deepEqual(
    bookings.map(({ count, people }) => [count, people]),
    [[1, 4]],
  );
});
