/** GET /v1/events/:id/calendar.ics and GET /v1/events.ics, checked with an independent parser. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createImporter } from '../support/calendar-files.ts';
import { createAdmin, createEvent, createUser, inDays, nextPhone, signIn } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { eventIn, eventsIn, titlesIn } from './calendar-parsing.ts';

const api = await startTestApp({ env: { PUBLIC_URL: 'https://events.example.org/', DEV_CODES: 'on' } });
const second = await api.startAnother();
const { importFile, eventsOf } = createImporter(api);

const calendarOf = (id: string, token?: string, on = api) => on.get(`/v1/events/${id}/calendar.ics`, token);
const change = async (id: string, token: string, body: object) =>
  expectStatus(await api.patch(`/v1/events/${id}`, token, body), 200);

// spec: 2.4 GET /v1/events/:id/calendar.ics: an event as iCalendar
test('event calendar: 200 with every property of the event', async () => {
  const organizer = await createUser(api, { name: 'Mara "M", Lindgren' });
  const event = await createEvent(api, organizer, {
    title: 'Harbour potluck; with soup, and bread',
    description: 'Bring a plate.\nAnd a spoon 🥄',
    startAt: '2027-07-01T18:00:00+02:00',
    endAt: '2027-07-01T23:00:00+02:00',
    timezone: 'Europe/Oslo',
  });
  const response = await calendarOf(event.id);
  const parsed = eventIn(response);
  assert.deepEqual(
    [parsed.uid, parsed.summary, parsed.description, parsed.location, parsed.status, Number(parsed.sequence)],
    [`${event.id}@events.example.org`, event.title, event.description, 'Aker Brygge, Oslo', 'CONFIRMED', 0],
  );
  assert.deepEqual(
    [parsed.start.toISOString(), parsed.start.tz],
    ['2027-07-01T16:00:00.000Z', 'Europe/Oslo'],
  );
  assert.deepEqual([parsed.end?.toISOString(), parsed.end?.tz], ['2027-07-01T21:00:00.000Z', 'Europe/Oslo']);
  assert.deepEqual(parsed.geo, { lat: 59.9106, lon: 10.7291 });
  assert.deepEqual(parsed.categories, ['Food & drink']);
  const second = (at: string) => `${at.slice(0, 19)}.000Z`;
  assert.equal(parsed.lastmodified?.toISOString(), second(event.updatedAt));
  assert.equal(parsed.dtstamp?.toISOString(), second(event.updatedAt));
  assert.equal(parsed.created?.toISOString(), second(event.createdAt));
  const lines = response.body.replaceAll('\r\n ', '').split('\r\n');
  assert.ok(lines.includes(`URL;VALUE=URI:https://events.example.org/e/${event.id}`));
  assert.ok(
    lines.includes(`ORGANIZER;CN="Mara ^'M^', Lindgren":https://events.example.org/v1/users/${organizer.id}`),
  );
  assert.ok(!response.body.includes(organizer.phone));
  assert.deepEqual(
    ['content-disposition', 'cache-control', 'vary'].map((name) => response.headers.get(name)),
    [
      'attachment; filename="harbour-potluck-with-soup-and-bread.ics"',
      'private, no-cache',
      'Authorization, Cookie, Sec-Fetch-Site, Accept-Encoding',
    ],
  );
});

test('event calendar: no GEO where the coordinates are only those of the town', async () => {
  const location = { address: 'Kastanjegatan 14, Mölndal', lat: 57.6554, lng: 12.0138, isExact: false };
  const { id } = await createEvent(api, await createUser(api), { location });
  const parsed = eventIn(await calendarOf(id));
  assert.deepEqual([parsed.location, parsed.geo], [location.address, undefined]);
});

// spec: 2.4 GET /v1/events/:id/calendar.ics: an event as iCalendar
test('event calendar: 404 for an unknown, malformed or private event; 200 for organizer and admin', async () => {
  const [organizer, stranger, admin] = [await createUser(api), await createUser(api), await createAdmin(api)];
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  for (const id of ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1', 'x', 'a%2Fb'])
    expectProblem(await calendarOf(id), 404, 'event_not_found');
  for (const token of [undefined, stranger.token])
    expectProblem(await calendarOf(draft.id, token), 404, 'event_not_found');
  expectProblem(await calendarOf(draft.id, 'pa_x'), 401, 'token_invalid');
  for (const { token } of [organizer, admin])
    assert.equal(eventIn(await calendarOf(draft.id, token)).class, 'PRIVATE');
  const unlisted = await createEvent(api, organizer, { visibility: 'unlisted' });
  assert.equal(eventIn(await calendarOf(unlisted.id)).class, undefined);
});

// spec: 2.4 GET /v1/events/:id/calendar.ics: an event as iCalendar
test('event calendar: SEQUENCE increases with every change of a property in the calendar, and with no other change', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer, { timezone: 'Europe/Oslo' });
  const sequence = async (on = api) => Number(eventIn(await calendarOf(event.id, undefined, on)).sequence);
  const changes = [
    { title: 'Harbour potluck, now indoors' },
    { description: 'Bring slippers.' },
    { startAt: inDays(8), endAt: inDays(8, 4) },
    { timezone: 'Europe/Stockholm' },
    { location: { address: 'Lindholmen', lat: 57.7, lng: 11.9 } },
    { location: { address: 'Lindholmen', lat: 57.7, lng: 11.9, isExact: false } },
    { category: 'music' },
    { status: 'cancelled' },
    { status: 'scheduled' },
  ];
  for (const [i, body] of changes.entries()) {
    await change(event.id, organizer.token, body);
    assert.deepEqual([await sequence(), await sequence(second)], [i + 1, i + 1], JSON.stringify(body));
  }
  for (const body of [
    {},
    { price: 5 },
    { capacity: 9 },
    { coverUrl: 'https://x.org/y' },
    changes[0],
    { enabledModules: [] },
  ])
    await change(event.id, organizer.token, body ?? {});
  // The unchanged title is not a change.
  assert.equal(await sequence(), changes.length);
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? second : api).patch(`/v1/events/${event.id}`, organizer.token, { title: `Title ${i}` }),
    ),
  );
  assert.equal(await sequence(), changes.length + 20);
});

test('event calendar: SEQUENCE increases when CLASS changes, and not between public and unlisted', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer);
  const classAndSequence = async () => {
    const { class: visibility, sequence } = eventIn(await calendarOf(event.id, organizer.token));
    return [visibility ?? 'none', Number(sequence)];
  };
  assert.deepEqual(await classAndSequence(), ['none', 0]);
  const changes = [
    ['unlisted', 'none', 0],
    ['public', 'none', 0],
    ['private', 'PRIVATE', 1],
    ['unlisted', 'none', 2],
    ['private', 'PRIVATE', 3],
  ];
  for (const [visibility, ...expected] of changes) {
    await change(event.id, organizer.token, { visibility });
    assert.deepEqual(await classAndSequence(), expected, visibility as string);
  }
});

// spec: 2.4 GET /v1/events/:id/calendar.ics: an event as iCalendar
test('event calendar: CANCELLED with the same UID after cancellation, CONFIRMED when scheduled again', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer);
  const before = eventIn(await calendarOf(event.id));
  await change(event.id, organizer.token, { status: 'cancelled' });
  const cancelled = eventIn(await calendarOf(event.id));
  assert.deepEqual([cancelled.status, cancelled.uid], ['CANCELLED', before.uid]);
  await change(event.id, organizer.token, { status: 'scheduled' });
  assert.equal(eventIn(await calendarOf(event.id)).status, 'CONFIRMED');
});

test('event calendar: 304 for a matching ETag, 200 after a change', async () => {
  const organizer = await createUser(api);
  const { id } = await createEvent(api, organizer);
  const path = `${api.url}/v1/events/${id}/calendar.ics`;
  const tag = (await fetch(path)).headers.get('etag') ?? '';
  for (const header of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
    const again = await fetch(path, { headers: { 'if-none-match': header } });
    assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', tag]);
  }
  await change(id, organizer.token, { title: 'Another title' });
  const changed = await fetch(path, { headers: { 'if-none-match': tag } });
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.get('etag'), tag);
});

// spec: 2.4 GET /v1/events/:id/calendar.ics: an event as iCalendar
test('event calendar: an import of the calendar creates an equal event', async () => {
  const organizer = await createUser(api);
  const eventTimes = [
    { startAt: '2027-03-27T23:30:00Z', endAt: '2027-03-28T05:00:00Z', timezone: 'Europe/Oslo' },
    { startAt: '2027-10-31T00:30:00Z', endAt: '2027-10-31T01:30:00Z', timezone: 'Europe/Oslo' },
    { startAt: '2027-07-01T12:00:00Z', endAt: '2027-07-03T12:00:00Z', timezone: 'America/St_Johns' },
    { startAt: '2027-07-01T12:00:00Z', endAt: '2027-07-01T13:00:00Z', timezone: 'Asia/Kathmandu' },
    { startAt: '1931-05-01T12:00:00Z', endAt: '1931-05-01T13:00:00Z', timezone: 'Europe/Amsterdam' },
    { startAt: '9998-07-01T12:00:00Z', endAt: '9998-07-01T13:00:00Z', timezone: 'America/New_York' },
    { startAt: '2027-07-01T12:00:00Z', endAt: '2027-07-01T13:00:00Z', timezone: 'UTC' },
  ];
  const texts = {
    title: 'Soup; bread, "wine" 🥘',
    description: 'One\nTwo, three; four\\five',
    category: 'music',
  };
  for (const times of eventTimes) {
    const event = await createEvent(api, organizer, { ...times, ...texts });
    const phone = nextPhone();
    const { body } = await calendarOf(event.id);
    const report = await importFile(body, phone);
    assert.deepEqual([report.added, report.errors, report.warnings], [1, [], []]);
    const [copy] = await eventsOf(await signIn(api, phone));
    // The import adds the URL of the original event to the description.
    assert.equal(copy.description, `${event.description}\nhttps://events.example.org/e/${event.id}`);
    for (const name of ['title', 'startAt', 'endAt', 'location', 'category', 'status', 'visibility'])
      assert.deepEqual(copy[name], event[name], `${name} of ${JSON.stringify(times)}`);
    // Ambiguous local times are written in UTC, and the import takes the timezone of the location.
    const isLocal = body.includes(`TZID=${times.timezone}`);
    assert.equal(copy.timezone, isLocal ? times.timezone : 'Europe/Oslo');
    assert.equal((await importFile(body, phone)).unchanged, 1);
  }
});

// spec: 2.4 GET /v1/events.ics: lists of events as iCalendar
test('events calendar: 200 with the events of the list for the same filters', async () => {
  const organizer = await createUser(api, { name: 'The organizer' });
  const location = { address: 'Nuuk', lat: 64.18, lng: -51.72 };
  const create = (title: string, fields: object = {}) =>
    createEvent(api, organizer, { title, location, ...fields });
  await create('Northern one', { startAt: inDays(2), endAt: inDays(2, 1) });
  await create('Northern two', { startAt: inDays(1), endAt: inDays(1, 1), category: 'music' });
  await create('Northern past', { startAt: inDays(-3), endAt: inDays(-2) });
  await create('Northern draft', { visibility: 'private' });
  const cancelled = await create('Northern off');
  await change(cancelled.id, organizer.token, { status: 'cancelled' });
  await create('Northern away', {
    location: { ...location, lat: 70 },
    startAt: inDays(9),
    endAt: inDays(10),
  });
  const around = 'lat=64.18&lng=-51.72';
  const titles = async (query: string, token?: string) =>
    titlesIn(await api.get(`/v1/events.ics?${query}`, token));
  assert.deepEqual(await titles(around), ['Northern two', 'Northern one']);
  assert.deepEqual(await titles(`${around}&radius=1000`), ['Northern two', 'Northern one', 'Northern away']);
  assert.deepEqual(await titles(`${around}&category=music`), ['Northern two']);
  assert.deepEqual(await titles('q=northern+one'), ['Northern one']);
  assert.deepEqual(await titles(`${around}&dateTo=${inDays(0)}`), ['Northern past']);
  assert.deepEqual(await titles(`${around}&dateFrom=${inDays(1, 12)}`), ['Northern one']);
  const guest = await createUser(api);
  assert.deepEqual((await titles('q=northern', guest.token)).length, 3);
  expectStatus(await api.post(`/v1/users/${organizer.id}/block`, guest.token), 200);
  assert.deepEqual(await titles('q=northern', guest.token), []);
  const response = await api.get(`/v1/events.ics?${around}`);
  assert.match(response.body, /X-WR-CALNAME:Potluck events\r\n/);
  assert.match(response.body, /REFRESH-INTERVAL;VALUE=DURATION:PT1H\r\nX-PUBLISHED-TTL:PT1H\r\n/);
  assert.match(response.body, /ORGANIZER;CN="The organizer":/);
  assert.equal(response.headers.get('content-disposition'), 'inline; filename="events.ics"');
  assert.match(
    (await api.get('/v1/events.ics?q=nothing-like-it')).body,
    /^BEGIN:VCALENDAR\r\n.*END:VCALENDAR\r\n$/s,
  );
});

// spec: 2.4 GET /v1/events.ics: lists of events as iCalendar
test('events calendar: 400 naming the parameter, 401 for a bad token', async () => {
  const faults: [string, string][] = [
    ['lat=1', 'lng'],
    ['lng=1', 'lat'],
    ['radius=5', 'radius'],
    ['lat=91&lng=0', 'lat'],
    ['dateFrom=2027-01-02&dateTo=2027-01-01', 'dateTo'],
    ['dateFrom=soon', 'dateFrom'],
    [`q=${'x'.repeat(201)}`, 'q'],
  ];
  for (const [query, path] of faults) {
    const { body } = expectProblem(await api.get(`/v1/events.ics?${query}`), 400, 'invalid_request');
    assert.deepEqual(
      body.errors.map((error: { path: string }) => error.path),
      [path],
    );
  }
  expectProblem(await api.get('/v1/events.ics', 'pa_x'), 401, 'token_invalid');
});

// spec: 2.4 GET /v1/events.ics: lists of events as iCalendar
test('events calendar: at most 500 events by start, with descriptions of at most 2,000 characters', async () => {
  const organizer = await createUser(api);
  const first = await createEvent(api, organizer, {
    title: 'Crowded 0',
    description: 'ø'.repeat(2_001),
    startAt: inDays(100),
    endAt: inDays(101),
  });
  await api.sql`
    insert into events select (e).* from (
      select jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'title', 'Crowded ' || n,
        'start_at', e.start_at + n * interval '1 minute')) as e
      from events e, generate_series(1, 520) n where e.id = ${first.id}) s`;
  await api.sql`
    insert into event_counters (event_id, rsvp_count, going_count, last_item)
    select id, 0, 0, 0 from events e where not exists (select 1 from event_counters c where c.event_id = e.id)`;
  await api.sql`update change_shards set version = version + 1`;
  const events = eventsIn(await api.get('/v1/events.ics?q=crowded'));
  assert.deepEqual(
    [events.length, events[0]?.summary, events[499]?.summary],
    [500, 'Crowded 0', 'Crowded 499'],
  );
  assert.equal(events[0]?.description, `${'ø'.repeat(1_999)}…`);
  assert.equal(eventIn(await calendarOf(first.id)).description, 'ø'.repeat(2_001));
});

test('events calendar: says that it stops at 500 events, and names the calendar from the next event on', async () => {
  const organizer = await createUser(api);
  const startAt = '2031-05-01T10:00:00.000Z';
  const place = { address: 'Qaanaaq', lat: 77.47, lng: -69.23 };
  const fields = { title: 'Packed & full 0', location: place, startAt, endAt: '2031-05-03T10:00:00.000Z' };
  const { id } = await createEvent(api, organizer, fields);
  // The events 499 and 500 start at the same time, on both sides of the limit.
  await api.sql`
    insert into events select (e).* from (
      select jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'title', 'Packed & full ' || n,
        'start_at', e.start_at + least(n, 499 + n / 501 * (n - 500)) * interval '1 minute')) as e
      from events e, generate_series(1, 520) n where e.id = ${id}) s`;
  await api.sql`
    insert into event_counters (event_id, rsvp_count, going_count, last_item)
    select id, 0, 0, 0 from events e where not exists (select 1 from event_counters c where c.event_id = e.id)`;
  await api.sql`update change_shards set version = version + 1`;
  const path = '/v1/events.ics?q=packed+%26+full&lat=77.47&lng=-69.23&startTo=2031-12-31';
  const first = expectStatus(await api.get(path), 200);
  const next =
    'q=packed+%26+full&lat=77.47&lng=-69.23&startTo=2031-12-31&startFrom=2031-05-01T18%3A19%3A00.000Z';
  const url = `https://events.example.org/v1/events.ics?${next}`;
  assert.equal(first.headers.get('link'), `<${url}>; rel="next"`);
  const unfolded = first.body.replaceAll('\r\n ', '');
  assert.ok(unfolded.includes(`\r\nX-WR-CALDESC:Only the first 500 events. More events: ${url}\r\n`));
  const second = expectStatus(await api.get(`/v1/events.ics?${next}`), 200);
  assert.equal(second.headers.get('link'), null);
  assert.doesNotMatch(second.body, /CALDESC/);
  const both = [...titlesIn(first), ...titlesIn(second)];
  assert.deepEqual([titlesIn(first).length, titlesIn(second).length, new Set(both).size], [500, 22, 521]);

  // No later start leads past more than 500 events that start at the same time.
  await api.sql`update events set start_at = ${startAt} where title like 'Packed & full%'`;
  await api.sql`update change_shards set version = version + 1`;
  const same = expectStatus(await api.get(path), 200);
  assert.equal(same.headers.get('link'), null);
  assert.match(
    same.body.replaceAll('\r\n ', ''),
    /X-WR-CALDESC:Only the first 500 events\. More events start at the same time\./,
  );
});
