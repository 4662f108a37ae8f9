import assert from 'node:assert/strict';
import test from 'node:test';
import {
  calendar,
  calendarEntry,
  createImporter,
  errorsOf,
  importCounts,
} from '../support/calendar-files.ts';
import { startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const { importFile, importForNewUser, importEntry, importError } = createImporter(api);

test('import: of two entries with one UID the higher SEQUENCE is imported, for equal ones the later entry', async () => {
  const { report, events } = await importForNewUser(
    calendar(
      calendarEntry({ UID: 'a', SUMMARY: 'A 1' }),
      calendarEntry({ UID: 'a', SUMMARY: 'A 2' }),
      calendarEntry({ UID: 'b', SUMMARY: 'B 2', SEQUENCE: '2' }),
      calendarEntry({ UID: 'b', SUMMARY: 'B 1', SEQUENCE: '1' }),
    ),
  );
  assert.deepEqual(
    events.map((event) => event.title),
    ['A 2', 'B 2'],
  );
  assert.deepEqual(
    report.errors.map(({ line, title }) => [line, title]),
    [
      [4, 'A 1'],
      [29, 'B 1'],
    ],
  );
});

test('import: a changed date belongs to its series; UTC without a zone is reported', async () => {
  const file = calendar(
    calendarEntry({ UID: 'weekly', SUMMARY: 'Choir', RRULE: 'FREQ=WEEKLY;COUNT=3' }),
    calendarEntry({ UID: 'weekly', SUMMARY: 'Choir, in church', 'RECURRENCE-ID': '20270312T170000Z' }),
  );
  const now = new Date('2027-01-01');
  const { report, phone, events } = await importForNewUser(file, { now });
  assert.deepEqual(
    events.map(({ title, series }) => [title, series.isChanged]),
    [
      ['Choir', false],
      ['Choir', false],
      ['Choir, in church', true],
    ],
  );
  assert.deepEqual(
    [importCounts(report), report.warnings.map(({ line, reason }) => [line, reason])],
    [[1, 0, 0, 0], [[4, 'repeats in UTC, because the file names no time zone']]],
  );
  const again = await importFile(file, phone, { now });
  assert.deepEqual([...importCounts(again), again.warnings.length], [0, 0, 1, 0, 0]);
});

test('import: a second import adds no event for entries without a UID or with a very long UID', async () => {
  const file = calendar(
    calendarEntry({ UID: undefined, SUMMARY: 'Nameless' }),
    calendarEntry({ UID: '' }),
    calendarEntry({ UID: `${'x'.repeat(20_000)}1` }),
    calendarEntry({ UID: `${'x'.repeat(20_000)}2` }),
  );
  const { report, phone } = await importForNewUser(file);
  assert.deepEqual(importCounts(report), [4, 0, 0, 0]);
  assert.deepEqual(importCounts(await importFile(file, phone)), [0, 0, 4, 0]);
});

test('import: entries without a title or a date are reported by line; others come in with what can be read', async () => {
  const { report, events } = await importForNewUser(
    calendar(
      calendarEntry({ SUMMARY: 'Good 1' }),
      calendarEntry({ SUMMARY: undefined }),
      calendarEntry({ DTSTART: undefined }),
      calendarEntry({ SUMMARY: 'With an offset', DTSTART: '20270305T170000+0100' }),
      calendarEntry({ DTSTART: '20270230T170000Z' }),
      calendarEntry({ SUMMARY: 'A day less', DTEND: '20270305T160000Z' }),
      calendarEntry({ SUMMARY: 'Bad GEO', GEO: '95;10' }),
      calendarEntry({ SUMMARY: 'GEO as numbers', GEO: '59,10' }),
      'BEGIN:VEVENT\r\nSUMMARY:No end\r\n',
      calendarEntry({ SUMMARY: 'Badly folded', DESCRIPTION: 'one\r\ntwo, badly folded' }),
      calendarEntry({ SUMMARY: 'Bad length', DURATION: 'an hour', DTEND: undefined }),
      calendarEntry({ DTSTART: '18990101T000000Z' }),
      'END:VEVENT\r\n',
      calendarEntry({ SUMMARY: 'Good 2' }),
    ),
  );
  assert.deepEqual(
    events.map((event) => event.title),
    [
      'A day less',
      'Badly folded',
      'Bad GEO',
      'Bad length',
      'Good 1',
      'Good 2',
      'GEO as numbers',
      'With an offset',
    ].sort(),
  );
  assert.deepEqual(errorsOf(report), [
    [12, 'has no SUMMARY'],
    [19, 'has no DTSTART'],
    [37, '"DTSTART:20270230T170000Z" is not a date or time'],
    [66, 'has no END:VEVENT'],
    [86, 'is not within the years 1900 to 9999'],
    [94, 'END:VEVENT without its BEGIN'],
  ]);
  assert.deepEqual(
    report.warnings.map(({ title, reason }) => [title, reason]),
    [
      ['With an offset', '"DTSTART:20270305T170000+0100" is not a time of RFC 5545; it was read as one'],
      ['A day less', 'ends before it starts; it lasts one hour'],
      ['Bad GEO', '"GEO:95;10" is not a latitude and longitude; it was left out'],
      ['GEO as numbers', '"GEO:59,10" is not a latitude and longitude; it was left out'],
      ['Badly folded', '"two, badly folded" is no property; it was read as part of DESCRIPTION'],
      ['Bad length', '"DURATION:an hour" is not a duration; it was left out'],
    ],
  );
});

test('import: the complete entries of a truncated file are imported', async () => {
  const completeFile = calendar(calendarEntry({ SUMMARY: 'Whole' }), calendarEntry({ SUMMARY: 'Half' }));
  const { report, events } = await importForNewUser(completeFile.slice(0, completeFile.indexOf('Half') + 4));
  assert.deepEqual(
    events.map((event) => event.title),
    ['Whole'],
  );
  assert.deepEqual(errorsOf(report), [[12, 'has no END:VEVENT']]);
});

test('import: texts that are too long are truncated, with warnings', async () => {
  const { event, report } = await importEntry({
    SUMMARY: '🥖'.repeat(200),
    LOCATION: 'a'.repeat(400),
    DESCRIPTION: 'b'.repeat(20_000),
    URL: 'https://bread.example/',
  });
  assert.equal(event.title, `${'🥖'.repeat(139)}…`);
  assert.equal(event.location.address, `${'a'.repeat(299)}…`);
  assert.equal([...event.description].length, 10_000);
  assert.ok(event.description.endsWith('b…\nhttps://bread.example/'));
  assert.equal(report.warnings.length, 3);
});

test('import: line breaks and control characters in a title become spaces; a blank title is an error', async () => {
  assert.equal(
    (await importEntry({ SUMMARY: ' Two\\nlines\tand a tab ' })).event.title,
    'Two lines and a tab',
  );
  assert.equal(await importError({ SUMMARY: ' \\n ' }), 'has no SUMMARY');
});

test('import: lines that are not UTF-8 are Windows-1252; NUL is left out; UTF-16 with and without a mark', async () => {
  const file = Buffer.from(
    calendar(
      calendarEntry({ SUMMARY: 'Café X' }),
      calendarEntry({ SUMMARY: 'Nul\0' }),
      calendarEntry({ SUMMARY: 'Fine: Ærø' }),
    ),
  );
  const at = file.indexOf('é');
  const latin1 = Buffer.concat([file.subarray(0, at), Buffer.from([0xe9]), file.subarray(at + 2)]);
  const { report, events } = await importForNewUser(latin1);
  assert.deepEqual(
    events.map((event) => event.title),
    ['Café X', 'Fine: Ærø', 'Nul'],
  );
  assert.deepEqual(errorsOf(report), []);

  const text = calendar(
    calendarEntry({ SUMMARY: 'Half \uD83E' }),
    calendarEntry({ SUMMARY: 'Smørrebrød 🥖' }),
  );
  const [marked, unmarked] = [`\uFEFF${text}`, text].map((one) => Buffer.from(one, 'utf16le'));
  for (const bytes of [marked, unmarked]) {
    assert.ok(bytes);
    for (const file of [bytes, Buffer.from(bytes).swap16()])
      assert.deepEqual(
        (await importForNewUser(file)).events.map((event) => event.title),
        ['Half \uFFFD', 'Smørrebrød 🥖'],
      );
  }
});

test('import: folded lines, also within a character, with CRLF or LF, with or without a byte order mark', async () => {
  const file = Buffer.from(calendar(calendarEntry({ SUMMARY: 'Smörgåsbord', DESCRIPTION: 'one two' })));
  const fold = Buffer.from('\r\n ');
  const cutAt = (bytes: Buffer, at: number) =>
    Buffer.concat([bytes.subarray(0, at), fold, bytes.subarray(at)]);
  const folded = cutAt(cutAt(file, file.indexOf('two')), file.indexOf('ö') + 1);
  const lf = Buffer.from(folded.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
  for (const bytes of [folded, lf, Buffer.concat([Buffer.from('\uFEFF'), folded])]) {
    const { events } = await importForNewUser(bytes);
    assert.deepEqual(
      events.map((event) => [event.title, event.description]),
      [['Smörgåsbord', 'one two']],
    );
  }
});

test('import: components of an entry, such as alarms, are ignored', async () => {
  const alarm = 'BEGIN:VALARM\r\nSUMMARY:Alarm\r\nDTSTART:bad\r\nEND:VALARM\r\n';
  const file = calendar(calendarEntry({ DESCRIPTION: 'Kept' }).replace('END:VEVENT', `${alarm}END:VEVENT`));
  assert.deepEqual(
    (await importForNewUser(file)).events.map((event) => event.title),
    ['Sourdough evening'],
  );
});

test('import: the category is that of CATEGORIES by slug or name, else the given one, else other', async () => {
  const slug = async (categories: string | undefined, category?: string) =>
    (
      await importForNewUser(
        calendar(calendarEntry({ CATEGORIES: categories })),
        category === undefined ? {} : { category },
      )
    ).events[0].category.slug;
  assert.equal(await slug('MUSIC', 'tech'), 'music');
  assert.equal(await slug('php,Arts & culture'), 'arts');
  assert.equal(await slug('php', 'tech'), 'tech');
  assert.equal(await slug(undefined), 'other');
});

test('import: without GEO the location is found by LOCATION, otherwise it is to be announced', async () => {
  const { report, events } = await importForNewUser(
    calendar(
      calendarEntry({
        SUMMARY: 'A',
        GEO: undefined,
        LOCATION: 'Messe (Halle 3)\\, 60327 Frankfurt am Main\\, Germany',
      }),
      calendarEntry({ SUMMARY: 'B', GEO: undefined, LOCATION: 'Perth\\, WA' }),
      calendarEntry({ SUMMARY: 'C', GEO: undefined, LOCATION: 'Atlanta\\, Georgia' }),
      calendarEntry({ SUMMARY: 'D', GEO: undefined, LOCATION: 'Tbilisi\\, Georgia' }),
      calendarEntry({ SUMMARY: 'E', GEO: undefined, LOCATION: 'Online' }),
      calendarEntry({ SUMMARY: 'F', GEO: undefined, LOCATION: undefined }),
      calendarEntry({ SUMMARY: 'G', LOCATION: undefined }),
    ),
  );
  const roundedPlace = ({
    title,
    location: { lat, lng },
  }: {
    title: string;
    location: { lat: number; lng: number };
  }) => [title, Math.round(lat), Math.round(lng)];
  assert.deepEqual(events.map(roundedPlace), [
    ['A', 50, 9],
    ['B', -32, 116],
    ['C', 34, -84],
    ['D', 42, 45],
    ['E', 51, 0],
    ['F', 51, 0],
    ['G', 60, 11],
  ]);
  assert.equal(events.at(-1)?.location.address, '59.9139, 10.7522');
  assert.equal(report.placedByName, 4);
  assert.deepEqual(
    events.map(({ title, locationKind, location }) => [title, locationKind, location.address]).slice(4),
    [
      ['E', 'later', 'Online'],
      ['F', 'later', 'Greenwich'],
      ['G', 'place', '59.9139, 10.7522'],
    ],
  );
  assert.deepEqual(report.errors, []);
  assert.deepEqual(
    report.unplaced.map(({ title, reason }) => [title, reason]),
    [
      ['E', 'has no GEO, and "Online" names no known place'],
      ['F', 'has neither GEO nor LOCATION'],
    ],
  );
});
