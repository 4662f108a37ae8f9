/**
 * 1,257 real conferences, imported and listed again. What should come is counted by this file itself, from the raw
 * lines and with a distance formula of its own; nothing of the product takes part in that, except the places that it
 * found by name and the time zones, which are compared with an atlas.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { readCalendar } from '../src/commands/import/calendar.ts';
import { importCalendar, type Report } from '../src/commands/import.ts';
import { assertCounters } from './invariants.ts';
import { expectStatus, testApp } from './setup.ts';

const file = path.join(import.meta.dirname, '..', '..', 'shared', 'data', 'conferences.ics');
const skip = existsSync(file) ? false : `there is no ${file}`;
const phone = '+14155559999';

type Conference = {
  uid: string;
  title: string;
  /** The first day, and the day after the last. */
  first: string;
  after: string;
  location: string;
  lat: number | null;
  lng: number | null;
};

/** Good for this file alone: all its entries are whole days. */
function readRaw(text: string): Conference[] {
  const unfolded = text.replace(/\r?\n[ \t]/g, '');
  return [...unfolded.matchAll(/^BEGIN:VEVENT\r?\n([\s\S]*?)^END:VEVENT/gm)].map(([, body = '']) => {
    const value = (name: string) => new RegExp(`^${name}[^:]*:(.*?)\\r?$`, 'm').exec(body)?.[1];
    const day = (digits = '') => digits.replace(/(....)(..)(..)/, '$1-$2-$3');
    const [lat, lng] = value('GEO')?.split(';').map(Number) ?? [];
    return {
      uid: value('UID') ?? '',
      title: (value('SUMMARY') ?? '').replace(/\\(.)/g, '$1'),
      first: day(value('DTSTART')),
      after: day(value('DTEND')),
      location: (value('LOCATION') ?? '').replace(/\\(.)/g, '$1'),
      lat: lat ?? null,
      lng: lng ?? null,
    };
  });
}

function kmBetween(lat1: number, lng1: number, lat2: number, lng2: number): number {
  const [p1, p2, dp, dl] = [lat1, lat2, lat2 - lat1, lng2 - lng1].map((x) => (x * Math.PI) / 180) as [
    number,
    number,
    number,
    number,
  ];
  const h = Math.sin(dp / 2) ** 2 + Math.cos(p1) * Math.cos(p2) * Math.sin(dl / 2) ** 2;
  return 2 * 6371 * Math.atan2(Math.sqrt(h), Math.sqrt(1 - h));
}

const api = skip ? null : await testApp();
const text = skip ? '' : readFileSync(file, 'utf8');
const conferences = readRaw(text);
const withoutPlace = conferences.filter((one) => one.lat === null);

async function takeIn(calendar: string): Promise<Report> {
  const parsed = readCalendar(Buffer.from(calendar));
  assert.ok(parsed && api);
  return importCalendar(api.sql, parsed, phone);
}

type Imported = {
  id: string;
  uid: string;
  lat: number;
  lng: number;
  title: string;
  startAt: Date;
  endAt: Date;
  allDay: boolean;
  timezone: string;
  isPriceKnown: boolean;
  updatedAt: Date;
};
async function imported(): Promise<Map<string, Imported>> {
  assert.ok(api);
  const rows = await api.sql<Imported[]>`
    select e.id, i.uid, e.lat, e.lng, e.title, e.start_at, e.end_at, e.all_day, e.timezone, e.is_price_known,
      e.updated_at
    from imports i join events e on e.id = i.event_id`;
  return new Map(rows.map((row) => [row.uid, row]));
}

/** Midnight by the clock of a zone, which no conference of this file begins or ends without. */
const midnight = (date: string, timezone: string): number =>
  Temporal.PlainDateTime.from(date).toZonedDateTime(timezone, { disambiguation: 'reject' }).epochMilliseconds;

test('conferences: all with GEO come in, the others are placed by name or named', { skip }, async () => {
  assert.deepEqual([conferences.length, withoutPlace.length], [1257, 100]);
  const report = await takeIn(text);
  const events = await imported();
  assert.deepEqual(
    conferences.filter((one) => one.lat !== null && !events.has(one.uid)),
    [],
  );
  for (const one of conferences) {
    const event = events.get(one.uid);
    if (!event) continue;
    assert.equal(event.title, one.title);
    const { startAt, endAt, timezone, allDay, isPriceKnown } = event;
    const days = [midnight(one.first, timezone), midnight(one.after, timezone)];
    assert.deepEqual(
      [Number(startAt), Number(endAt), allDay, isPriceKnown],
      [...days, true, false],
      one.title,
    );
    if (one.lat !== null) assert.deepEqual([event.lat, event.lng], [one.lat, one.lng], one.title);
  }
  const named = withoutPlace.filter((one) => !events.has(one.uid)).map((one) => one.title);
  assert.deepEqual(report.faults.map((fault) => fault.title).sort(), named.sort());
  assert.equal(report.placedByName, 100 - named.length);
  assert.ok(report.placedByName >= 95, `${report.placedByName} of 100 were placed`);
  assert.equal(report.added, 1257 - named.length);
  // Each is named by the line that it begins on.
  const lines = text.split('\n');
  for (const { line, title = '' } of report.faults) {
    assert.match(lines[line - 1] ?? '', /^BEGIN:VEVENT/);
    assert.ok(
      lines.slice(line, line + 8).some((one) => one.startsWith(`SUMMARY:${title}`)),
      title,
    );
  }
});

/** By an atlas; whatever is given as the place is no more than so many km from it. */
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
];

test('conferences: the places found by name are the right ones', { skip }, async () => {
  assert.ok(api);
  const rows = await api.sql<{ address: string; lat: number; lng: number }[]>`
    select distinct address, lat, lng from events where address = any(${atlas.map(([location]) => location)})`;
  for (const [location, lat, lng, km] of atlas) {
    const found = rows.filter((row) => row.address === location);
    assert.ok(found.length > 0, location);
    for (const row of found) assert.ok(kmBetween(lat, lng, row.lat, row.lng) <= km, JSON.stringify(row));
  }
});

/** Countries of which every conference with GEO is in one zone. */
const zones: Record<string, string> = {
  Austria: 'Europe/Vienna',
  'Czech Republic': 'Europe/Prague',
  Denmark: 'Europe/Copenhagen',
  France: 'Europe/Paris',
  Germany: 'Europe/Berlin',
  India: 'Asia/Kolkata',
  Italy: 'Europe/Rome',
  Netherlands: 'Europe/Amsterdam',
  'New Zealand': 'Pacific/Auckland',
  Norway: 'Europe/Oslo',
  Poland: 'Europe/Warsaw',
  Singapore: 'Asia/Singapore',
  Spain: 'Europe/Madrid',
  Sweden: 'Europe/Stockholm',
  'U.K.': 'Europe/London',
  Ukraine: 'Europe/Kyiv',
  'United Arab Emirates': 'Asia/Dubai',
};

test('conferences: the time zones are those of their countries', { skip }, async () => {
  const events = await imported();
  const compared = conferences.flatMap(({ uid, lat, location, title }) => {
    const zone = zones[location.split(', ').at(-1) ?? ''];
    if (!zone || lat === null) return [];
    return [[title, events.get(uid)?.timezone, zone] as const];
  });
  for (const [title, timezone, zone] of compared) assert.equal(timezone, zone, title);
  assert.ok(compared.length > 600, `${compared.length}`);
});

const day = (date: string) => Date.parse(`${date}T00:00:00Z`);
type Circle = [name: string, lat: number, lng: number, km: number | undefined];
type Range = { dateFrom?: string; dateTo?: string; from: number; until: number };
const between = (dateFrom: string, dateTo: string): Range => ({
  dateFrom,
  dateTo,
  from: day(dateFrom),
  until: day(dateTo) + 86_400_000,
});
/** All of it: the list without dates would leave out what is over. */
const ever = between('2000-01-01', '2100-01-01');

const searches: [Circle, Range][] = [
  [['London', 51.5074, -0.1278, 25], between('2024-01-01', '2024-12-31')],
  [['London, a day in the middle of many', 51.5074, -0.1278, 100], between('2026-05-13', '2026-05-13')],
  [['Berlin, 1 km', 52.5218, 13.4015, 1], ever],
  [['Berlin, the default of 50 km', 52.52, 13.405, undefined], between('2023-05-01', '2026-05-31')],
  [['Amsterdam', 52.37, 4.9, 60], between('2026-01-01', '2026-12-31')],
  [['New York', 40.7128, -74.006, 30], ever],
  [['San Francisco Bay', 37.7749, -122.4194, 80], between('2025-01-01', '2027-12-31')],
  [['Singapore', 1.2931, 103.8559, 10], ever],
  [['Frankfurt, placed by name', 50.1109, 8.6821, 20], ever],
  [
    ['Frankfurt, from the midnight at which one ends', 50.1109, 8.6821, 40],
    {
      dateFrom: '2023-11-24T00:00:00+01:00',
      dateTo: '2023-12-11',
      from: Date.parse('2023-11-23T23:00:00Z'),
      until: day('2023-12-12'),
    },
  ],
  [['Europe', 50.0, 10.0, 1_500], between('2025-09-01', '2025-10-31')],
  [['5,000 km round Paris', 48.8566, 2.3522, 5_000], between('2024-03-01', '2024-05-31')],
  [['the South Pacific, empty', -48.8767, -123.3933, 1_000], ever],
  [['mid-Atlantic, empty', 30.0, -40.0, 500], between('2025-01-01', '2025-12-31')],
  [['across the antimeridian, as far as Auckland', -20.0, -179.5, 2_600], ever],
  [['across the antimeridian, as far as Tokyo', 40.0, 179.9, 4_000], ever],
  [['round the North Pole', 89.9, 100.0, 3_600], ever],
  [
    ['Oslo, by the second', 59.9139, 10.7522, 300],
    {
      dateFrom: '2025-05-20T08:30:00+02:00',
      dateTo: '2026-02-05T00:00:00+01:00',
      from: Date.parse('2025-05-20T06:30:00Z'),
      until: Date.parse('2026-02-04T23:00:00Z') + 1,
    },
  ],
  [
    ['Madrid, from a day on', 40.4168, -3.7038, 200],
    { dateFrom: '2025-11-01', from: day('2025-11-01'), until: Number.POSITIVE_INFINITY },
  ],
  [
    ['Bengaluru, up to a moment', 12.9716, 77.5946, 50],
    {
      dateTo: '2024-02-01T12:00:00+05:30',
      from: Number.NEGATIVE_INFINITY,
      until: Date.parse('2024-02-01T06:30:00Z') + 1,
    },
  ],
];

/** Every page of the list; each says the same total. */
async function listAll(query: URLSearchParams): Promise<{ total: number; ids: string[] }> {
  assert.ok(api);
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const { body } = expectStatus(await api.get(`/v1/events?${query}&limit=50&page=${page}`), 200);
    ids.push(...body.data.map((event: { id: string }) => event.id));
    if (body.data.length < 50) return { total: body.meta.total, ids };
  }
}

for (const [[name, lat, lng, km], { dateFrom, dateTo, from, until }] of searches) {
  test(`conferences: the list is what an own count gives: ${name}`, { skip }, async () => {
    const events = await imported();
    const expected = conferences.flatMap((one) => {
      const event = events.get(one.uid);
      if (!event) return [];
      const start = midnight(one.first, event.timezone);
      if (midnight(one.after, event.timezone) <= from || start >= until) return [];
      const distance = kmBetween(lat, lng, one.lat ?? event.lat, one.lng ?? event.lng);
      return distance <= (km ?? 50) ? [{ id: event.id, start }] : [];
    });
    const query = new URLSearchParams({
      lat: `${lat}`,
      lng: `${lng}`,
      ...(km !== undefined && { radius: `${km}` }),
      ...(dateFrom && { dateFrom }),
      ...(dateTo && { dateTo }),
    });
    const { total, ids } = await listAll(query);
    expected.sort((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1));
    assert.deepEqual(
      ids,
      expected.map((one) => one.id),
    );
    assert.equal(total, expected.length);
    // Neither the empty nor the full searches are so by mistake.
    assert.equal(total === 0, name.endsWith('empty'), `${total}`);
  });
}

test('conferences: imported again nothing changes; a changed SUMMARY changes one', { skip }, async () => {
  const before = await imported();
  const { added, changed, unchanged, faults } = await takeIn(text);
  assert.deepEqual([added, changed, unchanged], [0, 0, 1257 - faults.length]);
  assert.deepEqual(await imported(), before);

  const second = await takeIn(text.replace('SUMMARY:NDC Oslo\r', 'SUMMARY:NDC Oslo and friends\r'));
  assert.deepEqual([second.added, second.changed, second.unchanged], [0, 1, 1256 - faults.length]);
  const after = await imported();
  const touched = [...after.values()].filter(
    (event) => event.updatedAt.getTime() !== before.get(event.uid)?.updatedAt.getTime(),
  );
  assert.deepEqual(
    touched.map((event) => event.title),
    ['NDC Oslo and friends'],
  );
  assert.ok(api);
  await assertCounters(api.sql);
});

test('conferences: a repeated import corrects those that were stored as times in UTC', { skip }, async () => {
  assert.ok(api);
  await takeIn(text);
  const before = await imported();
  // As earlier versions stored them.
  await api.sql`
    update events set timezone = 'UTC', all_day = false,
      start_at = (start_at at time zone timezone) at time zone 'UTC',
      end_at = (end_at at time zone timezone) at time zone 'UTC'`;
  await api.sql`update change_shards set version = version + 1`;
  const { changed, unchanged } = await takeIn(text);
  assert.deepEqual([changed, unchanged], [before.size, 0]);
  const after = await imported();
  for (const [uid, { updatedAt: _, ...event }] of before) {
    const { updatedAt, ...corrected } = after.get(uid) ?? { updatedAt: null };
    assert.deepEqual(corrected, event);
  }
});
