import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import ICAL from 'ical.js';
import nodeIcal from 'node-ical';
import { anyText, anyVisibleText } from '../../../test/support/any-text.ts';
import { withDefaults } from '../events/event-rules.ts';
import type { EventRow } from '../events/present.ts';
import {
  cacheEntries,
  createEntryRenderer,
  fileName,
  type RenderedEntry,
  renderCalendar,
} from './present.ts';

const publicUrl = 'https://events.example.org';
const id = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';
const organizerId = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de001';

const row = (fields: Partial<EventRow> = {}): EventRow => ({
  ...withDefaults({
    title: 'Harbour potluck',
    startAt: '2026-12-24T17:00:00Z',
    endAt: '2026-12-24T22:00:00Z',
    timezone: 'Europe/Oslo',
    location: { address: 'Aker Brygge, Oslo', lat: 59.9106, lng: 10.7291 },
    category: 'food',
  }),
  id,
  organizerId,
  hidden: false,
  hiddenReason: null,
  hiddenAt: null,
  createdAt: new Date('2026-01-01T00:00:00Z'),
  updatedAt: new Date('2026-01-02T00:00:00Z'),
  isAnnounced: true,
  seriesId: null,
  seriesDate: null,
  ownFields: [],
  sequence: 0,
  rsvpCount: 0,
  goingCount: 0,
  partyCount: 0,
  bookedCount: 0,
  isAddressHidden: false,
  hidesOnlineUrl: false,
  version: 0,
  ...fields,
});

const textOf = (entries: RenderedEntry[]) => renderCalendar(entries).bytes.toString();

const write = (fields?: Partial<EventRow>, organizerName: string | null = 'Mara Lindgren') =>
  textOf([createEntryRenderer(publicUrl)({ event: row(fields), organizerName })]);

/** Start and end according to a parser that knows only the timezones described in the file. */
function timesByFile(text: string): [Date, Date] {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const event = calendar.getFirstSubcomponent('vevent');
  assert.ok(event);
  const at = (name: string) => {
    const time = event.getFirstPropertyValue(name) as ICAL.Time;
    const tzid = event.getFirstProperty(name)?.getFirstParameter('tzid');
    assert.ok(!tzid || time.zone.tzid === tzid, `${tzid} is described`);
    return new Date(time.toUnixTime() * 1_000);
  };
  return [at('dtstart'), at('dtend')];
}

/** The event according to a parser that knows timezones by their names. */
function parsed(text: string) {
  const event = Object.values(nodeIcal.sync.parseICS(text)).find((part) => part?.type === 'VEVENT');
  assert.ok(event?.type === 'VEVENT');
  return event;
}

const unfolded = (text: string) => text.replaceAll('\r\n ', '').split('\r\n');

test('calendar: times equal those of the event, with the described zone and with the named zone', () => {
  const zones = [
    'Europe/Oslo',
    'America/New_York',
    'Asia/Tokyo',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
    'America/St_Johns',
    'Africa/Casablanca',
    'Europe/Istanbul',
    'Europe/Dublin',
    'Pacific/Apia',
    'Africa/Monrovia',
    'Etc/GMT+12',
    'europe/paris',
    'UTC',
  ];
  const second = fc.integer({ min: Date.UTC(1900, 0, 1) / 1000, max: Date.UTC(9999, 11, 30) / 1000 });
  // Most events are recent, and zones change most often in recent years.
  const recent = fc.integer({ min: Date.UTC(1960, 0, 1) / 1000, max: Date.UTC(2060, 0, 1) / 1000 });
  fc.assert(
    fc.property(
      fc.oneof(second, recent),
      fc.oneof(fc.integer({ min: 1, max: 90_000 }), fc.integer({ min: 1, max: 40_000_000 })),
      fc.constantFrom(...zones),
      (start, length, timezone) => {
        const startAt = new Date(start * 1_000);
        const endAt = new Date(Math.min(start + length, Date.UTC(9999, 11, 31) / 1000) * 1_000);
        assert.deepEqual(timesByFile(write({ startAt, endAt, timezone })), [startAt, endAt]);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('calendar: the repeated hour, the skipped hour, and an event across the transition', () => {
  const cases: [string, string, string][] = [
    // The first and the second 02:30 of that night.
    ['2026-10-25T00:30:00Z', '2026-10-25T00:45:00Z', 'UTC'],
    ['2026-10-25T01:30:00Z', '2026-10-25T01:45:00Z', 'UTC'],
    ['2026-10-24T20:00:00Z', '2026-10-25T05:00:00Z', 'local'],
    ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z', 'local'],
    ['2026-03-28T20:00:00Z', '2026-03-29T09:00:00Z', 'local'],
  ];
  for (const [start, end, written] of cases) {
    const [startAt, endAt] = [new Date(start), new Date(end)];
    const text = write({ startAt, endAt });
    assert.deepEqual(timesByFile(text), [startAt, endAt]);
    const event = parsed(text);
    assert.deepEqual([Number(event.start), Number(event.end)], [Number(startAt), Number(endAt)]);
    assert.equal(text.includes('DTSTART;TZID=Europe/Oslo:'), written === 'local', start);
  }
});

test('calendar: a zone without transitions, with one transition, with a former rule, and UTC', () => {
  const summer = { startAt: new Date('2026-07-01T12:00:00Z'), endAt: new Date('2026-07-01T13:00:00Z') };
  const tokyo = write({ ...summer, timezone: 'Asia/Tokyo' });
  assert.match(tokyo, /DTSTART;TZID=Asia\/Tokyo:20260701T210000\r\n/);
  assert.match(tokyo, /TZOFFSETTO:\+0900\r\n/);
  const fixed = write({ ...summer, timezone: 'Etc/GMT+12' });
  assert.match(fixed, /DTSTART:16010101T000000\r\nTZOFFSETFROM:-1200\r\nTZOFFSETTO:-1200\r\n/);
  // Turkey stayed on its daylight saving time in 2016, which made it the standard time.
  const istanbul = write({ ...summer, timezone: 'Europe/Istanbul' });
  assert.match(
    istanbul,
    /BEGIN:STANDARD\r\nDTSTART:20160327T030000\r\nTZOFFSETFROM:\+0200\r\nTZOFFSETTO:\+0300/,
  );
  assert.doesNotMatch(istanbul, /DAYLIGHT/);
  // The rule of 2006 differs from the current rule.
  const old = { startAt: new Date('2006-03-20T17:00:00Z'), endAt: new Date('2006-03-20T18:00:00Z') };
  const text = write({ ...old, timezone: 'America/New_York' });
  assert.match(text, /DTSTART;TZID=America\/New_York:20060320T120000\r\n/);
  assert.deepEqual(timesByFile(text), [old.startAt, old.endAt]);
  for (const timezone of ['UTC', 'Etc/UTC', 'utc']) {
    const utc = write({ ...summer, timezone });
    assert.match(utc, /DTSTART:20260701T120000Z\r\nDTEND:20260701T130000Z\r\n/);
    assert.doesNotMatch(utc, /VTIMEZONE|TZID/);
  }
});

test('calendar: fractions of a second extend the event, and the last second of year 9999 has no DTEND', () => {
  const [startAt, endAt] = [new Date('2026-07-01T12:00:00.300Z'), new Date('2026-07-01T12:00:00.900Z')];
  const text = write({ startAt, endAt });
  assert.match(
    text,
    /DTSTART;TZID=Europe\/Oslo:20260701T140000\r\nDTEND;TZID=Europe\/Oslo:20260701T140001\r\n/,
  );
  const last = write({
    startAt: new Date('9999-12-31T23:59:59.100Z'),
    endAt: new Date('9999-12-31T23:59:59.999Z'),
  });
  assert.match(last, /DTSTART:99991231T235959Z\r\n/);
  assert.doesNotMatch(last, /DTEND/);
});

test('calendar: no line exceeds 75 octets or ends within a character, for any text', () => {
  const texts = anyText({ maxLength: 300 }).map((text) => text.replaceAll('\0', ''));
  fc.assert(
    fc.property(texts, texts, texts, anyVisibleText({ maxLength: 80 }), (a, b, c, name) => {
      const bytes = Buffer.from(write({ title: a, description: b, address: c }, name || 'x'));
      const utf8 = new TextDecoder('utf-8', { fatal: true });
      const lines = bytes
        .toString('latin1')
        .split('\r\n')
        .map((line) => Buffer.from(line, 'latin1'));
      for (const line of lines) {
        assert.ok(line.length <= 75, `${line.length} octets`);
        assert.doesNotMatch(utf8.decode(line), /(?!\t)\p{Cc}/u);
      }
    }),
    { numRuns: 150 },
  );
});

test('calendar: parsers return the original text: commas, semicolons, backslashes, quotes, lines, emoji', () => {
  const title = 'Soup; bread, "wine" & 🥘 👨‍👩‍👧‍👦 åß漢字';
  const description = 'One\nTwo\r\nThree\rFour\u2028Five\n\n;,\\;\\,\\n \t end';
  const text = write({ title, description, address: 'A; B, C\\D' }, 'Mara "M"; Lindgren, jr.');
  const event = parsed(text);
  assert.equal(event.summary, title);
  assert.equal(event.location, 'A; B, C\\D');
  const component = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent');
  assert.equal(component?.getFirstPropertyValue('summary'), title);
  assert.equal(
    component?.getFirstPropertyValue('description'),
    'One\nTwo\nThree\nFour\nFive\n\n;,\\;\\,\\n \t end',
  );
  const organizer = component?.getFirstProperty('organizer');
  assert.equal(organizer?.getFirstParameter('cn'), 'Mara "M"; Lindgren, jr.');
  assert.equal(organizer?.getFirstValue(), `${publicUrl}/v1/users/${organizerId}`);
});

test('calendar: user input cannot inject a line', () => {
  const injection =
    'x\r\nATTENDEE:mailto:a@b\nBEGIN:VALARM\rEND:VEVENT\u0085END:VCALENDAR\u2028X-A:1\x0bX-B:2\x00';
  const lines = unfolded(write({ title: injection, description: injection, address: injection }, injection));
  const names = lines.map((line) => /^[A-Z-]+/.exec(line)?.[0]);
  for (const name of ['ATTENDEE', 'X-A', 'X-B']) assert.ok(!names.includes(name), name);
  assert.deepEqual(
    lines.filter((line) => /^(BEGIN|END):/.test(line) && !/DAYLIGHT|STANDARD|VTIMEZONE/.test(line)),
    ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'END:VEVENT', 'END:VCALENDAR'],
  );
});

test('calendar: GEO on the equator, on the prime meridian, and without an exponent', () => {
  const geo = (lat: number, lng: number) =>
    unfolded(write({ lat, lng })).find((line) => line.startsWith('GEO'));
  assert.equal(geo(0, 0), 'GEO:0;0');
  assert.equal(geo(-0.0000001, 180), 'GEO:0;180');
  assert.equal(geo(0.00001, -10.5), 'GEO:0.00001;-10.5');
  assert.equal(geo(59.91061234, 100), 'GEO:59.910612;100');
});

test('calendar: each zone is described once, and rendering is deterministic', () => {
  const entries = Array.from({ length: 40 }, (_, i) => {
    const startAt = new Date(Date.UTC(2026, i, 1, 12));
    const endAt = new Date(Date.UTC(2026, i, 1, 14));
    const timezone = ['Europe/Oslo', 'America/New_York', 'UTC'][i % 3] ?? 'UTC';
    return {
      event: row({ id: id.slice(0, -2) + String(10 + i), startAt, endAt, timezone }),
      organizerName: null,
    };
  });
  const name = 'Ours; and, theirs\r\nX-A:1';
  const { bytes, hash } = renderCalendar(entries.map(createEntryRenderer(publicUrl)), { name });
  const text = bytes.toString();
  assert.equal(text.match(/BEGIN:VTIMEZONE/g)?.length, 2);
  assert.match(text, /\r\nX-WR-CALNAME:Ours\\; and\\, theirs\\nX-A:1\r\n/);
  assert.match(text, /REFRESH-INTERVAL;VALUE=DURATION:PT1H\r\nX-PUBLISHED-TTL:PT1H\r\n/);
  const component = new ICAL.Component(ICAL.parse(text));
  const starts = component
    .getAllSubcomponents('vevent')
    .map((event) => (event.getFirstPropertyValue('dtstart') as ICAL.Time).toUnixTime() * 1_000);
  assert.deepEqual(
    starts,
    entries.map(({ event }) => event.startAt.getTime()),
  );
  const again = renderCalendar(entries.map(createEntryRenderer(publicUrl)), { name });
  assert.deepEqual([again.bytes.toString(), again.hash], [text, hash]);
  const longer = renderCalendar([...entries, ...entries.slice(0, 1)].map(createEntryRenderer(publicUrl)), {
    name,
  });
  assert.notEqual(longer.hash, hash);
});

test('calendar: descriptions are truncated by characters, and a changed event is rendered again', () => {
  const event = row({ description: '🥘'.repeat(21) });
  const write = cacheEntries(createEntryRenderer(publicUrl, 20));
  const first = write({ event, organizerName: 'Mara' });
  assert.ok(unfolded(`${first.bytes}`).includes(`DESCRIPTION:${'🥘'.repeat(19)}…`));
  assert.equal(write({ event, organizerName: 'Mara' }), first);
  assert.match(`${write({ event, organizerName: 'Mara L' }).bytes}`, /CN="Mara L"/);
  assert.match(
    `${write({ event: { ...event, title: 'Another' }, organizerName: 'Mara' }).bytes}`,
    /SUMMARY:Another/,
  );
});

test('calendar: file names have only letters, digits and hyphens', () => {
  assert.equal(fileName('Sørens "Grillfest", 2026\r\nx: y'), 'sorens-grillfest-2026-x-y.ics');
  assert.equal(fileName('🥘'), 'event.ics');
  assert.equal(fileName('a'.repeat(140)).length, 64);
});
