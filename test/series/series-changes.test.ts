/** Changes and deletions of one occurrence, of this and the following ones, and of all. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { makeDueDates } from '../../src/modules/series/make-dates.ts';
import { createUser, rsvpGoing } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { at, createSeriesClient, createSeriesClock, firstDate } from './series-client.ts';

const clock = createSeriesClock();
const api = await startTestApp({ clock });
const { createSeries, eventsOf, datesOf, patch, remove, get, eventOn } = createSeriesClient(api);
const organizer = await createUser(api);
const pathsOf = ({ body }: { body: { errors?: { path: string }[] } }) => body.errors?.map(({ path }) => path);
const weeks = ['2031-01-07', '2031-01-14', '2031-01-21', '2031-01-28'];
const timesOf = async (id: string) => (await eventsOf(id)).map(({ startAt, endAt }) => [startAt, endAt]);
const times = (from: string, to: string) => weeks.map((day) => [at(`${day}T${from}`), at(`${day}T${to}`)]);
const runJob = () => makeDueDates({ db: api.sql, clock: clock.now });

// spec: 6 PATCH /v1/events/:id: scopes of a change
test('this: 200, the occurrence alone changes and is changed for itself; affected is 1', async () => {
  const { id } = await createSeries(organizer);
  const [, second] = await eventsOf(id);
  assert.ok(second);
  const { body } = expectStatus(await patch(second.id, organizer, { title: 'Rehearsal' }), 200);
  assert.deepEqual([body.affected, body.keptOwn, body.series.isChanged], [1, undefined, true]);
  const events = await eventsOf(id);
  assert.deepEqual(
    events.map(({ title, series }) => [title, series?.isChanged]),
    events.map((_, i) => (i === 1 ? ['Rehearsal', true] : ['Harbour potluck', false])),
  );
  const unchanged = await patch(events[0]?.id ?? '', organizer, { title: 'Harbour potluck' }, 'this');
  assert.equal(expectStatus(unchanged, 200).body.series.isChanged, false);
});

test('scope: 400 at scope for an event without a series, and for an unknown one', async () => {
  const single = expectStatus(await api.post('/v1/events', organizer.token, eventOn(firstDate)), 201).body;
  for (const scope of ['all', 'following', 'some']) {
    const changed = await patch(single.id, organizer, { title: 'New' }, scope);
    assert.deepEqual(pathsOf(expectProblem(changed, 400, 'invalid_request')), ['scope']);
    assert.deepEqual(
      pathsOf(expectProblem(await remove(single.id, organizer, scope), 400, 'invalid_request')),
      ['scope'],
    );
  }
  assert.deepEqual(expectStatus(await remove(single.id, organizer), 200).body, {
    success: true,
    affected: 1,
  });
});

test('all: 200, every coming occurrence changes but for fields that one has of its own', async () => {
  const series = await createSeries(organizer);
  const [first, second, third] = await eventsOf(series.id);
  assert.ok(first && second && third);
  expectStatus(await patch(second.id, organizer, { title: 'Rehearsal' }), 200);
  const change = { title: 'Choir', description: 'Bring water' };
  const { body } = expectStatus(await patch(third.id, organizer, change, 'all'), 200);
  assert.deepEqual([body.affected, body.keptOwn], [4, [second.id]]);
  const events = await eventsOf(series.id);
  assert.deepEqual(
    events.map(({ title }) => title),
    ['Choir', 'Rehearsal', 'Choir', 'Choir'],
  );
  const records = await Promise.all(events.map(({ id }) => api.get(`/v1/events/${id}`)));
  for (const { body } of records) assert.equal(body.description, 'Bring water');
  assert.equal((await get(series.id)).title, 'Choir');
});

test('all: a changed time changes the wall-clock time and length of each date, and the dates', async () => {
  const { id } = await createSeries(organizer, { excludedDates: ['2031-01-21T18:00'] });
  const [, second] = await eventsOf(id);
  const change = { startAt: at('2031-01-14T19:30'), endAt: at('2031-01-14T20:30') };
  expectStatus(await patch(second?.id ?? '', organizer, change, 'all'), 200);
  const kept = times('19:30', '20:30').filter((_, i) => i !== 2);
  assert.deepEqual(await timesOf(id), kept);
  assert.deepEqual(await datesOf(id), ['2031-01-07T19:30', '2031-01-14T19:30', '2031-01-28T19:30']);
  const series = await get(id);
  assert.deepEqual([series.excludedDates, series.until], [['2031-01-21T19:30'], '2031-01-28T19:30']);
  assert.equal(series.startAt, at('2031-01-07T19:30'));
});

test('all: an occurrence that was moved alone keeps its time; its date follows the series', async () => {
  const { id } = await createSeries(organizer);
  const [first, second] = await eventsOf(id);
  const moved = { startAt: at('2031-01-15T10:00'), endAt: at('2031-01-15T11:00') };
  expectStatus(await patch(second?.id ?? '', organizer, moved), 200);
  const change = { startAt: at('2031-01-07T17:00'), endAt: at('2031-01-07T19:00') };
  const { body } = expectStatus(await patch(first?.id ?? '', organizer, change, 'all'), 200);
  assert.deepEqual(body.keptOwn, [second?.id]);
  const events = await eventsOf(id);
  assert.deepEqual(
    events.map(({ startAt, series }) => [series?.date, startAt]),
    [
      ['2031-01-07T17:00', at('2031-01-07T17:00')],
      ['2031-01-14T17:00', at('2031-01-15T10:00')],
      ['2031-01-21T17:00', at('2031-01-21T17:00')],
      ['2031-01-28T17:00', at('2031-01-28T17:00')],
    ],
  );
});

test('all: 400 at startAt for another day; 400 at endAt if the dates would overlap; nothing changes', async () => {
  const { id } = await createSeries(organizer);
  const [first] = await eventsOf(id);
  const day = await patch(
    first?.id ?? '',
    organizer,
    { startAt: at('2031-01-08T18:00'), endAt: at('2031-01-08T20:00') },
    'all',
  );
  assert.deepEqual(pathsOf(expectProblem(day, 400, 'invalid_request')), ['startAt']);
  const long = await patch(first?.id ?? '', organizer, { endAt: at('2031-01-20T20:00') }, 'following');
  assert.deepEqual(pathsOf(expectProblem(long, 400, 'invalid_request')), ['endAt']);
  assert.deepEqual(await timesOf(id), times('18:00', '20:00'));
});

test('all: a refusal for one refuses all, and names the date', async () => {
  const { id } = await createSeries(organizer, { event: eventOn(firstDate, { capacity: 5 }) });
  const [first, , third] = await eventsOf(id);
  const guest = await createUser(api);
  await rsvpGoing(api, guest, third?.id ?? '');
  expectStatus(await api.post(`/v1/events/${third?.id}/booking`, guest.token, { seats: 3 }), 201);
  const response = await patch(first?.id ?? '', organizer, { capacity: 2, title: 'Smaller' }, 'all');
  assert.match(expectProblem(response, 409, 'capacity_below_booked').body.detail, /2031-01-21T18:00/);
  assert.equal(
    (await eventsOf(id)).every(({ title }) => title === 'Harbour potluck'),
    true,
  );
});

test('all: 412 for another version of the event of the path; 403 for others; 404 for an unknown event', async () => {
  const { id } = await createSeries(organizer);
  const [first] = await eventsOf(id);
  const other = await createUser(api);
  const stale = await patch(first?.id ?? '', organizer, { title: 'New' }, 'all', {
    'if-match': '"0123456789abcdef"',
  });
  expectProblem(stale, 412, 'precondition_failed');
  expectProblem(await patch(first?.id ?? '', other, { title: 'New' }, 'all'), 403, 'not_organizer');
  expectProblem(await patch('none', organizer, { title: 'New' }, 'all'), 404, 'event_not_found');
});

test('all: rsvpUntil keeps its wall-clock distance to each start', async () => {
  const event = eventOn('2031-03-25', { rsvpUntil: at('2031-03-24T12:00') });
  const { id } = await createSeries(organizer, { event, rrule: 'FREQ=WEEKLY;COUNT=2' });
  const deadlines = async () =>
    Promise.all(
      (await eventsOf(id)).map(async (event) => (await api.get(`/v1/events/${event.id}`)).body.rsvpUntil),
    );
  assert.deepEqual(await deadlines(), [at('2031-03-24T12:00'), at('2031-03-31T12:00')]);
  const [first] = await eventsOf(id);
  expectStatus(await patch(first?.id ?? '', organizer, { startAt: at('2031-03-25T17:00') }, 'all'), 200);
  assert.deepEqual(await deadlines(), [at('2031-03-24T11:00'), at('2031-03-31T11:00')]);
  expectStatus(await patch(first?.id ?? '', organizer, { rsvpUntil: at('2031-03-25T12:00') }, 'all'), 200);
  assert.deepEqual(await deadlines(), [at('2031-03-25T12:00'), at('2031-04-01T12:00')]);
});

test('following: 200, the later dates are a series of their own; events keep ids and answers', async () => {
  const series = await createSeries(organizer);
  const guest = await createUser(api);
  const before = await eventsOf(series.id);
  const third = before[2];
  assert.ok(third);
  await rsvpGoing(api, guest, third.id);
  const change = { title: 'Choir', startAt: at('2031-01-21T19:00'), endAt: at('2031-01-21T21:00') };
  const { body } = expectStatus(await patch(third.id, organizer, change, 'following'), 200);
  assert.deepEqual([body.affected, body.keptOwn, body.rsvpCount], [2, [], 1]);
  assert.notEqual(body.series.id, series.id);
  const [earlier, later] = [await get(series.id), await get(body.series.id)];
  assert.deepEqual(await datesOf(series.id), ['2031-01-07T18:00', '2031-01-14T18:00']);
  assert.deepEqual(await datesOf(later.id), ['2031-01-21T19:00', '2031-01-28T19:00']);
  assert.match(earlier.rrule, /^FREQ=WEEKLY;UNTIL=20310114T/);
  assert.deepEqual(
    [earlier.until, earlier.status, earlier.title],
    ['2031-01-14T18:00', 'active', 'Harbour potluck'],
  );
  assert.deepEqual([later.rrule, later.title], ['FREQ=WEEKLY;COUNT=2', 'Choir']);
  assert.deepEqual(
    (await eventsOf(later.id)).map(({ id }) => id),
    before.slice(2).map(({ id }) => id),
  );
});

test('following: at the first date it is all', async () => {
  const { id } = await createSeries(organizer);
  const [first] = await eventsOf(id);
  const { body } = expectStatus(
    await patch(first?.id ?? '', organizer, { title: 'Choir' }, 'following'),
    200,
  );
  assert.deepEqual([body.affected, body.series.id], [4, id]);
});

test('cancel: with following and all, those in scope are cancelled and the series ends; scheduled resumes it', async () => {
  const { id } = await createSeries(organizer, { rrule: 'FREQ=WEEKLY' });
  const events = await eventsOf(id);
  const third = events[2];
  assert.ok(third);
  const cancelled = await patch(third.id, organizer, { status: 'cancelled' }, 'following');
  assert.equal(expectStatus(cancelled, 200).body.affected, events.length - 2);
  assert.equal(cancelled.body.series.id, id);
  const statuses = async () => (await eventsOf(id)).map(({ status }) => status);
  assert.deepEqual((await statuses()).slice(0, 3), ['scheduled', 'scheduled', 'cancelled']);
  assert.equal((await get(id)).status, 'ended');
  await runJob();
  assert.equal((await eventsOf(id)).length, events.length);
  expectStatus(await patch(third.id, organizer, { status: 'scheduled' }, 'all'), 200);
  assert.equal((await get(id)).status, 'active');
  assert.deepEqual(new Set(await statuses()), new Set(['scheduled']));
});

test('cancel: one date alone leaves the others; all cancels what was restored alone, too', async () => {
  const { id } = await createSeries(organizer);
  const [, second] = await eventsOf(id);
  assert.ok(second);
  expectStatus(await patch(second.id, organizer, { status: 'cancelled' }), 200);
  const statuses = async () => (await eventsOf(id)).map(({ status }) => status);
  assert.deepEqual(await statuses(), ['scheduled', 'cancelled', 'scheduled', 'scheduled']);
  assert.equal((await get(id)).status, 'active');
  expectStatus(await patch(second.id, organizer, { status: 'scheduled' }), 200);
  expectStatus(await patch(second.id, organizer, { status: 'cancelled' }, 'all'), 200);
  assert.deepEqual(new Set(await statuses()), new Set(['cancelled']));
});

// spec: 6 DELETE /v1/events/:id: scopes of a deletion
test('delete: this excludes the date, and the job does not make it again', async () => {
  const { id } = await createSeries(organizer);
  const [, second] = await eventsOf(id);
  const deleted = await remove(second?.id ?? '', organizer);
  assert.deepEqual(expectStatus(deleted, 200).body, { success: true, affected: 1 });
  assert.deepEqual((await get(id)).excludedDates, ['2031-01-14T18:00']);
  await api.sql`update series set due_at = '2031-01-01' where id = ${id}`;
  await runJob();
  assert.deepEqual(await datesOf(id), ['2031-01-07T18:00', '2031-01-21T18:00', '2031-01-28T18:00']);
});

test('delete: following deletes those in scope and ends the series; all deletes the series', async () => {
  const { id } = await createSeries(organizer, { rrule: 'FREQ=WEEKLY' });
  const events = await eventsOf(id);
  const deleted = await remove(events[2]?.id ?? '', organizer, 'following');
  assert.deepEqual(expectStatus(deleted, 200).body, { success: true, affected: events.length - 2 });
  await runJob();
  assert.deepEqual(await datesOf(id), ['2031-01-07T18:00', '2031-01-14T18:00']);
  assert.equal((await get(id)).status, 'ended');
  const all = await remove(events[0]?.id ?? '', organizer, 'all');
  assert.deepEqual(expectStatus(all, 200).body, { success: true, affected: 2 });
  expectProblem(await api.get(`/v1/series/${id}`, organizer.token), 404, 'series_not_found');
});

test('duplicate: copies one occurrence to an event without a series', async () => {
  const { id } = await createSeries(organizer);
  const [first] = await eventsOf(id);
  const startAt = at('2031-05-01T18:00');
  const copy = await api.post(`/v1/events/${first?.id}/duplicate`, organizer.token, { startAt });
  assert.equal(expectStatus(copy, 201).body.series, null);
});
