/**
 * The dates of a year of imported calendars against an independent program that expands them: none is lost, doubled or moved. The
 * calendars are those of test/data/calendars/, and one with the ways in which programs write series.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { type Expanded, expand, expanderProblem } from '../series/expand-calendar.ts';
import { sampleOf } from '../support/all-cases.ts';
import { calendar, calendarEntry, createImporter } from '../support/calendar-files.ts';
import { startTestApp } from '../support/setup.ts';

const directory = path.join(import.meta.dirname, '..', 'data', 'calendars');
const api = await startTestApp();
const { importForNewUser } = createImporter(api);
const now = new Date('2026-12-05T12:00:00Z');
const [from, until] = ['2026-12-06', '2027-12-05'];
const options = { skip: expanderProblem };

type Fields = Record<string, string | undefined>;
type Date_ = { start: string; title: string };

/** What is in one list and not in the other: by the title and the start, or for days by the day. */
function compare(said: Date_[], made: Date_[]) {
  const key = ({ start, title }: Date_) => `${title} ${start}`;
  const count = (dates: Date_[]) => Map.groupBy(dates, key);
  const [expected, actual] = [count(said), count(made)];
  const missing = [...expected].filter(([text]) => !actual.has(text)).map(([text]) => text);
  const extra = [...actual].filter(([text]) => !expected.has(text)).map(([text]) => text);
  const doubled = [...actual]
    .filter(([text, dates]) => dates.length > (expected.get(text)?.length ?? 1))
    .map(([text]) => text);
  return { missing, extra, doubled };
}

async function expectExpansion(name: string, text: string): Promise<number> {
  const expanded = expand(text, from, until);
  const { events } = await importForNewUser(text, { now });
  const isDay = (start: string) => start.length === 10;
  const said = expanded.map(({ start, title }: Expanded) => ({ start, title }));
  const made = events
    .map(({ startAt, allDay, timezone, title }) => ({
      start: allDay
        ? Temporal.Instant.from(startAt).toZonedDateTimeISO(timezone).toPlainDate().toString()
        : new Date(startAt).toISOString(),
      title,
    }))
    .filter(({ start }) =>
      isDay(start) ? start >= from && start < until : start >= `${from}T` && start < `${until}T`,
    );
  assert.deepEqual(compare(said, made), { missing: [], extra: [], doubled: [] }, name);
  return said.length;
}

/** Without series, and with encodings, zones and texts that the expander does not read. import-styles.test.ts has them. */
const notFollowing = new Set(
  ['church', 'exchange', 'joomla', 'library', 'outlook', 'phone', 'wordpress'].map((name) => `${name}.ics`),
);

for (const file of sampleOf(
  readdirSync(directory).filter((name) => !notFollowing.has(name)),
  8,
))
  test(`import: ${file} has the dates of a year of the expander`, options, async () => {
    await expectExpansion(file, readFileSync(path.join(directory, file), 'utf8'));
  });

const berlin = (uid: string, start: string, fields: Fields = {}) =>
  calendarEntry({
    ...{ UID: uid, SUMMARY: uid, DTSTART: undefined, DTEND: undefined },
    ...{ 'DTSTART;TZID=Europe/Berlin': start, DURATION: 'PT2H' },
    ...{ GEO: '52.52;13.4', LOCATION: 'Berlin', STATUS: 'CONFIRMED' },
    ...fields,
  });
const ofDate = (uid: string, date: string, start: string, fields: Fields = {}) =>
  berlin(uid, start, { 'RECURRENCE-ID;TZID=Europe/Berlin': date, ...fields });

/** By the reason for which programs have lost, doubled or moved dates. */
const cases: Record<string, string[]> = {
  'weekly over both clock changes': [berlin('a', '20260310T183000', { RRULE: 'FREQ=WEEKLY;BYDAY=TU' })],
  'every other week': [
    berlin('a', '20260311T183000', { RRULE: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;WKST=SU' }),
  ],
  'the last Friday': [berlin('a', '20260130T183000', { RRULE: 'FREQ=MONTHLY;BYDAY=-1FR' })],
  'the 31st': [berlin('a', '20260131T183000', { RRULE: 'FREQ=MONTHLY' })],
  'a working day': [
    berlin('a', '20260130T183000', { RRULE: 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1' }),
  ],
  'a yearly day': [berlin('a', '20200229T183000', { RRULE: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1' })],
  'COUNT that began before': [berlin('a', '20261101T183000', { RRULE: 'FREQ=DAILY;COUNT=60' })],
  'UNTIL at the time of the last date': [
    berlin('a', '20261201T183000', { RRULE: 'FREQ=WEEKLY;UNTIL=20270202T173000Z' }),
  ],
  'EXDATE in UTC': [
    berlin('a', '20261201T183000', {
      RRULE: 'FREQ=WEEKLY;COUNT=20',
      EXDATE: '20261222T173000Z,20270406T163000Z',
    }),
  ],
  'EXDATE in another zone': [
    berlin('a', '20261201T183000', {
      RRULE: 'FREQ=WEEKLY;COUNT=20',
      'EXDATE;TZID=America/New_York': '20261222T123000',
    }),
  ],
  RDATE: [
    berlin('a', '20261201T183000', {
      RRULE: 'FREQ=WEEKLY;COUNT=4',
      'RDATE;TZID=Europe/Berlin': '20270105T190000,20270612T120000',
    }),
  ],
  'RDATE without a rule': [
    berlin('a', '20261208T183000', { 'RDATE;TZID=Europe/Berlin': '20270105T190000,20270612T120000' }),
  ],
  'DTSTART outside of its rule': [berlin('a', '20261209T183000', { RRULE: 'FREQ=WEEKLY;BYDAY=TU;COUNT=5' })],
  'overrides before their master': [
    ofDate('a', '20261222T183000', '20261223T200000', { SUMMARY: 'moved' }),
    berlin('a', '20261201T183000', { RRULE: 'FREQ=WEEKLY;COUNT=9' }),
  ],
  'an override to another month': [
    berlin('a', '20261201T183000', { RRULE: 'FREQ=WEEKLY;COUNT=9' }),
    ofDate('a', '20270105T183000', '20270605T120000'),
  ],
  'an override of a date that is over': [
    berlin('a', '20261103T183000', { RRULE: 'FREQ=WEEKLY;COUNT=9' }),
    ofDate('a', '20261110T183000', '20270210T120000'),
  ],
  'an override far ahead': [
    berlin('a', '20261201T183000', { RRULE: 'FREQ=DAILY;INTERVAL=7' }),
    ofDate('a', '20271123T183000', '20271124T120000', { SUMMARY: 'later' }),
  ],
  'an override without its master': [ofDate('a', '20270105T183000', '20270106T183000')],
  'an override of no date': [
    berlin('a', '20261201T183000', { RRULE: 'FREQ=WEEKLY;COUNT=9' }),
    ofDate('a', '20270106T183000', '20270107T183000'),
  ],
  'a master moved while an override stays in UTC': [
    berlin('a', '20261201T183000', { RRULE: 'FREQ=WEEKLY;COUNT=9' }),
    ofDate('a', '20261222T183000', '20261222T200000', {
      'RECURRENCE-ID;TZID=Europe/Berlin': undefined,
      'RECURRENCE-ID': '20261222T173000Z',
    }),
  ],
  'all days': [
    calendarEntry({
      ...{ UID: 'a', SUMMARY: 'a', DTSTART: undefined, DTEND: undefined, GEO: '52.52;13.4' },
      ...{ 'DTSTART;VALUE=DATE': '20261101', RRULE: 'FREQ=WEEKLY', 'EXDATE;VALUE=DATE': '20261227,20270328' },
    }),
  ],
  'all days of a moved date': [
    calendarEntry({
      ...{ UID: 'a', SUMMARY: 'a', DTSTART: undefined, DTEND: undefined, GEO: '52.52;13.4' },
      ...{ 'DTSTART;VALUE=DATE': '20261101', 'DTEND;VALUE=DATE': '20261103', RRULE: 'FREQ=MONTHLY' },
    }),
    calendarEntry({
      ...{ UID: 'a', SUMMARY: 'a', DTSTART: undefined, DTEND: undefined, GEO: '52.52;13.4' },
      ...{
        'DTSTART;VALUE=DATE': '20270303',
        'DTEND;VALUE=DATE': '20270305',
        'RECURRENCE-ID;VALUE=DATE': '20270301',
      },
    }),
  ],
  'in UTC without a zone': [
    calendarEntry({
      UID: 'a',
      SUMMARY: 'a',
      DTSTART: '20261201T230000Z',
      DTEND: '20261202T010000Z',
      RRULE: 'FREQ=WEEKLY;BYDAY=TU',
    }),
  ],
  'times twice a day': [
    berlin('a', '20261201T093000', { RRULE: 'FREQ=WEEKLY;BYDAY=TU;BYHOUR=9,18;COUNT=40' }),
  ],
};

for (const [name, entries] of sampleOf(Object.entries(cases), 12))
  test(`import: ${name}: the dates of a year of the expander`, options, async () => {
    assert.ok((await expectExpansion(name, calendar(...entries))) > 0);
  });
