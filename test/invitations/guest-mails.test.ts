/** Mails about a guest who answered by the link of an invitation: they go to the address that was invited. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { minuteMs } from '#base';
import { hashContact } from '../../src/modules/accounts/codes/hashes.ts';
import { storeRefusal } from '../../src/modules/invitations/refusals.ts';
import { startReminders } from '../../src/modules/notifications/delivery/start-reminders.ts';
import { createAnnouncementClient } from '../announcements/announcement-client.ts';
import { startNewsServer } from '../mail/news-client.ts';
import { createEvent, createItem, createUser, inDays, nextAddress, nextPhone } from '../support/factories.ts';
import { linkClient } from '../support/invitation-links.ts';
import { invite } from '../support/invitations.ts';
import { headerOf, type ReceivedMail } from '../support/mail-server.ts';
import { expectStatus, secretKey } from '../support/setup.ts';

const { api, clock, mails, news, change } = await startNewsServer();
const organizer = await createUser(api, { name: 'Zora Quist' });
const { announce } = createAnnouncementClient(api);

const title = 'Harbour potluck of the choir, with everybody who has sung in it since spring';
const shownTitle = 'Harbour potluck of the choir, with everybody who has sung i…';

const place = (address: string) => ({ address, lat: 59.3, lng: 18.1 });

/** A guest who answered by the link of an invitation to a contact. */
async function createInvited(contact: object, fields: object = {}) {
  const event = await createEvent(api, organizer, { title, location: place('Quay 4'), ...fields });
  const item = await createItem(api, organizer, event.id, { title: 'Marzipan tower', quantityNeeded: 3 });
  const { data } = await invite(api, organizer, event.id, [{ name: 'Ana', ...contact }]);
  const [invitation] = data;
  assert.ok(invitation?.url);
  const link = linkClient(api, new URL(invitation.url).pathname.replace('/i/', ''));
  const claims = [{ itemId: item.id, quantity: 1 }];
  const { user } = expectStatus(await link.answer({ status: 'going', claims }), 200).body;
  await news.mailed();
  return { event, item, invitation, guest: user as { id: string }, url: invitation.url };
}

async function mailedTo(address: string): Promise<ReceivedMail[]> {
  return (await news.mailed()).filter(({ to }) => to.includes(address));
}

/** The words of people that no such mail has. */
const hidden = /Zora|Quist|Marzipan|sung in it|Bring boots|sold out/;

// spec: 5 POST /v1/invitation/answer: answers to invitations: mails about the guest
test('guest of an invitation: its mails go to the invited address, with the title and the place of people’s words', async () => {
  const email = nextAddress();
  const { event, item, guest, url } = await createInvited({ email });
  const path = (link: string) => new URL(link).pathname;
  const expectMail = async (subject: string, kind: string) => {
    const [mail, ...others] = await mailedTo(email);
    assert.ok(mail, kind);
    assert.deepEqual(others, []);
    assert.equal(headerOf(mail, 'Subject'), subject);
    const words = news.wordsOf(mail);
    assert.doesNotMatch(words, hidden, kind);
    assert.doesNotMatch(mail.text, /Zora|Quist|text\/calendar|Reply-To/, kind);
    assert.ok(words.includes(shownTitle), kind);
    assert.ok(words.includes('Quay'), kind);
    // Its own link, by which the guest sees and changes the answer.
    assert.ok(words.includes(path(url)), kind);
    assert.ok(headerOf(mail, 'List-Unsubscribe'), kind);
  };
  clock.advance(11 * minuteMs);
  await change(organizer, event.id, { location: place('Quay 5'), message: 'Bring boots!' });
  await expectMail('The time or place has changed: An event', 'change');
  await announce(organizer, event.id, { text: 'The bar is sold out.' });
  await expectMail('Someone wrote to the guests: An event', 'announcement');
  expectStatus(await api.delete(`/v1/items/${item.id}/claims/${guest.id}`, organizer.token), 200);
  await expectMail("You don't need to bring it any more: An event", 'decision');
  clock.advance(11 * minuteMs);
  await change(organizer, event.id, { startAt: inDays(0, 20), endAt: inDays(1) });
  await mailedTo(email);
  await startReminders(api.sql, clock.now());
  await expectMail('Starts soon: An event', 'reminder');
  await change(organizer, event.id, { status: 'cancelled', message: 'Bring boots!' });
  await expectMail('Cancelled: An event', 'cancellation');
});

test('guest of an invitation: a title and a place that could lead elsewhere are left out', async () => {
  const email = nextAddress();
  const { event } = await createInvited(
    { email },
    { title: 'Win at cheap.example', location: place('Call 12345678') },
  );
  clock.advance(11 * minuteMs);
  await change(organizer, event.id, { status: 'cancelled' });
  const [mail] = await mailedTo(email);
  assert.ok(mail);
  assert.match(news.wordsOf(mail), /Cancelled: An event/);
  assert.doesNotMatch(mail.text, /cheap|12345678/);
});

test('guest of an invitation: a removed one is told at the address, and none of the words is in the subject', async () => {
  const email = nextAddress();
  const { event, guest } = await createInvited({ email });
  expectStatus(await api.delete(`/v1/events/${event.id}/guests/${guest.id}`, organizer.token), 200);
  const [mail] = await mailedTo(email);
  assert.ok(mail);
  assert.equal(headerOf(mail, 'Subject'), 'You are no longer on the guest list: An event');
  assert.ok(news.wordsOf(mail).includes(shownTitle));
});

test('guest of an invitation: no text to a number that nobody has confirmed; no mail once invitations are refused, or the link is withdrawn', async () => {
  const phone = nextPhone();
  const texted = await createInvited({ phone });
  const [refusing, withdrawn] = [nextAddress(), nextAddress()];
  const refused = await createInvited({ email: refusing });
  const { event, invitation } = await createInvited({ email: withdrawn });
  clock.advance(11 * minuteMs);
  await announce(organizer, refused.event.id, { text: 'Hello' });
  await announce(organizer, event.id, { text: 'Hello' });
  await news.deliver();
  const hash = hashContact(secretKey, { kind: 'email', value: refusing });
  await storeRefusal(api.sql, hash, true, clock.now());
  expectStatus(await api.delete(`/v1/invitations/${invitation.id}`, organizer.token), 200);
  const stored = await api.sql`select 1 from mails where address = ${withdrawn}`;
  assert.deepEqual(stored, []);
  for (const { id } of [texted.event, refused.event, event])
    await change(organizer, id, { status: 'cancelled' });
  assert.deepEqual(await news.mailed(), []);
  assert.deepEqual(mails.texts, []);
});
