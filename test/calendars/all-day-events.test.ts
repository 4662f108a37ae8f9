/** Time zones, all-day events and unknown prices in every representation of an event. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import nodeIcal from 'node-ical';
import {
  calendar,
  calendarEntry,
  createImporter,
  errorsOf,
  importCounts,
} from '../support/calendar-files.ts';
import { createEvent, createUser, eventBody, nextPhone, type Person, signIn } from '../support/factories.ts';
import { openStream } from '../support/live-fixtures.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const { importFile, eventsOf, importForNewUser, importError } = createImporter(api);
const organizer = await createUser(api);

const oslo = { address: 'Oslo', lat: 59.9106, lng: 10.7291 };
const london = { address: 'London', lat: 51.5074, lng: -0.1278 };
const saoPaulo = { address: 'São Paulo', lat: -23.5505, lng: -46.6333 };

const create = (fields: object, person: Person = organizer) =>
  api.post('/v1/events', person.token, eventBody({ ...fields }));
const change = (id: string, fields: object) => api.patch(`/v1/events/${id}`, organizer.token, fields);
const read = async (id: string) => expectStatus(await api.get(`/v1/events/${id}`), 200).body;
const paths = (body: { errors: { path: string }[] }) => body.errors.map(({ path }) => path);
const timesOf = ({ startAt, endAt, allDay, timezone }: Record<string, unknown>) => [
  startAt,
  endAt,
  allDay,
  timezone,
];

/** 5 and 6 March, in standard time (UTC+1) of Oslo. */
const twoDays = { startAt: '2027-03-05T00:00:00+01:00', endAt: '2027-03-07T00:00:00+01:00' };
const createTwoDayEvent = (fields: object = {}) =>
  createEvent(api, organizer, { ...twoDays, location: oslo, allDay: true, ...fields });

// spec: 2.4 GET /v1/events, POST /v1/events, PATCH /v1/events/:id: `timezone`, `allDay`, `isPriceKnown`
test('create: the timezone defaults to that of the coordinates; a timezone in the request is stored', async () => {
  for (const [location, zone] of [
    [oslo, 'Europe/Oslo'],
    [saoPaulo, 'America/Sao_Paulo'],
    [{ address: 'The North Pole', lat: 90, lng: 180 }, 'Etc/GMT'],
  ] as const) {
    const { body } = expectStatus(await create({ location }), 201);
    assert.equal(body.timezone, zone);
    assert.equal((await read(body.id)).timezone, zone);
  }
  assert.equal((await createEvent(api, organizer, { timezone: 'UTC' })).timezone, 'UTC');
});

test('change: a derived timezone follows the location, an explicit timezone does not change', async () => {
  const derived = await createEvent(api, organizer, { location: oslo });
  const moved = expectStatus(await change(derived.id, { location: london }), 200).body;
  assert.deepEqual(
    [moved.timezone, moved.startAt, moved.endAt],
    ['Europe/London', derived.startAt, derived.endAt],
  );
  for (const timezone of ['Asia/Tokyo', 'UTC']) {
    const chosen = await createEvent(api, organizer, { location: oslo, timezone });
    assert.equal(expectStatus(await change(chosen.id, { location: london }), 200).body.timezone, timezone);
  }
  const both = expectStatus(await change(moved.id, { location: oslo, timezone: 'Asia/Tokyo' }), 200).body;
  assert.equal(both.timezone, 'Asia/Tokyo');
  assert.equal(
    expectStatus(await change(moved.id, { title: 'Same place' }), 200).body.timezone,
    'Asia/Tokyo',
  );
});

test('create: allDay is false by default; an all-day event requires midnights of its timezone', async () => {
  assert.equal((await createEvent(api, organizer)).allDay, false);
  const event = await createTwoDayEvent();
  assert.deepEqual(timesOf(event), [
    '2027-03-04T23:00:00.000Z',
    '2027-03-06T23:00:00.000Z',
    true,
    'Europe/Oslo',
  ]);
  assert.equal((await read(event.id)).allDay, true);
  // Midnight does not exist on 4 November, and the offset changes that day.
  const spring = { startAt: '2018-11-04T01:00:00-02:00', endAt: '2018-11-05T00:00:00-02:00' };
  const { body } = expectStatus(await create({ ...spring, location: saoPaulo, allDay: true }), 201);
  assert.deepEqual(timesOf(body), [
    '2018-11-04T03:00:00.000Z',
    '2018-11-05T02:00:00.000Z',
    true,
    'America/Sao_Paulo',
  ]);
});

// spec: 2.4 GET /v1/events, POST /v1/events, PATCH /v1/events/:id: `timezone`, `allDay`, `isPriceKnown`
test('create: 400 naming startAt or endAt unless an all-day event covers whole days of its timezone', async () => {
  const cases: [fields: object, ...paths: string[]][] = [
    [{ startAt: '2027-03-05T00:00:00Z' }, 'startAt'],
    [{ endAt: '2027-03-06T23:59:59.999+01:00' }, 'endAt'],
    [{ timezone: 'Europe/London' }, 'startAt', 'endAt'],
    [{ location: london }, 'startAt', 'endAt'],
    // Daylight saving time begins on 28 March, so the offset of midnight on 29 March differs.
    [{ startAt: '2027-03-28T00:00:00+01:00', endAt: '2027-03-29T00:00:00+01:00' }, 'endAt'],
    [{ endAt: twoDays.startAt }, 'endAt'],
  ];
  for (const [fields, ...expected] of cases) {
    const response = await create({ ...twoDays, location: oslo, allDay: true, ...fields });
    const { body } = expectProblem(response, 400, 'invalid_request');
    assert.deepEqual(paths(body), expected, JSON.stringify(fields));
  }
  for (const allDay of [null, 'true', 1])
    assert.deepEqual(paths(expectProblem(await create({ allDay }), 400, 'invalid_request').body), ['allDay']);
});

// spec: 2.4 GET /v1/events, POST /v1/events, PATCH /v1/events/:id: `timezone`, `allDay`, `isPriceKnown`
test('change: an all-day event keeps its dates when its timezone changes, and new times are validated', async () => {
  const { id } = await createTwoDayEvent();
  const inLondon = ['2027-03-05T00:00:00.000Z', '2027-03-07T00:00:00.000Z', true, 'Europe/London'];
  assert.deepEqual(timesOf(expectStatus(await change(id, { location: london }), 200).body), inLondon);
  assert.deepEqual(timesOf(await read(id)), inLondon);
  const tokyo = expectStatus(await change(id, { timezone: 'Asia/Tokyo' }), 200).body;
  assert.deepEqual(timesOf(tokyo).slice(0, 2), ['2027-03-04T15:00:00.000Z', '2027-03-06T15:00:00.000Z']);
  // The request changes the start; the end keeps its date.
  const sent = { timezone: 'Europe/Oslo', startAt: '2027-03-06T00:00:00+01:00' };
  assert.deepEqual(timesOf(expectStatus(await change(id, sent), 200).body).slice(0, 2), [
    '2027-03-05T23:00:00.000Z',
    '2027-03-06T23:00:00.000Z',
  ]);
  const refused = expectProblem(await change(id, { endAt: '2027-03-08T12:00:00Z' }), 400, 'invalid_request');
  assert.deepEqual(paths(refused.body), ['endAt']);
  const timed = expectStatus(
    await change(id, { allDay: false, endAt: '2027-03-08T12:00:00Z', location: oslo }),
    200,
  ).body;
  assert.equal(timed.allDay, false);
  assert.deepEqual(paths(expectProblem(await change(id, { allDay: true }), 400, 'invalid_request').body), [
    'endAt',
  ]);
  const again = { allDay: true, endAt: '2027-03-08T00:00:00+01:00' };
  assert.equal(expectStatus(await change(id, again), 200).body.allDay, true);
});

test('change: 200 for an all-day event whose stored times are no longer midnights; new times are validated', async () => {
  const { id } = await createTwoDayEvent();
  const [stored] = await api.sql<[{ startAt: Date; endAt: Date }]>`
    select start_at + interval '1 hour' as start_at, end_at + interval '1 hour' as end_at from events where id = ${id}`;
  await api.sql`update events set start_at = ${stored.startAt}, end_at = ${stored.endAt} where id = ${id}`;
  await api.sql`update change_shards set version = version + 1`;
  assert.equal(expectStatus(await change(id, { title: 'Still all day' }), 200).body.allDay, true);
  const notMidnight = { startAt: '2027-03-04T01:00:00+01:00' };
  assert.deepEqual(paths(expectProblem(await change(id, notMidnight), 400, 'invalid_request').body), [
    'startAt',
  ]);
  expectStatus(await change(id, twoDays), 200);
});

test('change: 400 naming endAt when a new timezone moves an all-day event beyond the year 9999', async () => {
  const last = { startAt: '9999-12-30T15:00:00Z', endAt: '9999-12-31T15:00:00Z', timezone: 'Asia/Tokyo' };
  const { id } = await createTwoDayEvent(last);
  const { body } = expectProblem(await change(id, { timezone: 'America/New_York' }), 400, 'invalid_request');
  assert.deepEqual(paths(body), ['endAt']);
  const calendarText = (await api.get(`/v1/events/${id}/calendar.ics`)).body;
  assert.match(calendarText, /\r\nDTSTART;VALUE=DATE:99991231\r\n/);
  assert.doesNotMatch(calendarText, /DTEND/);
});

// spec: 2.4 GET /v1/events, POST /v1/events, PATCH /v1/events/:id: `timezone`, `allDay`, `isPriceKnown`
test('events: isPriceKnown defaults to true if the request has a price, to false otherwise', async () => {
  const cases: [sent: Record<string, unknown>, price: number, isPriceKnown: boolean][] = [
    [{}, 0, false],
    [{ price: 0 }, 0, true],
    [{ price: 12.5 }, 12.5, true],
    [{ isPriceKnown: true }, 0, true],
    [{ price: 0, isPriceKnown: false }, 0, false],
  ];
  for (const [sent, price, isPriceKnown] of cases) {
    const event = await createEvent(api, organizer, sent);
    assert.deepEqual([event.price, event.isPriceKnown], [price, isPriceKnown], JSON.stringify(sent));
    const stored = await read(event.id);
    assert.deepEqual([stored.price, stored.isPriceKnown], [price, isPriceKnown]);
  }
  const refused = expectProblem(await create({ price: 5, isPriceKnown: false }), 400, 'invalid_request');
  assert.deepEqual(paths(refused.body), ['isPriceKnown']);

  const { id } = await createEvent(api, organizer);
  const steps: [sent: object, price: number, isPriceKnown: boolean][] = [
    [{ title: 'Other' }, 0, false],
    [{ price: 20 }, 20, true],
    [{ price: 0 }, 0, true],
    [{ isPriceKnown: false }, 0, false],
    [{ isPriceKnown: true }, 0, true],
  ];
  for (const [sent, price, isPriceKnown] of steps) {
    const { body } = expectStatus(await change(id, sent), 200);
    assert.deepEqual([body.price, body.isPriceKnown], [price, isPriceKnown], JSON.stringify(sent));
  }
  expectStatus(await change(id, { price: 20 }), 200);
  const unknown = expectProblem(await change(id, { isPriceKnown: false }), 400, 'invalid_request');
  assert.deepEqual(paths(unknown.body), ['isPriceKnown']);
});

test('events: allDay and isPriceKnown are in the lists, the search, the feed, the live stream and the export', async () => {
  const host = await createUser(api);
  const follower = await createUser(api);
  expectStatus(await api.post(`/v1/users/${host.id}/follow`, follower.token), 200);
  const event = await createEvent(api, host, {
    ...twoDays,
    title: 'Zeppelin meadow',
    location: oslo,
    allDay: true,
    price: 0,
  });
  const expected = { allDay: true, isPriceKnown: true, timezone: 'Europe/Oslo' };
  const pick = (element: Record<string, unknown> = {}) => ({
    allDay: element.allDay,
    isPriceKnown: element.isPriceKnown,
    timezone: element.timezone,
  });
  for (const path of ['/v1/events?q=zeppelin', '/v1/events/search?q=zeppelin', '/v1/feed']) {
    const { body } = expectStatus(await api.get(path, follower.token), 200);
    assert.deepEqual(pick(body.data.find(({ id }: { id: string }) => id === event.id)), expected, path);
  }
  const exported = expectStatus(await api.get('/v1/me/export', host.token), 200).body;
  assert.deepEqual(pick(exported.events[0]), expected);
  const stream = await openStream(api, event.id);
  const snapshot = stream.messages[0]?.data as { event: { allDay: boolean } };
  assert.equal(snapshot.event.allDay, true);
});

test('calendars: an all-day event is written as dates, and other parsers read it as whole days', async () => {
  const event = await createTwoDayEvent({ title: 'Meadow days' });
  const text: string = expectStatus(await api.get(`/v1/events/${event.id}/calendar.ics`), 200).body;
  assert.match(text, /\r\nDTSTART;VALUE=DATE:20270305\r\nDTEND;VALUE=DATE:20270307\r\n/);
  assert.doesNotMatch(text, /VTIMEZONE|TZID/);
  const read = Object.values(nodeIcal.sync.parseICS(text)).find((part) => part?.type === 'VEVENT');
  assert.ok(read?.type === 'VEVENT');
  assert.equal(read.datetype, 'date');
  const list: string = expectStatus(
    await api.get('/v1/events.ics?q=meadow+days&dateFrom=2027-03-01'),
    200,
  ).body;
  assert.match(list, /\r\nDTSTART;VALUE=DATE:20270305\r\n/);
  // An import of the calendar creates an equal event.
  const phone = nextPhone();
  assert.deepEqual(importCounts(await importFile(text, phone)), [1, 0, 0, 0]);
  const [copy] = await eventsOf(await signIn(api, phone));
  assert.deepEqual(timesOf(copy), timesOf(event));

  const sequence = (body: string) => Number(/\r\nSEQUENCE:(\d+)/.exec(body)?.[1]);
  const changed = expectStatus(await change(event.id, { allDay: false }), 200).body;
  const timed: string = expectStatus(await api.get(`/v1/events/${changed.id}/calendar.ics`), 200).body;
  assert.match(timed, /\r\nDTSTART;TZID=Europe\/Oslo:20270305T000000\r\n/);
  assert.equal(sequence(timed), sequence(text) + 1);
});

test('import: entries with dates become all-day events in the timezone of their location', async () => {
  const places: [geo: string, zone: string, start: string, end: string][] = [
    ['59.9139;10.7522', 'Europe/Oslo', '2027-03-04T23:00:00.000Z', '2027-03-06T23:00:00.000Z'],
    ['40.7128;-74.006', 'America/New_York', '2027-03-05T05:00:00.000Z', '2027-03-07T05:00:00.000Z'],
    ['-36.8485;174.7633', 'Pacific/Auckland', '2027-03-04T11:00:00.000Z', '2027-03-06T11:00:00.000Z'],
  ];
  const dates = {
    DTSTART: undefined,
    DTEND: undefined,
    'DTSTART;VALUE=DATE': '20270305',
    'DTEND;VALUE=DATE': '20270307',
  };
  for (const [GEO, zone, start, end] of places) {
    const file = calendar('X-WR-TIMEZONE:Asia/Tokyo\r\n', calendarEntry({ ...dates, GEO }));
    const { report, phone, events } = await importForNewUser(file);
    assert.deepEqual(errorsOf(report), []);
    assert.deepEqual(timesOf(events[0]), [start, end, true, zone]);
    assert.deepEqual([events[0].price, events[0].isPriceKnown], [0, false]);
    assert.deepEqual(importCounts(await importFile(file, phone)), [0, 0, 1, 0]);
  }
});

test('import: an entry is an error if its timezone skips the date', async () => {
  const skipped = { DTSTART: '20111230', DTEND: undefined, GEO: '-13.8333;-171.7667' };
  assert.match(await importError(skipped), /is not after DTSTART/);
});

// spec: 4.9 GET /v1/events: `dateFrom` and `dateTo` without a time select an all-day event by its own days
test('list: dates select an all-day event by its days in its own zone, also after a change of zone', async () => {
  const category = 'other';
  const auckland = { address: 'Auckland', lat: -36.8485, lng: 174.7633 };
  const honolulu = { address: 'Honolulu', lat: 21.3069, lng: -157.8583 };
  const times = (offset: string) => ({
    startAt: `2027-05-15T00:00:00${offset}`,
    endAt: `2027-05-16T00:00:00${offset}`,
  });
  const east = await createEvent(api, organizer, {
    ...times('+12:00'),
    location: auckland,
    allDay: true,
    category,
  });
  const west = await createEvent(api, organizer, {
    ...times('-10:00'),
    location: honolulu,
    allDay: true,
    category,
  });
  const listed = async (query: string) => {
    const { body } = expectStatus(await api.get(`/v1/events?category=${category}&${query}`), 200);
    const found = body.data.map(({ id }: { id: string }) => id);
    return [east.id, west.id].map((id) => found.includes(id));
  };
  assert.deepEqual(await listed('dateFrom=2027-05-14&dateTo=2027-05-14'), [false, false]);
  assert.deepEqual(await listed('dateFrom=2027-05-15&dateTo=2027-05-15'), [true, true]);
  assert.deepEqual(await listed('dateFrom=2027-05-16&dateTo=2027-05-16'), [false, false]);
  assert.deepEqual(await listed('startFrom=2027-05-15&startTo=2027-05-15'), [true, true]);
  assert.deepEqual(await listed('startFrom=2027-05-14&startTo=2027-05-14'), [false, false]);
  assert.deepEqual(await listed('dateFrom=2027-05-14T12:00:00Z&dateTo=2027-05-14T13:00:00Z'), [true, false]);
  expectStatus(await change(east.id, { timezone: 'Pacific/Honolulu' }), 200);
  assert.deepEqual(await listed('dateFrom=2027-05-15&dateTo=2027-05-15'), [true, true]);
  expectStatus(await change(east.id, { allDay: false }), 200);
  assert.deepEqual(await listed('dateFrom=2027-05-16&dateTo=2027-05-16'), [true, false]);
});

test('migration: an all-day event of an earlier release gets its days; one in an unknown zone has none', async () => {
  const days = async (id: string) =>
    (await api.sql`select first_day, end_day from events where id = ${id}`)[0] as object;
  const event = await createTwoDayEvent();
  const other = await createTwoDayEvent();
  const written = await days(event.id);
  await api.sql`alter table events drop column first_day, drop column end_day`;
  await api.sql`update events set timezone = 'Mars/Olympus' where id = ${other.id}`;
  const file = new URL('../../src/schema/migrations/0013.do.days-of-all-day-events.sql', import.meta.url);
  await api.sql.text(await readFile(file, 'utf8'));
  assert.deepEqual(await days(event.id), written);
  assert.deepEqual(Object.values(await days(other.id)), [null, null]);
  await api.sql`delete from events where id = ${other.id}`;
});

test('import: a second import keeps the timezone and the price that the organizer chose', async () => {
  const file = calendar(
    calendarEntry({ SUMMARY: 'A, unchanged' }),
    calendarEntry({ SUMMARY: 'B, in UTC', UID: 'b' }),
    calendarEntry({ SUMMARY: 'C, in another timezone', UID: 'c' }),
    calendarEntry({ SUMMARY: 'D, free', UID: 'd' }),
  );
  const { phone, person, events } = await importForNewUser(file);
  for (const [i, fields] of [
    [1, { timezone: 'UTC' }],
    [2, { timezone: 'Asia/Tokyo' }],
    [3, { isPriceKnown: true }],
  ] as const)
    expectStatus(await api.patch(`/v1/events/${events[i].id}`, person.token, fields), 200);
  assert.deepEqual(importCounts(await importFile(file, phone)), [0, 0, 4, 0]);
  assert.deepEqual(
    (await eventsOf(person)).map(({ timezone, isPriceKnown }) => [timezone, isPriceKnown]),
    [
      ['Europe/Oslo', false],
      ['UTC', false],
      ['Asia/Tokyo', false],
      ['Europe/Oslo', true],
    ],
  );
});
