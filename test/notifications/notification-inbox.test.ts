/** The inbox: pages, unread counts, marking as read, reminders and bounds. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { deleteExpiredNotifications } from '../../src/modules/notifications/delivery/jobs.ts';
import { inboxSize } from '../../src/modules/notifications/delivery/repo.ts';
import {
  createEvent,
  createItem,
  createUser,
  createUsers,
  inDays,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { createNotificationClient } from './notification-client.ts';

const api = await startTestApp();
const { deliver, remind, inbox, summary, markRead, markReadUpTo, read } = createNotificationClient(api);

/** Gives a person one notification for each new follower. */
async function createInbox(size: number): Promise<{ me: Person; followers: Person[] }> {
  const me = await createUser(api);
  const followers = await createUsers(api, size);
  for (const { token } of followers) {
    expectStatus(await api.post(`/v1/users/${me.id}/follow`, token), 200);
    await deliver();
  }
  return { me, followers };
}

const inHours = (hours: number): string => inDays(0, hours);

// spec: 6 GET /v1/notifications: the inbox, in pages, with the number of unread notifications
test('list: pages from the newest back contain each notification once; 400 naming the wrong parameter', async () => {
  const { me, followers } = await createInbox(5);
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const body: { data: { person: { id: string } }[]; nextCursor: string | null; unreadCount: number } =
      await read(me, `?limit=2${cursor && `&cursor=${cursor}`}`);
    assert.equal(body.unreadCount, 5);
    ids.push(...body.data.map(({ person }) => person.id));
    cursor = body.nextCursor;
  }
  assert.deepEqual(ids, followers.map(({ id }) => id).reverse());
  for (const query of ['limit=0', 'limit=51', 'cursor=x', 'unread=maybe', 'page=1']) {
    const { body } = expectProblem(
      await api.get(`/v1/notifications?${query}`, me.token),
      400,
      'invalid_request',
    );
    assert.equal(body.errors[0].path, query.split('=')[0]);
  }
});

// spec: 6 POST /v1/notifications/read, POST /v1/notifications/:id/read: mark notifications as read
test('read: one, and all up to one; later notifications stay unread', async () => {
  const { me, followers } = await createInbox(4);
  const [newest, second, , oldest] = await inbox(me);
  assert.ok(newest && second && oldest);
  assert.deepEqual(expectStatus(await markRead(me, oldest.id), 200).body, { unreadCount: 3 });
  assert.deepEqual(expectStatus(await markRead(me, oldest.id), 200).body, { unreadCount: 3 });
  assert.deepEqual(expectStatus(await markReadUpTo(me, second.id), 200).body, { unreadCount: 1 });
  assert.deepEqual(
    (await inbox(me)).map(({ isRead }) => isRead),
    [false, true, true, true],
  );
  assert.deepEqual(
    (await read(me, '?unread=true')).data.map(({ id }: { id: string }) => id),
    [newest.id],
  );
  assert.equal((await read(me, '?unread=false')).data.length, 4);
  const [stranger] = followers;
  assert.ok(stranger);
  for (const id of [newest.id, randomUUID(), 'x'])
    expectProblem(await markRead(stranger, id), 404, 'notification_not_found');
  for (const upTo of ['x', '', `${newest.id}0`])
    expectProblem(await markReadUpTo(me, upTo), 404, 'notification_not_found');
  for (const upTo of [7, null, undefined]) {
    const { body } = expectProblem(await markReadUpTo(me, upTo), 400, 'invalid_request');
    assert.equal(body.errors[0].path, 'upTo');
  }
  assert.deepEqual(expectStatus(await markReadUpTo(me, newest.id.toUpperCase()), 200).body, {
    unreadCount: 0,
  });
});

// spec: 6 GET /v1/notifications: a reminder a day before an event, with what the person brings
test('reminder: once, a day before, for those who go, with what they bring now', async () => {
  const [organizer, going, booked, interested] = await createUsers(api, 4);
  assert.ok(organizer && going && booked && interested);
  const event = await createEvent(api, organizer, { startAt: inHours(40), endAt: inHours(44) });
  const bread = await createItem(api, organizer, event.id);
  const wine = await createItem(api, organizer, event.id, { title: 'Wine', kind: 'wish' });
  await rsvpGoing(api, going, event.id);
  expectStatus(
    await api.post(`/v1/events/${event.id}/rsvp`, interested.token, { status: 'interested' }),
    200,
  );
  expectStatus(await api.post(`/v1/events/${event.id}/booking`, booked.token, { seats: 1 }), 201);
  for (const { id } of [bread, wine])
    expectStatus(await api.post(`/v1/items/${id}/claim`, going.token, { quantity: 2 }), 201);
  await remind();
  await deliver();
  assert.deepEqual(await summary(going), []);
  await Promise.all([remind(17), remind(17)]);
  await Promise.all([deliver(), deliver()]);
  await remind(18);
  await deliver();
  for (const person of [going, booked]) assert.deepEqual(await summary(person), ['reminder×1!']);
  assert.deepEqual(await summary(interested), []);
  const bringing = async () =>
    (await inbox(going))[0]?.bringing.map(({ kind, title, quantity }) => `${kind} ${quantity} ${title}`);
  assert.deepEqual(await bringing(), ['bring 2 Sourdough bread', 'wish 2 Wine']);
  expectStatus(await api.delete(`/v1/items/${wine.id}`, organizer.token), 200);
  assert.deepEqual(await bringing(), ['bring 2 Sourdough bread']);
  assert.deepEqual((await inbox(booked))[0]?.bringing, []);

  const [reminder] = await inbox(going);
  expectStatus(await markRead(going, reminder?.id ?? ''), 200);
  const move = async (hours: number) =>
    expectStatus(
      await api.patch(`/v1/events/${event.id}`, organizer.token, {
        startAt: inHours(hours),
        endAt: inHours(hours + 4),
      }),
      200,
    );
  await move(39);
  await remind(18);
  await deliver();
  assert.deepEqual(
    await summary(going),
    ['eventChanged×1!', 'reminder×1'],
    'a small move causes no second reminder',
  );
  await move(100);
  await remind(80);
  await deliver();
  assert.deepEqual((await summary(going)).at(0), 'reminder×1!', 'a postponed event is reminded of again');
});

test('reminder: not for a cancelled or private event, nor after the start', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const times = { startAt: inHours(20), endAt: inHours(30) };
  const [cancelled, draft, started] = await Promise.all(
    [1, 2, 3].map(() => createEvent(api, organizer, times)),
  );
  for (const { id } of [cancelled, draft, started]) await rsvpGoing(api, guest, id);
  expectStatus(await api.patch(`/v1/events/${draft.id}`, organizer.token, { visibility: 'private' }), 200);
  await remind();
  expectStatus(await api.patch(`/v1/events/${cancelled.id}`, organizer.token, { status: 'cancelled' }), 200);
  await deliver(api, 21);
  assert.deepEqual(await summary(guest), ['eventCancelled×1!']);
});

test('bounds: an inbox holds the latest 200 notifications, for 90 days', async () => {
  const { me } = await createInbox(1);
  await api.sql`
    insert into notifications (user_id, id, kind, subject_id, person_id, count, created_at, read_at)
    select ${me.id}, lpad(to_hex(n), 32, '0')::uuid, 'follower', gen_random_uuid(), null, 1, now(), now()
    from generate_series(1, ${inboxSize + 50}) n`;
  const [other] = await createUsers(api, 1);
  expectStatus(await api.post(`/v1/users/${me.id}/follow`, other?.token), 200);
  await deliver();
  const count = async () => {
    const [row] = await api.sql<{ count: number }[]>`
      select count(*)::int as count from notifications where user_id = ${me.id}`;
    return row?.count;
  };
  assert.equal(await count(), inboxSize);
  assert.equal((await inbox(me))[0]?.person?.id, other?.id);
  await deleteExpiredNotifications(api.sql, new Date(inDays(89)), 90);
  assert.equal(await count(), inboxSize);
  await deleteExpiredNotifications(api.sql, new Date(inDays(91)), 90);
  assert.equal(await count(), 0);
});
