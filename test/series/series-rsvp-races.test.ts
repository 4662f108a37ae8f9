/** RSVPs to series while others write, on two servers, with the order of events forced by a lock. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { makeDueDates } from '../../src/modules/series/make-dates.ts';
import { untilWaiting } from '../support/blocked-transactions.ts';
import { createAdmin, createUser, createUsers, type Person } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';
import { at, createSeriesClient, createSeriesClock, firstDate } from './series-client.ts';

const clock = createSeriesClock();
const api = await startTestApp({ clock });
const second = await api.startAnother();
const { createSeries, eventsOf, patch } = createSeriesClient(api);
const organizer = await createUser(api);
const runJob = () => makeDueDates({ db: api.sql, clock: clock.now });

const answer =
  (server: typeof api, id: string, person: Person, status: string | null = 'going') =>
  async () =>
    expectStatus(await server.post(`/v1/series/${id}/rsvp`, person.token, { status }), 200).body;

/** Sends requests that wait for the lock of the series, one after the other, and ends it. */
async function inOrder(id: string, requests: (() => Promise<unknown>)[]): Promise<void> {
  const sent: Promise<unknown>[] = [];
  await api.sql.begin(async (tx) => {
    await tx.text(`select 1 from series where id = '${id}' for update`);
    for (const request of requests) {
      sent.push(request());
      await untilWaiting(api.sql, sent.length);
    }
  });
  await Promise.all(sent);
}

async function rsvpsOf(id: string, person: Person): Promise<(string | null)[]> {
  const events = await eventsOf(id, '', person);
  return Promise.all(
    events.map(async (event) => (await second.get(`/v1/events/${event.id}`, person.token)).body.myRsvp),
  );
}

/** Takes away the last date, as if the job had not made it yet. */
async function forgetLast(id: string): Promise<void> {
  const last = (await eventsOf(id)).at(-1);
  await api.sql`delete from events where id = ${last?.id}`;
  await api.sql`update user_counters set events_count = events_count - 1 where user_id = ${organizer.id}`;
  await api.sql`update series set due_at = '2030-01-01' where id = ${id}`;
}

for (const isJobFirst of [true, false])
  test(`race: the job ${isJobFirst ? 'before' : 'after'} an answer to all dates leaves no date without it`, async () => {
    const { id } = await createSeries(organizer);
    const guest = await createUser(api);
    await forgetLast(id);
    const requests = [runJob, answer(second, id, guest)];
    await inOrder(id, isJobFirst ? requests : requests.reverse());
    await runJob();
    assert.deepEqual(await rsvpsOf(id, guest), ['going', 'going', 'going', 'going']);
    await assertCounters(api.sql);
  });

test('race: a new rule while people answer all dates leaves no date without their answers', async () => {
  const { id } = await createSeries(organizer);
  const people = await createUsers(api, 4);
  const change = async () =>
    expectStatus(
      await second.patch(`/v1/series/${id}`, organizer.token, { rrule: 'FREQ=WEEKLY;COUNT=6' }),
      200,
    );
  const answers = people.map((person, i) => answer(i % 2 === 0 ? api : second, id, person));
  await inOrder(id, [...answers.slice(0, 2), change, ...answers.slice(2)]);
  for (const person of people) assert.deepEqual(await rsvpsOf(id, person), Array(6).fill('going'));
  await assertCounters(api.sql);
});

test('race: a split while a person answers all dates takes the answer along, or leaves the later part alone', async () => {
  const { id } = await createSeries(organizer);
  const [before, after] = await createUsers(api, 2);
  assert.ok(before && after);
  const [, , third] = await eventsOf(id);
  let later = '';
  const split = async () => {
    const { body } = expectStatus(
      await patch(third?.id ?? '', organizer, { title: 'Choir' }, 'following'),
      200,
    );
    later = body.series.id;
  };
  await inOrder(id, [answer(second, id, before), split, answer(second, id, after)]);
  for (const part of [id, later])
    assert.deepEqual(await rsvpsOf(part, before), ['going', 'going'], `part ${part}`);
  assert.deepEqual(await rsvpsOf(id, after), ['going', 'going']);
  const standing = (await api.get(`/v1/series/${later}`, after.token)).body.myRsvp;
  assert.deepEqual(await rsvpsOf(later, after), Array(2).fill(standing));
  await assertCounters(api.sql);
});

test('race: answers of one person on two servers are one after the other', async () => {
  const { id } = await createSeries(organizer);
  const guest = await createUser(api);
  const statuses = ['going', null, 'interested', 'going', null, 'interested'];
  await Promise.all(statuses.map((status, i) => answer(i % 2 === 0 ? api : second, id, guest, status)()));
  const { myRsvp } = (await api.get(`/v1/series/${id}`, guest.token)).body;
  assert.deepEqual(await rsvpsOf(id, guest), Array(4).fill(myRsvp));
  await assertCounters(api.sql);
});

test('race: an answer to one date is kept, whichever comes first', async () => {
  const { id } = await createSeries(organizer);
  const [first] = await eventsOf(id);
  const people = await createUsers(api, 10);
  const single = async (person: Person) =>
    expectStatus(await second.post(`/v1/events/${first?.id}/rsvp`, person.token, { status: null }), 200);
  await Promise.all(people.flatMap((person) => [answer(api, id, person)(), single(person)]));
  for (const person of people) assert.deepEqual(await rsvpsOf(id, person), [null, 'going', 'going', 'going']);
  await assertCounters(api.sql);
});

test('race: 200 answers to all dates on two servers while all dates are changed', async () => {
  const { id } = await createSeries(organizer, { rrule: 'FREQ=WEEKLY;COUNT=12' });
  const events = await eventsOf(id);
  const people = await createUsers(api, 200);
  const change = (hour: number) => ({
    startAt: at(`${firstDate}T${hour}:00`),
    endAt: at(`${firstDate}T${hour + 2}:00`),
    title: `Choir at ${hour}`,
  });
  const changes = [15, 16, 17].map((hour) => patch(events[0]?.id ?? '', organizer, change(hour), 'all'));
  const began = performance.now();
  await Promise.all(people.map((person, i) => answer(i % 2 === 0 ? api : second, id, person)()));
  for (const response of await Promise.all(changes)) expectStatus(response, 200);
  console.log(`200 answers to 12 dates and 3 changes: ${Math.round(performance.now() - began)} ms`);
  for (const { id: eventId } of events)
    assert.equal((await api.get(`/v1/events/${eventId}`)).body.rsvpCount, 200);
  await assertCounters(api.sql);
});

test('race: a date takes place again while a person answers all dates: it has the answer', async () => {
  for (const isRestoredFirst of [true, false]) {
    const { id } = await createSeries(organizer);
    const [, date] = await eventsOf(id);
    assert.ok(date);
    const guest = await createUser(api);
    expectStatus(await patch(date.id, organizer, { status: 'cancelled' }), 200);
    const restore = () => patch(date.id, organizer, { status: 'scheduled' });
    const requests = [restore, answer(second, id, guest)];
    const sent: Promise<unknown>[] = [];
    await api.sql.begin(async (tx) => {
      await tx.text(`select 1 from events where id = '${date.id}' for update`);
      for (const request of isRestoredFirst ? requests : requests.reverse()) {
        sent.push(request());
        await untilWaiting(api.sql, sent.length);
      }
    });
    await Promise.all(sent);
    assert.deepEqual(await rsvpsOf(id, guest), ['going', 'going', 'going', 'going']);
    await assertCounters(api.sql);
  }
});

test('race: a suspension that ends while the job makes a date leaves no date without the answer', async () => {
  for (const isJobFirst of [true, false]) {
    const { id } = await createSeries(organizer);
    const guest = await createUser(api);
    await answer(api, id, guest)();
    const admin = await createAdmin(api);
    const account = `/v1/admin/users/${guest.id}/suspend`;
    expectStatus(await api.post(account, admin.token, {}), 200);
    await forgetLast(id);
    const restore = async () => expectStatus(await second.delete(account, admin.token), 200);
    await inOrder(id, isJobFirst ? [runJob, restore] : [restore, runJob]);
    await runJob();
    const counts = await Promise.all(
      (await eventsOf(id)).map(async (event) => (await api.get(`/v1/events/${event.id}`)).body.rsvpCount),
    );
    assert.deepEqual(counts, [1, 1, 1, 1]);
    await assertCounters(api.sql);
  }
});
