/** Notifications under contention on two servers: each cause counts once, and no request fails. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { maxId } from '#base';
import { sql, type Transaction, transaction } from '#pg';
import { AdvisoryLock } from '../../src/schema/locks.ts';
import { findRowsContaining } from '../support/database-snapshots.ts';
import {
  createEvent,
  createItem,
  createUser,
  createUsers,
  deleteAccount,
  inDays,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { countNotified, insertGuests } from '../support/many-guests.ts';
import { expectStatus, startTestApp, type TestApp } from '../support/setup.ts';
import { createNotificationClient } from './notification-client.ts';

const api = await startTestApp({ env: { MESSAGES_PER_MINUTE: '0' } });
const second = await api.startAnother();
const serverAt = (i: number): TestApp => (i % 2 === 0 ? api : second);
const { deliver, inbox, markReadUpTo, read } = createNotificationClient(api);
const deliverOnBoth = () => Promise.all([deliver(api), deliver(second)]);
const inParallel = <T>(count: number, action: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => action(i)));

/** Runs the jobs of both servers until `work` has ended, and then once more. */
async function deliverDuring<T>(work: Promise<T>): Promise<T> {
  let isRunning = true;
  const ended = work.finally(() => {
    isRunning = false;
  });
  const delivering = (async () => {
    while (isRunning) await deliverOnBoth();
  })();
  const [result] = await Promise.all([ended, delivering]);
  await deliverOnBoth();
  return result;
}

const counts = async (person: Person): Promise<Record<string, number>> => {
  const sums: Record<string, number> = {};
  for (const { kind, count } of await inbox(person)) sums[kind] = (sums[kind] ?? 0) + count;
  return sums;
};

test('race: a server delivers no causes while another delivers', async () => {
  const [me, other] = await createUsers(api, 2);
  assert.ok(me && other);
  await api.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${AdvisoryLock.delivery}::bigint)`;
    expectStatus(await api.post(`/v1/users/${me.id}/follow`, other.token), 200);
    await deliver(second);
    assert.deepEqual(await inbox(me), []);
  });
  await deliver(second);
  assert.equal((await inbox(me)).length, 1);
});

test('race: RSVPs, claims and bookings on two servers while both deliver: the organizer’s counts are exact', async () => {
  const organizer = await createUser(api);
  const guests = await createUsers(api, 24);
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 100 });
  await deliverDuring(
    inParallel(guests.length, async (i) => {
      const { token } = guests[i] as Person;
      const post = (path: string, body: object) => serverAt(i).post(path, token, body);
      expectStatus(await post(`/v1/events/${event.id}/rsvp`, { status: 'interested' }), 200);
      expectStatus(await post(`/v1/events/${event.id}/rsvp`, { status: 'going' }), 200);
      expectStatus(await post(`/v1/items/${item.id}/claim`, { quantity: 2 }), 201);
      expectStatus(await post(`/v1/events/${event.id}/booking`, { seats: 1 }), 201);
      if (i % 4 === 0) expectStatus(await serverAt(i + 1).delete(`/v1/items/${item.id}/claim`, token), 200);
    }),
  );
  assert.deepEqual(await counts(organizer), { rsvps: 24, claims: 18, bookings: 24 });
  assert.equal((await read(organizer)).unreadCount, 3);
  await assertCounters(api.sql);
});

test('race: RSVPs, claims and bookings on two servers while the organizer marks notifications as read: each counts once', async () => {
  const organizer = await createUser(api);
  const guests = await createUsers(api, 24);
  const events = [await createEvent(api, organizer), await createEvent(api, organizer)];
  const items: { id: string }[] = [];
  for (const { id } of [...events, ...events])
    items.push(await createItem(api, organizer, id, { quantityNeeded: 100 }));
  let isRunning = true;
  const reading = inParallel(2, async (i) => {
    while (isRunning) {
      const { data } = await read(organizer, '?unread=true');
      const path = i === 0 ? '/v1/notifications/read' : `/v1/notifications/${data[0]?.id}/read`;
      const { status } = await serverAt(i).post(path, organizer.token, i === 0 ? { upTo: maxId } : undefined);
      assert.ok([200, 404].includes(status), `${status}`);
    }
  });
  await inParallel(guests.length, async (i) => {
    const { token } = guests[i] as Person;
    const post = (path: string, body: object) => serverAt(i).post(path, token, body);
    for (const { id } of events) {
      expectStatus(await post(`/v1/events/${id}/rsvp`, { status: 'going' }), 200);
      expectStatus(await post(`/v1/events/${id}/booking`, { seats: 1 }), 201);
    }
    for (const { id } of items) expectStatus(await post(`/v1/items/${id}/claim`, { quantity: 1 }), 201);
  });
  isRunning = false;
  await reading;
  await assertCounters(api.sql);
  expectStatus(await markReadUpTo(organizer, maxId), 200);
  const rows = await api.sql`
    select kind, sum(count)::int as count from notifications where user_id = ${organizer.id} group by kind order by kind`;
  assert.deepEqual(
    rows.map(({ kind, count }) => [kind, count]),
    [
      ['bookings', 48],
      ['claims', 96],
      ['rsvps', 48],
    ],
  );
});

test('read: what is counted at an event that begins to count while notifications are marked as read stays unread', async () => {
  const organizer = await createUser(api);
  const guest = await createUser(api);
  const [counting, other] = [await createEvent(api, organizer), await createEvent(api, organizer)];
  await rsvpGoing(api, guest, counting.id);
  const lockCounters = (tx: Transaction, { id }: { id: string }) =>
    tx.query(sql`select 1 from event_counters where event_id = ${id} for update`);
  const { marking } = await transaction(api.sql, async (tx) => {
    const request = await transaction(api.sql, async (first) => {
      await lockCounters(first, counting);
      const marking = markReadUpTo(organizer, maxId);
      await sleep(300);
      // The request has looked for rows, and waits for that of the first event. Now the other event counts too.
      await rsvpGoing(api, guest, other.id);
      await lockCounters(tx, other);
      await tx.query(
        sql`update event_counters set unread_rsvps = unread_rsvps + 1 where event_id = ${other.id}`,
      );
      return { marking };
    });
    await sleep(300);
    return request;
  });
  expectStatus(await marking, 200);
  assert.deepEqual(await counts(organizer), { rsvps: 3 });
});

test('race: messages on two servers while both deliver and the recipient reads: each counts once', async () => {
  const [me, ...senders] = await createUsers(api, 4);
  assert.ok(me);
  await deliverDuring(
    inParallel(120, async (i) => {
      const sender = senders[i % senders.length] as Person;
      expectStatus(
        await serverAt(i).post(`/v1/users/${me.id}/messages`, sender.token, { text: `${i}` }),
        201,
      );
      if (i % 10 === 0) expectStatus(await markReadUpTo(me, (await inbox(me))[0]?.id ?? me.id), 200);
    }),
  );
  const [row] = await api.sql<{ sum: number; unread: number }[]>`
    select sum(count)::int as sum, count(*) filter (where read_at is null)::int as unread
    from notifications where user_id = ${me.id}`;
  assert.equal(row?.sum, 120);
  assert.ok((row?.unread ?? 9) <= senders.length);
});

test('race: account deletions while both servers deliver leave no row of the people, and no request fails', async () => {
  const organizer = await createUser(api);
  const guests = await createUsers(api, 12);
  const event = await createEvent(api, organizer);
  for (const guest of guests) await rsvpGoing(api, guest, event.id);
  const leaving = guests.slice(0, 6);
  await deliverDuring(
    Promise.all([
      inParallel(30, async (i) => {
        const [from, to] = [guests[6 + (i % 6)] as Person, leaving[i % 6] as Person];
        const server = serverAt(i);
        const { status } = await server.post(`/v1/users/${to.id}/messages`, from.token, { text: 'Bye' });
        assert.ok([201, 404].includes(status), `${status}`);
        const followed = await server.post(`/v1/users/${from.id}/follow`, to.token);
        assert.ok([200, 401].includes(followed.status), `${followed.status}`);
        const startAt = inDays(5, i / 100);
        expectStatus(await server.patch(`/v1/events/${event.id}`, organizer.token, { startAt }), 200);
      }),
      ...leaving.map(async (person, i) =>
        expectStatus(await deleteAccount(serverAt(i) as TestApp, person), 200),
      ),
    ]),
  );
  assert.deepEqual(
    await findRowsContaining(
      api.sql,
      leaving.map(({ id }) => id),
    ),
    [],
  );
  await assertCounters(api.sql);
});

// spec: 6 GET /v1/notifications: every guest of a changed event is notified exactly once
test('race: a cancelled event with 2,500 guests: two servers notify each guest exactly once', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer);
  await insertGuests(api.sql, event.id, 2_500);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { status: 'cancelled' }), 200);
  await Promise.all([deliverOnBoth(), deliverOnBoth()]);
  await deliverOnBoth();
  assert.deepEqual(await countNotified(api.sql, event.id), { people: 2_500, sum: 2_500, pending: 0 });
});

test('race: changes during the fan-out notify each guest after the last change, and the fan-out ends', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer);
  await insertGuests(api.sql, event.id, 2_500);
  const change = (i: number) =>
    serverAt(i).patch(`/v1/events/${event.id}`, organizer.token, { startAt: inDays(5, i / 10) });
  await deliverDuring(inParallel(6, async (i) => expectStatus(await change(i), 200)));
  const { people, pending, sum } = await countNotified(api.sql, event.id);
  assert.deepEqual([people, pending], [2_500, 0]);
  assert.ok(sum >= 2_500 && sum <= 6 * 2_500, `${sum}`);
});
