/** Replies to mails about an event reach its organizer, if the organizer allows it when the mail is sent. */
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { startReminders } from '../../src/modules/notifications/delivery/start-reminders.ts';
import { bookingPath } from '../support/booking-client.ts';
import {
  addAddress,
  createAdmin,
  createEvent,
  createUser,
  deleteAccount,
  inDays,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { headerOf } from '../support/mail-server.ts';
import { createMessageClient } from '../support/message-client.ts';
import { expectStatus } from '../support/setup.ts';
import { startNewsServer } from './news-client.ts';

const { api, clock, mails, news, change } = await startNewsServer();
const { sent: write, block } = createMessageClient(api);

beforeEach(mails.clear);

async function createReader(fields: object = {}): Promise<Person & { email: string }> {
  const person = await createUser(api);
  const email = await addAddress(api, person);
  expectStatus(await api.patch('/v1/me', person.token, fields), 200);
  return { ...person, email };
}
const allow = async ({ token }: Person, mailReplies: boolean) =>
  expectStatus(await api.patch('/v1/me', token, { mailReplies }), 200);
/** Where replies to the notifications go that are mailed now. */
const repliesTo = async () =>
  (await news.mailed())
    .filter((mail) => headerOf(mail, 'List-Unsubscribe') !== '')
    .map((mail) => headerOf(mail, 'Reply-To'));
const move = (organizer: Person, id: string) =>
  change(organizer, id, { location: { address: 'Boathouse 7', lat: 59.9, lng: 10.7 } });

/** An event with a guest, to whom a mail is in the queue. */
async function queueMail(organizer: Person) {
  const guest = await createReader();
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  await move(organizer, event.id);
  await news.deliver();
  return { guest, event };
}

// spec: 5 PATCH /v1/me: replies to mails about an event reach the organizer who allows it
test('mail replies: of changes, reminders, cancellations and seats to the organizer who allows them; of messages to nobody', async () => {
  const organizer = await createReader({ name: 'Noor', mailReplies: true });
  const expected = `Noor <${organizer.email}>`;
  const [guest, waiting] = [await createReader(), await createReader()];
  const times = { startAt: inDays(3), endAt: inDays(3, 4) };
  const event = await createEvent(api, organizer, { ...times, capacity: 1 });
  await rsvpGoing(api, guest, event.id);
  await move(organizer, event.id);
  assert.deepEqual(await repliesTo(), [expected]);

  for (const person of [guest, waiting])
    expectStatus(await api.post(bookingPath(event.id), person.token, { seats: 1, waitlist: true }), 201);
  expectStatus(await api.delete(bookingPath(event.id), guest.token), 200);
  assert.deepEqual(await repliesTo(), [expected]);

  await change(organizer, event.id, { startAt: inDays(0.5), endAt: inDays(0.6) });
  await repliesTo();
  await startReminders(api.sql, clock.now());
  assert.deepEqual(await repliesTo(), [expected, expected]);
  clock.advance(11 * 60_000);
  await change(organizer, event.id, { status: 'cancelled' });
  assert.deepEqual(await repliesTo(), [expected, expected]);

  await write(organizer, guest, 'Hello');
  await news.deliver();
  clock.advance(11 * 60_000);
  assert.deepEqual(await repliesTo(), ['']);
});

test('mail replies: no address unless the organizer allows it, as things are when the mail is sent', async () => {
  const organizer = await createReader();
  assert.equal((await api.get('/v1/auth/me', organizer.token)).body.mailReplies, false);
  await queueMail(organizer);
  assert.deepEqual(await repliesTo(), ['']);
  await queueMail(organizer);
  await allow(organizer, true);
  assert.match((await repliesTo())[0] ?? '', new RegExp(organizer.email));
  await queueMail(organizer);
  await allow(organizer, false);
  assert.deepEqual(await repliesTo(), ['']);
});

test('mail replies: a former or removed address is never used, and one that is added later not before the organizer says so', async () => {
  const organizer = await createReader({ mailReplies: true });
  await queueMail(organizer);
  const changed = await addAddress(api, organizer);
  assert.match((await repliesTo())[0] ?? '', new RegExp(changed));
  await queueMail(organizer);
  const removed = expectStatus(await api.delete('/v1/me/email', organizer.token), 200).body;
  assert.equal(removed.mailReplies, false);
  await addAddress(api, organizer);
  assert.deepEqual(await repliesTo(), ['']);
});

test('mail replies: no address across a block, of a suspended organizer, or of a deleted one', async () => {
  const admin = await createAdmin(api);
  let sent = 0;
  for (const hide of [
    (organizer: Person, guest: Person) => block(guest, organizer),
    (organizer: Person, guest: Person) => block(organizer, guest),
    async ({ id }: Person) =>
      void expectStatus(await api.post(`/v1/admin/users/${id}/suspend`, admin.token, {}), 200),
    (organizer: Person) => deleteAccount(api, organizer),
  ]) {
    const organizer = await createReader({ mailReplies: true });
    const { guest, event } = await queueMail(organizer);
    // A guest of a blocked organizer still gets reminders.
    await change(organizer, event.id, { startAt: inDays(0.5), endAt: inDays(0.6) });
    await startReminders(api.sql, clock.now());
    await news.deliver();
    await hide(organizer, guest);
    const replies = await repliesTo();
    assert.deepEqual(new Set(replies).difference(new Set([''])), new Set(), `${hide}`);
    sent += replies.length;
  }
  assert.ok(sent > 0, 'no mail is sent across a block');
});
