/** Imports of web pages: events in JSON-LD, as programs write them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createUser } from '../support/factories.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';
import { startCalendarHost } from './calendar-host.ts';
import { createImportClient, type Entry } from './import-client.ts';

type Page = { type: string; body: string | Buffer };
const host = await startCalendarHost();
const address = host.address('');
const say = ({ type, body }: Page) =>
  address.say((response) => response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(body));

const api = await startTestApp({ env: { IMPORT_TEST_ORIGIN: host.origin } });
const { until, entriesOf, publish, eventOf } = createImportClient(api);
const person = await createUser(api);
// Each test fetches the one address some times.
const allowAgain = async () => {
  await api.sql`delete from import_fetches`;
  await api.sql`update import_runs set status = 'done' where status = 'review' and questions = '[]'`;
};

async function fetchPage(answer: Page, query = '') {
  say(answer);
  await allowAgain();
  const sent = await api.post(`/v1/imports${query}`, person.token, { url: address.url });
  return until(person, expectStatus(sent, 202).body.id, 'review', 'failed');
}
const html = (...scripts: unknown[]): Page => ({
  type: 'text/html; charset=utf-8',
  body: `<!doctype html>\n<title>Events</title>\n${scripts
    .map(
      (script) =>
        `<script type="application/ld+json">${typeof script === 'string' ? script : JSON.stringify(script)}</script>`,
    )
    .join('\n')}\n<script>var x = "<b>";</script>`,
});
async function read(...scripts: unknown[]): Promise<Entry[]> {
  const run = await fetchPage(html(...scripts));
  assert.deepEqual([run.status, run.problem], ['review', null]);
  return entriesOf(person, run.id);
}
async function readOne(event: object): Promise<Entry> {
  const [entry, ...others] = await read({ '@context': 'https://schema.org', '@type': 'Event', ...event });
  assert.ok(entry);
  assert.equal(others.length, 0);
  return entry;
}
const berlin = {
  '@type': 'Place',
  name: 'SO36',
  address: {
    '@type': 'PostalAddress',
    streetAddress: 'Oranienstraße 190',
    postalCode: '10999',
    addressLocality: 'Berlin',
    addressCountry: 'DE',
  },
};
const concert = { name: 'Concert', startDate: '2027-03-05T20:00', location: berlin };

test('page: an event with address, coordinates, price, type and markup in its texts', async () => {
  const entry = await readOne({
    ...concert,
    '@type': ['MusicEvent', 'Product'],
    name: 'Concert &amp; dance',
    url: 'https://example.org/concert',
    description: '<p>Doors at <b>seven</b></p>',
    startDate: '2027-03-05T20:00:00+01:00',
    endDate: '2027-03-05T23:00:00+01:00',
    location: { ...berlin, geo: { '@type': 'GeoCoordinates', latitude: '52.5003', longitude: 13.4226 } },
    offers: [
      { '@type': 'Offer', price: '18.50', priceCurrency: 'EUR' },
      { '@type': 'Offer', price: 12, priceCurrency: 'EUR' },
    ],
  });
  const { event } = entry;
  assert.deepEqual(
    [event.title, event.description, event.startAt, event.endAt, event.timezone, event.category],
    [
      ...['Concert & dance', 'Doors at seven\nhttps://example.org/concert', '2027-03-05T19:00:00.000Z'],
      ...['2027-03-05T22:00:00.000Z', 'Europe/Berlin', 'music'],
    ],
  );
  assert.deepEqual(event.location, {
    ...{
      address: 'SO36, Oranienstraße 190, 10999 Berlin, Germany',
      lat: 52.5003,
      lng: 13.4226,
      isExact: true,
    },
  });
  assert.deepEqual([event.price, event.currency, event.isPriceKnown], [12, 'EUR', true]);
  assert.deepEqual(
    [entry.state, entry.line, entry.reason],
    ['new', 3, 'has several prices; the lowest was imported'],
  );
});

test('page: no offset means the zone of the place, a date alone is a whole day, the last one included', async () => {
  const floating = await readOne({ ...concert, location: { '@type': 'Place', address: 'Oslo, Norway' } });
  assert.deepEqual(
    [floating.event.startAt, floating.event.timezone, floating.event.allDay],
    ['2027-03-05T19:00:00.000Z', 'Europe/Oslo', false],
  );
  const day = await readOne({ ...concert, startDate: '2027-03-05' });
  assert.deepEqual(
    [day.event.startAt, day.event.endAt, day.event.allDay],
    ['2027-03-04T23:00:00.000Z', '2027-03-05T23:00:00.000Z', true],
  );
  const days = await readOne({ ...concert, startDate: '2027-03-05', endDate: '2027-03-07' });
  assert.equal(days.event.endAt, '2027-03-07T23:00:00.000Z');
});

test('page: cancelled is cancelled, rescheduled has its new date, postponed is doubtful with date', async () => {
  const entries = await read(
    ...[
      'EventCancelled',
      'https://schema.org/EventRescheduled',
      'http://schema.org/EventPostponed',
      'EventScheduled',
    ].map((eventStatus, i) => ({
      ...concert,
      '@type': 'TheaterEvent',
      name: `Play ${i}`,
      eventStatus,
      previousStartDate: '2027-01-01T20:00',
    })),
  );
  assert.deepEqual(
    entries.map(({ state, event, doubts }) => [event.status, state, doubts, event.startAt]),
    [
      ['cancelled', 'new', [], '2027-03-05T19:00:00.000Z'],
      ['scheduled', 'new', [], '2027-03-05T19:00:00.000Z'],
      ['scheduled', 'doubtful', ['date'], '2027-03-05T19:00:00.000Z'],
      ['scheduled', 'new', [], '2027-03-05T19:00:00.000Z'],
    ],
  );
});

test('page: attendance online, mixed and offline, with a VirtualLocation', async () => {
  const virtual = { '@type': 'VirtualLocation', url: 'https://meet.example/room' };
  const online = await readOne({
    ...concert,
    eventAttendanceMode: 'https://schema.org/OnlineEventAttendanceMode',
    location: virtual,
  });
  assert.deepEqual(
    [online.event.locationKind, online.event.onlineUrl],
    ['online', 'https://meet.example/room'],
  );
  const mixed = await readOne({
    ...concert,
    eventAttendanceMode: 'https://schema.org/MixedEventAttendanceMode',
    location: [virtual, berlin],
  });
  assert.deepEqual([mixed.event.locationKind, mixed.event.onlineUrl], ['place', 'https://meet.example/room']);
  assert.match(mixed.event.location.address, /^SO36, /);
  const offline = await readOne({ ...concert, eventAttendanceMode: 'OfflineEventAttendanceMode' });
  assert.deepEqual([offline.event.locationKind, offline.event.onlineUrl], ['place', null]);
  const insecure = await readOne({ ...concert, location: { ...virtual, url: 'http://meet.example/room' } });
  assert.deepEqual([insecure.event.locationKind, insecure.event.onlineUrl], ['online', null]);
});

test('page: all scripts, lists, graphs with references, lists of items, and events within events', async () => {
  const entries = await read(
    [{ ...concert, '@type': 'schema:Event', name: 'In a list' }],
    {
      '@context': 'https://schema.org',
      '@graph': [
        { '@type': 'WebPage', name: 'No event' },
        {
          ...concert,
          '@type': 'https://schema.org/DanceEvent',
          name: 'In a graph',
          location: { '@id': '#place' },
        },
        { ...berlin, '@id': '#place' },
      ],
    },
    {
      '@type': 'ItemList',
      itemListElement: [
        { '@type': 'ListItem', position: 1, item: { ...concert, '@type': 'Event', name: 'An item' } },
      ],
    },
    {
      ...concert,
      '@type': 'Festival',
      name: 'Festival',
      startDate: '2027-07-01',
      endDate: '2027-07-03',
      subEvent: [
        { '@type': 'MusicEvent', name: 'First evening', startDate: '2027-07-01T20:00' },
        { '@type': 'MusicEvent', name: 'Second evening', startDate: '2027-07-02T20:00' },
      ],
    },
    // The same event in another script.
    { ...concert, '@type': 'Event', name: 'In a list' },
  );
  assert.deepEqual(
    entries.map(({ event }) => event.title),
    ['In a list', 'In a graph', 'An item', 'Festival', 'First evening', 'Second evening'],
  );
  for (const { event } of entries) assert.match(event.location.address, /^SO36, /);
});

test('page: a schedule is a series; one that cannot be read is its first date', async () => {
  const weekly = await readOne({
    ...concert,
    startDate: '2027-03-05T20:00',
    endDate: '2027-03-05T22:00',
    eventSchedule: {
      '@type': 'Schedule',
      repeatFrequency: 'P1W',
      byDay: ['https://schema.org/Friday'],
      repeatCount: 4,
      exceptDate: '2027-03-12',
    },
  });
  assert.equal(weekly.event.startAt, '2027-03-05T19:00:00.000Z');
  const { series } = weekly;
  assert.deepEqual(
    [series.rrule, series.excludedDates],
    ['FREQ=WEEKLY;COUNT=4;BYDAY=FR', ['2027-03-12T20:00']],
  );
  const unknown = await readOne({
    ...concert,
    name: 'Other',
    eventSchedule: { repeatFrequency: 'sometimes' },
  });
  assert.match(unknown.reason ?? '', /its schedule cannot be read/);
});

test('page: JSON that cannot be read is refused with its line, and the other scripts come in', async () => {
  const entries = await read(
    '{"@type": "Event", ',
    '<!-- {"@type": "Event", "name": "In a\ncomment", "startDate": "2027-03-05"} -->',
    { ...concert, '@type': 'Event', startDate: 'soon' },
    { ...concert, '@type': 'Event', name: undefined },
  );
  assert.deepEqual(
    entries.map(({ state, event, line, reason }) => [
      line,
      state,
      event?.title ?? null,
      state === 'refused' ? reason : null,
    ]),
    [
      [3, 'refused', null, 'is JSON-LD that cannot be read'],
      [4, 'doubtful', 'In a comment', null],
      [6, 'refused', null, '"Concert" "soon" is not a date or time'],
      [7, 'refused', null, 'has no name'],
    ],
  );
});

test('page: without events it is source_unreadable, and hostile JSON holds nothing up', async () => {
  const deep = `${'['.repeat(900_000)}${']'.repeat(900_000)}`;
  const circle = [
    { '@id': 'a', '@type': 'Place', address: { '@id': 'a' }, name: 'x' },
    { '@id': 'b', '@type': 'Thing', about: { '@id': 'b' }, name: 'x' },
  ];
  const wide = JSON.stringify({ '@graph': Array(300_000).fill({}) });
  for (const script of [
    '',
    '{',
    '[]',
    deep,
    circle,
    wide,
    { '@type': 'Recipe', name: 'Soup' },
    `${' '.repeat(1_500_000)}x`,
  ]) {
    const run = await fetchPage(html(script));
    assert.deepEqual([run.status, run.problem.code], ['failed', 'source_unreadable']);
  }
  const nested = await fetchPage(
    html(
      `{"@type":"Event","name":"x","startDate":"2027-01-01","subEvent":`.repeat(5_000) +
        '[]' +
        '}'.repeat(5_000),
    ),
  );
  assert.equal(nested.status, 'review');
  const complex = await fetchPage(
    html({ ...concert, '@type': 'Event' }, { '@graph': Array(20_001).fill({}) }),
  );
  assert.deepEqual([complex.status, complex.counts.refused], ['review', 1]);
  const many = await fetchPage(
    html(Array(5_001).fill({ '@type': 'Event', name: 'x', startDate: '2027-01-01' })),
  );
  assert.deepEqual([many.status, many.problem.code], ['failed', 'payload_too_large']);
});

test('page: the same page twice changes nothing; a new date at the same address is a change', async () => {
  const event = { ...concert, '@type': 'Event', url: 'https://example.org/same' };
  const first = await fetchPage(html(event));
  await publish(person, first.id);
  const [entry] = await entriesOf(person, first.id);
  assert.ok(entry);
  assert.equal((await fetchPage(html(event))).counts.same, 1);
  const moved = await fetchPage(html({ ...event, startDate: '2027-03-06T20:00' }));
  assert.equal(moved.counts.changed, 1);
  await publish(person, moved.id);
  assert.equal((await eventOf(person, entry)).startAt, '2027-03-06T19:00:00.000Z');
});

test('address: a table is read as one, with its question; a calendar with a wrong type is a calendar', async () => {
  const csv = await fetchPage({ type: 'text/csv', body: 'Title,Date\nDinner,2027-03-05\n' });
  assert.deepEqual([csv.status, csv.counts.new + csv.counts.doubtful], ['review', 1]);
  const plain = await fetchPage({ type: 'text/plain', body: 'Title,Date\nDinner,03/04/2027\n' });
  assert.equal(plain.questions.length, 1);
  say({ type: 'text/plain', body: 'changed meanwhile' });
  const answers = { [plain.questions[0].id]: 'monthFirst' };
  expectStatus(await api.patch(`/v1/imports/${plain.id}`, person.token, { answers }), 200);
  await until(person, plain.id, 'review');
  const [dinner] = await entriesOf(person, plain.id);
  assert.match(dinner?.event.startAt, /^2027-03-0[34]T/);
  const mixed = await fetchPage({ type: 'text/csv', body: 'Title,Date\nA,13/04/2027\nB,04/13/2027\n' });
  assert.deepEqual([mixed.status, mixed.problem.code], ['failed', 'date_order']);
  assert.doesNotMatch(mixed.problem.detail, /13/);
  const ics =
    'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:x\nDTSTART:20270305\nEND:VEVENT\nEND:VCALENDAR\n';
  for (const type of ['text/html', 'text/plain', 'text/calendar', '']) {
    const run = await fetchPage({ type, body: ics });
    assert.equal(run.status, 'review', type);
  }
});
