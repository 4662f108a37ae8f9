/** Entries as programs and people write them, and the events that they mean. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  calendar,
  calendarEntry,
  createImporter,
  errorsOf,
  importCounts,
} from '../support/calendar-files.ts';
import { createEvent, createUser, signIn } from '../support/factories.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const { importFile, importForNewUser, eventsOf } = createImporter(api);

type Fields = Record<string, string | undefined>;
const now = new Date('2027-01-01');
const oslo = { lat: 59.91, lng: 10.75, name: 'Oslo' };

/** Imports one file with an entry for each row, and returns its events by title. */
async function importRows(rows: Record<string, Fields>, base: Fields = {}, head = '') {
  const entries = Object.entries(rows).map(([title, fields]) =>
    calendarEntry({ SUMMARY: title, ...base, ...fields }),
  );
  const { events, report, ...rest } = await importForNewUser(calendar(head, ...entries), { now });
  return { byTitle: new Map(events.map((event) => [event.title, event])), events, report, ...rest };
}

test('import: an end that equals the start, a duration of zero, and no end are one hour', async () => {
  const { events } = await importRows(
    {
      'Doors close': { DTEND: '20270516T210000Z' },
      'No end': { DTEND: undefined },
      'Length of zero': { DTEND: undefined, DURATION: 'PT0S' },
    },
    { DTSTART: '20270516T210000Z' },
  );
  for (const { startAt, endAt } of events)
    assert.deepEqual([startAt, endAt], ['2027-05-16T21:00:00.000Z', '2027-05-16T22:00:00.000Z']);
});

const withoutPlace = calendar(
  'X-WR-TIMEZONE:Europe/Stockholm\r\n',
  calendarEntry({
    UID: 'choir',
    SUMMARY: 'Choir',
    'DTSTART;TZID=Europe/Stockholm': '20270516T190000',
    DTSTART: undefined,
    DTEND: undefined,
    GEO: undefined,
    LOCATION: 'Parish hall',
  }),
  calendarEntry({ UID: 'open', SUMMARY: 'Open evening', GEO: undefined, LOCATION: undefined }),
);

test('import: entries without a known place have one to be announced; a later import with a town places them', async () => {
  const { report, phone, person, events } = await importForNewUser(withoutPlace);
  assert.deepEqual(importCounts(report), [2, 0, 0, 0]);
  assert.deepEqual(
    events.map(({ title, visibility, locationKind, location }) => [
      ...[title, visibility, locationKind, location.address, location.isExact],
    ]),
    [
      ['Choir', 'public', 'later', 'Parish hall', false],
      ['Open evening', 'public', 'later', 'Stockholm', false],
    ],
  );
  assert.deepEqual(
    report.unplaced.map(({ title, cause }) => [title, cause]),
    [
      ['Choir', 'place'],
      ['Open evening', 'place'],
    ],
  );
  assert.deepEqual(importCounts(await importFile(withoutPlace, phone)), [0, 0, 2, 0]);
  const stockholm = { lat: 59.32938, lng: 18.06871, name: 'Stockholm' };
  const again = await importFile(withoutPlace, phone, { place: stockholm });
  assert.deepEqual([...importCounts(again), again.placedByDefault], [0, 2, 0, 0, 2]);
  assert.deepEqual(again.place, { name: 'Stockholm', from: 'option' });
  assert.deepEqual(
    (await eventsOf(person)).map(({ locationKind, location }) => [
      locationKind,
      location.address,
      location.lat,
    ]),
    [
      ['place', 'Parish hall', 59.32938],
      ['place', 'Stockholm', 59.32938],
    ],
  );
  assert.deepEqual(importCounts(await importFile(withoutPlace, phone, { place: stockholm })), [0, 0, 2, 0]);
});

test('import: what its organizer has changed stays, also where the file has a newer value', async () => {
  const { phone, person, events } = await importForNewUser(withoutPlace);
  const location = { address: 'Our house', lat: 59.3, lng: 18.1 };
  await api.patch(`/v1/events/${events[0].id}`, person.token, { location, locationKind: 'place' });
  assert.deepEqual(importCounts(await importFile(withoutPlace, phone, { place: oslo })), [0, 1, 1, 0]);
  const [choir, evening] = await eventsOf(person);
  assert.deepEqual([choir.location.address, choir.locationKind], ['Our house', 'place']);
  assert.equal(evening.location.address, 'Oslo');
});

test('import: an event that its organizer made a draft stays one', async () => {
  const file = calendar(
    calendarEntry({
      GEO: undefined,
      LOCATION: 'Stockholm',
      DTSTART: undefined,
      DTEND: undefined,
      'DTSTART;TZID=Europe/Stockholm': '20270516T190000',
    }),
  );
  const { phone, person, events } = await importForNewUser(file);
  assert.equal(events[0].visibility, 'public');
  await api.patch(`/v1/events/${events[0].id}`, person.token, { visibility: 'private' });
  assert.deepEqual(importCounts(await importFile(file, phone)), [0, 0, 1, 0]);
  assert.equal((await eventsOf(person))[0].visibility, 'private');
});

test('import: entries without a known place are where most others are, or where the last event of the organizer is', async () => {
  const near = (title: string) =>
    calendarEntry({ SUMMARY: title, GEO: undefined, LOCATION: 'Götgatan 5\\, Göteborg' });
  const unknown = calendarEntry({ SUMMARY: 'Unknown', GEO: undefined, LOCATION: 'Hall A' });
  const { report, phone, events } = await importForNewUser(calendar(near('A'), near('B'), unknown));
  assert.deepEqual(report.place, { name: 'Gothenburg', from: 'calendar' });
  assert.deepEqual([report.placedByName, report.placedByDefault], [2, 1]);
  assert.deepEqual(
    events.map(({ location, visibility }) => [Math.round(location.lat), visibility]),
    [
      [58, 'public'],
      [58, 'public'],
      [58, 'public'],
    ],
  );
  // An import does not depend on the one before it.
  const other = calendar(calendarEntry({ SUMMARY: 'Other', GEO: undefined, LOCATION: 'Room 7' }));
  assert.equal((await importFile(other, phone)).place, null);
  const bergen = { address: 'Bryggen, Bergen', lat: 60.39, lng: 5.32 };
  await createEvent(api, await signIn(api, phone), { location: bergen });
  assert.deepEqual((await importFile(other, phone)).place, { name: 'Bergen', from: 'organizer' });
});

test('import: the place of the command is used, and that of the profile only in the time zone of the entry', async () => {
  const file = calendar(
    calendarEntry({
      GEO: undefined,
      LOCATION: 'Hall A',
      DTSTART: undefined,
      DTEND: undefined,
      'DTSTART;TZID=Asia/Tokyo': '20270516T190000',
    }),
  );
  const { events } = await importForNewUser(file, { place: oslo });
  assert.deepEqual([events[0].locationKind, events[0].timezone], ['place', 'Asia/Tokyo']);
  const person = await createUser(api);
  await api.patch('/v1/me', person.token, { city: 'Oslo' });
  const report = await importFile(file, person.phone);
  assert.match(report.unplaced[0]?.reason ?? '', /Oslo is in another time zone/);
  assert.equal((await eventsOf(person))[0].locationKind, 'later');
});

test('import: of towns with one name, that in the zone of the entry; what stays doubtful is to be announced, and the report names them', async () => {
  const rows: [location: string, zone: string, country: string, lat: number][] = [
    ['City stadium\\, Santa Clara', 'America/Los_Angeles', 'US', 37],
    ['Room 4\\, Cambridge', 'America/New_York', 'US', 42],
    ['Main Street 5\\, Birmingham', 'America/Chicago', 'US', 34],
    ['Marktplatz\\, Essen', 'Europe/Berlin', 'DE', 51],
    ['Plaza Mayor\\, Mérida', 'Europe/Madrid', 'ES', 39],
    ['Calle Real 3\\, Córdoba', 'Europe/Madrid', 'ES', 38],
    ['Ateneo\\, Valencia', 'Europe/Madrid', 'ES', 39],
    ['Casa de cultura\\, León', 'Europe/Madrid', 'ES', 43],
    ['Casa de cultura\\, Cartagena', 'Europe/Madrid', 'ES', 38],
    ['City Hall\\, Newcastle', 'Australia/Sydney', 'AU', -33],
    ['High Street\\, Richmond', 'Europe/London', '', 51],
  ];
  const { byTitle, report } = await importRows(
    Object.fromEntries(
      rows.map(([location, zone], i) => [
        `${i}`,
        { LOCATION: location, [`DTSTART;TZID=${zone}`]: '20270516T190000' },
      ]),
    ),
    { GEO: undefined, DTSTART: undefined, DTEND: undefined },
  );
  for (const [i, [location, zone, , lat]] of rows.entries()) {
    const event = byTitle.get(`${i}`);
    const isSameHalf = Math.abs(Math.round(event.location.lat) - lat) <= 1;
    assert.deepEqual([isSameHalf, event.timezone], [true, zone], `${location} ${event.location.lat}`);
  }
  assert.deepEqual(
    report.unplaced.map(({ reason }) => reason),
    ['"High Street, Richmond" may be in Richmond, GB; Richmond, GB'],
  );
});

test('import: the zone of X-WR-TIMEZONE counts for times in UTC and for whole days', async () => {
  const { byTitle } = await importRows(
    {
      'In UTC': { DTSTART: '20270516T080000Z', DTEND: undefined },
      'Whole day': { DTSTART: undefined, DTEND: undefined, 'DTSTART;VALUE=DATE': '20270516' },
    },
    { GEO: undefined, LOCATION: 'Ateneo\\, Valencia' },
    'X-WR-TIMEZONE:Europe/Madrid\r\n',
  );
  for (const { location } of byTitle.values()) assert.equal(Math.round(location.lat), 39);
});

test('import: names of zones of Windows, of Outlook on the web, abbreviations, offsets and empty names', async () => {
  const rows: Record<string, [parameter: string, location: string, startAt: string]> = {
    Windows: ['W. Europe Standard Time', 'Berlin\\, Germany', '2027-05-16T17:00:00.000Z'],
    Shown: ['"(UTC-05:00) Eastern Time (US & Canada)"', 'Boston\\, MA', '2027-05-16T23:00:00.000Z'],
    Unquoted: ['(UTC-05:00) Eastern Time (US & Canada)', 'Boston\\, MA', '2027-05-16T23:00:00.000Z'],
    Pacific: ['Pacific Standard Time', 'Seattle\\, WA', '2027-05-17T02:00:00.000Z'],
    GMT: ['GMT Standard Time', 'London\\, UK', '2027-05-16T18:00:00.000Z'],
    CET: ['CET', 'Berlin\\, Germany', '2027-05-16T17:00:00.000Z'],
    Empty: ['', 'Berlin\\, Germany', '2027-05-16T17:00:00.000Z'],
    Offset: ['GMT+0200', 'Berlin\\, Germany', '2027-05-16T17:00:00.000Z'],
    EST: ['EST', 'Boston\\, MA', '2027-05-17T00:00:00.000Z'],
  };
  const { byTitle, report } = await importRows(
    Object.fromEntries(
      Object.entries(rows).map(([title, [zone, location]]) => [
        title,
        { [`DTSTART;TZID=${zone}`]: '20270516T190000', LOCATION: location },
      ]),
    ),
    { GEO: undefined, DTSTART: undefined, DTEND: undefined },
  );
  for (const [title, [, , startAt]] of Object.entries(rows))
    assert.equal(byTitle.get(title)?.startAt, startAt, title);
  assert.equal(byTitle.get('Shown')?.timezone, 'America/New_York');
  assert.equal(byTitle.get('Windows')?.timezone, 'Europe/Berlin');
  assert.deepEqual(report.warnings, []);
  // UTC wins over a zone beside it.
  const both = await importRows({
    Both: { DTSTART: undefined, DTEND: undefined, 'DTSTART;TZID=Europe/Berlin': '20270516T190000Z' },
  });
  assert.equal(both.events[0].startAt, '2027-05-16T19:00:00.000Z');
});

test('import: a series comes in with its coming dates, without those that are removed; the same file changes nothing', async () => {
  const berlin = (value: string, changes: Fields = {}): Fields => ({
    DTSTART: undefined,
    DTEND: undefined,
    'DTSTART;TZID=Europe/Berlin': value,
    'DTEND;TZID=Europe/Berlin': value.replace('T19', 'T21').replace('T20', 'T22'),
    GEO: '52.5;13.4',
    ...changes,
  });
  const weekly = { RRULE: 'FREQ=WEEKLY;COUNT=4' };
  const recurrence = { 'RECURRENCE-ID;TZID=Europe/Berlin': '20270516T190000' };
  const entry = (title: string, fields: Fields) => calendarEntry({ UID: title, SUMMARY: title, ...fields });
  const file = calendar(
    entry(
      'removed',
      berlin('20270516T190000', { ...weekly, 'EXDATE;TZID=Europe/Berlin': '20270516T190000' }),
    ),
    entry('moved', berlin('20270516T190000', weekly)),
    entry('moved', berlin('20270517T200000', recurrence)),
    entry('cancelled', berlin('20270516T190000', weekly)),
    entry('cancelled', berlin('20270516T190000', { ...recurrence, STATUS: 'CANCELLED' })),
    entry('since 2020', berlin('20200107T190000', { RRULE: 'FREQ=WEEKLY;BYDAY=TU' })),
    entry('over', berlin('20200107T190000', { RRULE: 'FREQ=DAILY;UNTIL=20200110T180000Z' })),
    entry('second Tuesday', berlin('20260113T190000', { RRULE: 'FREQ=MONTHLY;BYDAY=2TU' })),
    entry('without a date', berlin('20270531T190000', { RRULE: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31' })),
    entry('hourly', berlin('20270516T190000', { RRULE: 'FREQ=HOURLY' })),
    entry(
      'all removed',
      berlin('20270516T190000', { RRULE: 'FREQ=DAILY;COUNT=1', 'EXDATE;VALUE=DATE': '20270516' }),
    ),
  );
  const { events, report, phone } = await importForNewUser(file, { now });
  const byTitle = Map.groupBy(events, ({ title }) => title as string);
  const shown = [...byTitle].map(([title, dates]) => {
    const days = dates.map(
      ({ startAt, status }) => `${startAt.slice(5, 10)}${status === 'cancelled' ? '!' : ''}`,
    );
    return [title, dates.length, days.slice(0, 4).join(' ')];
  });
  assert.deepEqual(shown, [
    ['cancelled', 4, '05-16! 05-23 05-30 06-06'],
    ['hourly', 60, '05-16 05-16 05-16 05-16'],
    ['moved', 4, '05-17 05-23 05-30 06-06'],
    ['removed', 3, '05-23 05-30 06-06'],
    ['second Tuesday', 13, '01-12 02-09 03-09 04-13'],
    ['since 2020', 56, '01-05 01-12 01-19 01-26'],
    ['without a date', 1, '05-31'],
  ]);
  assert.equal(byTitle.get('hourly')?.[59].startAt, '2027-05-19T04:00:00.000Z');
  assert.deepEqual(
    errorsOf(report).map(([, reason]) => reason),
    ['over', 'all removed'].map((title) => `"${title}" repeats, and none of its dates is coming`),
  );
  const same = await importFile(file, phone, { now });
  assert.deepEqual([same.added, same.changed], [0, 0]);
  const later = await importFile(file, phone, { now: new Date('2027-01-08') });
  assert.deepEqual([later.added, later.changed], [0, 0]);
});

test('import: a cancelled date of a series that was imported cancels its event', async () => {
  const series = (...fields: Fields[]) =>
    calendar(...fields.map((more) => calendarEntry({ UID: 'weekly', SUMMARY: 'Choir', ...more })));
  const rule = { RRULE: 'FREQ=WEEKLY;COUNT=3' };
  const { phone, person } = await importForNewUser(series(rule), { now });
  const cancelled = { 'RECURRENCE-ID': '20270305T170000Z', STATUS: 'CANCELLED' };
  await importFile(series(rule, cancelled), phone, { now });
  assert.deepEqual(
    (await eventsOf(person)).map(({ startAt, status }) => [startAt, status]),
    [
      ['2027-03-05T17:00:00.000Z', 'cancelled'],
      ['2027-03-12T17:00:00.000Z', 'scheduled'],
      ['2027-03-19T17:00:00.000Z', 'scheduled'],
    ],
  );
});

test('import: entries with one UID and other starts are events of their own, also in a later import', async () => {
  const talk = (title: string, hour: string) =>
    calendarEntry({ UID: '46', SUMMARY: title, DTSTART: `20270516T${hour}0000Z`, DTEND: undefined });
  const one = calendar(talk('One', '08'));
  const { phone, person, events } = await importForNewUser(one);
  const both = calendar(talk('One', '08'), talk('Two', '10'));
  assert.deepEqual(importCounts(await importFile(both, phone)), [1, 0, 1, 0]);
  assert.deepEqual(importCounts(await importFile(both, phone)), [0, 0, 2, 0]);
  const after = await eventsOf(person);
  assert.deepEqual([after.map(({ title }) => title), after[0].id], [['One', 'Two'], events[0].id]);
});

test('import: bad and empty GEO, GEO of nowhere, and the place that Apple writes', async () => {
  const rows: Record<string, [fields: Fields, isExact: boolean]> = {
    Comma: [{ GEO: '59.91,10.75' }, true],
    Escaped: [{ GEO: '59.91\\;10.75' }, true],
    Height: [{ GEO: '59.91;10.75;0' }, true],
    Empty: [{ GEO: '' }, false],
    Semicolon: [{ GEO: ';' }, false],
    Zero: [{ GEO: '0;0' }, false],
    None: [{ GEO: 'None;None' }, false],
    Swapped: [{ GEO: '-122.33;47.6' }, false],
    Apple: [
      {
        LOCATION: 'Parish hall',
        'X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-ADDRESS="Main St 1";X-TITLE="Parish hall"':
          'geo:59.91,10.75',
      },
      true,
    ],
  };
  const { byTitle, report } = await importRows(
    Object.fromEntries(Object.entries(rows).map(([title, [fields]]) => [title, fields])),
    { GEO: undefined, LOCATION: 'Oslo\\, Norway' },
  );
  for (const [title, [, isExact]] of Object.entries(rows)) {
    const { lat, lng, isExact: is } = byTitle.get(title)?.location ?? {};
    assert.deepEqual([Math.round(lat), Math.round(lng), is], [60, 11, isExact], title);
  }
  assert.deepEqual(
    report.warnings.map(({ title }) => title),
    ['Zero', 'Swapped'],
  );
});

test('import: times as programs write them that do not follow RFC 5545', async () => {
  const at = (value: string, more: Fields = {}): Fields => ({ 'DTSTART;TZID=Europe/Berlin': value, ...more });
  const until = (value: string) => ({ 'DTEND;TZID=Europe/Berlin': value });
  const rows: Record<string, [fields: Fields, startAt: string, endAt: string, allDay?: boolean]> = {
    'No seconds': [at('20270516T1900'), '2027-05-16T17:00', '2027-05-16T18:00'],
    Dashes: [{ DTSTART: '2027-05-16T19:00:00Z' }, '2027-05-16T19:00', '2027-05-16T20:00'],
    Offset: [{ DTSTART: '20270516T190000+0200' }, '2027-05-16T17:00', '2027-05-16T18:00'],
    '24:00': [at('20270516T190000', until('20270516T240000')), '2027-05-16T17:00', '2027-05-16T22:00'],
    'Date at the end': [
      at('20270516T190000', { 'DTEND;VALUE=DATE': '20270517' }),
      '2027-05-16T17:00',
      '2027-05-16T22:00',
    ],
    'Negative length': [at('20270516T190000', { DURATION: '-PT1H' }), '2027-05-16T17:00', '2027-05-16T18:00'],
    'A day and hours': [
      at('20270516T190000', { DURATION: 'P1DT2H' }),
      '2027-05-16T17:00',
      '2027-05-17T19:00',
    ],
    'Without P and T': [at('20270516T190000', { DURATION: '2H' }), '2027-05-16T17:00', '2027-05-16T19:00'],
    Night: [at('20270516T220000', until('20270516T020000')), '2027-05-16T20:00', '2027-05-17T00:00'],
    'Clock change': [at('20270328T023000', until('20270328T033000')), '2027-03-28T01:30', '2027-03-28T02:30'],
    'Whole day of Outlook': [
      at('20270516T000000', { ...until('20270517T000000'), 'X-MICROSOFT-CDO-ALLDAYEVENT': 'TRUE' }),
      '2027-05-15T22:00',
      '2027-05-16T22:00',
      true,
    ],
    'Leap second': [{ DTSTART: '20270516T190060Z' }, '2027-05-16T19:00', '2027-05-16T20:00'],
    'Two years': [
      { 'DTSTART;VALUE=DATE': '20270101', 'DTEND;VALUE=DATE': '20290101' },
      '2026-12-31T23:00',
      '2028-01-01T23:00',
      true,
    ],
    'Day before': [
      { 'DTSTART;VALUE=DATE': '20270516', 'DTEND;VALUE=DATE': '20270515' },
      '2027-05-15T22:00',
      '2027-05-16T22:00',
      true,
    ],
    'Empty end': [at('20270516T190000', { DTEND: '' }), '2027-05-16T17:00', '2027-05-16T18:00'],
    Spaces: [
      { DTSTART: ' 20270516T080000Z', DTEND: ' 20270516T090000Z ' },
      '2027-05-16T08:00',
      '2027-05-16T09:00',
    ],
  };
  const { byTitle, report } = await importRows(
    Object.fromEntries(Object.entries(rows).map(([title, [fields]]) => [title, fields])),
    { DTSTART: undefined, DTEND: undefined, GEO: '52.5;13.4' },
  );
  for (const [title, [, startAt, endAt, allDay = false]] of Object.entries(rows)) {
    const event = byTitle.get(title);
    assert.deepEqual(
      [event?.startAt.slice(0, 16), event?.endAt.slice(0, 16), event?.allDay],
      [startAt, endAt, allDay],
      title,
    );
  }
  assert.deepEqual(report.errors, []);
  const mended = new Set(report.warnings.map(({ title }) => title));
  for (const title of ['24:00', 'Negative length', 'Night', 'Two years', 'Day before', 'Empty end', 'Offset'])
    assert.ok(mended.has(title), title);
});

test('import: HTML is read as text, with its links, lists and entities; X-ALT-DESC counts without another text', async () => {
  const rows: Record<string, [fields: Fields, description: string]> = {
    Tags: [
      {
        DESCRIPTION: '<p>First &amp\\; second</p><br><b>bold</b> <a href="https://example.org/x">link</a>',
      },
      'First & second\n\nbold link (https://example.org/x)',
    ],
    'Only HTML': [{ 'X-ALT-DESC;FMTTYPE=text/html': '<p>Only in html</p>' }, 'Only in html'],
    Both: [{ DESCRIPTION: 'Plain', 'X-ALT-DESC;FMTTYPE=text/html': '<p>Rich</p>' }, 'Plain'],
    List: [{ DESCRIPTION: '<ul><li>Cake</li><li>Tea</li></ul>' }, '• Cake\n• Tea'],
    Address: [
      { DESCRIPTION: '<a href="https://example.org/">https://example.org/</a>' },
      'https://example.org/',
    ],
    Script: [{ DESCRIPTION: '<p>Text</p><script>alert(1)</script><style>p{}</style>' }, 'Text'],
    'Not HTML': [{ DESCRIPTION: 'a < b and c > d & e' }, 'a < b and c > d & e'],
    'Bad link': [{ DESCRIPTION: '<a href="javascript:alert(1)">press</a>' }, 'press'],
    Folded: [{ DESCRIPTION: 'First line\r\nsecond: line' }, 'First line\nsecond: line'],
    'Line behind': [{ DESCRIPTION: 'First line\r\nX_FOO:bar' }, 'First line'],
  };
  const { byTitle } = await importRows(
    Object.fromEntries(Object.entries(rows).map(([title, [fields]]) => [title, fields])),
  );
  for (const [title, [, description]] of Object.entries(rows))
    assert.equal(byTitle.get(title)?.description, description, title);
});

test('import: entities and quoted-printable in titles; categories, and lines before the calendar', async () => {
  const file = calendar(
    calendarEntry({ SUMMARY: '1 &amp\\; &quot\\;entity&quot\\; &#8211\\; dash' }),
    calendarEntry({ SUMMARY: undefined, 'SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8': '2 caf=C3=A9' }),
    calendarEntry({ SUMMARY: '3 comma, semicolon; back\\slash' }),
    calendarEntry({ SUMMARY: '4', STATUS: 'TENTATIVE', CATEGORIES: 'Concert,Music' }),
  );
  const { events } = await importForNewUser(`Warning: ical.php on line 12\n\n${file}`);
  assert.deepEqual(
    events.map(({ title, category, status }) => [title, category.slug, status]),
    [
      ['1 & "entity" – dash', 'other', 'scheduled'],
      ['2 café', 'other', 'scheduled'],
      ['3 comma, semicolon; back\\slash', 'other', 'scheduled'],
      ['4', 'music', 'scheduled'],
    ],
  );
});

test('import: METHOD:CANCEL cancels the event, also without its fields, and adds nothing', async () => {
  const meeting = { UID: 'meeting', SUMMARY: 'Meeting', DTSTART: '20270516T080000Z', DTEND: undefined };
  const cancel = 'METHOD:CANCEL\r\n';
  const { phone, person, events } = await importForNewUser(
    calendar(calendarEntry({ ...meeting, SEQUENCE: '0' })),
  );
  const unknown = calendarEntry({ UID: 'unknown' });
  const bare = calendarEntry({
    UID: 'meeting',
    SEQUENCE: '1',
    SUMMARY: undefined,
    DTSTART: undefined,
    DTEND: undefined,
    LOCATION: undefined,
    GEO: undefined,
  });
  const report = await importFile(calendar(cancel, bare, unknown), phone);
  assert.deepEqual(importCounts(report), [0, 1, 1, 0]);
  const after = await eventsOf(person);
  assert.deepEqual(
    after.map(({ title, status, startAt }) => [title, status, startAt]),
    [['Meeting', 'cancelled', events[0].startAt]],
  );
});

test('import: the command keeps what was changed here of a series, and of one of its dates', async () => {
  const file = (title: string, own: string) =>
    calendar(
      calendarEntry({ UID: 'weekly', SUMMARY: title, RRULE: 'FREQ=WEEKLY;COUNT=3' }),
      calendarEntry({
        UID: 'weekly',
        SUMMARY: own,
        'RECURRENCE-ID': '20270312T170000Z',
        DTSTART: '20270312T170000Z',
        DTEND: '20270312T200000Z',
      }),
    );
  const { phone, person, events } = await importForNewUser(file('Choir', 'Guests'), { now });
  const change = async (id: string, title: string, scope: string) =>
    expectStatus(await api.patch(`/v1/events/${id}?scope=${scope}`, person.token, { title }), 200);
  const [first, , guests] = events;
  await change(first.id, 'Ours', 'all');
  await change(guests.id, 'Our guests', 'this');
  const report = await importFile(file('Choirs', 'Friends'), phone, { now });
  assert.deepEqual(importCounts(report), [0, 0, 1, 0]);
  assert.deepEqual(
    (await eventsOf(person)).map(({ title }) => title),
    ['Our guests', 'Ours', 'Ours'],
  );
});

test('import: METHOD:CANCEL of a series cancels each date of it', async () => {
  const series = calendarEntry({ UID: 'weekly', SUMMARY: 'Choir', RRULE: 'FREQ=WEEKLY;COUNT=2' });
  const { phone, person } = await importForNewUser(calendar(series), { now });
  await importFile(calendar('METHOD:CANCEL\r\n', calendarEntry({ UID: 'weekly', SUMMARY: 'Choir' })), phone, {
    now,
  });
  assert.deepEqual(
    (await eventsOf(person)).map(({ status }) => status),
    ['cancelled', 'cancelled'],
  );
});

test('import: a calendar with a zone rule that gives no date comes in; its times are those of the place', async () => {
  const zone = [
    'BEGIN:VTIMEZONE',
    'TZID:Custom',
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31;BYDAY=MO',
    'TZOFFSETFROM:+0100',
    'TZOFFSETTO:+0200',
    'END:STANDARD',
    'END:VTIMEZONE',
    '',
  ].join('\r\n');
  const { events } = await importRows(
    { Choir: { 'DTSTART;TZID=Custom': '20270105T180000', LOCATION: 'Gothenburg' } },
    { DTSTART: undefined, DTEND: undefined, GEO: undefined },
    zone,
  );
  assert.equal(events[0].startAt, '2027-01-05T17:00:00.000Z');
});
