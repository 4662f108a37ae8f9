/**
 * Splits an iCalendar file (RFC 5545) into its VEVENT components with their line numbers. A broken component
 * does not affect the others, and its error names the line.
 */
import { mapInTurns } from '#base';
import { CalendarError } from './calendar-error.ts';
import { type ContentLine, readLines } from './calendar-lines.ts';
import { readProperty, textOf } from './content-line.ts';
import type { EntryIssue } from './report.ts';
import { findZone, placeZones, type Zone } from './zone-names.ts';
import { type OwnZone, readZone } from './zone-rules.ts';

/** The lines between BEGIN:VEVENT and END:VEVENT, without nested components such as alarms. */
export type EventBlock = { line: number; lines: ContentLine[] };
export type Calendar = {
  blocks: EventBlock[];
  /** The zones that the file defines itself, by TZID; null for one that cannot be read. */
  zones: Map<string, OwnZone | null>;
  /** X-WR-TIMEZONE, the zone of floating times; null without one. */
  zone: string | null;
  /** Whether METHOD is CANCEL: each entry is cancelled. */
  isCancelling: boolean;
  errors: EntryIssue[];
};

/** What a file that is no calendar says of all its entries. */
export const noCalendar = (): Calendar => ({
  ...{ blocks: [], zones: new Map(), zone: null, isCancelling: false, errors: [] },
});

/** Of components: calendar, time zone, observance. Each line looks for its component among the open ones. */
const maxDepth = 20;
const maxZones = 20;
/** Of a component; an entry has some dozens. */
const maxLines = 5_000;
/** Components whose lines are read. */
const observances = new Set(['STANDARD', 'DAYLIGHT']);
const read = new Set(['VCALENDAR', 'VEVENT', 'VTIMEZONE', ...observances]);

/**
 * Reads a file in many turns of the event loop.
 * @throws CalendarError for a file that is no calendar, or above a bound
 */
export async function parseCalendar(bytes: Buffer): Promise<Calendar> {
  const reader = new CalendarReader();
  await mapInTurns(inGroups(readLines(bytes)), (lines) => {
    for (const line of lines) reader.add(line);
  });
  return reader.end();
}

/** Some lines at a time: looking at the clock takes longer than most lines. */
function* inGroups(lines: Iterable<ContentLine>): Generator<ContentLine[]> {
  let group: ContentLine[] = [];
  let length = 0;
  for (const line of lines) {
    group.push(line);
    length += line.text.length + 20;
    if (length < 10_000) continue;
    yield group;
    [group, length] = [[], 0];
  }
  yield group;
}

type Component = { name: string; line: number; lines: ContentLine[] };

class CalendarReader {
  readonly #calendar: Calendar = noCalendar();
  readonly #open: Component[] = [];
  #hasBegun = false;
  #strayEnd: number | null = null;

  add(line: ContentLine): void {
    const { verb = '', name = '' } =
      /^\s*(?<verb>BEGIN|END)\s*:\s*(?<name>[\w-]{1,60})\s*$/i.exec(line.text.slice(0, 100))?.groups ?? {};
    // Some files have text in front of the calendar, such as warnings of the program that wrote them.
    this.#hasBegun ||= /^BEGIN$/i.test(verb) && /^VCALENDAR$/i.test(name);
    if (!this.#hasBegun) return;
    if (verb === '') this.#addLine(line);
    else if (/^BEGIN$/i.test(verb)) this.#begin(name.toUpperCase(), line);
    else this.#end(name.toUpperCase(), line);
  }

  end(): Calendar {
    if (!this.#hasBegun)
      throw new CalendarError('file_unreadable', 'is not a calendar: it has no BEGIN:VCALENDAR');
    this.#discard(this.#open);
    if (this.#strayEnd !== null)
      this.#calendar.errors.push({
        line: this.#strayEnd,
        cause: 'broken',
        reason: 'END:VEVENT without its BEGIN',
      });
    return this.#calendar;
  }

  #addLine(line: ContentLine): void {
    const component = this.#open.at(-1);
    if (component && read.has(component.name) && component.lines.length < maxLines)
      component.lines.push(line);
  }

  #begin(name: string, line: ContentLine): void {
    const unfinished = name === 'VEVENT' ? this.#open.findIndex((component) => component.name === name) : -1;
    if (unfinished >= 0) this.#discard(this.#open.splice(unfinished));
    if (this.#open.length === maxDepth)
      throw new CalendarError('file_unreadable', `has more than ${maxDepth} components within each other`);
    // The lines of a zone have those of its observances in them.
    this.#open.push({ name, line: line.number, lines: observances.has(name) ? [line] : [] });
  }

  #end(name: string, line: ContentLine): void {
    const depth = this.#open.findLastIndex((component) => component.name === name);
    const [component, ...unfinished] = depth < 0 ? [] : this.#open.splice(depth);
    this.#discard(unfinished);
    // One of many is enough to see that the file is broken.
    if (!component && name === 'VEVENT') this.#strayEnd ??= line.number;
    if (!component) return;
    if (name === 'VEVENT') this.#calendar.blocks.push({ line: component.line, lines: component.lines });
    if (name === 'VTIMEZONE') this.#addZone(component.lines);
    if (observances.has(name)) this.#open.at(-1)?.lines.push(...component.lines, line);
    if (name === 'VCALENDAR') this.#readCalendar(component.lines);
  }

  /** Components without END. Only a VEVENT is an error. */
  #discard(unfinished: Component[]): void {
    for (const { name, line, lines } of unfinished) {
      if (name === 'VCALENDAR') this.#readCalendar(lines);
      if (name === 'VEVENT')
        this.#calendar.errors.push({ line, cause: 'broken', reason: 'has no END:VEVENT' });
    }
  }

  #readCalendar(lines: ContentLine[]): void {
    for (const { number, text } of lines) {
      const property = readProperty(number, text);
      if (property?.name === 'METHOD') this.#calendar.isCancelling = /^CANCEL$/i.test(property.value.trim());
      if (property?.name !== 'X-WR-TIMEZONE' && property?.name !== 'TIMEZONE-ID') continue;
      const zone = findZone(textOf(property));
      if (zone?.kind === 'named') this.#calendar.zone = placeZones(zone)[0] ?? zone.names[0] ?? null;
    }
  }

  /** @throws CalendarError above `maxZones` */
  #addZone(lines: ContentLine[]): void {
    const own = readZone(lines.map(({ text }) => text));
    if (!own || findZone(own.tzid) !== null) return;
    this.#calendar.zones.set(own.tzid, own.zone);
    if (this.#calendar.zones.size > maxZones)
      throw new CalendarError(
        'payload_too_large',
        `has more than ${maxZones} time zones with rules of their own`,
      );
  }
}

/** The zone that a TZID names or that the file defines; null for neither. */
export function zoneOf(tzid: string, calendar: Calendar): Zone | null {
  const own = calendar.zones.get(tzid);
  return findZone(tzid) ?? (own ? { kind: 'own', zone: own } : null);
}
