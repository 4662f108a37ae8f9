/** Web pushes of announcements, on two servers of which one is killed. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { runFanOuts } from '../../src/modules/notifications/delivery/fan-out.ts';
import type { PostPush } from '../../src/modules/notifications/push/post-push.ts';
import { sendPushes } from '../../src/modules/notifications/push/send-pushes.ts';
import { createNotificationClient } from '../notifications/notification-client.ts';
import { connectionOf, untilBlockedBy } from '../support/blocked-transactions.ts';
import { createEvent, createUser, createUsers, rsvpGoing } from '../support/factories.ts';
import { Browser } from '../support/push-browser.ts';
import { expectStatus, secretKey, startTestApp, type TestApp } from '../support/setup.ts';
import { createAnnouncementClient } from './announcement-client.ts';

const publicUrl = 'https://potluck.example';
const api = await startTestApp({ env: { PUBLIC_URL: publicUrl, DEV_CODES: 'on' } });
const second = await api.startAnother();
const { announce } = createAnnouncementClient(api);
const { deliver } = createNotificationClient(api);

const guestCount = 12;
/** Pushes that are under way when a server is killed: as many as a server sends at once to a service that has not answered yet. */
const sentBeforeKill = 2;

test('race: of a server that is killed while it notifies, and while it sends, each browser gets one push of an announcement', async () => {
  const organizer = await createUser(api);
  const guests = await createUsers(api, guestCount);
  const { id } = await createEvent(api, organizer);
  for (const guest of guests) {
    await rsvpGoing(api, guest, id);
    expectStatus(await api.post('/v1/push/subscriptions', guest.token, new Browser().toJSON()), 201);
  }
  await deliver();
  await announce(organizer, id, { text: 'We meet in the gym.' });

  // As by `kill -9`: the connection ends before the page of recipients is committed.
  const services = { db: api.sql, clock: api.clock.now, mailer: { isOn: false } };
  await api.sql.begin(async (tx) => {
    await tx`
      insert into notifications (user_id, id, kind, subject_id, person_id, count, created_at)
      values (${guests[0]?.id ?? ''}, '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0f7', 'announcement', ${id}, ${organizer.id}, 1, now())`;
    const killed = runFanOuts(services).catch((error: Error) => error);
    const connection = await untilBlockedBy(api.sql, await connectionOf(tx), killed);
    await api.sql`select pg_terminate_backend(${connection}::int)`;
    assert.ok((await killed) instanceof Error);
    await tx`delete from notifications where id = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0f7'`;
  });
  await Promise.all([deliver(api), deliver(second)]);

  const received: string[] = [];
  const send = (server: TestApp, post: PostPush, hours = 0) => {
    const clock = () => new Date(Date.now() + hours * 3_600_000);
    return sendPushes(
      { db: server.sql, clock, config: { secretKey, publicUrl }, log: { info: () => {} } },
      post,
    );
  };
  const accept: PostPush = async ({ endpoint }) => {
    received.push(endpoint);
    return { status: 201, retryAfter: undefined };
  };
  // A killed server reads no response, and stores nothing any more.
  const { promise: isKilled, resolve: kill } = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  void send(api, (request) => {
    received.push(request.endpoint);
    if (received.length === sentBeforeKill) kill();
    return never;
  });
  await isKilled;
  await send(second, accept);
  await send(second, accept, 2);
  assert.equal(received.length, guestCount);
  assert.equal(new Set(received).size, guestCount);
});
