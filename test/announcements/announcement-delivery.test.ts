/** How announcements reach people: in the inbox once, and by mail, also guests without an account. */
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { startReminders } from '../../src/modules/notifications/delivery/start-reminders.ts';
import { startNewsServer } from '../mail/news-client.ts';
import { createNotificationClient } from '../notifications/notification-client.ts';
import { bookingPath } from '../support/booking-client.ts';
import {
  addAddress,
  createAdmin,
  createEvent,
  createUser,
  createUsers,
  inDays,
  nextAddress,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { answerAsGuest } from '../support/guests.ts';
import { headerOf } from '../support/mail-server.ts';
import { createMessageClient } from '../support/message-client.ts';
import { expectStatus } from '../support/setup.ts';
import { createAnnouncementClient } from './announcement-client.ts';

const { api, clock, mails, news, change, set } = await startNewsServer();
const { announce } = createAnnouncementClient(api);
const { inbox, summary, markRead } = createNotificationClient(api);
const { block } = createMessageClient(api);
const { deliver, mailed, wordsOf } = news;

beforeEach(mails.clear);

const announcements = async (person: Person) =>
  (await inbox(person)).filter(({ kind }) => kind === 'announcement');
const createReader = async (): Promise<Person & { email: string }> => {
  const person = await createUser(api);
  return { ...person, email: await addAddress(api, person) };
};

// spec: 6 GET /v1/notifications: announcements
test('announcement: one unread notification of an event, with the latest text; the next one counts', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer, { capacity: 5 });
  await rsvpGoing(api, guest, event.id);
  await rsvpGoing(api, organizer, event.id);
  expectStatus(await api.post(bookingPath(event.id), guest.token, { seats: 1 }), 201);
  const first = await announce(organizer, event.id, { text: 'First' });
  await deliver();
  await deliver();
  const [notification, ...more] = await announcements(guest);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [notification?.count, notification?.person?.id, notification?.event?.id, notification?.announcement],
    [1, organizer.id, event.id, { id: first.id, text: 'First' }],
  );
  assert.deepEqual(await announcements(organizer), [], 'its author gets none');
  const second = await announce(organizer, event.id, { text: 'Second' });
  await deliver();
  const [latest] = await announcements(guest);
  assert.deepEqual([latest?.count, latest?.announcement], [2, { id: second.id, text: 'Second' }]);
  expectStatus(await markRead(guest, latest?.id ?? ''), 200);
  await announce(organizer, event.id, { text: 'Third' });
  await deliver();
  assert.deepEqual(
    (await announcements(guest)).map(({ announcement, isRead, count }) => [
      announcement?.text,
      isRead,
      count,
    ]),
    [
      ['Third', false, 1],
      ['Second', true, 2],
    ],
  );
});

// spec: 6 POST /v1/events/:id/announcements: announcements: recipients of two announcements at once
test('announcement: two at once reach each their own list', async () => {
  const [organizer, going, interested, both] = await createUsers(api, 4);
  assert.ok(organizer && going && interested && both);
  const event = await createEvent(api, organizer, { capacity: 5 });
  await rsvpGoing(api, going, event.id);
  for (const person of [interested, both])
    expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, person.token, { status: 'interested' }), 200);
  expectStatus(await api.post(bookingPath(event.id), both.token, { seats: 1 }), 201);
  await announce(organizer, event.id, { text: 'to interested', audience: ['interested'] });
  await announce(organizer, event.id, { text: 'to going', audience: ['going'] });
  await deliver();
  const shown = async (person: Person) =>
    (await announcements(person)).map(({ announcement, count }) => [announcement?.text, count]);
  assert.deepEqual(await shown(going), [['to going', 1]]);
  assert.deepEqual(await shown(interested), [['to interested', 1]]);
  assert.equal((await shown(both))[0]?.[1], 2);
});

// spec: 6 PATCH /v1/announcements/:id: announcements: what has not left yet
test('announcement: a changed text is that of the inbox and of mails that leave later; a deleted one leaves the inbox and is not mailed', async () => {
  const organizer = await createUser(api);
  const guest = await createReader();
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  const patch = async (id: string, text: string) =>
    expectStatus(await api.patch(`/v1/announcements/${id}`, organizer.token, { text }), 200);
  const { id } = await announce(organizer, event.id, { text: 'Wrong' });
  await deliver();
  await patch(id, 'Right');
  assert.equal((await announcements(guest))[0]?.announcement?.text, 'Right');
  const [mail, ...more] = await mailed();
  assert.ok(mail);
  assert.match(wordsOf(mail), /^Right$/m);
  assert.deepEqual(more, []);
  await patch(id, 'Changed again');
  assert.deepEqual(await mailed(), [], 'nothing is sent again');

  const kept = await announce(organizer, event.id, { text: 'Kept' });
  const deleted = await announce(organizer, event.id, { text: 'Deleted' });
  await deliver();
  assert.equal((await mails.rows()).filter(({ state }) => state === 'queued').length, 2);
  expectStatus(await api.delete(`/v1/announcements/${deleted.id}`, organizer.token), 200);
  assert.deepEqual(await announcements(guest), []);
  const rest = await mailed();
  assert.deepEqual(
    rest.map((each) => /Kept|Deleted/.exec(wordsOf(each))?.[0]),
    ['Kept'],
  );
  expectStatus(await api.delete(`/v1/announcements/${kept.id}`, organizer.token), 200);
});

// spec: 6 DELETE /v1/announcements/:id: announcements: before the delivery
test('announcement: deleted before it is delivered, it reaches nobody', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  const { id } = await announce(organizer, event.id);
  expectStatus(await api.delete(`/v1/announcements/${id}`, organizer.token), 200);
  await deliver();
  assert.deepEqual(await announcements(guest), []);
});

// spec: 6 POST /v1/events/:id/announcements: mails
test('announcement: each has a mail of its own to each recipient; settings, blocks, and leaving before it leaves, act then', async () => {
  const organizer = await createUser(api);
  const [guest, off, inboxOnly, blocked, leaving, reading] = await Promise.all(
    Array.from({ length: 6 }, createReader),
  );
  assert.ok(guest && off && inboxOnly && blocked && leaving && reading);
  const event = await createEvent(api, organizer, { title: 'Harbour potluck' });
  for (const person of [guest, off, inboxOnly, blocked, leaving, reading])
    await rsvpGoing(api, person, event.id);
  await set(off, { announcement: 'off' });
  await set(inboxOnly, { announcement: 'inbox' });
  await block(blocked, organizer);
  await announce(organizer, event.id, { text: 'One\nBring <warm> clothes!' });
  await announce(organizer, event.id, { text: 'Two' });
  await deliver();
  assert.deepEqual(await announcements(off), []);
  assert.deepEqual(await announcements(blocked), []);
  assert.equal((await announcements(inboxOnly))[0]?.count, 2);
  expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, leaving.token, { status: null }), 200);
  expectStatus(await markRead(reading, (await announcements(reading))[0]?.id ?? ''), 200);
  const sent = await mailed();
  assert.deepEqual(
    sent.map((mail) => [mail.to, headerOf(mail, 'Subject').split(' ').slice(-3).join(' ')]),
    [
      [guest.email, 'guests: Harbour potluck'],
      [guest.email, 'guests: Harbour potluck'],
    ],
  );
  // Several are sent at the same time.
  const words = sent.map(wordsOf).sort((a, b) => Number(/^Two$/m.test(a)) - Number(/^Two$/m.test(b)));
  assert.deepEqual(
    words.map((text) => [/One\nBring <warm> clothes!/.test(text), /^Two$/m.test(text)]),
    [
      [true, false],
      [false, true],
    ],
  );
  assert.ok(sent.every((mail) => headerOf(mail, 'List-Unsubscribe') !== ''));
  const counted = expectStatus(await api.get(`/v1/events/${event.id}/mails`, organizer.token), 200).body;
  assert.equal(counted.sent, 2);
});

// spec: 6 POST /v1/events/:id/guest-rsvp: mails
test('guests without an account: get mails of changes, cancellations, reminders, seats and announcements, whose link is no key', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer, {
    title: 'Harbour potluck',
    capacity: 1,
    startAt: inDays(3),
    endAt: inDays(3, 4),
  });
  expectStatus(await api.post(bookingPath(event.id), organizer.token, { seats: 1 }), 201);
  const email = nextAddress();
  const { guestToken } = await answerAsGuest(api, event.id, { email, name: 'Mara', status: 'going' });
  await answerAsGuest(api, event.id, { phone: '+46700000999', name: 'Phone', status: 'going' });
  expectStatus(await api.post(bookingPath(event.id), guestToken, { seats: 1, waitlist: true }), 201);
  await mailed();

  const only = async () => {
    const [mail, ...more] = await mailed();
    assert.ok(mail);
    assert.deepEqual([mail.to, more], [email, []]);
    assert.match(headerOf(mail, 'List-Unsubscribe'), /\/v1\/unsubscribe\?token=/);
    const text = wordsOf(mail);
    assert.ok(text.includes(`https://events.example.org/e/${event.id}/answer?again\n`), text);
    assert.ok(!text.includes(guestToken));
    assert.match(text, /because you answered/);
    return headerOf(mail, 'Subject');
  };
  await announce(organizer, event.id);
  assert.match(await only(), /wrote to the guests: Harbour potluck/);
  expectStatus(await api.delete(bookingPath(event.id), organizer.token), 200);
  await only();
  await change(organizer, event.id, { startAt: inDays(0.5), endAt: inDays(0.6), message: 'Earlier!' });
  await only();
  await startReminders(api.sql, clock.now());
  await only();
  await change(organizer, event.id, { status: 'cancelled', message: 'Sorry!' });
  await only();
  // The address that the mail names stops all mails of a guest, too.
  await announce(organizer, event.id);
  const [mail] = await mailed();
  const [, link = ''] =
    /<https:\/\/events\.example\.org([^>]+)>/.exec(mail ? headerOf(mail, 'List-Unsubscribe') : '') ?? [];
  expectStatus(await api.post(link), 200);
  await announce(organizer, event.id);
  assert.deepEqual(await mailed(), []);
});

// spec: 6 PATCH /v1/events/:id: message
test('message of a change: stands in the one notification and the one mail of the change, changed or deleted until they leave', async () => {
  const organizer = await createUser(api);
  const guest = await createReader();
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  await change(organizer, event.id, { startAt: inDays(5), message: 'Erlier' });
  await deliver();
  const [notification] = await inbox(guest);
  const id = notification?.announcement?.id ?? '';
  assert.deepEqual(await summary(guest), ['eventChanged×1!']);
  expectStatus(await api.patch(`/v1/announcements/${id}`, organizer.token, { text: 'Earlier' }), 200);
  const [mail, ...more] = await mailed();
  assert.ok(mail);
  assert.deepEqual(more, []);
  assert.match(wordsOf(mail), /writes: Earlier/);
  expectStatus(await api.delete(`/v1/announcements/${id}`, organizer.token), 200);
  const [rest] = await inbox(guest);
  assert.deepEqual([rest?.kind, rest?.announcement], ['eventChanged', null]);
});

// spec: 6 POST /v1/events/:id/announcements: announcements: suspension
test('announcement: the suspension of its author, or hiding the event, ends the delivery', async () => {
  const admin = await createAdmin(api);
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  await announce(organizer, event.id);
  expectStatus(await api.post(`/v1/admin/users/${organizer.id}/suspend`, admin.token, {}), 200);
  await deliver();
  expectStatus(await api.delete(`/v1/admin/users/${organizer.id}/suspend`, admin.token), 200);
  await deliver();
  assert.deepEqual(await announcements(guest), []);
});
