/** What notifications say reaches people by mail: who gets one, when, and who does not. */
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { startReminders } from '../../src/modules/notifications/delivery/start-reminders.ts';
import { bookingPath } from '../support/booking-client.ts';
import {
  addAddress,
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  inDays,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { headerOf } from '../support/mail-server.ts';
import { createMessageClient } from '../support/message-client.ts';
import { expectStatus } from '../support/setup.ts';
import { startNewsServer } from './news-client.ts';

const { api, clock, mails, news, change, set } = await startNewsServer();
const { deliver, mailed, summaryOf, wordsOf } = news;
const { sent: write, read, block } = createMessageClient(api);
const minuteMs = 60_000;

beforeEach(mails.clear);

/** People with addresses. */
async function createReaders(count: number): Promise<(Person & { email: string })[]> {
  const people = await createUsers(api, count);
  return Promise.all(people.map(async (person) => ({ ...person, email: await addAddress(api, person) })));
}
const follow = async (person: Person, other: Person) =>
  expectStatus(await api.post(`/v1/users/${other.id}/follow`, person.token), 200);

test('mails of events: a change, a reminder and a cancellation reach guests with an address, once, as things are and with the message of the organizer', async () => {
  const [organizer, guest, other] = await createReaders(3);
  const phoneOnly = await createUser(api);
  assert.ok(organizer && guest && other);
  await set(other, { eventChanged: 'push', eventCancelled: 'inbox', reminder: 'off' });
  const event = await createEvent(api, organizer, {
    title: 'Harbour potluck',
    startAt: inDays(3),
    endAt: inDays(3, 4),
  });
  const item = await createItem(api, organizer, event.id, { title: 'Bread', emoji: '🍞', quantityNeeded: 3 });
  const wish = await createItem(api, organizer, event.id, { title: 'Lamp', emoji: '💡', kind: 'wish' });
  for (const person of [guest, other, phoneOnly, organizer]) await rsvpGoing(api, person, event.id);
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 2 }), 201);
  expectStatus(await api.post(`/v1/items/${wish.id}/claim`, guest.token, { quantity: 1 }), 201);

  const message = 'We begin earlier.\nBring a lamp!';
  await change(organizer, event.id, { startAt: inDays(0.5), endAt: inDays(0.6), message });
  const [changed, ...more] = await mailed();
  assert.ok(changed);
  assert.deepEqual(more, []);
  assert.equal(changed.to, guest.email);
  assert.equal(headerOf(changed, 'Subject'), 'The time or place has changed: Harbour potluck');
  assert.match(wordsOf(changed), /We begin earlier\.\nBring a lamp!\n/);
  assert.match(
    wordsOf(changed),
    new RegExp(`See the event:\nhttps://events\\.example\\.org/e/${event.id}\n`),
  );
  assert.deepEqual(await mailed(), []);

  await startReminders(api.sql, clock.now());
  const reminders = await mailed();
  assert.deepEqual(reminders.map(({ to }) => to).sort(), [guest.email, organizer.email].sort());
  const reminder = reminders.find(({ to }) => to === guest.email);
  assert.match(
    reminder ? wordsOf(reminder) : '',
    /You bring:\n\n- 2 × 🍞 Bread\n\nYou give:\n\n- 1 × 💡 Lamp\n/,
  );

  await change(organizer, event.id, { status: 'cancelled', message: 'The harbour is closed.' });
  const [cancelled, ...others] = await mailed();
  assert.ok(cancelled);
  assert.deepEqual(others, []);
  assert.equal(cancelled.to, guest.email);
  assert.equal(headerOf(cancelled, 'Subject'), 'Cancelled: Harbour potluck');
  assert.match(wordsOf(cancelled), /The harbour is closed\./);
  assert.doesNotMatch(wordsOf(cancelled), /lamp/);
});

test('mails of events: in the language of the account, which the first sign-in and the person choose', async () => {
  const [organizer, guest] = await createReaders(2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer, { title: 'Fika' });
  await rsvpGoing(api, guest, event.id);
  expectStatus(await api.patch('/v1/me', guest.token, { language: 'sv' }), 200);
  await change(organizer, event.id, { startAt: inDays(5), endAt: inDays(6) });
  const [mail] = await mailed();
  assert.ok(mail);
  assert.equal(headerOf(mail, 'Content-Language'), 'sv');
  assert.match(wordsOf(mail), /^Tid eller plats har ändrats: Fika\n/);
});

test('mails of events: changes within ten minutes are one more mail, which says what holds then', async () => {
  const [organizer, guest] = await createReaders(2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  await change(organizer, event.id, { startAt: inDays(5), endAt: inDays(6) });
  assert.equal((await mailed()).length, 1);
  for (const address of ['Indoors', 'Boathouse 7']) {
    await change(organizer, event.id, { location: { address, lat: 59.9, lng: 10.7 } });
    assert.deepEqual(await mailed(), []);
  }
  clock.advance(10 * minuteMs);
  const [mail, ...more] = await mailed();
  assert.ok(mail);
  assert.deepEqual(more, []);
  assert.match(wordsOf(mail), /Boathouse 7/);
});

test('mails of events: none of what was read, taken back, or switched off before it is sent, nor to a former address', async () => {
  const [organizer, reader, off, moved, removed, unwilling] = await createReaders(6);
  assert.ok(organizer && reader && off && moved && removed && unwilling);
  await set(unwilling, { eventCancelled: 'push' });
  const event = await createEvent(api, organizer);
  for (const guest of [reader, off, moved, removed, unwilling]) await rsvpGoing(api, guest, event.id);
  await change(organizer, event.id, { status: 'cancelled' });
  await deliver();
  assert.equal((await mails.rows()).length, 4);
  const { body } = await api.get('/v1/notifications', reader.token);
  expectStatus(await api.post('/v1/notifications/read', reader.token, { upTo: body.data[0].id }), 200);
  await set(off, { eventCancelled: 'push' });
  await addAddress(api, moved);
  expectStatus(await api.delete('/v1/me/email', removed.token), 200);
  const subjects = await summaryOf(mailed());
  assert.deepEqual(
    subjects.filter((line) => line.includes('Cancelled')),
    [],
  );
  const again = await createEvent(api, organizer);
  await rsvpGoing(api, off, again.id);
  await set(off, { eventCancelled: 'all' });
  await change(organizer, again.id, { status: 'cancelled' });
  await deliver();
  await change(organizer, again.id, { status: 'scheduled' });
  assert.deepEqual(await summaryOf(mailed()), [
    `${off.email}: The time or place has changed: Harbour potluck`,
  ]);
});

test('mails of events: none across a block, of a private event, of a suspended organizer, or to a suspended person', async () => {
  const admin = await createAdmin(api);
  const suspend = async ({ id }: Person) =>
    expectStatus(await api.post(`/v1/admin/users/${id}/suspend`, admin.token, {}), 200);
  for (const hide of [
    (organizer: Person, guest: Person) => block(guest, organizer),
    (organizer: Person, guest: Person) => block(organizer, guest),
    (organizer: Person, _: Person, id: string) => change(organizer, id, { visibility: 'private' }),
    (organizer: Person) => suspend(organizer),
    (_: Person, guest: Person) => suspend(guest),
  ])
    for (const isQueued of [true, false]) {
      const [organizer, guest] = await createReaders(2);
      assert.ok(organizer && guest);
      const event = await createEvent(api, organizer);
      await rsvpGoing(api, guest, event.id);
      await change(organizer, event.id, { startAt: inDays(5), endAt: inDays(6) });
      if (isQueued) await deliver();
      await hide(organizer, guest, event.id);
      assert.deepEqual(await summaryOf(mailed()), [], `${hide}`);
    }
});

test('bookingConfirmed: a person who moves up from the waitlist gets a mail', async () => {
  const [organizer, first, second] = await createReaders(3);
  assert.ok(organizer && first && second);
  const event = await createEvent(api, organizer, { title: 'Boat trip', capacity: 1 });
  for (const person of [first, second])
    expectStatus(await api.post(bookingPath(event.id), person.token, { seats: 1, waitlist: true }), 201);
  expectStatus(await api.delete(bookingPath(event.id), first.token), 200);
  assert.deepEqual(await summaryOf(mailed()), [
    `${second.email}: You moved up from the waitlist and have seats: Boat trip`,
  ]);
});

test('message: one mail of a conversation ten minutes after the first unread message, until it is read', async () => {
  const [writer, reader] = await createReaders(2);
  assert.ok(writer && reader);
  expectStatus(await api.patch('/v1/me', writer.token, { name: 'Noor' }), 200);
  const wait = async (minutes: number) => {
    await deliver();
    clock.advance(minutes * minuteMs);
    return await summaryOf(mailed());
  };
  await write(writer, reader, 'Hello');
  assert.deepEqual(await wait(9), []);
  await write(writer, reader, 'Are you there?');
  assert.deepEqual(await wait(1), [`${reader.email}: Noor sent you 2 messages`]);
  await write(writer, reader, 'Well?');
  assert.deepEqual(await wait(60), []);
  await read(reader, writer);
  await write(writer, reader, 'Good');
  await deliver();
  await read(reader, writer);
  assert.deepEqual(await wait(11), [], 'what was read meanwhile is not mailed');
  await write(writer, reader, 'Bye');
  assert.deepEqual(await wait(11), [`${reader.email}: Noor sent you a message`]);
});

test('message: a conversation that goes on does not delay the mail about what is unread', async () => {
  const [writer, reader] = await createReaders(2);
  assert.ok(writer && reader);
  await write(writer, reader, 'One');
  await deliver();
  await read(reader, writer);
  for (let n = 0; n < 4; n++) {
    await write(writer, reader, `More ${n}`);
    await deliver();
    clock.advance(3 * minuteMs);
  }
  assert.equal((await mailed()).length, 1);
});

test('follower: no mail unless it is switched on, and then one a day that names the new followers', async () => {
  const [reader, ...others] = await createReaders(1);
  assert.ok(reader);
  const followers = await createUsers(api, 5);
  for (const [n, { token }] of followers.entries())
    expectStatus(await api.patch('/v1/me', token, { name: `Person ${n}` }), 200);
  const [first, second, third, fourth, fifth] = followers;
  assert.ok(first && second && third && fourth && fifth && others.length === 0);
  await follow(first, reader);
  assert.deepEqual(await summaryOf(mailed()), []);
  await set(reader, { follower: 'mail' });
  await follow(second, reader);
  assert.deepEqual(await summaryOf(mailed()), [`${reader.email}: Person 1 and Person 0 follow you`]);
  for (const person of [third, fourth]) await follow(person, reader);
  assert.deepEqual(await summaryOf(mailed()), []);
  await follow(fifth, reader);
  clock.advance(24 * 60 * minuteMs);
  const [subject = '', ...more] = await summaryOf(mailed());
  assert.deepEqual(more, []);
  assert.match(subject, /: Person 4, Person [23] and 3 others follow you$/);
});

test('mails: nothing is stored for them on a server that sends none', async () => {
  const [organizer, guest] = await createReaders(2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  await change(organizer, event.id, { status: 'cancelled' });
  await write(organizer, guest, 'Hello');
  await deliver({ isOn: false });
  assert.deepEqual(await mails.rows(), []);
});
