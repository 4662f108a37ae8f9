/** Reports notify the admins: one unread notification with a count, and one push until it is read. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { PushRequest } from '../../src/modules/notifications/push/post-push.ts';
import { sendPushes } from '../../src/modules/notifications/push/send-pushes.ts';
import { createAdmin, createUser, createUsers, deleteAccount, type Person } from '../support/factories.ts';
import { Browser } from '../support/push-browser.ts';
import { expectStatus, secretKey, startTestApp } from '../support/setup.ts';
import { createNotificationClient } from './notification-client.ts';

const publicUrl = 'https://potluck.example';
const api = await startTestApp({ env: { PUBLIC_URL: publicUrl, DEV_CODES: 'on' } });
const { deliver, inbox, summary, markRead, read, set } = createNotificationClient(api);

const report = async (reporter: Person, about: Person) =>
  expectStatus(
    await api.post('/v1/reports', reporter.token, {
      subject: { type: 'user', id: about.id },
      reason: 'spam',
    }),
    201,
  );
const setRole = async (admin: Person, person: Person, role: string) =>
  expectStatus(
    await api.call('PUT', `/v1/admin/users/${person.id}/role`, { token: admin.token, body: { role } }),
    200,
  );

async function send(): Promise<PushRequest[]> {
  await deliver();
  const sent: PushRequest[] = [];
  const post = async (request: PushRequest) => {
    sent.push(request);
    return { status: 201, retryAfter: undefined };
  };
  const config = { secretKey, publicUrl };
  await sendPushes({ db: api.sql, clock: () => new Date(), config, log: { info: () => {} } }, post);
  return sent;
}

// spec: 6 GET /v1/notifications: notifications of reports for admins
test('reports: each admin has one unread notification with the count; the reporter and other people have none', async () => {
  const [admin, colleague] = [await createAdmin(api), await createAdmin(api)];
  const [offender, ...reporters] = await createUsers(api, 4);
  assert.ok(offender);
  for (const reporter of reporters) {
    await report(reporter, offender);
    await deliver();
  }
  await report(colleague, offender);
  await deliver();
  assert.deepEqual(await summary(admin), ['reports×4!']);
  assert.deepEqual(await summary(colleague), ['reports×3!']);
  for (const person of [offender, ...reporters]) assert.deepEqual(await summary(person), []);
  const [entry] = await inbox(admin);
  assert.deepEqual([entry?.person?.id, entry?.event, entry?.bringing], [colleague.id, null, []]);
  expectStatus(await markRead(admin, entry?.id ?? ''), 200);
  await report(reporters[0] as Person, reporters[1] as Person);
  await deliver();
  assert.deepEqual(await summary(admin), ['reports×1!', 'reports×4']);
});

test('reports: no notification for suspended admins, nor for those who switched the kind off', async () => {
  const admin = await createAdmin(api);
  const [suspended, reporter, offender] = await createUsers(api, 3);
  assert.ok(suspended && reporter && offender);
  const quiet = await createAdmin(api);
  await set(quiet, { reports: 'off' });
  expectStatus(await api.post(`/v1/admin/users/${suspended.id}/suspend`, admin.token, {}), 200);
  await setRole(admin, suspended, 'admin');
  await report(reporter, offender);
  const [row] = await api.sql`select 1 from notification_causes where user_id = ${suspended.id}`;
  assert.equal(row, undefined);
  await deliver();
  assert.deepEqual(await summary(admin), ['reports×1!']);
  assert.deepEqual(await read(quiet), { data: [], nextCursor: null, unreadCount: 0 });
});

test('reports: a former admin sees no notification of reports, and gets no push', async () => {
  const [admin, former] = [await createAdmin(api), await createAdmin(api)];
  const [reporter, next, offender] = await createUsers(api, 3);
  assert.ok(reporter && next && offender);
  expectStatus(await api.post('/v1/push/subscriptions', former.token, new Browser().toJSON()), 201);
  await report(reporter, offender);
  await deliver();
  assert.deepEqual(await summary(former), ['reports×1!']);
  await report(next, offender);
  await setRole(admin, former, 'user');
  assert.deepEqual(await send(), []);
  assert.deepEqual(await read(former), { data: [], nextCursor: null, unreadCount: 0 });
});

test('reports: only the first is pushed until the notification is read, with the count as it is then', async () => {
  const admin = await createAdmin(api);
  const [offender, ...reporters] = await createUsers(api, 5);
  assert.ok(offender);
  const browser = new Browser();
  expectStatus(await api.post('/v1/push/subscriptions', admin.token, browser.toJSON()), 201);
  const pushes = async () =>
    (await send()).flatMap((request) => {
      if (request.endpoint !== browser.endpoint) return [];
      const { kind, count } = browser.read(request);
      return [`${kind}×${count}`];
    });
  const [first, second, third, fourth] = reporters as [Person, Person, Person, Person];
  await report(first, offender);
  await deliver();
  await report(second, offender);
  assert.deepEqual(await pushes(), ['reports×2']);
  await report(third, offender);
  assert.deepEqual(await pushes(), []);
  const [entry] = await inbox(admin);
  expectStatus(await markRead(admin, entry?.id ?? ''), 200);
  await report(fourth, offender);
  assert.deepEqual(await pushes(), ['reports×1']);
});

test('reports: the deletion of the reporter takes their report out of the count, and their name', async () => {
  const admin = await createAdmin(api);
  const [reporter, last, offender] = await createUsers(api, 3);
  assert.ok(reporter && last && offender);
  await report(reporter, offender);
  await report(last, offender);
  await deliver();
  expectStatus(await deleteAccount(api, last), 200);
  const [entry] = await inbox(admin);
  assert.deepEqual([entry?.count, entry?.person], [1, null]);
  const alone = await createUser(api);
  expectStatus(await markRead(admin, entry?.id ?? ''), 200);
  await report(alone, offender);
  await deliver();
  expectStatus(await deleteAccount(api, alone), 200);
  assert.deepEqual(await summary(admin), ['reports×1']);
});
