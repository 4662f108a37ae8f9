/**
 * Imports test/data/gatherings.ics and lists its events. This file computes the expected lists from the raw
 * lines, with its own table of UTC offsets and its own distance formula. Only the time zones of entries
 * without a TZID come from the product. The tests are slow because they read a file of 462 entries as a whole.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { transaction } from '#pg';
import { findOrCreateAccount } from '../../src/modules/accounts/accounts.ts';
import { importCalendar } from '../../src/modules/imports/import-calendar.ts';
import { readCalendar } from '../../src/modules/imports/read-file.ts';
import type { ImportReport } from '../../src/modules/imports/report.ts';
import { loadGazetteer } from '../../src/modules/places/load-gazetteer.ts';
import { file, makeCalendar } from '../data/gatherings.ts';
import { nextPhone, signIn } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const phone = nextPhone();
const bytes = readFileSync(file);
const dayMs = 86_400_000;

type Gathering = {
  uid: string;
  title: string;
  /** In UTC. For an all-day entry midnight UTC of its date, because the file has no time zone for it. */
  start: number;
  end: number;
  isAllDay: boolean;
  /** The TZID of the entry, or null if it has none. */
  zone: string | null;
  lat: number | null;
  lng: number | null;
  address: string;
  isListed: boolean;
};

/** Hours east of UTC in December to February and in May to August, the only months in these zones. */
const offsets: Record<string, [number, number]> = {
  'Europe/Oslo': [1, 2],
  'Arctic/Longyearbyen': [1, 2],
  'Europe/Stockholm': [1, 2],
  'Europe/Copenhagen': [1, 2],
  'Europe/Helsinki': [2, 3],
  'Europe/Berlin': [1, 2],
  'Europe/Amsterdam': [1, 2],
  'Europe/London': [0, 1],
  'Europe/Paris': [1, 2],
  'Europe/Madrid': [1, 2],
  'America/New_York': [-5, -4],
  'America/Los_Angeles': [-8, -7],
  'America/Anchorage': [-9, -8],
  'America/St_Johns': [-3.5, -2.5],
  'America/Argentina/Buenos_Aires': [-3, -3],
  'Africa/Nairobi': [3, 3],
  'Asia/Kolkata': [5.5, 5.5],
  'Asia/Kathmandu': [5.75, 5.75],
  'Asia/Singapore': [8, 8],
  'Asia/Tokyo': [9, 9],
  'Pacific/Auckland': [13, 12],
  'Pacific/Fiji': [12, 12],
  'Pacific/Apia': [13, 13],
};

/** Reads the regular entries, whose UIDs do not begin with `odd-`. */
function readRaw(calendar: Buffer): Gathering[] {
  const text = calendar.toString('latin1').replace(/\r\n[ \t]/g, '');
  const lines = Buffer.from(text, 'latin1').toString();
  const entries = [...lines.matchAll(/BEGIN:VEVENT\r\n(.*?)END:VEVENT/gs)].map(([, body = '']) => body);
  return entries
    .filter((body) => !/^UID:odd-/im.test(body))
    .map((body) => {
      const line = (name: string) => new RegExp(`^${name}(.*?)\\r$`, 'm').exec(body)?.[1] ?? '';
      const value = (name: string) => line(name).slice(1).replace(/\\(.)/g, '$1');
      const [lat, lng] = /:(.*);(.*)/.exec(line('GEO'))?.slice(1).map(Number) ?? [];
      return {
        uid: value('UID'),
        title: value('SUMMARY'),
        start: readTime(line('DTSTART')),
        end: readTime(line('DTEND')),
        isAllDay: line('DTSTART').startsWith(';VALUE=DATE'),
        zone: /^;TZID="?(?:\/gatherings\.example\/)?([\w/]+)/.exec(line('DTSTART'))?.[1] ?? null,
        lat: lat ?? null,
        lng: lng ?? null,
        address: value('LOCATION'),
        isListed: value('STATUS') !== 'CANCELLED' && value('CLASS') !== 'PRIVATE',
      };
    });
}

function readTime(line: string): number {
  const [, zone, year, month, day, hour = '00', minute = '00', z = ''] =
    /^(?:;TZID="?(?:\/gatherings\.example\/)?([\w/]+)"?|;VALUE=DATE)?:(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)00(Z?))?$/.exec(
      line,
    ) ?? [];
  assert.ok(month && (zone !== undefined) === (hour !== '00' && z === ''), line);
  const [winter = 0, summer = 0] = zone === undefined ? [0, 0] : (offsets[zone] ?? assert.fail(line));
  const offset = /12|01|02/.test(month) ? winter : summer;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00Z`) - offset * 3_600_000;
}

/** Converts a date, given as its midnight in UTC, to its midnight in `zone`. */
const midnightIn = (zone: string, utcMidnight: number): number =>
  Temporal.Instant.fromEpochMilliseconds(utcMidnight)
    .toZonedDateTimeISO('UTC')
    .toPlainDateTime()
    .toZonedDateTime(zone, { disambiguation: 'reject' }).epochMilliseconds;

function kmBetween(lat1: number, lng1: number, lat2: number, lng2: number): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const h =
    Math.sin(radians(lat2 - lat1) / 2) ** 2 +
    Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * Math.sin(radians(lng2 - lng1) / 2) ** 2;
  return 2 * 6371 * Math.atan2(Math.sqrt(h), Math.sqrt(1 - h));
}

const gatherings = readRaw(bytes);
const ofKind = (kind: string) => gatherings.filter(({ uid }) => uid.startsWith(`${kind}-`));
const [inCities, named, nowhere] = [ofKind('city'), ofKind('named'), ofKind('nowhere')];
/** UID, title, start and end in UTC of the entries with rare constructs, as RFC 5545 defines them. */
const oddities: [uid: string, title: string, start: string, end: string][] = [
  ['odd-duration', 'Odd: duration', '2027-03-04T17:00:00Z', '2027-03-05T19:30:00Z'],
  ['odd-weeks', 'Odd: weeks', '2027-03-04T17:00:00Z', '2027-03-18T17:00:00Z'],
  ['odd-signed-duration', 'Odd: signed-duration', '2027-03-04T17:00:00Z', '2027-03-04T18:30:00Z'],
  // A day in a duration follows local time, 24 hours are exact; daylight saving time starts in between.
  ['odd-day-over-summer-time', 'Odd: day-over-summer-time', '2027-03-27T11:00:00Z', '2027-03-28T10:00:00Z'],
  [
    'odd-hours-over-summer-time',
    'Odd: hours-over-summer-time',
    '2027-03-27T11:00:00Z',
    '2027-03-28T11:00:00Z',
  ],
  ['odd-floating', 'Odd: floating', '2027-07-04T15:00:00Z', '2027-07-04T17:00:00Z'],
  ['odd-own-zone', 'Odd: own-zone', '2027-03-04T13:30:00Z', '2027-03-04T15:30:00Z'],
  ['odd-own-zone-summer', 'Odd: own-zone-summer', '2027-07-04T12:30:00Z', '2027-07-04T14:30:00Z'],
  ['odd-two-zones', 'Odd: two-zones', '2027-03-04T16:00:00Z', '2027-03-04T22:00:00Z'],
  // RFC 5545, 3.3.12: an implementation without leap seconds reads second 60 as 59.
  ['odd-leap-second', 'Odd: leap-second', '2026-12-31T23:59:59Z', '2027-01-01T01:00:00Z'],
  ['odd-explicit-value', 'Odd: explicit-value', '2027-03-04T17:00:00Z', '2027-03-04T19:00:00Z'],
  ['odd-escapes', 'One, two; three \\ four five', '2027-03-04T17:00:00Z', '2027-03-04T19:00:00Z'],
  ['odd-parameters', 'Tea: with milk', '2027-03-04T17:00:00Z', '2027-03-04T19:00:00Z'],
  ['odd-signed-geo', 'Odd: signed-geo', '2027-03-04T17:00:00Z', '2027-03-04T19:00:00Z'],
  ['odd-two-categories', 'Odd: two-categories', '2027-03-04T17:00:00Z', '2027-03-04T19:00:00Z'],
  ['odd-revision', 'Odd: revision', '2027-03-04T17:00:00Z', '2027-03-04T19:00:00Z'],
  ['odd-series', 'Odd: series', '2027-03-04T17:00:00Z', '2027-03-04T19:00:00Z'],
  ['odd-series', 'Odd: moved', '2027-03-12T17:00:00Z', '2027-03-12T19:00:00Z'],
  ['odd-series', 'Odd: series', '2027-03-18T17:00:00Z', '2027-03-18T19:00:00Z'],
  ['odd-series', 'Odd: series', '2027-03-25T17:00:00Z', '2027-03-25T19:00:00Z'],
  ['odd-alarm', 'Odd: alarm', '2027-03-04T17:00:00Z', '2027-03-04T19:00:00Z'],
  ['odd-small-letters', 'Odd: small-letters', '2027-03-04T17:00:00Z', '2027-03-04T19:00:00Z'],
  ['odd-long-title', 'ø'.repeat(60), '2027-03-04T17:00:00Z', '2027-03-04T19:00:00Z'],
];
/** Entries without a known place have one to be announced. A series is one entry. */
const all = inCities.length + named.length + new Set(oddities.map(([uid]) => uid)).size + nowhere.length;

async function importFile(calendar: Buffer): Promise<ImportReport> {
  const parsed = await readCalendar(calendar);
  const { id } = await transaction(api.sql, (tx) =>
    findOrCreateAccount(tx, { kind: 'phone', value: phone }, new Date()),
  );
  return importCalendar(api.sql, parsed, {
    organizerId: id,
    publicUrl: api.url,
    gazetteer: await loadGazetteer(),
    now: new Date('2027-01-01'),
  });
}

type Imported = {
  id: string;
  uid: string;
  title: string;
  address: string;
  lat: number;
  lng: number;
  startAt: Date;
  endAt: Date;
  allDay: boolean;
  timezone: string;
  isPriceKnown: boolean;
  category: string;
  updatedAt: Date;
};
async function imported(): Promise<Imported[]> {
  return await api.sql<Imported[]>`
    select e.id, i.uid, e.title, e.address, e.lat, e.lng, e.start_at, e.end_at, e.all_day, e.timezone,
      e.is_price_known, e.category, e.updated_at
    from imports i join events e on e.id = i.event_id or e.series_id = i.series_id order by e.id`;
}
const byUid = async () => new Map((await imported()).map((row) => [row.uid, row]));

test('gatherings: the file equals the output of its program and has every kind of entry', () => {
  assert.ok(bytes.equals(makeCalendar()), 'run: node test/data/gatherings.ts');
  assert.deepEqual([inCities.length, named.length, nowhere.length], [372, 60, 8]);
  assert.equal(new Set(gatherings.map(({ uid }) => uid)).size, 440);
  assert.equal(gatherings.filter(({ isAllDay }) => isAllDay).length, 110);
  assert.ok(gatherings.filter(({ isListed }) => !isListed).length > 40);
  // The file has folds within a character, folds with a space and folds with a tab.
  assert.ok(/[\xc2-\xf4]\r\n[ \t][\x80-\xbf]/.test(bytes.toString('latin1')));
  assert.ok(bytes.includes('\r\n ') && bytes.includes('\r\n\t'));
});

test('gatherings: every entry with a location is imported with its fields; errors name the lines of the other entries', async () => {
  const report = await importFile(bytes);
  const events = await byUid();
  for (const one of [...inCities, ...named]) {
    const event = events.get(one.uid);
    assert.ok(event, one.uid);
    assert.deepEqual([event.title, event.address], [one.title, one.address]);
    if (one.lat !== null) assert.deepEqual([event.lat, event.lng], [one.lat, one.lng], one.uid);
    // All-day entries last from midnight to midnight in the time zone of their location.
    const inLocalTime = (at: number) => (one.isAllDay ? midnightIn(event.timezone, at) : at);
    assert.deepEqual(
      [event.startAt.getTime(), event.endAt.getTime(), event.allDay, event.isPriceKnown],
      [inLocalTime(one.start), inLocalTime(one.end), one.isAllDay, false],
      one.uid,
    );
    if (one.zone) assert.equal(event.timezone, one.zone, one.uid);
  }
  assert.deepEqual(
    report.unplaced.map(({ title }) => title).sort(),
    // A place that is the address of a web page is online.
    nowhere
      .filter(({ address }) => !address.startsWith('https://'))
      .map(({ title }) => title)
      .sort(),
  );
  for (const { reason } of report.unplaced)
    assert.match(reason, /names no known place|neither GEO nor LOCATION/);
  assert.deepEqual(
    report.errors.map(({ title }) => title),
    ['Superseded'],
  );
  // Each error names the first line of its entry.
  const lines = bytes.toString().split('\r\n');
  for (const { line, title = '' } of report.errors) {
    assert.equal(lines[line - 1], 'BEGIN:VEVENT');
    assert.ok(
      lines.slice(line, line + 8).some((one) => one.replace(/\\/g, '') === `SUMMARY:${title}`),
      title,
    );
  }
  const { added, changed, unchanged, placedByName } = report;
  assert.deepEqual([added, changed, unchanged, placedByName], [all, 0, 0, named.length]);
});

test('gatherings: rare constructs of RFC 5545 are imported as the RFC defines them', async () => {
  const odd = (await imported()).filter(({ uid }) => uid.startsWith('odd-'));
  const iso = (text: string) => new Date(text).toISOString();
  const expected = oddities.map(([uid, title, start, end]) => [uid, title, iso(start), iso(end)].join('\n'));
  assert.deepEqual(
    odd
      .map(({ uid, title, startAt, endAt }) =>
        [uid.split('@', 1)[0], title, startAt.toISOString(), endAt.toISOString()].join('\n'),
      )
      .sort(),
    expected.sort(),
  );
  const named = (name: string) => odd.find(({ uid }) => uid.startsWith(`odd-${name}@`));
  assert.deepEqual([named('signed-geo')?.lat, named('signed-geo')?.lng], [59, 10.5]);
  assert.equal(named('two-categories')?.category, 'music');
});

/** Coordinates from an atlas, and the maximum distance of the imported location in km. */
const atlas: [location: string, lat: number, lng: number, km: number][] = [
  ['Frankfurt am Main, Germany', 50.11, 8.68, 10],
  ['Washington, DC, U.S.A.', 38.9, -77.04, 10],
  ["St Julian's, Malta", 35.92, 14.49, 5],
  ['Gran Canaria, Spain', 27.96, -15.6, 35],
  ['Goa, India', 15.4, 74.0, 45],
  ['Texel, Netherlands', 53.07, 4.82, 12],
  ['Ibiza, Spain', 38.95, 1.4, 25],
  ['Tel Aviv, Israel', 32.08, 34.78, 10],
  ['Wrocław, Poland', 51.11, 17.03, 10],
  ['Gothenburg, Sweden', 57.71, 11.97, 10],
  ['Milano, Italy', 45.46, 9.19, 10],
  ['Newcastle-Upon-Tyne, U.K.', 54.97, -1.61, 10],
  ['Hollywood, FL, U.S.A.', 26.01, -80.15, 10],
  ['Rust, Germany', 48.27, 7.73, 10],
  ['Wuerzburg, Germany', 49.79, 9.94, 10],
  ['A Coruña, Spain', 43.37, -8.4, 10],
  ['s-Hertogenbosch, Netherlands', 51.69, 5.3, 10],
  ['Heraklion, Greece', 35.34, 25.14, 10],
  ['Marburg, Germany', 50.81, 8.77, 10],
  ['Antwerp, Belgium', 51.22, 4.4, 10],
  ['Koto, Japan', 35.67, 139.82, 20],
  ['Perth, WA', -31.95, 115.86, 10],
  ['Atlanta, Georgia', 33.75, -84.39, 10],
  ['Tbilisi, Georgia', 41.69, 44.83, 10],
  ['Praha, Czech Republic', 50.09, 14.42, 10],
  ['Lisboa, Portugal', 38.72, -9.14, 10],
  ['Reykjavík, Iceland', 64.14, -21.93, 10],
  ['Ljubljana, Slovenia', 46.06, 14.51, 10],
  ['Montréal, Canada', 45.5, -73.57, 10],
  ['Messe (Halle 3), 60327 Frankfurt am Main, Germany', 50.11, 8.68, 10],
];

test('gatherings: locations found by name are near the coordinates in an atlas', async () => {
  const events = await byUid();
  assert.deepEqual(
    [...new Set(named.map(({ address }) => address))],
    atlas.map(([location]) => location),
  );
  for (const { uid, address } of named) {
    const [, lat, lng, km] = atlas.find(([location]) => location === address) ?? assert.fail(address);
    const event = events.get(uid);
    assert.ok(event && kmBetween(lat, lng, event.lat, event.lng) <= km, JSON.stringify(event));
  }
});

const day = (date: string) => Date.parse(`${date}T00:00:00Z`);
type Circle = [name: string, lat: number, lng: number, km: number | undefined];
type Range = { dateFrom?: string; dateTo?: string; from: number; until: number };
const between = (dateFrom: string, dateTo: string): Range => ({
  dateFrom,
  dateTo,
  from: day(dateFrom),
  until: day(dateTo) + dayMs,
});
/** A range that contains all entries: a list without dates has no past events. */
const ever = between('2000-01-01', '2100-01-01');
const entryOf = (uid: string) => gatherings.find((one) => one.uid.startsWith(`${uid}@`)) ?? assert.fail(uid);
/** Timed entries in Berlin, for ranges that begin or end at the exact millisecond. */
const [ending, starting] = [entryOf('city-85'), entryOf('city-93')];
const iso = (at: number) => new Date(at).toISOString();

// All-day entries are between the 10th and the 20th of a month, so no range begins or ends within one.
const searches: [Circle, Range][] = [
  [['London', 51.5074, -0.1278, 25], between('2026-01-01', '2026-12-31')],
  [['London, the first week of a month', 51.5074, -0.1278, 100], between('2026-05-01', '2026-05-07')],
  [['Berlin, 1 km', 52.5218, 13.4015, 1], ever],
  [['Berlin, the default of 50 km', 52.52, 13.405, undefined], between('2026-05-01', '2027-08-31')],
  [['Amsterdam', 52.37, 4.9, 60], between('2027-01-01', '2028-12-31')],
  [['New York', 40.7128, -74.006, 30], ever],
  [['San Francisco Bay', 37.7749, -122.4194, 80], between('2026-06-01', '2028-02-05')],
  [['Singapore', 1.2931, 103.8559, 30], ever],
  [['Frankfurt, placed by name too', 50.1109, 8.6821, 20], ever],
  [['Europe', 50.0, 10.0, 1_500], between('2027-05-25', '2027-07-31')],
  [['5,000 km around Paris', 48.8566, 2.3522, 5_000], between('2028-01-01', '2028-06-05')],
  [['the South Pacific, empty', -48.8767, -123.3933, 1_000], ever],
  [['mid-Atlantic, empty', 30.0, -40.0, 500], between('2026-01-01', '2028-12-31')],
  [['across the antimeridian, Fiji and Samoa', -16.0, -179.5, 1_300], ever],
  [['across the antimeridian, up to Auckland', -20.0, -179.5, 2_600], ever],
  [['across the antimeridian, up to Tokyo', 40.0, 179.9, 4_000], ever],
  [['around the North Pole', 89.9, 100.0, 2_300], ever],
  [
    ['Berlin, from the moment at which an entry ends', 52.52, 13.405, 40],
    { dateFrom: iso(ending.end), from: ending.end, until: Number.POSITIVE_INFINITY },
  ],
  [
    ['Berlin, from a millisecond before an entry ends', 52.52, 13.405, 40],
    { dateFrom: iso(ending.end - 1), from: ending.end - 1, until: Number.POSITIVE_INFINITY },
  ],
  [
    ['Berlin, up to the moment at which an entry starts', 52.52, 13.405, 40],
    { dateTo: iso(starting.start), from: Number.NEGATIVE_INFINITY, until: starting.start + 1 },
  ],
  [
    ['Berlin, up to a millisecond before an entry starts', 52.52, 13.405, 40],
    { dateTo: iso(starting.start - 1), from: Number.NEGATIVE_INFINITY, until: starting.start },
  ],
  [
    ['Oslo, by the second and with an offset', 59.9139, 10.7522, 500],
    {
      dateFrom: '2026-06-25T08:30:00+02:00',
      dateTo: '2028-02-05T00:00:00Z',
      from: Date.parse('2026-06-25T06:30:00Z'),
      until: Date.parse('2028-02-05T00:00:00Z') + 1,
    },
  ],
];

/** Reads all pages of a list. */
async function listAll(query: URLSearchParams) {
  const events: { id: string; startAt: string; organizer: { id: string } }[] = [];
  for (let page = 1; ; page++) {
    const { body } = expectStatus(await api.get(`/v1/events?${query}&limit=50&page=${page}`), 200);
    events.push(...body.data);
    if (body.data.length < 50) return { total: body.meta.total, events };
  }
}

for (const [[name, lat, lng, km], { dateFrom, dateTo, from, until }] of searches) {
  // spec: 4.9 GET /v1/events: `radius`: km, default 50
  test(`gatherings: the list equals the independently computed list: ${name}`, async () => {
    const rows = await imported();
    const events = new Map(rows.map((row) => [row.uid, row]));
    const odd = oddities.map(([, title, start, end]) => {
      const isMeant = (one: Imported) => one.title === title && one.startAt.getTime() === Date.parse(start);
      const event = rows.find(isMeant) ?? assert.fail(title);
      return { ...event, start: Date.parse(start), end: Date.parse(end), isListed: true };
    });
    // Entries without a known place belong to a town that the product chooses.
    const regular = [...inCities, ...named, ...nowhere].map((one) => {
      const event = events.get(one.uid) ?? assert.fail(one.uid);
      return { ...one, id: event.id, lat: one.lat ?? event.lat, lng: one.lng ?? event.lng };
    });
    const expected = [...regular, ...odd].filter(
      (one) =>
        one.isListed &&
        one.end > from &&
        one.start < until &&
        kmBetween(lat, lng, one.lat, one.lng) <= (km ?? 50),
    );
    const query = new URLSearchParams({
      lat: `${lat}`,
      lng: `${lng}`,
      ...(km !== undefined && { radius: `${km}` }),
      ...(dateFrom && { dateFrom }),
      ...(dateTo && { dateTo }),
    });
    const { total, events: listed } = await listAll(query);
    assert.deepEqual(listed.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort());
    assert.equal(total, expected.length);
    const places = listed.map(({ startAt, id }) => `${startAt} ${id}`);
    assert.deepEqual(places, places.toSorted());
    // Exactly the searches with "empty" in their name have no events.
    assert.equal(total === 0, name.endsWith('empty'), `${total}`);
  });
}

test('gatherings: dateFrom and dateTo are exact to the millisecond at the end and the start of an event', async () => {
  const events = await byUid();
  const listContains = async (query: string, { uid }: Gathering) => {
    const { events: listed } = await listAll(new URLSearchParams(`lat=52.52&lng=13.405&radius=40&${query}`));
    return listed.some(({ id }) => id === events.get(uid)?.id);
  };
  assert.equal(await listContains(`dateFrom=${iso(ending.end - 1)}`, ending), true);
  assert.equal(await listContains(`dateFrom=${iso(ending.end)}`, ending), false);
  assert.equal(await listContains(`dateTo=${iso(starting.start)}`, starting), true);
  assert.equal(await listContains(`dateTo=${iso(starting.start - 1)}`, starting), false);
});

test('gatherings: cancelled and private entries are imported and not listed; 404 for other callers on private ones', async () => {
  const organizer = await signIn(api, phone);
  const events = await byUid();
  const unlisted = [...inCities, ...named].filter(({ isListed }) => !isListed);
  const states = await Promise.all(
    unlisted.map(async ({ uid }) => {
      const path = `/v1/events/${events.get(uid)?.id}`;
      const { body } = expectStatus(await api.get(path, organizer.token), 200);
      const { status } = await api.get(path);
      assert.equal(status, body.visibility === 'private' ? 404 : 200);
      return body.visibility === 'private' ? 'private' : body.status;
    }),
  );
  assert.deepEqual([...new Set(states)].sort(), ['cancelled', 'private']);
});

test('gatherings: a repeated import changes nothing; a changed SUMMARY changes one event', async () => {
  const before = await imported();
  const again = await importFile(bytes);
  assert.deepEqual([again.added, again.changed, again.unchanged], [0, 0, all]);
  assert.deepEqual(await imported(), before);

  const title = `SUMMARY:${ending.title.replace(/[;,]/g, '\\$&')}\r\n`;
  const text = bytes.toString('latin1');
  assert.equal(text.split(title).length, 2);
  const second = await importFile(Buffer.from(text.replace(title, 'SUMMARY:Renamed\r\n'), 'latin1'));
  assert.deepEqual([second.added, second.changed, second.unchanged], [0, 1, all - 1]);
  const known = new Map(before.map((event) => [event.id, JSON.stringify(event)]));
  const changed = (await imported()).filter((event) => JSON.stringify(event) !== known.get(event.id));
  assert.deepEqual(
    changed.map(({ title }) => title),
    ['Renamed'],
  );
  await assertCounters(api.sql);
});
