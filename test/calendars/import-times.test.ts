import assert from 'node:assert/strict';
import test from 'node:test';
import { createImporter } from '../support/calendar-files.ts';
import { startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const { importTimes, importEntry } = createImporter(api);

test('import: times in UTC, in a named zone, floating, and floating with X-WR-TIMEZONE', async () => {
  // UTC is not stored as the timezone. The timezone is that of GEO, also in the cases below.
  assert.deepEqual(await importTimes({ DTSTART: '20270701T170000Z', DTEND: '20270701T180000Z' }), [
    '2027-07-01T17:00:00.000Z',
    '2027-07-01T18:00:00.000Z',
    'Europe/Oslo',
  ]);
  assert.deepEqual(
    await importTimes({
      'DTSTART;TZID=Europe/Oslo': '20270701T190000',
      'DTEND;TZID="America/New_York"': '20270701T140000',
    }),
    ['2027-07-01T17:00:00.000Z', '2027-07-01T18:00:00.000Z', 'Europe/Oslo'],
  );
  assert.deepEqual(await importTimes({ DTSTART: '20270701T190000', DTEND: '20270701T200000' }), [
    '2027-07-01T17:00:00.000Z',
    '2027-07-01T18:00:00.000Z',
    'Europe/Oslo',
  ]);
  assert.deepEqual(
    await importTimes(
      { DTSTART: '20270701T190000', DTEND: '20270701T200000' },
      'X-WR-TIMEZONE:Asia/Tokyo\r\n',
    ),
    ['2027-07-01T10:00:00.000Z', '2027-07-01T11:00:00.000Z', 'Asia/Tokyo'],
  );
  assert.deepEqual(
    await importTimes({
      'DTSTART;TZID=/example.org/20070129_1/Europe/Oslo': '20270101T190000',
      DURATION: 'PT1H',
    }),
    ['2027-01-01T18:00:00.000Z', '2027-01-01T19:00:00.000Z', 'Europe/Oslo'],
  );
});

const zone = (rule: string) =>
  [
    'BEGIN:VTIMEZONE',
    'TZID:Our Own Time',
    'BEGIN:STANDARD',
    'DTSTART:19701025T030000',
    'TZOFFSETFROM:+0400',
    'TZOFFSETTO:+0300',
    'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
    'END:STANDARD',
    'BEGIN:DAYLIGHT',
    'DTSTART:19700329T020000',
    'TZOFFSETFROM:+0300',
    'TZOFFSETTO:+0400',
    `RRULE:${rule}`,
    'END:DAYLIGHT',
    'END:VTIMEZONE',
    '',
  ].join('\r\n');

test('import: a zone defined by VTIMEZONE, in summer and in winter', async () => {
  const yearly = zone('FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU');
  assert.deepEqual(
    await importTimes({ 'DTSTART;TZID=Our Own Time': '20270701T190000', DURATION: 'PT1H' }, yearly),
    ['2027-07-01T15:00:00.000Z', '2027-07-01T16:00:00.000Z', 'Europe/Oslo'],
  );
  assert.deepEqual(
    await importTimes({ 'DTSTART;TZID=Our Own Time': '20270101T190000', DURATION: 'PT1H' }, yearly),
    ['2027-01-01T16:00:00.000Z', '2027-01-01T17:00:00.000Z', 'Europe/Oslo'],
  );
});

test('import: times in an unknown zone, or in one that changes every second, are those of the place', async () => {
  for (const head of [[], [zone('FREQ=SECONDLY')]]) {
    const { event, report } = await importEntry(
      { DTSTART: undefined, DTEND: undefined, 'DTSTART;TZID=Our Own Time': '20270701T190000' },
      ...head,
    );
    assert.deepEqual([event.startAt, event.timezone], ['2027-07-01T17:00:00.000Z', 'Europe/Oslo']);
    assert.match(report.warnings[0]?.reason ?? '', /its time zone Our Own Time is unknown/);
  }
});

test('import: the rule of a zone has a month and a day that every year has; another zone is not used', async () => {
  const fields = { DTSTART: undefined, DTEND: undefined, 'DTSTART;TZID=Our Own Time': '20270701T190000' };
  for (const rule of [
    'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=25,26,27,28,29,30,31;BYDAY=SU',
    'FREQ=YEARLY;INTERVAL=1;BYMONTH=3;BYDAY=4SU;BYHOUR=2;BYMINUTE=0;WKST=MO',
    'FREQ=YEARLY;BYMONTHDAY=28;BYMONTH=3;UNTIL=20991231T000000Z',
    'FREQ=YEARLY',
  ])
    assert.deepEqual(
      await importTimes({ ...fields, DURATION: 'PT1H' }, zone(rule)),
      ['2027-07-01T15:00:00.000Z', '2027-07-01T16:00:00.000Z', 'Europe/Oslo'],
      rule,
    );
  for (const rule of [
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31;BYDAY=MO',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
    'FREQ=YEARLY;BYMONTH=3;BYDAY=5SU',
    'FREQ=YEARLY;BYMONTH=13;BYDAY=1SU',
    'FREQ=YEARLY;INTERVAL=1000;BYMONTH=3;BYDAY=-1SU',
    'FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;BYSETPOS=2',
    'FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;BYHOUR=3',
    'FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;UNTIL=never',
    'FREQ=MONTHLY;BYDAY=-1SU',
  ])
    assert.equal(
      (await importTimes({ ...fields, DURATION: 'PT1H' }, zone(rule)))[0],
      '2027-07-01T17:00:00.000Z',
      rule,
    );
});

test('import: a zone of the file has the right offset in any year, at a clock change, and before its first onset', async () => {
  const yearly = zone('FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU');
  const startOf = async (local: string) =>
    (await importTimes({ 'DTSTART;TZID=Our Own Time': local, DURATION: 'PT1H' }, yearly))[0];
  assert.equal(await startOf('20990701T190000'), '2099-07-01T15:00:00.000Z');
  assert.equal(await startOf('19600701T190000'), '1960-07-01T16:00:00.000Z');
  // Of 02:30, which is skipped on 28 March, and of 02:30, which exists twice on 31 October.
  assert.equal(await startOf('20270328T013000'), '2027-03-27T22:30:00.000Z');
  assert.equal(await startOf('20270328T023000'), '2027-03-27T23:30:00.000Z');
  assert.equal(await startOf('20270328T033000'), '2027-03-27T23:30:00.000Z');
  assert.equal(await startOf('20271031T023000'), '2027-10-30T22:30:00.000Z');
  assert.equal(await startOf('20271031T033000'), '2027-10-31T00:30:00.000Z');
});

test('import: dates become whole days, with an exclusive DTEND, with DURATION and without an end', async () => {
  const days = { 'DTSTART;VALUE=DATE': '20270305' };
  assert.deepEqual(await importTimes({ ...days, 'DTEND;VALUE=DATE': '20270307' }), [
    '2027-03-04T23:00:00.000Z',
    '2027-03-06T23:00:00.000Z',
    'Europe/Oslo',
  ]);
  const oneDay = ['2027-03-04T23:00:00.000Z', '2027-03-05T23:00:00.000Z', 'Europe/Oslo'];
  assert.deepEqual(await importTimes(days), oneDay);
  assert.deepEqual(await importTimes({ ...days, 'DTEND;VALUE=DATE': '20270305' }), oneDay);
  assert.deepEqual(
    await importTimes({ DTSTART: '20270305', DTEND: '20270306' }),
    oneDay,
    'without VALUE=DATE',
  );
  assert.deepEqual(await importTimes({ ...days, DURATION: 'P1D' }), oneDay);
  assert.deepEqual(await importTimes({ ...days, DURATION: 'PT24H' }), oneDay);
  assert.deepEqual(await importTimes({ ...days, DURATION: 'P1W' }), [
    '2027-03-04T23:00:00.000Z',
    '2027-03-11T23:00:00.000Z',
    'Europe/Oslo',
  ]);
});

test('import: DURATION in calendar days or exact hours; one hour without DTEND and DURATION', async () => {
  const start = { 'DTSTART;TZID=Europe/Oslo': '20270327T200000' };
  // Daylight saving time begins on 28 March.
  assert.deepEqual((await importTimes({ ...start, DURATION: 'P1D' }))[1], '2027-03-28T18:00:00.000Z');
  assert.deepEqual((await importTimes({ ...start, DURATION: 'PT24H' }))[1], '2027-03-28T19:00:00.000Z');
  assert.deepEqual((await importTimes({ ...start, DURATION: 'P1DT1H30M' }))[1], '2027-03-28T19:30:00.000Z');
  assert.deepEqual((await importTimes(start))[1], '2027-03-27T20:00:00.000Z');
});
