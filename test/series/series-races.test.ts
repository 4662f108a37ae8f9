/** Series while others write, on two servers, with the order of events forced by a lock. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { makeDueDates } from '../../src/modules/series/make-dates.ts';
import { untilWaiting } from '../support/blocked-transactions.ts';
import { createUser, createUsers } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { at, createSeriesClient, createSeriesClock, firstDate } from './series-client.ts';

const clock = createSeriesClock();
const api = await startTestApp({ clock });
const second = await api.startAnother();
const { createSeries, eventsOf, datesOf, patch, remove, get, eventOn } = createSeriesClient(api);
const organizer = await createUser(api);
const runJob = () => makeDueDates({ db: api.sql, clock: clock.now });

/** Lets requests wait for the lock of a row, and ends it. */
async function atOnce<T>(table: string, id: string, requests: (() => Promise<T>)[]): Promise<T[]> {
  const sent: Promise<T>[] = [];
  await api.sql.begin(async (tx) => {
    await tx.text(`select 1 from ${table} where id = '${id}' for update`);
    for (const request of requests) {
      sent.push(request());
      await untilWaiting(api.sql, sent.length);
    }
  });
  return Promise.all(sent);
}

/** Takes away the last two occurrences, as if the job had not made them yet. */
async function forgetLast(id: string): Promise<number> {
  const events = await eventsOf(id);
  for (const event of events.slice(-2)) await api.sql`delete from events where id = ${event.id}`;
  await api.sql`update user_counters set events_count = events_count - 2 where user_id = ${organizer.id}`;
  await api.sql`update series set due_at = '2030-01-01' where id = ${id}`;
  return events.length;
}

test('race: the job on two servers makes each date once', async () => {
  const { id } = await createSeries(organizer, { rrule: 'FREQ=WEEKLY' });
  const length = await forgetLast(id);
  await atOnce('series', id, [runJob, runJob, runJob]);
  const dates = await datesOf(id);
  assert.deepEqual([dates.length, new Set(dates).size], [length, length]);
  await assertCounters(api.sql);
});

test('race: the job while a date is deleted makes no deleted date', async () => {
  const { id } = await createSeries(organizer, { rrule: 'FREQ=WEEKLY' });
  const [, deleted] = await eventsOf(id);
  await forgetLast(id);
  const removal = () => second.delete(`/v1/events/${deleted?.id}`, organizer.token);
  await atOnce<unknown>('series', id, [removal, runJob]);
  await runJob();
  const dates = await datesOf(id);
  assert.equal(dates.includes(deleted?.series?.date), false);
  assert.equal(new Set(dates).size, dates.length);
});

test('race: a date of a series that is split meanwhile is deleted from the later series', async () => {
  const { id } = await createSeries(organizer);
  const [, , third, fourth] = await eventsOf(id);
  assert.ok(third && fourth);
  const [split, deleted] = await atOnce('series', id, [
    () => patch(third.id, organizer, { title: 'Choir' }, 'following'),
    () => second.delete(`/v1/events/${fourth.id}`, organizer.token),
  ]);
  assert.ok(split && deleted);
  expectStatus(deleted, 200);
  const later = expectStatus(split, 200).body.series.id;
  assert.deepEqual(await datesOf(later), ['2031-01-21T18:00']);
  assert.deepEqual((await get(later)).excludedDates, ['2031-01-28T18:00']);
  assert.deepEqual((await get(id)).excludedDates, []);
});

test('race: a change of all dates while people answer on two servers loses no answer', async () => {
  const { id } = await createSeries(organizer);
  const events = await eventsOf(id);
  const people = await createUsers(api, 12);
  const answers = people.map((person, i) => () => {
    const server = i % 2 === 0 ? api : second;
    return server.post(`/v1/events/${events[i % 4]?.id}/rsvp`, person.token, { status: 'going' });
  });
  const change = { startAt: at(`${firstDate}T17:00`), endAt: at(`${firstDate}T19:00`), title: 'Choir' };
  const responses = await Promise.all([
    ...answers.map((answer) => answer()),
    patch(events[0]?.id ?? '', organizer, change, 'all'),
  ]);
  for (const response of responses) expectStatus(response, 200);
  const counts = await Promise.all(
    events.map(async ({ id }) => (await api.get(`/v1/events/${id}`)).body.rsvpCount),
  );
  assert.deepEqual(counts, [3, 3, 3, 3]);
  await assertCounters(api.sql);
});

test('race: two new rules with the same version: one is a 200 and one a 412', async () => {
  const { id } = await createSeries(organizer);
  const etag = (await api.get(`/v1/series/${id}`)).headers.get('etag') ?? '';
  const send = (server: typeof api, rrule: string) => () =>
    server.call('PATCH', `/v1/series/${id}`, {
      token: organizer.token,
      body: { rrule },
      headers: { 'if-match': etag },
    });
  const responses = await atOnce('series', id, [
    send(api, 'FREQ=WEEKLY;COUNT=3'),
    send(second, 'FREQ=WEEKLY;COUNT=6'),
  ]);
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 412]);
  const dates = await datesOf(id);
  assert.equal(new Set(dates).size, dates.length);
});

test('race: of two people who make the 50th series at once, one is refused', async () => {
  const person = await createUser(api);
  for (let i = 0; i < 49; i++) await createSeries(person, { rrule: 'FREQ=WEEKLY;COUNT=1' });
  const body = { event: eventOn(firstDate), rrule: 'FREQ=WEEKLY;COUNT=1' };
  const sent: ReturnType<typeof api.post>[] = [];
  await api.sql.begin(async (tx) => {
    await tx.text(`select 1 from user_counters where user_id = '${person.id}' for update`);
    for (const server of [api, second]) sent.push(server.post('/v1/series', person.token, body));
    await untilWaiting(api.sql, 2);
  });
  const responses = await Promise.all(sent);
  assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409]);
  const refused = responses.find(({ status }) => status === 409);
  assert.ok(refused);
  expectProblem(refused, 409, 'series_full');
});

test('race: a series that is deleted while the job waits gets no date', async () => {
  const { id } = await createSeries(organizer, { rrule: 'FREQ=WEEKLY' });
  const events = await eventsOf(id);
  await forgetLast(id);
  const removed = await atOnce<unknown>('series', id, [
    () => remove(events[0]?.id ?? '', organizer, 'all'),
    runJob,
  ]);
  assert.equal(removed.length, 2);
  const left = await api.sql`
    select id from series where id = ${id} union all select id from events where series_id = ${id}`;
  assert.deepEqual(left, []);
});
