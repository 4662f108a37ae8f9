/** What invitations tell people: mails, texts and notifications, within the limits of people and addresses. */
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { hashContact } from '../../src/modules/accounts/codes/hashes.ts';
import { eraseOldInvitations } from '../../src/modules/invitations/erase-invitations.ts';
import { isRefused } from '../../src/modules/invitations/refusals.ts';
import {
  addAddress,
  createEvent,
  createUser,
  inDays,
  nextAddress,
  nextPhone,
  type Person,
  rsvpGoing,
  signIn,
} from '../support/factories.ts';
import { createInviter, invite, makeOld, readInvitation } from '../support/invitations.ts';
import { headerOf } from '../support/mail-server.ts';
import { expectProblem, expectStatus, secretKey, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const inviter = await createInviter(api);
const { mailed, wordsOf, texts, mails } = inviter;
const hourMs = 3_600_000;

beforeEach(mails.clear);

/** Time passes, and the people sign in again. */
async function pass(hours: number, ...people: Person[]): Promise<void> {
  api.clock.advance(hours * hourMs);
  for (const person of people) person.token = (await signIn(api, person.phone)).token;
}
const addresses = (count: number) => Array.from({ length: count }, () => ({ email: nextAddress() }));
const deliveryOf = async (person: { token: string }, id: string | undefined) =>
  (await readInvitation(api, person, id ?? '')).delivery;

test("mail of an invitation: who invites, to what, when, where, why, not to pass it on and how to refuse; people's words are few, and none is in the subject", async () => {
  const noor = await createUser(api, { name: 'Noor al-Hamad' });
  await makeOld(api, noor, 3);
  const event = await createEvent(api, noor, {
    title: 'Harbour potluck',
    location: { address: 'Kajen 3, Mölle', lat: 56.28, lng: 12.49 },
  });
  const email = nextAddress();
  const { data } = await invite(api, noor, event.id, [{ email }], { message: 'Bring a friend!' });
  const [mail, ...more] = await mailed();
  assert.ok(mail);
  assert.deepEqual([mail.to, more], [email, []]);
  assert.equal(headerOf(mail, 'Subject'), 'You are invited to an event on Potluck');
  const words = wordsOf(mail);
  for (const part of [
    /^Noor al-Hamad invites you\n/,
    /Harbour potluck\n/,
    /Kajen 3, Mölle/,
    /Noor al-Hamad: Bring a friend!|Bring a friend!/,
    /because someone invited you with this address/,
    /do not pass this mail on/,
    /No more invitations from anyone on Potluck:\nhttps:\/\/events\.example\.org\/unsubscribe\?token=invitations\./,
  ])
    assert.match(words, part);
  assert.match(words, new RegExp(`\nhttps://events\\.example\\.org/i/${data[0]?.url?.split('/').at(-1)}\n`));
  assert.equal(headerOf(mail, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click');
  assert.equal(await deliveryOf(noor, data[0]?.id), 'sent');
  assert.deepEqual(await mailed(), []);
});

test('mail of an invitation: words with a domain, an address or a number are left out, long ones are cut, and a new account has no message', async () => {
  const spammer = await createUser(api, { name: 'Visit evil.example' });
  const event = await createEvent(api, spammer, {
    title: `${'a'.repeat(70)}`,
    location: { address: 'Call 0701234567', lat: 56.28, lng: 12.49 },
  });
  await invite(api, spammer, event.id, addresses(1), { message: 'Look at this!' });
  const [mail] = await mailed();
  assert.ok(mail);
  const words = wordsOf(mail);
  assert.match(words, /^You are invited\n/);
  assert.match(words, new RegExp(`\n${'a'.repeat(59)}…\n`));
  for (const part of [/evil/, /0701234567/, /Look at this/]) assert.doesNotMatch(words, part);
});

test('text of an invitation: the link alone', async () => {
  const person = await createUser(api, { name: 'Noor' });
  const event = await createEvent(api, person);
  const phone = nextPhone();
  const { data } = await invite(api, person, event.id, [{ phone }]);
  await mailed();
  assert.deepEqual(
    texts.splice(0).map((text) => text.phone),
    [phone],
  );
  assert.equal(await deliveryOf(person, data[0]?.id), 'sent');
});

test('notification of an invitation: by userId, with its id; a withdrawn one leaves the inbox', async () => {
  const [person, user] = [await createUser(api), await createUser(api)];
  const event = await createEvent(api, person);
  const { data } = await invite(api, person, event.id, [{ userId: user.id }]);
  await mailed();
  const inbox = async () => expectStatus(await api.get('/v1/notifications', user.token), 200).body.data;
  const [notification] = await inbox();
  assert.deepEqual(
    [notification.kind, notification.person.id, notification.event.id, notification.invitation],
    ['invitation', person.id, event.id, { id: data[0]?.id }],
  );
  expectStatus(await api.delete(`/v1/invitations/${data[0]?.id}`, person.token), 200);
  assert.deepEqual(await inbox(), []);
});

test('limits of a person: 50 mails in 24 hours in the first 48 hours of an account, 200 later; the rest waits', async () => {
  const person = await createUser(api);
  const event = await createEvent(api, person, { startAt: inDays(9), endAt: inDays(9, 2) });
  const first = await invite(api, person, event.id, addresses(60));
  assert.equal(first.meta.waiting?.number, 10);
  const waitedMs = new Date(first.meta.waiting?.until ?? 0).getTime() - api.clock.now().getTime();
  assert.ok(Math.abs(waitedMs - 24 * hourMs) < hourMs, `${waitedMs}`);
  assert.equal((await mailed()).length, 50);
  assert.deepEqual(await Promise.all([0, 59].map((i) => deliveryOf(person, first.data[i]?.id))), [
    'sent',
    'queued',
  ]);
  const withdrawn = first.data[59]?.id ?? '';
  expectStatus(await api.delete(`/v1/invitations/${withdrawn}`, person.token), 200);
  api.clock.advance(24 * hourMs + 1);
  assert.equal((await mailed()).length, 9);
  const old = await createUser(api);
  await makeOld(api, old, 2.1);
  const other = await createEvent(api, old, { startAt: inDays(9), endAt: inDays(9, 2) });
  for (let i = 0; i < 2; i++)
    assert.equal((await invite(api, old, other.id, addresses(100))).meta.waiting, null);
  assert.equal((await invite(api, old, other.id, addresses(1))).meta.waiting?.number, 1);
  assert.equal((await mailed()).length, 200);
  await pass(25);
  assert.equal((await mailed()).length, 1);
});

test('limit of an address: three a day by young accounts together, one by each other; the rest is `sent`, and leaves later', async () => {
  const email = nextAddress();
  const inviteAs = async (days: number) => {
    const person = await createUser(api);
    if (days > 0) await makeOld(api, person, days);
    const event = await createEvent(api, person, { startAt: inDays(9), endAt: inDays(9, 2) });
    const { data, meta } = await invite(api, person, event.id, [{ email }]);
    assert.equal(meta.waiting, null);
    return { person, event, id: data[0]?.id };
  };
  for (let i = 0; i < 3; i++) await inviteAs(0);
  assert.equal((await mailed()).length, 3);
  const fourth = await inviteAs(0);
  assert.equal((await mailed()).length, 0);
  assert.equal(await deliveryOf(fourth.person, fourth.id), 'sent');
  const old = await inviteAs(40);
  assert.equal((await mailed()).length, 1);
  const second = await createEvent(api, old.person, { startAt: inDays(9), endAt: inDays(9, 2) });
  await invite(api, old.person, second.id, [{ email }]);
  assert.equal((await mailed()).length, 0);
  api.clock.advance(24 * hourMs + 1);
  assert.equal((await mailed()).length, 2);
});

// spec: 5 POST /v1/invitations/:id/send: invitations
test('refusing all invitations: by one post, reversible; each inviter sees `failed`, and nothing else changes', async () => {
  const person = await createUser(api);
  const event = await createEvent(api, person, { startAt: inDays(9), endAt: inDays(9, 2) });
  const email = nextAddress();
  await invite(api, person, event.id, [{ email }]);
  const [mail] = await mailed();
  assert.ok(mail);
  const path =
    /<https:\/\/events\.example\.org(\/v1\/unsubscribe\?token=\S+)>/.exec(
      headerOf(mail, 'List-Unsubscribe'),
    )?.[1] ?? '';
  const hash = hashContact(secretKey, { kind: 'email', value: email });
  const opened = await fetch(api.url + path, { redirect: 'manual' });
  assert.equal(opened.status, 303);
  assert.equal(await isRefused(api.sql, hash), false);
  const form = {
    raw: 'List-Unsubscribe=One-Click',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  };
  for (let i = 0; i < 2; i++) expectStatus(await api.call('POST', path, form), 200);
  assert.equal(await isRefused(api.sql, hash), true);
  const other = await createEvent(api, person, { startAt: inDays(9), endAt: inDays(9, 2) });
  await makeOld(api, person, 40);
  await pass(25, person);
  const { data } = await invite(api, person, other.id, [{ email }]);
  assert.deepEqual(await mailed(), []);
  const id = data[0]?.id ?? '';
  assert.equal(await deliveryOf(person, id), 'failed');
  expectStatus(await api.post(`${path}&undo=true`), 200);
  expectStatus(await api.patch(`/v1/invitations/${id}`, person.token, { email: nextAddress() }), 200);
  await pass(25, person);
  assert.equal(
    expectStatus(await api.post(`/v1/invitations/${id}/send`, person.token), 202).body.delivery,
    'queued',
  );
  assert.equal((await mailed()).length, 1);
  expectProblem(await api.post(`/v1/invitations/${id}/send`, person.token), 409, 'not_failed');
  await api.sql`update invitations set delivery = 'failed', resends = 3 where id = ${id}`;
  expectProblem(await api.post(`/v1/invitations/${id}/send`, person.token), 429, 'quota_exceeded');
});

test('what an inviter sees does not depend on the account behind a contact, on its settings, or on a block', async () => {
  const person = await createUser(api);
  await makeOld(api, person, 40);
  const event = await createEvent(api, person);
  const [blocker, silent] = [await createUser(api), await createUser(api)];
  const people = [
    { email: await addAddress(api, blocker) },
    { email: await addAddress(api, silent) },
    ...addresses(1),
  ];
  expectStatus(await api.post(`/v1/users/${person.id}/block`, blocker.token), 200);
  expectStatus(await api.patch('/v1/notifications/settings', silent.token, { invitation: 'off' }), 200);
  const { data } = await invite(api, person, event.id, people);
  assert.deepEqual(
    (await mailed()).map(({ to }) => to),
    [people[2]?.email],
  );
  assert.deepEqual(await Promise.all(data.map(({ id }) => deliveryOf(person, id))), ['sent', 'sent', 'sent']);
});

// spec: 5 POST /v1/events/:id/invitations/remind: invitations
test('remind: those without an answer, not in the first 24 hours, twice at most, 48 hours apart; pressed twice is once', async () => {
  const person = await createUser(api);
  await makeOld(api, person, 40);
  const event = await createEvent(api, person, { startAt: inDays(20), endAt: inDays(20, 2) });
  const [user, answered] = [await createUser(api), await createUser(api)];
  const email = await addAddress(api, answered);
  await invite(api, person, event.id, [{ userId: user.id }, { email }, ...addresses(1), { name: 'Link' }]);
  assert.equal((await mailed()).length, 2);
  await rsvpGoing(api, answered, event.id);
  const path = `/v1/events/${event.id}/invitations/remind`;
  const remind = async () => expectStatus(await api.post(path, person.token), 202).body.recipients;
  assert.equal(await remind(), 0);
  await pass(25, person);
  assert.equal(await remind(), 3);
  assert.equal(await remind(), 0);
  // The account of the contact has answered otherwise.
  const reminders = await mailed();
  assert.deepEqual(
    reminders.map((mail) => headerOf(mail, 'Subject')),
    ['Are you coming? An invitation on Potluck'],
  );
  await pass(47, person);
  assert.equal(await remind(), 0);
  await pass(2, person);
  assert.equal(await remind(), 3);
  await pass(49, person, user);
  assert.equal(await remind(), 0);
  expectProblem(await api.post(path, user.token), 403, 'not_organizer');
});

test('remind: nobody after `rsvpUntil`, the start or a cancellation', async () => {
  const person = await createUser(api);
  const event = await createEvent(api, person, { startAt: inDays(60), endAt: inDays(60, 2) });
  await invite(api, person, event.id, addresses(1));
  await mailed();
  await pass(25, person);
  const now = api.clock.now().getTime();
  for (const change of [
    { rsvpUntil: new Date(now - hourMs).toISOString() },
    { rsvpUntil: null, startAt: new Date(now - hourMs).toISOString() },
  ]) {
    expectStatus(await api.patch(`/v1/events/${event.id}`, person.token, change), 200);
    const reminding = await api.post(`/v1/events/${event.id}/invitations/remind`, person.token);
    assert.equal(expectStatus(reminding, 202).body.recipients, 0);
  }
  expectStatus(await api.patch(`/v1/events/${event.id}`, person.token, { startAt: event.startAt }), 200);
  expectStatus(await api.patch(`/v1/events/${event.id}`, person.token, { status: 'cancelled' }), 200);
  const path = `/v1/events/${event.id}/invitations/remind`;
  assert.equal(expectStatus(await api.post(path, person.token), 202).body.recipients, 0);
});

test('invitations that wait do not leave once the event is cancelled, nor reminders after the start', async () => {
  const [person, user] = [await createUser(api), await createUser(api)];
  const event = await createEvent(api, person, { startAt: inDays(90), endAt: inDays(99) });
  const { data, meta } = await invite(api, person, event.id, [...addresses(51), { userId: user.id }]);
  assert.equal(meta.waiting?.number, 2);
  const last = data[50]?.id;
  assert.equal((await mailed()).length, 50);
  expectStatus(await api.patch(`/v1/events/${event.id}`, person.token, { status: 'cancelled' }), 200);
  await pass(25, person, user);
  assert.deepEqual(await mailed(), []);
  assert.deepEqual(
    [await deliveryOf(person, last), await deliveryOf(person, data[51]?.id)],
    ['failed', 'failed'],
  );
  assert.deepEqual(expectStatus(await api.get('/v1/notifications', user.token), 200).body.data, []);
  // It takes place again, and can be sent again.
  expectStatus(await api.patch(`/v1/events/${event.id}`, person.token, { status: 'scheduled' }), 200);
  expectStatus(await api.post(`/v1/invitations/${last}/send`, person.token), 202);
  assert.equal((await mailed()).length, 1);
  assert.equal(
    expectStatus(await api.post(`/v1/events/${event.id}/invitations/remind`, person.token), 202).body
      .recipients,
    51,
  );
  const startAt = new Date(api.clock.now().getTime() - hourMs).toISOString();
  expectStatus(await api.patch(`/v1/events/${event.id}`, person.token, { startAt }), 200);
  assert.deepEqual(await mailed(), []);
  assert.equal(await deliveryOf(person, data[0]?.id), 'sent');
});

test('erasure: contacts and addresses of mails are erased 30 days after the end of the event, and with the invitation', async () => {
  const person = await createUser(api);
  const event = await createEvent(api, person, { startAt: inDays(60), endAt: inDays(60, 2) });
  const [kept, withdrawn] = addresses(2);
  const { data } = await invite(api, person, event.id, [kept ?? {}, withdrawn ?? {}]);
  await mailed();
  expectStatus(await api.delete(`/v1/invitations/${data[1]?.id}`, person.token), 200);
  const addressesOf = async () =>
    (
      await api.sql<{ address: string }[]>`
      select address from mails where subject_id = ${event.id} union select contact from invitations where subject_id = ${event.id}
        and contact is not null`
    ).map(({ address }) => address);
  assert.deepEqual(await addressesOf(), [kept?.email]);
  await eraseOldInvitations({
    db: api.sql,
    clock: () => new Date(Date.parse(event.endAt) + 29 * 24 * hourMs),
  });
  assert.deepEqual(await addressesOf(), [kept?.email]);
  await eraseOldInvitations({
    db: api.sql,
    clock: () => new Date(Date.parse(event.endAt) + 31 * 24 * hourMs),
  });
  assert.deepEqual(await addressesOf(), []);
  assert.equal((await readInvitation(api, person, data[0]?.id ?? '')).email, null);
});
