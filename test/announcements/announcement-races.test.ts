/** Announcements while others write, on two servers, with the order of events forced. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { runFanOuts } from '../../src/modules/notifications/delivery/fan-out.ts';
import { createNotificationClient } from '../notifications/notification-client.ts';
import { createSeriesClient } from '../series/series-client.ts';
import { connectionOf, untilBlockedBy, untilWaiting } from '../support/blocked-transactions.ts';
import {
  createAdmin,
  createEvent,
  createUser,
  createUsers,
  deleteAccount,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { countNotified, insertGuests } from '../support/many-guests.ts';
import {
  type ApiResponse,
  expectProblem,
  expectStatus,
  startTestApp,
  type TestApp,
} from '../support/setup.ts';
import { announcementsPath, createAnnouncementClient, inHours, sendDue } from './announcement-client.ts';

const api = await startTestApp();
const second = await api.startAnother();
const { announce, list } = createAnnouncementClient(api);
const { deliver, inbox } = createNotificationClient(api);
const later = (server: TestApp) =>
  sendDue({ sql: server.sql, clock: { now: () => new Date(Date.now() + 3_601_000) } as never });

/** Lets requests of both servers wait for a lock, and ends it. */
async function atOnce(
  lock: string,
  id: string,
  requests: (() => Promise<ApiResponse>)[],
): Promise<ApiResponse[]> {
  const sent: Promise<ApiResponse>[] = [];
  await api.sql.begin(async (tx) => {
    await tx.text(`select 1 from ${lock} where id = '${id}' for update`);
    for (const request of requests) sent.push(request());
    await untilWaiting(api.sql, requests.length);
  });
  return Promise.all(sent);
}

test('race: of announcements at once on two servers, the limit of an event lets 5 pass', async () => {
  const organizer = await createUser(api);
  const { id } = await createEvent(api, organizer);
  for (let i = 0; i < 3; i++) await announce(organizer, id);
  const responses = await atOnce(
    'events',
    id,
    [api, second, api, second].map(
      (server) => () => server.post(announcementsPath(id), organizer.token, { text: 'x' }),
    ),
  );
  const statuses = responses.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, 201, 429, 429]);
});

test('race: two servers send a due announcement once, and notify each recipient once', async () => {
  const organizer = await createUser(api);
  const { id } = await createEvent(api, organizer);
  await insertGuests(api.sql, id, 2_500);
  await announce(organizer, id, { sendAt: inHours(1) });
  await Promise.all([later(api), later(second)]);
  await Promise.all([later(api), later(second), deliver(api), deliver(second)]);
  await deliver();
  assert.deepEqual(await counted(id), { people: 2_500, sum: 2_500, pending: 0 });
  assert.equal((await list(id, organizer))[0]?.recipients, 2_500);
});

// As by `kill -9`: the connection ends before the commit.
test('race: a server that is killed between and within pages: another one notifies each recipient once', async () => {
  const organizer = await createUser(api);
  const { id } = await createEvent(api, organizer);
  await insertGuests(api.sql, id, 2_500);
  await announce(organizer, id);
  const services = { db: api.sql, clock: api.clock.now, mailer: { isOn: false } };
  await api.sql.begin(async (tx) => {
    // The second page waits for the inbox of one of its people.
    const people = await tx<
      { userId: string }[]
    >`select user_id from rsvps where event_id = ${id} order by 1 offset 1500 limit 1`;
    const notification = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0f7';
    await tx`
      insert into notifications (user_id, id, kind, subject_id, person_id, count, created_at)
      values (${people[0]?.userId ?? ''}, ${notification}, 'announcement', ${id}, ${organizer.id}, 1, now())`;
    const killed = runFanOuts(services).catch((error: Error) => error);
    const connection = await untilBlockedBy(api.sql, await connectionOf(tx), killed);
    await api.sql`select pg_terminate_backend(${connection}::int)`;
    assert.ok((await killed) instanceof Error);
    await tx`delete from notifications where id = ${notification}`;
  });
  assert.deepEqual(await counted(id), { people: 1_000, sum: 1_000, pending: 1 });
  await deliver(second);
  assert.deepEqual(await counted(id), { people: 2_500, sum: 2_500, pending: 0 });
});

test('race: an announcement while the event is deleted: the deletion waits, or the announcement is a 404', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const { id } = await createEvent(api, organizer);
  await rsvpGoing(api, guest, id);
  const [announced, deleted] = await atOnce('events', id, [
    () => api.post(announcementsPath(id), organizer.token, { text: 'x' }),
    () => second.delete(`/v1/events/${id}`, organizer.token),
  ]);
  assert.ok(announced && deleted);
  expectStatus(deleted, 200);
  if (announced.status !== 201) expectProblem(announced, 404, 'event_not_found');
  await Promise.all([deliver(api), deliver(second)]);
  assert.deepEqual(await inbox(guest), []);
  assert.deepEqual(await api.sql`select 1 from announcements where subject_id = ${id}`, []);
});

test('race: the author is suspended while a due announcement is decided: the job waits, and it is missed', async () => {
  const organizer = await createUser(api);
  const { id } = await createEvent(api, organizer);
  await announce(organizer, id, { sendAt: inHours(1) });
  let sending: Promise<void> | undefined;
  await api.sql.begin(async (tx) => {
    await tx`select 1 from users where id = ${organizer.id} for update`;
    await tx`update users set suspended_at = now(), version = version + 1 where id = ${organizer.id}`;
    sending = later(second);
    await untilBlockedBy(api.sql, await connectionOf(tx), sending);
  });
  await sending;
  const [row] = await api.sql<
    { status: string }[]
  >`select status from announcements where subject_id = ${id}`;
  assert.equal(row?.status, 'missed');
});

test('race: a change of a scheduled announcement while a job sends it: the text is changed, the audience is a 400', async () => {
  const organizer = await createUser(api);
  const { id } = await createEvent(api, organizer);
  for (const body of [{ text: 'New' }, { audience: ['going'] }]) {
    const made = await announce(organizer, id, { sendAt: inHours(1) });
    let changing: Promise<ApiResponse> | undefined;
    await api.sql.begin(async (tx) => {
      await tx`select 1 from announcements where id = ${made.id} for update`;
      changing = second.patch(`/v1/announcements/${made.id}`, organizer.token, body);
      await untilBlockedBy(api.sql, await connectionOf(tx), changing);
      await tx`update announcements set status = 'sent', sent_at = now(), recipients = 0 where id = ${made.id}`;
    });
    const response = await changing;
    assert.ok(response);
    if ('text' in body) expectStatus(response, 200);
    else expectProblem(response, 400, 'invalid_request');
  }
});

test('race: a deletion while a page is notified waits for it, and then nobody has it', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const { id } = await createEvent(api, organizer);
  await rsvpGoing(api, guest, id);
  const made = await announce(organizer, id);
  let deleting: Promise<ApiResponse> | undefined;
  await api.sql.begin(async (tx) => {
    await tx`select 1 from announcements where id = ${made.id} for update`;
    deleting = second.delete(`/v1/announcements/${made.id}`, organizer.token);
    await untilBlockedBy(api.sql, await connectionOf(tx), deleting);
    // The job leaves alone what another transaction locks.
    await deliver(api);
    assert.deepEqual(await inbox(guest), []);
  });
  assert.ok(deleting);
  expectStatus(await deleting, 200);
  await deliver(api);
  assert.deepEqual(await inbox(guest), []);
});

test('race: a guest leaves while a page is notified: no error, and a notification at most once', async () => {
  const organizer = await createUser(api);
  const guests = await createUsers(api, 6);
  const { id } = await createEvent(api, organizer);
  for (const guest of guests) await rsvpGoing(api, guest, id);
  await announce(organizer, id);
  const leave = (person: Person) => second.post(`/v1/events/${id}/rsvp`, person.token, { status: null });
  const [, , ...left] = await Promise.all([deliver(api), deliver(second), ...guests.slice(0, 3).map(leave)]);
  for (const response of left) expectStatus(response, 200);
  await deliver();
  for (const [i, guest] of guests.entries()) {
    const count = (await inbox(guest)).length;
    assert.ok(i < 3 ? count <= 1 : count === 1, `${count}`);
  }
});

test('race: guests are removed, suspended and deleted while a page is notified: no error, none has it twice, and the others have it once', async () => {
  const [organizer, admin] = [await createUser(api), await createAdmin(api)];
  const [removed, suspended, deleted, ...others] = await createUsers(api, 6);
  assert.ok(removed && suspended && deleted);
  const { id } = await createEvent(api, organizer);
  for (const guest of [removed, suspended, deleted, ...others]) await rsvpGoing(api, guest, id);
  await announce(organizer, id);
  const [, , ...changed] = await Promise.all([
    deliver(api),
    deliver(second),
    second.delete(`/v1/events/${id}/guests/${removed.id}`, organizer.token),
    api.post(`/v1/admin/users/${suspended.id}/suspend`, admin.token, {}),
    deleteAccount(second, deleted),
  ]);
  for (const response of changed) expectStatus(response, 200);
  await Promise.all([deliver(api), deliver(second)]);
  const stored = await api.sql<{ userId: string; count: number }[]>`
    select user_id, count from notifications where subject_id = ${id} and kind = 'announcement'`;
  assert.ok(stored.every(({ count }) => count === 1));
  const people = stored.map(({ userId }) => userId);
  for (const { id: userId } of others) assert.equal(people.filter((each) => each === userId).length, 1);
  assert.ok(!people.includes(deleted.id));
  assert.equal(new Set(people).size, people.length);
});

async function counted(eventId: string) {
  const { pending } = await countNotified(api.sql, eventId);
  const [row] = await api.sql<{ people: number; sum: number; pending: number }[]>`
    select count(distinct user_id)::int as people, coalesce(sum(count), 0)::int as sum,
      (select count(*)::int from announcements where subject_id = ${eventId} and position is not null) as pending
    from notifications where subject_id = ${eventId} and kind = 'announcement'`;
  assert.equal(pending, 0);
  return row;
}

test('race: of announcements to a series at once on two servers, the limit lets 5 pass, and each guest is notified once', async () => {
  const { createSeries, eventsOf, eventOn } = createSeriesClient(api);
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const day = Temporal.Now.plainDateISO('UTC').add({ days: 20 }).toString();
  const { id } = await createSeries(organizer, { event: eventOn(day) });
  for (const { id: date } of await eventsOf(id)) await rsvpGoing(api, guest, date);
  const path = `/v1/series/${id}/announcements`;
  const responses = await atOnce(
    'series',
    id,
    [api, second, api, second, api, second].map(
      (server) => () => server.post(path, organizer.token, { text: 'x' }),
    ),
  );
  const statuses = responses.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, 201, 201, 201, 201, 429]);
  await Promise.all([deliver(api), deliver(second)]);
  await deliver();
  const told = (await inbox(guest)).filter(({ kind }) => kind === 'announcement');
  assert.deepEqual(
    told.map(({ count }) => count),
    [20],
  );
});
