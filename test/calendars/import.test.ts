import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { CommandError } from '../../src/cli/command/command-error.ts';
import { readSource } from '../../src/cli/import/read-source.ts';
import { importCommand } from '../../src/cli/import.ts';
import { readConfig } from '../../src/config/config.ts';
import { parseCalendar } from '../../src/modules/imports/parse-calendar.ts';
import { calendar, calendarEntry, createImporter, importCounts } from '../support/calendar-files.ts';
import { command } from '../support/command.ts';
import { createAdmin, createEvent, deleteAccount, nextPhone, signIn } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-import-'));
after(() => rm(directory, { recursive: true, force: true }));

const { importFile: take, eventsOf, importForNewUser: imported } = createImporter(api);

test('import: creates an event with all fields of the entry, and an account for an unknown phone', async () => {
  const { report, person, events } = await imported(
    calendar(
      calendarEntry({
        SUMMARY: 'Bread\\, butter\\; and more',
        DESCRIPTION: 'Bring flour.\\nAnd an apron.',
        URL: 'https://bread.example/evening?a=1,2;b',
        CATEGORIES: 'baking,Food & Drink',
      }),
    ),
  );
  assert.deepEqual(importCounts(report), [1, 0, 0, 0]);
  const [event] = events;
  const { title, description, startAt, endAt, location, category, template, status, visibility } = event;
  assert.deepEqual(
    {
      title,
      description,
      startAt,
      endAt,
      location,
      category: category.slug,
      template: template.slug,
      status,
      visibility,
    },
    {
      title: 'Bread, butter; and more',
      description: 'Bring flour.\nAnd an apron.\nhttps://bread.example/evening?a=1,2;b',
      startAt: '2027-03-05T17:00:00.000Z',
      endAt: '2027-03-05T20:00:00.000Z',
      location: { address: 'Mathallen, Oslo', lat: 59.9139, lng: 10.7522, isExact: true },
      category: 'food',
      template: 'general',
      status: 'scheduled',
      visibility: 'public',
    },
  );
  assert.equal(event.organizer.id, person.id);
  assert.equal(expectStatus(await api.get('/v1/auth/me', person.token), 200).body.eventsCount, 1);
  await assertCounters(api.sql);
});

test('import: a repeated import changes nothing; a changed entry changes one event', async () => {
  const first = calendarEntry({ SUMMARY: 'Alder' });
  const file = calendar(first, calendarEntry({ SUMMARY: 'Birch' }), calendarEntry({ SUMMARY: 'Cedar' }));
  const { phone, person, events } = await imported(file);
  assert.deepEqual(importCounts(await take(file, phone)), [0, 0, 3, 0]);
  assert.deepEqual(await eventsOf(person), events);

  assert.deepEqual(importCounts(await take(file.replace('Birch', 'Birches'), phone)), [0, 1, 2, 0]);
  const after = await eventsOf(person);
  assert.deepEqual(after[1], {
    ...events[1],
    title: 'Birches',
    updatedAt: after[1].updatedAt,
    coverUrl: after[1].coverUrl,
  });
  assert.ok(after[1].updatedAt > events[1].updatedAt);
  assert.deepEqual([after[0], after[2]], [events[0], events[2]]);

  // The event of an entry that is no longer in the file stays unchanged.
  assert.deepEqual(importCounts(await take(calendar(first), phone)), [0, 0, 1, 0]);
  assert.equal((await eventsOf(person)).length, 3);
});

test('import: three concurrent imports of one file add each entry once', async () => {
  const file = calendar(...Array.from({ length: 40 }, (_, at) => calendarEntry({ SUMMARY: `Walk ${at}` })));
  const phone = nextPhone();
  const reports = await Promise.all([take(file, phone), take(file, phone), take(file, phone)]);
  assert.deepEqual(
    reports.map((report) => report.added + report.unchanged),
    [40, 40, 40],
  );
  assert.equal(
    reports.reduce((sum, report) => sum + report.added, 0),
    40,
  );
  const person = await signIn(api, phone);
  assert.equal((await eventsOf(person)).length, 40);
  assert.equal(expectStatus(await api.get('/v1/auth/me', person.token), 200).body.eventsCount, 40);
  await assertCounters(api.sql);
});

test('import: the same UID creates one event for each organizer', async () => {
  const file = calendar(calendarEntry());
  assert.deepEqual(importCounts((await imported(file)).report), [1, 0, 0, 0]);
  assert.deepEqual(importCounts((await imported(file)).report), [1, 0, 0, 0]);
});

test('import: an event that the organizer has deleted does not return', async () => {
  const file = calendar(calendarEntry());
  const { phone, person, events } = await imported(file);
  expectStatus(await api.delete(`/v1/events/${events[0].id}`, person.token), 200);
  assert.deepEqual(importCounts(await take(file, phone)), [0, 0, 1, 0]);
  assert.deepEqual(await eventsOf(person), []);
});

test('import: fields that are not in the file keep the values set by the organizer', async () => {
  const file = calendar(calendarEntry());
  const { phone, person, events } = await imported(file, { category: 'food' });
  const change = {
    price: 12.5,
    capacity: 30,
    visibility: 'unlisted',
    status: 'cancelled',
    template: 'potluck',
    enabledModules: [],
  };
  expectStatus(await api.patch(`/v1/events/${events[0].id}`, person.token, change), 200);
  assert.deepEqual(importCounts(await take(file, phone)), [0, 0, 1, 0]);
  assert.deepEqual(importCounts(await take(file.replace('Sourdough', 'Rye'), phone)), [0, 1, 0, 0]);
  const [event] = await eventsOf(person);
  const { title, price, capacity, visibility, status, category, template, enabledModules } = event;
  assert.deepEqual(
    {
      title,
      price,
      capacity,
      visibility,
      status,
      category: category.slug,
      template: template.slug,
      enabledModules,
    },
    { ...change, title: 'Rye evening', category: 'food' },
  );
  await assertCounters(api.sql);
});

test('import: creates a new account and its events after account deletion', async () => {
  const file = calendar(calendarEntry());
  const { phone, person } = await imported(file);
  expectStatus(await deleteAccount(api, person), 200);
  assert.deepEqual(importCounts(await take(file, phone)), [1, 0, 0, 0]);
  await assertCounters(api.sql);
});

test('import: refused for a suspended organizer; no event is added or changed', async () => {
  const { phone, person } = await imported(calendar(calendarEntry({ SUMMARY: 'Before' })));
  const admin = await createAdmin(api);
  expectStatus(await api.post(`/v1/admin/users/${person.id}/suspend`, admin.token, {}), 200);
  for (const file of [
    calendar(calendarEntry({ SUMMARY: 'After' })),
    calendar(calendarEntry({ UID: 'another' })),
  ])
    await assert.rejects(take(file, phone), /is suspended/);
  const titles = await api.sql`select title, hidden from events where organizer_id = ${person.id}`;
  assert.deepEqual([...titles], [{ title: 'Before', hidden: true }]);
});

test('import: STATUS and CLASS set status and visibility, and update them when they change', async () => {
  const file = calendar(
    calendarEntry({ SUMMARY: 'A', STATUS: 'CANCELLED' }),
    calendarEntry({ SUMMARY: 'B', CLASS: 'PRIVATE' }),
  );
  const { phone, person, events } = await imported(file);
  const states = (list: { status: string; visibility: string }[]) =>
    list.map((one) => [one.status, one.visibility]);
  assert.deepEqual(states(events), [
    ['cancelled', 'public'],
    ['scheduled', 'private'],
  ]);
  expectStatus(await api.get(`/v1/events/${events[1].id}`), 404);
  assert.equal(expectStatus(await api.get('/v1/auth/me', person.token), 200).body.eventsCount, 0);

  const opened = file.replace('CANCELLED', 'CONFIRMED').replace('CLASS:PRIVATE', 'CLASS:PUBLIC');
  assert.deepEqual(importCounts(await take(opened, phone)), [0, 2, 0, 0]);
  assert.deepEqual(states(await eventsOf(person)), [
    ['scheduled', 'public'],
    ['scheduled', 'public'],
  ]);
  assert.equal(expectStatus(await api.get('/v1/auth/me', person.token), 200).body.eventsCount, 2);
  await assertCounters(api.sql);
});

test('import: a location corrected by the organizer stays, also when LOCATION changes; one that was not is moved', async () => {
  const file = calendar(calendarEntry({ GEO: undefined, LOCATION: 'Oslo\\, Norway' }));
  const { phone, person, events } = await imported(file);
  assert.equal(events[0].location.isExact, false);
  assert.deepEqual(importCounts(await take(file.replace('Oslo', 'Bergen'), phone)), [0, 1, 0, 0]);
  const [moved] = await eventsOf(person);
  assert.deepEqual([Math.round(moved.location.lng), moved.location.isExact], [5, false]);
  const location = { address: 'Oslo, Norway', lat: 59.95, lng: 10.65 };
  expectStatus(await api.patch(`/v1/events/${events[0].id}`, person.token, { location }), 200);
  assert.deepEqual(importCounts(await take(file, phone)), [0, 0, 1, 0]);
  assert.equal((await eventsOf(person))[0].location.lng, 10.65);
});

test('import: events that were not imported stay unchanged', async () => {
  const phone = nextPhone();
  const person = await signIn(api, phone);
  const own = await createEvent(api, person, { title: 'Sourdough evening' });
  assert.deepEqual(importCounts(await take(calendar(calendarEntry()), phone)), [1, 0, 0, 0]);
  const events = await eventsOf(person);
  assert.equal(events.length, 2);
  assert.deepEqual(
    events.find((event) => event.id === own.id),
    own,
  );
});

const config = readConfig({ LOG_LEVEL: 'silent', DATA_DIR: path.join(directory, 'not-created') });
const expectRefusal = (rest: string[], values: object, message: RegExp) =>
  assert.rejects(importCommand(config, rest, values), (error: unknown) => {
    assert.ok(error instanceof CommandError);
    assert.match((error as Error).message, message);
    assert.ok(!error.message.includes('\n'));
    return true;
  });

test('import: one line for invalid arguments and files, before a database is opened', async () => {
  const organizer = '+14155550000';
  const file = path.join(directory, 'some.ics');
  await writeFile(file, calendar(calendarEntry()));
  const notCalendar = path.join(directory, 'letter.txt');
  await writeFile(notCalendar, 'Dear reader,\nthis is no calendar.\n');
  await expectRefusal([], { organizer }, /^Usage: /);
  await expectRefusal([file], {}, /^Usage: /);
  await expectRefusal([file, file], { organizer }, /^Usage: /);
  await expectRefusal([file], { organizer: '555' }, /^"555" /);
  await expectRefusal(
    [file],
    { organizer, category: 'bread' },
    /no category "bread"\. There are: music, .*other\./,
  );
  await expectRefusal([path.join(directory, 'none.ics')], { organizer }, /none\.ics does not exist/);
  await expectRefusal([directory], { organizer }, /is a directory/);
  await expectRefusal([notCalendar], { organizer }, /letter\.txt has no columns with the titles/);
});

test('import: a table whose dates do not say their order needs --date-order, and the message names the column', async () => {
  const organizer = '+14155550000';
  const file = path.join(directory, 'events.csv');
  await writeFile(file, 'Title,Starts on\nChoir,03/04/2027\n');
  await expectRefusal([file], { organizer }, /column "Starts on".*03\/04\/2027.*--date-order day-first/);
  await expectRefusal([file], { organizer, 'date-order': 'first' }, /--date-order is "first"/);
  const read = async (order: 'dayFirst' | 'monthFirst') => (await readSource(config, file, order)).parsed[0];
  for (const [order, date] of [
    ['dayFirst', '2027-04-03'],
    ['monthFirst', '2027-03-04'],
  ] as const) {
    const entry = await read(order);
    assert.ok(entry && 'period' in entry);
    assert.equal(entry.period.start.local.toPlainDate().toString(), date);
  }
  await expectRefusal(['http://127.0.0.1/a.csv'], { organizer }, /did not answer with a file/);
  await expectRefusal(['https://user@example.org/a.csv'], { organizer }, /must not have a name/);
});

test('import: refused above the bounds of a file, which the message names, before a database is opened', async () => {
  const refuse = async (bytes: string | Buffer, message: RegExp) => {
    const file = path.join(directory, 'large.ics');
    await writeFile(file, bytes);
    await expectRefusal([file], { organizer: '+14155550000' }, message);
  };
  const entries = (count: number) => calendar(...Array.from({ length: count }, () => calendarEntry()));
  const zones = (count: number) =>
    calendar(
      ...Array.from({ length: count }, (_, i) => `BEGIN:VTIMEZONE\r\nTZID:Own ${i}\r\nEND:VTIMEZONE\r\n`),
    );
  const known = 'BEGIN:VTIMEZONE\r\nTZID:Europe/Oslo\r\nEND:VTIMEZONE\r\n'.repeat(30);
  await refuse(calendar(`X-FILL:${'x'.repeat(5_000_000)}\r\n`), /large\.ics has more than 5 MB\.$/);
  await refuse(
    Buffer.from(`\uFEFF${calendar(`X-FILL:${'x'.repeat(5_000_000)}\r\n`)}`, 'utf16le'),
    /large\.ics has more than 5 MB\.$/,
  );
  await refuse(entries(5_001), /large\.ics has more than 5,000 entries\.$/);
  await refuse(zones(21), /large\.ics has more than 20 time zones with rules of their own\.$/);
  await refuse(
    calendar('BEGIN:X\r\n'.repeat(100_000)),
    /large\.ics has more than 20 components within each other/,
  );
  assert.equal((await parseCalendar(Buffer.from(entries(5_000)))).blocks.length, 5_000);
  assert.equal((await parseCalendar(Buffer.from(zones(20) + known))).zones.size, 20);
});

test('import: prints the counts and the skipped entries with exit code 0; exit code 1 without a calendar file', async () => {
  const file = path.join(directory, 'mixed.ics');
  await writeFile(
    file,
    calendar(
      calendarEntry(),
      calendarEntry({ DTSTART: '\u001b[31m' }),
      calendarEntry({ GEO: undefined, LOCATION: 'Oslo\\, Norway' }),
    ),
  );
  const phone = nextPhone();
  assert.deepEqual(await command(api.target, 'import', file, '--organizer', phone), {
    code: 0,
    stdout:
      `No account had the number ${phone}: created one.\n` +
      '2 added, 0 changed, 0 unchanged, 1 skipped.\n1 had no GEO and was placed by LOCATION.\n' +
      'To be checked: 1 without a date that can be read.\n',
    stderr: 'mixed.ics:15: "Sourdough evening" "DTSTART:\uFFFD[31m" is not a date or time\n',
  });
  const again = await command(api.target, 'import', file, '--organizer', phone, '--category', 'other');
  assert.equal(
    again.stdout,
    '0 added, 0 changed, 2 unchanged, 1 skipped.\nTo be checked: 1 without a date that can be read.\n',
  );
  const missing = await command(api.target, 'import', path.join(directory, 'none.ics'), '--organizer', phone);
  assert.deepEqual(missing, {
    code: 1,
    stdout: '',
    stderr: `${path.join(directory, 'none.ics')} does not exist.\n`,
  });
});
