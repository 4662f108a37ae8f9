/** Mails are stopped by their own token: by mail programs (RFC 8058), and on a page, without a sign-in. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { keyedHash, packId } from '#base';
import {
  addAddress,
  createAdmin,
  createEvent,
  createUsers,
  deleteAccount,
  inDays,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { headerOf } from '../support/mail-server.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { createMailClient } from './mail-client.ts';
import { createNewsClient } from './news-client.ts';

const api = await startTestApp();
const mails = await createMailClient(api, { PUBLIC_URL: 'https://events.example.org' });
const { deliver, mailed, summaryOf, wordsOf } = createNewsClient(api, mails);

const cancel = async (organizer: Person, id: string) =>
  expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, { status: 'cancelled' }), 200);
const levelsOf = async ({ token }: Person) =>
  expectStatus(await api.get('/v1/notifications/settings', token), 200).body;
const post = (
  path: string,
  body = 'List-Unsubscribe=One-Click',
  type = 'application/x-www-form-urlencoded',
) => api.call('POST', path, { raw: body, headers: { 'content-type': type } });

/** A cancelled event whose guest has got the mail, with the address to which mail programs post. */
async function createMailed() {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const email = await addAddress(api, guest);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  await cancel(organizer, event.id);
  const [mail] = await mailed();
  assert.ok(mail);
  const [, link = ''] =
    /^<https:\/\/events\.example\.org(\/v1\/unsubscribe\?token=\S+)>$/.exec(
      headerOf(mail, 'List-Unsubscribe'),
    ) ?? [];
  return { organizer, guest, email, mail, link };
}

// spec: 6 POST /v1/unsubscribe: a token of a mail stops the mails of its kind
test('unsubscribe: a mail program stops the kind of the mail by one post, and the inbox goes on', async () => {
  const { organizer, guest, mail, link } = await createMailed();
  assert.equal(headerOf(mail, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click');
  assert.match(
    wordsOf(mail),
    /Stop these mails, or all mails:\nhttps:\/\/events\.example\.org\/unsubscribe\?token=/,
  );
  assert.match(link, /token=eventCancelled\./);
  const opened = await fetch(api.url + link, { redirect: 'manual' });
  assert.equal(opened.status, 303);
  assert.ok(opened.headers.get('location')?.endsWith(link.replace('/v1', '')));
  assert.equal((await levelsOf(guest)).eventCancelled, 'all', 'to open the address changes nothing');
  assert.deepEqual(expectStatus(await post(link), 200).body, { kinds: ['eventCancelled'] });
  const { eventCancelled, eventChanged } = await levelsOf(guest);
  assert.deepEqual([eventCancelled, eventChanged], ['push', 'all']);
  const another = await createEvent(api, organizer);
  await rsvpGoing(api, guest, another.id);
  await cancel(organizer, another.id);
  assert.deepEqual(await summaryOf(mailed()), []);
  const { body } = await api.get('/v1/notifications?unread=true', guest.token);
  assert.equal(body.data[0].kind, 'eventCancelled');
  const multipart =
    '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n';
  expectStatus(await post(link, multipart, 'multipart/form-data; boundary=x'), 200);
  expectStatus(await api.post(link), 200);
});

test('unsubscribe: all kinds at once, each keeps its other channels', async () => {
  const { guest, link } = await createMailed();
  const set = { follower: 'mail', message: 'off', reminder: 'inbox' };
  expectStatus(await api.patch('/v1/notifications/settings', guest.token, set), 200);
  expectStatus(await post(`${link}&all=true`), 200);
  const levels = await levelsOf(guest);
  assert.deepEqual(
    [levels.follower, levels.message, levels.reminder, levels.eventChanged, levels.rsvps],
    ['inbox', 'off', 'inbox', 'push', 'push'],
  );
});

test('unsubscribe: 400 for a token of another person, another kind, another key, or none', async () => {
  const { guest, link } = await createMailed();
  const [other] = await createUsers(api, 1);
  assert.ok(other);
  const [path = '', token = ''] = link.split('?token=');
  const [, packed = ''] = token.split('.');
  const signature = Buffer.from(packed, 'base64url').subarray(16);
  const foreign = keyedHash('another-key', 'unsubscribe', `reminder ${guest.id}`).subarray(0, 16);
  const pack = (...parts: Buffer[]) => Buffer.concat(parts).toString('base64url');
  for (const wrong of [
    `eventCancelled.${pack(packId(other.id), signature)}`,
    `reminder.${packed}`,
    `reminder.${pack(packId(guest.id), foreign)}`,
    `${token}A`,
    `unknown.${packed}`,
    '',
  ])
    for (const method of ['GET', 'POST'])
      expectProblem(await api.call(method, `${path}?token=${wrong}`), 400, 'invalid_request');
  expectProblem(await api.post(path), 400, 'invalid_request');
  assert.equal((await levelsOf(guest)).reminder, 'all');
});

test('unsubscribe: of a suspended account it holds when the account is restored; of a deleted one it does nothing', async () => {
  const { guest, link } = await createMailed();
  const gone = await createMailed();
  const admin = await createAdmin(api);
  expectStatus(await api.post(`/v1/admin/users/${guest.id}/suspend`, admin.token, {}), 200);
  expectStatus(await post(link), 200);
  expectStatus(await api.delete(`/v1/admin/users/${guest.id}/suspend`, admin.token), 200);
  const [row] = await api.sql<{ level: string }[]>`
    select level from notification_settings where user_id = ${guest.id} and kind = 'eventCancelled'`;
  assert.equal(row?.level, 'push');
  await deleteAccount(api, gone.guest);
  expectStatus(await post(gone.link), 200);
  assert.deepEqual(await api.sql`select 1 from notification_settings where user_id = ${gone.guest.id}`, []);
});

test('unsubscribe: a mail that is in the queue already is not sent', async () => {
  const { organizer, guest, link } = await createMailed();
  const event = await createEvent(api, organizer, { startAt: inDays(3), endAt: inDays(4) });
  await rsvpGoing(api, guest, event.id);
  await cancel(organizer, event.id);
  await deliver();
  expectStatus(await post(link), 200);
  assert.deepEqual(await summaryOf(mailed()), []);
});
