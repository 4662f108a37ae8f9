/** Calendar files for tests, and what comes of them over the API. */
import assert from 'node:assert/strict';
import { parseCalendar } from '../src/cli/import/parse-calendar.ts';
import { type ImportReport, importCalendar } from '../src/cli/import.ts';
import { nextPhone, type Person, signIn } from './factories.ts';
import { expectStatus, type TestApp } from './setup.ts';

let uids = 0;
/** The lines of an entry; a field that is undefined is left out. */
export function calendarEntry(fields: Record<string, string | undefined> = {}): string {
  const all: Record<string, string | undefined> = {
    UID: `${++uids}@test`,
    SUMMARY: 'Sourdough evening',
    DTSTART: '20270305T170000Z',
    DTEND: '20270305T200000Z',
    GEO: '59.9139;10.7522',
    LOCATION: 'Mathallen\\, Oslo',
    ...fields,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    // `NAME;PARAM=x` brings its own colon.
    value === undefined ? [] : [`${name}:${value}`],
  );
  return ['BEGIN:VEVENT', ...lines, 'END:VEVENT', ''].join('\r\n');
}

export const calendar = (...parts: string[]): string =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n${parts.join('')}END:VCALENDAR\r\n`;

export const importCounts = ({ added, changed, unchanged, errors }: ImportReport) => [
  added,
  changed,
  unchanged,
  errors.length,
];
export const errorsOf = ({ errors }: ImportReport) => errors.map(({ line, reason }) => [line, reason]);

export function createImporter(api: TestApp) {
  async function take(file: string | Buffer, phone: string, category?: string): Promise<ImportReport> {
    const parsed = parseCalendar(Buffer.from(file));
    assert.ok(parsed, 'it is a calendar');
    return importCalendar(api.sql, parsed, phone, category);
  }

  async function eventsOf(person: Person) {
    const rows = await api.sql<{ id: string }[]>`
      select id from events where organizer_id = ${person.id} order by title, start_at`;
    return Promise.all(
      rows.map(async ({ id }) => expectStatus(await api.get(`/v1/events/${id}`, person.token), 200).body),
    );
  }

  /** Imports for somebody new; gives the report, who they are, and the events as the API shows them. */
  async function imported(file: string | Buffer, category?: string) {
    const phone = nextPhone();
    const report = await take(file, phone, category);
    const person = await signIn(api, phone);
    return { report, phone, person, events: await eventsOf(person) };
  }

  /** The one event that the entry becomes. */
  async function single(fields: Record<string, string | undefined>, ...head: string[]) {
    const { events, report } = await imported(calendar(...head, calendarEntry(fields)));
    assert.deepEqual(errorsOf(report), []);
    assert.equal(events.length, 1);
    return { event: events[0], report };
  }

  async function times(fields: Record<string, string | undefined>, ...head: string[]) {
    const { event } = await single({ DTSTART: undefined, DTEND: undefined, ...fields }, ...head);
    return [event.startAt, event.endAt, event.timezone];
  }

  /** Why the entry is left out; its first line is the 4th of the file. */
  async function refusal(fields: Record<string, string | undefined>, ...head: string[]): Promise<string> {
    const { report, events } = await imported(calendar(...head, calendarEntry(fields)));
    assert.equal(events.length, 0);
    assert.equal(report.errors.length, 1);
    return report.errors[0]?.reason ?? '';
  }

  return { take, eventsOf, imported, single, times, refusal };
}
