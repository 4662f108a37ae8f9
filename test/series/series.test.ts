/** Series: what they are made of, who sees them, and the occurrences that exist ahead of time. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { dayMs } from '#base';
import { makeDueDates } from '../../src/modules/series/make-dates.ts';
import { createAdmin, createEvent, createUser, deleteAccount } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { at, createSeriesClient, createSeriesClock, firstDate, zone } from './series-client.ts';

const clock = createSeriesClock();
const api = await startTestApp({ clock });
const { create, createSeries, eventsOf, datesOf, get, eventOn } = createSeriesClient(api);
const organizer = await createUser(api);
const pathsOf = ({ body }: { body: { errors?: { path: string }[] } }) => body.errors?.map(({ path }) => path);
const runJob = () => makeDueDates({ db: api.sql, clock: clock.now });

// spec: 6 POST /v1/series, GET /v1/series/:id, GET /v1/series/:id/events: series of events
test('series: 201 with the series; its dates exist and have the wall-clock time of the first one', async () => {
  const series = await createSeries(organizer, {
    event: eventOn('2031-03-18', { title: 'Choir' }),
    rrule: 'FREQ=WEEKLY;COUNT=4',
  });
  assert.equal(series.title, 'Choir');
  assert.equal(series.rrule, 'FREQ=WEEKLY;COUNT=4');
  assert.deepEqual([series.extraDates, series.excludedDates, series.timezone], [[], [], zone]);
  assert.equal(series.startAt, at('2031-03-18T18:00'));
  assert.equal(series.until, '2031-04-08T18:00');
  assert.deepEqual([series.status, series.organizer.id, series.myRsvp], ['active', organizer.id, null]);
  assert.equal(series.ruleText.length > 0, true);
  const events = await eventsOf(series.id);
  // Clocks change on 30 March.
  assert.deepEqual(
    events.map(({ startAt, endAt, series }) => [series?.date, startAt, endAt, series?.isChanged]),
    [
      ['2031-03-18T18:00', '2031-03-18T17:00:00.000Z', '2031-03-18T19:00:00.000Z', false],
      ['2031-03-25T18:00', '2031-03-25T17:00:00.000Z', '2031-03-25T19:00:00.000Z', false],
      ['2031-04-01T18:00', '2031-04-01T16:00:00.000Z', '2031-04-01T18:00:00.000Z', false],
      ['2031-04-08T18:00', '2031-04-08T16:00:00.000Z', '2031-04-08T18:00:00.000Z', false],
    ],
  );
  assert.equal(series.next.id, events[0]?.id);
});

test('series: an event in lists and records names its series; null without one', async () => {
  const series = await createSeries(organizer);
  const [first] = await eventsOf(series.id);
  const record = expectStatus(await api.get(`/v1/events/${first?.id}`), 200).body;
  assert.deepEqual(record.series, { id: series.id, date: `${firstDate}T18:00`, isChanged: false });
  const single = await createEvent(api, organizer);
  assert.equal(single.series, null);
});

test('series: an excluded date wins over an extra one; an extra date of the rule is that date', async () => {
  const series = await createSeries(organizer, {
    rrule: 'FREQ=WEEKLY;COUNT=2',
    extraDates: ['2031-01-09T10:00', '2031-01-14T18:00', '2031-01-10T10:00'],
    excludedDates: ['2031-01-10T10:00', '2031-01-07T18:00'],
  });
  assert.deepEqual(await datesOf(series.id), ['2031-01-09T10:00', '2031-01-14T18:00']);
  assert.deepEqual(series.extraDates, ['2031-01-09T10:00', '2031-01-10T10:00', '2031-01-14T18:00']);
});

test('series: days of an all-day event are dates', async () => {
  const event = eventOn(firstDate, {
    allDay: true,
    startAt: at('2031-01-07T00:00'),
    endAt: at('2031-01-08T00:00'),
  });
  const series = await createSeries(organizer, { event, rrule: 'FREQ=MONTHLY;COUNT=2' });
  assert.deepEqual(await datesOf(series.id), ['2031-01-07', '2031-02-07']);
  assert.equal(series.until, '2031-02-07');
});

test('series: a time that clocks skip moves forward by the gap and keeps its length', async () => {
  const event = eventOn('2031-03-29', { startAt: at('2031-03-29T02:30'), endAt: at('2031-03-29T03:30') });
  const series = await createSeries(organizer, { event, rrule: 'FREQ=DAILY;COUNT=3' });
  const events = await eventsOf(series.id);
  assert.deepEqual(
    events.map(({ series, startAt, endAt }) => [series?.date, startAt, endAt]),
    [
      ['2031-03-29T02:30', '2031-03-29T01:30:00.000Z', '2031-03-29T02:30:00.000Z'],
      ['2031-03-30T02:30', '2031-03-30T01:30:00.000Z', '2031-03-30T02:30:00.000Z'],
      ['2031-03-31T02:30', '2031-03-31T00:30:00.000Z', '2031-03-31T01:30:00.000Z'],
    ],
  );
});

test('series: each occurrence has the items of the series, with a stock of its own', async () => {
  const items = [{ title: 'Cake', kind: 'bring', quantityNeeded: 2 }];
  const series = await createSeries(organizer, { items });
  const guest = await createUser(api);
  const [first, second] = await eventsOf(series.id);
  const itemsOf = async (id?: string) => expectStatus(await api.get(`/v1/events/${id}/items`), 200).body.data;
  await api.post(`/v1/events/${first?.id}/rsvp`, guest.token, { status: 'going' });
  const [cake] = await itemsOf(first?.id);
  expectStatus(await api.post(`/v1/items/${cake.id}/claim`, guest.token, { quantity: 2 }), 201);
  const [other] = await itemsOf(second?.id);
  assert.deepEqual([other.title, other.quantityNeeded, other.quantityClaimed], ['Cake', 2, 0]);
});

test('series: 400 at rrule that names the part', async () => {
  const refused: [rrule: string, part: string][] = [
    ['FREQ=HOURLY', 'FREQ'],
    ['FREQ=DAILY;BYHOUR=3', 'BYHOUR'],
    ['FREQ=DAILY;INTERVAL=0', 'INTERVAL'],
    ['FREQ=DAILY;FREQ=DAILY', 'FREQ'],
    ['FREQ=DAILY;COUNT=2;UNTIL=20310120', 'UNTIL'],
    ['FREQ=WEEKLY;BYMONTHDAY=7', 'BYMONTHDAY'],
    ['FREQ=DAILY;COUNT=1001', 'COUNT'],
    ['FREQ=YEARLY;RSCALE=GREGORIAN', 'RSCALE'],
    ['FREQ=WEEKLY;BYDAY=1TU', 'BYDAY'],
  ];
  for (const [rrule, part] of refused) {
    const response = expectProblem(await create(organizer, { rrule }), 400, 'invalid_request');
    assert.deepEqual(pathsOf(response), ['rrule'], rrule);
    assert.match(response.body.errors[0].message, new RegExp(part), rrule);
  }
  const never = await create(organizer, { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' });
  assert.deepEqual(pathsOf(expectProblem(never, 400, 'invalid_request')), ['rrule']);
  const long = eventOn(firstDate, { endAt: at('2031-01-09T18:00') });
  const overlap = await create(organizer, { event: long, rrule: 'FREQ=DAILY;COUNT=3' });
  assert.deepEqual(pathsOf(expectProblem(overlap, 400, 'invalid_request')), ['rrule']);
});

test('series: 400 at event.startAt that names the nearest date of the rule', async () => {
  const response = await create(organizer, { rrule: 'FREQ=WEEKLY;BYDAY=WE' });
  expectProblem(response, 400, 'invalid_request');
  assert.deepEqual(pathsOf(response), ['event.startAt']);
  assert.match(response.body.errors[0].message, /2031-01-08T18:00/);
  const earlier = await create(organizer, { rrule: 'FREQ=WEEKLY;BYDAY=MO' });
  assert.match(expectProblem(earlier, 400, 'invalid_request').body.errors[0].message, /2031-01-06T18:00/);
  const seconds = eventOn(firstDate, { startAt: '2031-01-07T17:00:30.000Z' });
  assert.deepEqual(
    pathsOf(expectProblem(await create(organizer, { event: seconds }), 400, 'invalid_request')),
    ['event.startAt'],
  );
});

test('series: 400 for fields of the event and for dates, with their paths', async () => {
  const response = await create(organizer, { event: eventOn(firstDate, { endAt: at('2031-01-06T18:00') }) });
  assert.deepEqual(pathsOf(expectProblem(response, 400, 'invalid_request')), ['event.endAt']);
  for (const date of ['2031-01-07', '2031-02-30T18:00', '2031-01-07T25:00']) {
    const excluded = await create(organizer, { excludedDates: [date] });
    assert.deepEqual(pathsOf(expectProblem(excluded, 400, 'invalid_request')), ['excludedDates.0'], date);
  }
});

test('series: dates that have ended are not made, and count', async () => {
  const day = Temporal.PlainDate.from('2030-12-22');
  const [startAt, endAt] = ['10:00', '11:00'].map((time) => at(`${day}T${time}`, 'UTC'));
  const event = eventOn(firstDate, { startAt, endAt, timezone: 'UTC' });
  const series = await createSeries(organizer, { event, rrule: 'FREQ=WEEKLY;COUNT=3' });
  assert.deepEqual(await datesOf(series.id), [`${day.add({ days: 14 })}T10:00`]);
  assert.equal(series.startAt, startAt);
});

test('series: whoever sees an occurrence sees the series; 404 for others', async () => {
  const [stranger, admin] = [await createUser(api), await createAdmin(api)];
  const event = eventOn(firstDate, { visibility: 'private' });
  const { id } = await createSeries(organizer, { event });
  expectStatus(await api.get(`/v1/series/${id}`, admin.token), 200);
  expectStatus(await api.get(`/v1/series/${id}`, organizer.token), 200);
  for (const path of [`/v1/series/${id}`, `/v1/series/${id}/events`, '/v1/series/none'])
    for (const token of [undefined, stranger.token])
      expectProblem(await api.get(path, token), 404, 'series_not_found');
  const [first] = await eventsOf(id, '', organizer);
  const invited = { people: [{ userId: stranger.id }] };
  expectStatus(await api.post(`/v1/events/${first?.id}/invitations`, organizer.token, invited), 201);
  assert.equal((await get(id, stranger)).next.id, first?.id);
  assert.deepEqual(await datesOf(id, stranger), [`${firstDate}T18:00`]);
});

// spec: 6 GET /v1/me/series: the series of the caller
test('series: 409 series_full above 50 that have not ended', async () => {
  const person = await createUser(api);
  for (let i = 0; i < 50; i++) await createSeries(person, { rrule: 'FREQ=WEEKLY;COUNT=1' });
  expectProblem(await create(person), 409, 'series_full');
  const mine = expectStatus(await api.get('/v1/me/series?limit=30', person.token), 200).body;
  assert.equal(mine.data.length, 30);
  const rest = await api.get(`/v1/me/series?limit=30&cursor=${mine.nextCursor}`, person.token);
  assert.equal(expectStatus(rest, 200).body.data.length, 20);
  const { data } = rest.body;
  const [event] = await eventsOf(data[0].id);
  expectStatus(await api.delete(`/v1/events/${event?.id}?scope=all`, person.token), 200);
  await createSeries(person);
});

test('series: a repeated request with an Idempotency-Key makes one series', async () => {
  const headers = { 'idempotency-key': 'choir' };
  const send = () =>
    api.call('POST', '/v1/series', {
      token: organizer.token,
      body: { event: eventOn(firstDate), rrule: 'FREQ=WEEKLY;COUNT=2' },
      headers,
    });
  const [first, second] = [expectStatus(await send(), 201), expectStatus(await send(), 201)];
  assert.equal(first.body.id, second.body.id);
  assert.equal(first.headers.get('location'), `/v1/series/${first.body.id}`);
});

// spec: 6 POST /v1/events/:id/repeat: an event becomes the first of a series
test('repeat: 201, and the event is the first occurrence and keeps its answers and claims', async () => {
  const guest = await createUser(api);
  const event = await createEvent(api, organizer, eventOn(firstDate));
  await api.post(`/v1/events/${event.id}/rsvp`, guest.token, { status: 'going' });
  const item = { title: 'Cake', kind: 'bring', quantityNeeded: 1 };
  expectStatus(await api.post(`/v1/events/${event.id}/items`, organizer.token, item), 201);
  const repeat = (id: string) =>
    api.post(`/v1/events/${id}/repeat`, organizer.token, { rrule: 'FREQ=WEEKLY;COUNT=3' });
  await api.post(`/v1/events/${event.id}/save`, organizer.token, { saved: true });
  const series = expectStatus(await repeat(event.id), 201).body;
  assert.equal(series.next.isSaved, true);
  const events = await eventsOf(series.id);
  assert.deepEqual([events.length, events[0]?.id], [3, event.id]);
  assert.equal(expectStatus(await api.get(`/v1/events/${event.id}`), 200).body.rsvpCount, 1);
  const { data } = expectStatus(await api.get(`/v1/events/${events[2]?.id}/items`), 200).body;
  assert.deepEqual(
    data.map(({ title }: { title: string }) => title),
    ['Cake'],
  );
  expectProblem(await repeat(event.id), 409, 'already_series');
  const cancelled = await createEvent(api, organizer, eventOn(firstDate));
  await api.patch(`/v1/events/${cancelled.id}`, organizer.token, { status: 'cancelled' });
  expectProblem(await repeat(cancelled.id), 409, 'event_cancelled');
  expectProblem(
    await api.post(`/v1/events/${cancelled.id}/repeat`, guest.token, { rrule: 'FREQ=DAILY' }),
    403,
    'not_organizer',
  );
});

// spec: 6 PUT /v1/series/:id/items: items of a series
test('items: coming lists that nobody changed or claimed from are replaced; the others stay', async () => {
  const items = [{ title: 'Cake', kind: 'bring', quantityNeeded: 2 }];
  const { id } = await createSeries(organizer, { items });
  const guest = await createUser(api);
  const [first, second, third] = await eventsOf(id);
  const titles = async (event?: { id: string }) =>
    expectStatus(await api.get(`/v1/events/${event?.id}/items`), 200).body.data.map(
      ({ title }: { title: string }) => title,
    );
  await api.post(`/v1/events/${first?.id}/rsvp`, guest.token, { status: 'going' });
  expectStatus(await api.post(`/v1/items/${first?.id}.1/claim`, guest.token, { quantity: 1 }), 201);
  expectStatus(await api.patch(`/v1/items/${second?.id}.1`, organizer.token, { title: 'Pie' }), 200);
  const put = (person: { token: string }) =>
    api.call('PUT', `/v1/series/${id}/items`, {
      token: person.token,
      body: { items: [{ title: 'Soup', kind: 'bring', quantityNeeded: 1 }] },
    });
  expectProblem(await put(guest), 403, 'not_organizer');
  assert.deepEqual(expectStatus(await put(organizer), 200).body, { replaced: 2, kept: 2 });
  assert.deepEqual(
    [await titles(first), await titles(second), await titles(third)],
    [['Cake'], ['Pie'], ['Soup']],
  );
});

test('series: deleting the account deletes its series and their occurrences', async () => {
  const person = await createUser(api);
  const { id } = await createSeries(person);
  const exported = expectStatus(await api.get('/v1/me/export', person.token), 200).body;
  assert.deepEqual(
    exported.series.map((series: { id: string }) => series.id),
    [id],
  );
  await deleteAccount(api, person);
  const left = await api.sql`
    select 1 from series where id = ${id} union all select 1 from events where series_id = ${id}`;
  assert.equal(left.length, 0);
});

// Last, because the sessions of the tests end with the time that passes.
test('series: 13 months of occurrences exist, at most 60, at least two; the job makes the following ones', async () => {
  const [startAt, endAt] = ['2031-01-01T10:00:00.000Z', '2031-01-01T11:00:00.000Z'];
  const event = eventOn(firstDate, { startAt, endAt, timezone: 'UTC' });
  const weekly = await createSeries(organizer, { event, rrule: 'FREQ=WEEKLY' });
  const daily = await createSeries(organizer, { event, rrule: 'FREQ=DAILY' });
  const yearly = await createSeries(organizer, { event, rrule: 'FREQ=YEARLY' });
  assert.deepEqual([weekly.until, yearly.until], [null, null]);
  const counts = async () =>
    Promise.all([weekly, daily, yearly].map(async ({ id }) => (await eventsOf(id)).length));
  const [weeks = 0, days, years] = await counts();
  assert.ok(weeks >= 56 && weeks <= 57, `${weeks}`);
  assert.deepEqual([days, years], [60, 2]);
  await runJob();
  assert.deepEqual(await counts(), [weeks, 60, 2]);
  clock.advance(14 * dayMs);
  await runJob();
  await runJob();
  assert.deepEqual(await counts(), [weeks, 60, 2]);
  const dates = await datesOf(daily.id);
  assert.equal(new Set(dates).size, 60);
  const past = await eventsOf(daily.id, '&when=past');
  assert.ok(past.length >= 13, `${past.length}`);
});
