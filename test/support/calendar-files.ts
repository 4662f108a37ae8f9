/** Creates calendar files, imports them, and reads the resulting events over the API. */
import assert from 'node:assert/strict';
import { transaction } from '#pg';
import { findOrCreateAccount } from '../../src/modules/accounts/accounts.ts';
import { importCalendar } from '../../src/modules/imports/import-calendar.ts';
import type { DefaultPlace } from '../../src/modules/imports/place-entries.ts';
import { readCalendar } from '../../src/modules/imports/read-file.ts';
import type { ImportReport } from '../../src/modules/imports/report.ts';
import { loadGazetteer } from '../../src/modules/places/load-gazetteer.ts';
import { nextPhone, type Person, signIn } from './factories.ts';
import { expectStatus, type TestApp } from './setup.ts';

let uids = 0;
/** The lines of an entry; fields with the value `undefined` are left out. */
export function calendarEntry(fields: Record<string, string | undefined> = {}): string {
  const properties: Record<string, string | undefined> = {
    UID: `${++uids}@test`,
    SUMMARY: 'Sourdough evening',
    DTSTART: '20270305T170000Z',
    DTEND: '20270305T200000Z',
    GEO: '59.9139;10.7522',
    LOCATION: 'Mathallen\\, Oslo',
    ...fields,
  };
  const lines = Object.entries(properties).flatMap(([name, value]) =>
    // A name with parameters keeps them: `DTSTART;TZID=Europe/Oslo` becomes `DTSTART;TZID=Europe/Oslo:value`.
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

type FileOptions = { category?: string; place?: DefaultPlace; now?: Date };

export function createImporter(api: TestApp) {
  async function importFile(
    file: string | Buffer,
    phone: string,
    options: FileOptions = {},
  ): Promise<ImportReport> {
    const parsed = await readCalendar(Buffer.from(file));
    const { id } = await transaction(api.sql, (tx) =>
      findOrCreateAccount(tx, { kind: 'phone', value: phone }, new Date()),
    );
    const gazetteer = await loadGazetteer();
    return importCalendar(api.sql, parsed, { organizerId: id, publicUrl: api.url, gazetteer, ...options });
  }

  async function eventsOf(person: Person) {
    const rows = await api.sql<{ id: string }[]>`
      select id from events where organizer_id = ${person.id} order by title, start_at`;
    return Promise.all(
      rows.map(async ({ id }) => expectStatus(await api.get(`/v1/events/${id}`, person.token), 200).body),
    );
  }

  /**
   * Imports the file for a new phone number. Returns the report, the person and the events as the API
   * returns them.
   */
  async function importForNewUser(file: string | Buffer, options?: FileOptions) {
    const phone = nextPhone();
    const report = await importFile(file, phone, options);
    const person = await signIn(api, phone);
    return { report, phone, person, events: await eventsOf(person) };
  }

  /** Imports a file with one entry and returns its event. The import must succeed. */
  async function importEntry(fields: Record<string, string | undefined>, ...head: string[]) {
    const { events, report } = await importForNewUser(calendar(...head, calendarEntry(fields)));
    assert.deepEqual(errorsOf(report), []);
    assert.equal(events.length, 1);
    return { event: events[0], report };
  }

  async function importTimes(fields: Record<string, string | undefined>, ...head: string[]) {
    const { event } = await importEntry({ DTSTART: undefined, DTEND: undefined, ...fields }, ...head);
    return [event.startAt, event.endAt, event.timezone];
  }

  /**
   * Imports a file with one invalid entry and returns the reason of the error. The entry starts at line 4
   * without `head`.
   */
  async function importError(fields: Record<string, string | undefined>, ...head: string[]): Promise<string> {
    const { report, events } = await importForNewUser(calendar(...head, calendarEntry(fields)));
    assert.equal(events.length, 0);
    assert.equal(report.errors.length, 1);
    return report.errors[0]?.reason ?? '';
  }

  return { importFile, eventsOf, importForNewUser, importEntry, importTimes, importError };
}
