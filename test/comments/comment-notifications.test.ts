/** Notifications of comments and replies: whom they reach, what they count, and how far apart pushes and mails are. */
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { sendPushes } from '../../src/modules/notifications/push/send-pushes.ts';
import { createMailClient } from '../mail/mail-client.ts';
import { createNewsClient } from '../mail/news-client.ts';
import { createNotificationClient } from '../notifications/notification-client.ts';
import { writeComment } from '../support/comments.ts';
import {
  addAddress,
  createAdmin,
  createEvent,
  createUsers,
  deleteAccount,
  nextAddress,
  type Person,
} from '../support/factories.ts';
import { answerAsGuest } from '../support/guests.ts';
import { headerOf } from '../support/mail-server.ts';
import { Browser } from '../support/push-browser.ts';
import { expectStatus, secretKey, startTestApp, TestClock } from '../support/setup.ts';

const publicUrl = 'https://potluck.example';
const api = await startTestApp({ env: { PUBLIC_URL: publicUrl, DEV_CODES: 'on' } });
const second = await api.startAnother();
const { summary, inbox, markRead, set } = createNotificationClient(api);
/** The clock of the jobs, apart from that of the sessions. */
const clock = new TestClock();
const jobs = { ...api, clock };
const news = createNewsClient(jobs, await createMailClient(jobs, { PUBLIC_URL: publicUrl }));
const deliver = () => news.deliver({ isOn: false });
const minutes = (count: number) => clock.advance(count * 60_000);
beforeEach(() => api.clock.advance(61_000));

async function createPeople() {
  const [organizer, ana, ben, eve] = (await createUsers(api, 4)) as [Person, Person, Person, Person];
  const event = await createEvent(api, organizer, {
    commentVisibility: 'everyone',
    title: 'Harbour potluck',
  });
  return { organizer, ana, ben, eve, event: event.id };
}
const remove = async (person: Person, id: string) =>
  expectStatus(await api.delete(`/v1/comments/${id}`, person.token), 200);
const subscribe = async (person: Person): Promise<Browser> => {
  const browser = new Browser();
  expectStatus(await api.post('/v1/push/subscriptions', person.token, browser.toJSON()), 201);
  return browser;
};

/** Sends what is due, on both servers at once. @returns what the browser shows */
async function pushed(browser: Browser) {
  await deliver();
  const sent: { kind: string; count: number; person: { name: string } }[] = [];
  const context = { clock: clock.now, config: { secretKey, publicUrl }, log: { info: () => {} } };
  const post = async (request: Parameters<Parameters<typeof sendPushes>[1]>[0]) => {
    if (request.endpoint === browser.endpoint) sent.push(browser.read(request));
    return { status: 201, retryAfter: undefined };
  };
  await Promise.all([api, second].map((server) => sendPushes({ ...context, db: server.sql }, post)));
  return sent.map(({ kind, count }) => `${kind}×${count}`);
}

// spec: 6 GET /v1/notifications, POST /v1/events/:id/comments: notifications of comments
test('comment notification: counts for the organizer in one unread entry that names the latest person', async () => {
  const { organizer, ana, ben, event } = await createPeople();
  await writeComment(api, ana, event);
  await writeComment(api, ben, event);
  await writeComment(api, organizer, event, 'Nobody is told of their own');
  await deliver();
  const [entry, ...others] = await inbox(organizer);
  assert.deepEqual(
    [entry?.kind, entry?.count, entry?.isRead, entry?.person?.id, entry?.event?.id, others.length],
    ['comments', 2, false, ben.id, event, 0],
  );
  for (const person of [ana, ben]) assert.deepEqual(await summary(person), []);
  // What comes after it is read is a new entry.
  expectStatus(await markRead(organizer, entry?.id ?? ''), 200);
  await writeComment(api, ana, event, 'one more');
  await deliver();
  assert.deepEqual(await summary(organizer), ['comments×1!', 'comments×2']);
});

// spec: 6 GET /v1/notifications, POST /v1/events/:id/comments: notifications of comments
test('comment notification: the author of the comment replied to is told, once if they organize the event too', async () => {
  const { organizer, ana, ben, event } = await createPeople();
  const [mine, own] = [await writeComment(api, ana, event), await writeComment(api, organizer, event)];
  await writeComment(api, ben, event, 'reply', mine.id);
  await writeComment(api, ben, event, 'to the organizer', own.id);
  await writeComment(api, ana, event, 'to myself', mine.id);
  await writeComment(api, ben, event, 'to nobody');
  await deliver();
  assert.deepEqual(await summary(ana), ['comments×1!']);
  assert.deepEqual((await inbox(ana))[0]?.person?.id, ben.id);
  assert.deepEqual(await summary(organizer), ['comments×5!']);
  assert.deepEqual(await summary(ben), []);
});

// spec: 6 GET /v1/notifications, POST /v1/events/:id/comments: notifications of comments
test('comment notification: what is deleted leaves the inbox, read or not, and others stay', async () => {
  const { organizer, ana, ben, event } = await createPeople();
  const first = await writeComment(api, ana, event, 'first');
  await deliver();
  const [read] = await inbox(organizer);
  expectStatus(await markRead(organizer, read?.id ?? ''), 200);
  const second_ = await writeComment(api, ben, event, 'second');
  await deliver();
  // The one that was read goes without the one that was not.
  await remove(ana, first.id);
  assert.deepEqual(await summary(organizer), ['comments×1!']);
  const third = await writeComment(api, ana, event, 'third');
  await deliver();
  await remove(organizer, third.id);
  assert.deepEqual(
    (await inbox(organizer)).map(({ person }) => person?.id),
    [ben.id],
  );
  await remove(ben, second_.id);
  assert.deepEqual(await summary(organizer), []);
  assert.equal(expectStatus(await api.get('/v1/notifications', organizer.token), 200).body.unreadCount, 0);
  // Deleted before the job sees it.
  await remove(ana, (await writeComment(api, ana, event, 'quick')).id);
  await deliver();
  assert.deepEqual(await summary(organizer), []);
});

// spec: 6 GET /v1/notifications, POST /v1/events/:id/comments: notifications of comments
test('comment notification: none across a block, of suspended people, or of a deleted account', async () => {
  const { organizer, ana, ben, eve, event } = await createPeople();
  expectStatus(await api.post(`/v1/users/${ana.id}/block`, organizer.token), 200);
  for (const person of [ana, ben, eve]) await writeComment(api, person, event);
  await deliver();
  assert.deepEqual(await summary(organizer), ['comments×2!']);
  const admin = await createAdmin(api);
  expectStatus(await api.post(`/v1/admin/users/${eve.id}/suspend`, admin.token, {}), 200);
  assert.deepEqual(await summary(organizer), ['comments×1!']);
  assert.equal((await inbox(organizer))[0]?.person?.id, ben.id);
  expectStatus(await deleteAccount(api, ben), 200);
  assert.deepEqual(await summary(organizer), []);
  expectStatus(await api.delete(`/v1/admin/users/${eve.id}/suspend`, admin.token), 200);
  assert.deepEqual(await summary(organizer), ['comments×1!']);
});

// spec: 6 GET /v1/notifications, POST /v1/events/:id/comments: notifications of comments
test('comment notification: the level is `push` by default, and `off` stores none', async () => {
  const { organizer, ana, event } = await createPeople();
  const settings = expectStatus(await api.get('/v1/notifications/settings', organizer.token), 200).body;
  assert.equal(settings.comments, 'push');
  await set(organizer, { comments: 'off' });
  await writeComment(api, ana, event);
  await deliver();
  assert.deepEqual(await summary(organizer), []);
});

// spec: 6 GET /v1/notifications, POST /v1/events/:id/comments: notifications of comments
test('comment notification: pushes of one event are 30 minutes apart, whether they are read or not', async () => {
  const { organizer, ana, event } = await createPeople();
  const browser = await subscribe(organizer);
  await writeComment(api, ana, event);
  assert.deepEqual(await pushed(browser), ['comments×1']);
  const [entry] = await inbox(organizer);
  expectStatus(await markRead(organizer, entry?.id ?? ''), 200);
  minutes(5);
  await writeComment(api, ana, event);
  await writeComment(api, ana, event);
  assert.deepEqual(await pushed(browser), []);
  minutes(10);
  await writeComment(api, ana, event);
  minutes(14);
  assert.deepEqual(await pushed(browser), []);
  minutes(1);
  assert.deepEqual(await pushed(browser), ['comments×3']);
  minutes(29);
  await writeComment(api, ana, event);
  assert.deepEqual(await pushed(browser), []);
  minutes(1);
  assert.deepEqual(await pushed(browser), ['comments×4']);
  // Another event has a pause of its own, and after a long one there is none.
  const other = (await createEvent(api, organizer, { commentVisibility: 'everyone' })).id;
  await writeComment(api, ana, other);
  assert.deepEqual(await pushed(browser), ['comments×1']);
  minutes(60);
  await writeComment(api, ana, event);
  assert.deepEqual(await pushed(browser), ['comments×5']);
});

// spec: 6 GET /v1/notifications, POST /v1/events/:id/comments: notifications of comments
test('comment notification: a push that waits is not sent if its comments are deleted or read', async () => {
  const { organizer, ana, event } = await createPeople();
  const browser = await subscribe(organizer);
  const one = await writeComment(api, ana, event);
  assert.deepEqual(await pushed(browser), ['comments×1']);
  const two = await writeComment(api, ana, event);
  assert.deepEqual(await pushed(browser), []);
  await remove(ana, one.id);
  await remove(ana, two.id);
  minutes(31);
  assert.deepEqual(await pushed(browser), []);
});

// spec: 6 GET /v1/notifications, POST /v1/events/:id/comments: notifications of comments
test('comment mail: of one event 30 minutes apart, without an address to reply to, and not of what is deleted', async () => {
  const { organizer, ana, ben, event } = await createPeople();
  const [address, replies] = [nextAddress(), nextAddress()];
  await addAddress(api, organizer, address);
  await addAddress(api, ana, replies);
  expectStatus(await api.patch('/v1/me', ana.token, { mailReplies: true }), 200);
  await set(organizer, { comments: 'all' });
  await news.mailed();
  await writeComment(api, ana, event);
  const [mail, ...more] = await news.mailed();
  assert.ok(mail);
  assert.equal(more.length, 0);
  assert.equal(mail.to, address);
  assert.match(headerOf(mail, 'Subject') ?? '', /wrote a comment: Harbour potluck/);
  assert.equal(headerOf(mail, 'Reply-To'), '');
  assert.ok(!mail.text.includes('text/calendar') && !mail.text.includes(replies));
  minutes(5);
  const deleted = await writeComment(api, ana, event);
  await writeComment(api, ben, event);
  assert.deepEqual(await news.mailed(), []);
  minutes(25);
  const [next] = await news.mailed();
  assert.match(headerOf(next as typeof mail, 'Subject') ?? '', /3 new comments: Harbour potluck/);
  minutes(1);
  const later = await writeComment(api, ben, event);
  // The mail before left a minute ago, whenever it was stored.
  minutes(28);
  assert.deepEqual(await news.mailed(), []);
  const [entry] = await inbox(organizer);
  expectStatus(await markRead(organizer, entry?.id ?? ''), 200);
  minutes(2);
  assert.deepEqual(await news.mailed(), []);
  minutes(60);
  const last = await writeComment(api, ben, event);
  await deliver();
  for (const { id } of [deleted, later, last]) await remove(organizer, id);
  minutes(1);
  assert.deepEqual(await news.mailed(), []);
});

// spec: 6 GET /v1/notifications, POST /v1/events/:id/comments: notifications of comments
test('comment mail: none to a guest without an account whose comment is replied to', async () => {
  const { organizer, event } = await createPeople();
  const email = nextAddress();
  const guest = await answerAsGuest(api, event, { email, name: 'Mara', status: 'going' });
  await news.mailed();
  const comment = await writeComment(api, { token: guest.guestToken }, event);
  await writeComment(api, organizer, event, 'reply', comment.id);
  const mails = await news.mailed();
  assert.deepEqual(
    mails.filter(({ to }) => to === email),
    [],
  );
});
