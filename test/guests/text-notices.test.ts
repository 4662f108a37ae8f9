/** Text messages to guests without an account who gave a phone number alone. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { dayMs, minuteMs } from '#base';
import { startNewsServer } from '../mail/news-client.ts';
import {
  createEvent,
  createUser,
  inDays,
  nextAddress,
  nextPhone,
  type Person,
} from '../support/factories.ts';
import { answerAsGuest } from '../support/guests.ts';

const { api, clock, mails, news, change } = await startNewsServer();
const organizer = await createUser(api);

const createParty = (fields = {}) => createEvent(api, organizer, { title: 'Harbour potluck', ...fields });
async function createGuest(eventId: string): Promise<string> {
  const phone = nextPhone();
  await answerAsGuest(api, eventId, { phone, name: 'Mara', status: 'going' });
  return phone;
}
/** Runs all jobs. @returns the texts that were sent, and the number of mails */
async function sent(): Promise<{ texts: string[]; mails: number }> {
  const received = await news.mailed();
  return { texts: mails.texts.splice(0).map(({ text }) => text), mails: received.length };
}
const changeEvent = async (person: Person, id: string, fields: object) => {
  clock.advance(11 * minuteMs);
  await change(person, id, fields);
};

test('text: a guest with a number is told of a cancellation and of another time or place, with the title alone', async () => {
  const event = await createParty();
  const phone = await createGuest(event.id);
  await sent();
  await changeEvent(organizer, event.id, { title: 'Harbour potluck 2' });
  assert.deepEqual(await sent(), { texts: [], mails: 0 });
  await changeEvent(organizer, event.id, { startAt: inDays(3), endAt: inDays(4), message: 'Bring boots!' });
  const link = `https://events.example.org/e/${event.id}/answer?again`;
  await news.deliver();
  assert.deepEqual(await sent(), {
    texts: [`The time or place has changed: Harbour potluck 2\n${link}`],
    mails: 0,
  });
  await changeEvent(organizer, event.id, { status: 'cancelled', message: 'Storm.' });
  await news.mailed();
  assert.deepEqual(mails.texts.splice(0), [{ phone, text: `Cancelled: Harbour potluck 2\n${link}` }]);
});

test('text: at most three to a guest about the event', async () => {
  const event = await createParty();
  await createGuest(event.id);
  let texts = 0;
  for (const days of [5, 6, 7, 8, 9]) {
    await changeEvent(organizer, event.id, { startAt: inDays(days), endAt: inDays(days + 1) });
    texts += (await sent()).texts.length;
  }
  assert.equal(texts, 3);
});

test('text: without a mail server too; a guest with a mail address and an account with a number get none', async () => {
  const event = await createParty();
  const account = await createUser(api);
  await api.post(`/v1/events/${event.id}/rsvp`, account.token, { status: 'going' });
  await answerAsGuest(api, event.id, { email: nextAddress(), name: 'Noor', status: 'going' });
  const phone = await createGuest(event.id);
  await changeEvent(organizer, event.id, { status: 'cancelled' });
  await news.deliver({ isOn: false });
  await mails.createSender().run();
  assert.deepEqual(
    mails.texts.splice(0).map((each) => each.phone),
    [phone],
  );
  assert.deepEqual(mails.mailServer.received.splice(0), []);
});

test('text: above SMS_NOTICES_PER_DAY they wait until the next day, and codes are sent', async () => {
  await api.sql`delete from code_sends where scope = 'notices'`;
  const event = await createParty();
  const phones = [await createGuest(event.id), await createGuest(event.id), await createGuest(event.id)];
  await changeEvent(organizer, event.id, { status: 'cancelled' });
  await news.deliver();
  const sender = mails.createSender(undefined, { smsNoticesPerDay: 2 });
  await sender.run();
  assert.equal(mails.texts.splice(0).length, 2);
  await createGuest((await createParty()).id);
  clock.advance(dayMs);
  await sender.run();
  const [last] = mails.texts.splice(0);
  assert.ok(last && phones.includes(last.phone));
});
