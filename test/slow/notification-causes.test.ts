/** Causes of notifications while servers are killed: what is committed notifies once, and nothing else does. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { maxId } from '#base';
import { eventBody, inDays } from '../support/factories.ts';
import {
  cleanUpAfterTests,
  createTempDir,
  type Json,
  sendRequest,
  serve,
  signIn,
  stop,
} from '../support/processes.ts';
import { secretKey } from '../support/setup.ts';
import { openSql, type SqlTag } from '../support/sql-tag.ts';
import { cloneDatabase } from '../support/test-database.ts';

cleanUpAfterTests();

/** An inbox holds 200 notifications, so each organizer has few events. */
const [organizerCount, eventsOfEach, guestCount, capacity] = [10, 4, 12, 6];
const kills = 8;

type Member = { id: string; token: string };
type Event = { id: string; itemId: string; organizer: Member; isCancelled: boolean };

test('causes: each follow, RSVP, claim, booking, message, promotion, change and cancellation notifies exactly once although kill -9 ends two servers again and again', async (t) => {
  const target = await cloneDatabase();
  const sql = await openSql(target, 'tests');
  // After a failure too: the process would not end.
  t.after(() => sql.end());
  const env = {
    DATABASE_URL: target,
    DATA_DIR: await createTempDir(),
    SECRET_KEY: secretKey,
    RATE_LIMIT: '0',
    MESSAGES_PER_MINUTE: '0',
  };
  const start = () => serve({ env });
  const servers = await Promise.all([start(), start()]);

  /** Sends a request to either server until it gets a response that a server has not lost. */
  const insist = async (method: string, path: string, token: string, body?: unknown): Promise<Json> => {
    for (let attempt = 0; attempt < 500; attempt++) {
      const server = servers[Math.floor(Math.random() * servers.length)] ?? servers[0];
      const response = await sendRequest(server, method, path, token, body).catch(() => null);
      // 409: the request before, whose response was lost, has made the claim or the booking.
      if (response && (response.status < 300 || response.status === 409)) return response.body;
      assert.ok(!response || response.status >= 500, `${method} ${path}: ${response?.status}`);
      await sleep(20);
    }
    return assert.fail(`${method} ${path}: no response`);
  };
  const createMember = async (n: number): Promise<Member> => {
    const token = await signIn(servers[0], `+1415555${1_000 + n}`);
    return { token, id: (await insist('GET', '/v1/auth/me', token)).id ?? '' };
  };
  const createEvent = async (organizer: Member, n: number): Promise<Event> => {
    const { id = '' } = await insist('POST', '/v1/events', organizer.token, eventBody({ capacity }));
    const fields = { kind: 'bring', title: 'Bread', quantityNeeded: 100 };
    const item = await insist('POST', `/v1/events/${id}/items`, organizer.token, fields);
    return { id, itemId: item.id ?? '', organizer, isCancelled: n % 2 === 0 };
  };
  const members: Member[] = [];
  for (let n = 0; n < organizerCount + guestCount; n++) members.push(await createMember(n));
  const [organizers, guests] = [members.slice(0, organizerCount), members.slice(organizerCount)];
  const events = (
    await Promise.all(
      organizers.map((organizer) =>
        Promise.all(Array.from({ length: eventsOfEach }, (_, n) => createEvent(organizer, n))),
      ),
    )
  ).flat();

  const act = async (guest: Member, i: number) => {
    for (const [n, { id, itemId, organizer }] of events.entries()) {
      const other = guests[(i + n) % guests.length] as Member;
      const post = (path: string, body?: object) => insist('POST', path, guest.token, body);
      await post(`/v1/events/${id}/rsvp`, { status: 'going' });
      await post(`/v1/items/${itemId}/claim`, { quantity: 2 });
      await post(`/v1/events/${id}/booking`, { seats: 1, waitlist: true });
      await post(`/v1/users/${organizer.id}/messages`, { text: `${n}` });
      await post(`/v1/users/${organizer.id}/follow`);
      if (other !== guest) await post(`/v1/users/${other.id}/follow`);
    }
  };
  const change = async ({ id, organizer, isCancelled }: Event, n: number) => {
    const patch = (body: object) => insist('PATCH', `/v1/events/${id}`, organizer.token, body);
    await patch({ capacity: guestCount });
    await patch(isCancelled ? { status: 'cancelled' } : { startAt: inDays(6, n / 100) });
  };
  const readInboxes = async () => {
    for (const { token } of organizers)
      await insist('POST', '/v1/notifications/read', token, { upTo: maxId });
  };
  let killed = 0;
  const kill = async () => {
    await sleep(300 + Math.random() * 700);
    const places = killed % 3 === 2 ? [0, 1] : [killed % 2];
    await Promise.all(
      places.map(async (place) => {
        const server = servers[place];
        if (server) await stop(server, 'SIGKILL');
        servers[place] = await start();
      }),
    );
    killed++;
  };
  const killDuring = async (work: Promise<unknown>, atLeast: number) => {
    let isRunning = true;
    const ended = work.finally(() => {
      isRunning = false;
    });
    const killing = (async () => {
      while (isRunning) await kill();
    })();
    await Promise.all([ended, killing]);
    assert.ok(killed >= atLeast, `only ${killed} kills`);
  };
  await killDuring(
    Promise.all([
      ...guests.map(act),
      (async () => {
        for (let i = 0; i < 8; i++) {
          await sleep(700);
          await readInboxes();
        }
      })(),
    ]),
    kills / 2,
  );
  await killDuring(
    (async () => {
      for (const [n, event] of events.entries()) await change(event, n);
    })(),
    kills / 2 + 1,
  );

  for (let waited = 0; waited < 30_000 && (await countPending(sql)) > 0; waited += 50) await sleep(50);
  assert.deepEqual(await findDifferences(sql), []);
  const [row] = await sql<{ causes: number }[]>`select sum(count)::int as causes from notifications`;
  assert.ok((row?.causes ?? 0) > 2 * events.length * guests.length);
  for (const server of servers) assert.equal(await stop(server, 'SIGTERM'), 0);
});

async function countPending(sql: SqlTag): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select (select count(*) from notification_causes)::int + (select count(*) from notification_fan_outs)::int as count`;
  return row?.count ?? 0;
}

/** The notifications whose counts differ from the rows that caused them. */
const findDifferences = (sql: SqlTag) => sql`
  with expected as (
    select e.organizer_id as user_id, 'rsvps' as kind, e.id as subject_id, count(*)::int as count
    from rsvps r join events e on e.id = r.event_id group by e.id
    union all
    select e.organizer_id, 'claims', e.id, count(*)::int from claims c join events e on e.id = c.event_id group by e.id
    union all
    select e.organizer_id, 'bookings', e.id, count(*)::int from bookings b join events e on e.id = b.event_id group by e.id
    union all
    select user_id, 'message', other_id, count(*)::int from messages where not is_own group by user_id, other_id
    union all
    select user_id, 'follower', other_id, 1 from relations where followed_by
    union all
    select user_id, 'bookingConfirmed', event_id, 1
    from (select *, row_number() over (partition by event_id order by n) as place from bookings) b
    where place > ${capacity}
    union all
    select r.user_id, case e.status when 'cancelled' then 'eventCancelled' else 'eventChanged' end, e.id, 1
    from rsvps r join events e on e.id = r.event_id
  ), found as (
    select user_id, kind, subject_id, sum(count)::int as count
    from (
      select user_id, kind, subject_id, count from notifications
      union all select unread_of, 'rsvps', event_id, unread_rsvps from event_counters where unread_rsvps > 0
      union all select unread_of, 'bookings', event_id, unread_bookings from event_counters where unread_bookings > 0
      union all select unread_of, 'claims', event_id, unread_claims from item_stock where unread_claims > 0
    ) n
    group by user_id, kind, subject_id
  )
  select user_id, kind, subject_id, e.count as expected, f.count as found
  from expected e full join found f using (user_id, kind, subject_id)
  where e.count is distinct from f.count`;
