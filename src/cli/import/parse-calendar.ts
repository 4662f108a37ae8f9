/**
 * Splits an iCalendar file (RFC 5545) into its VEVENT components with their line numbers. A broken component
 * does not affect the others, and its error names the line.
 */
import { isTimeZone } from '../../lib/time-zones.ts';
import { ianaName, type OwnZone, readZone } from './zone-rules.ts';

/**
 * An unfolded content line. `number` is the line number of its first part; `text` is null if it is not UTF-8.
 */
type ContentLine = { number: number; text: string | null };
/** The lines between BEGIN:VEVENT and END:VEVENT, without nested components such as alarms. */
export type EventBlock = { line: number; lines: ContentLine[] };
/** A problem with an entry, for the import report. `title` is its SUMMARY. */
export type EntryIssue = { line: number; title?: string; reason: string };
export type Calendar = {
  blocks: EventBlock[];
  /** The zones that the file defines itself, by TZID; null for one that cannot be read. */
  zones: Map<string, OwnZone | null>;
  /**
   * X-WR-TIMEZONE, the zone of floating times. If null, floating times are in the zone of the event's place.
   */
  zone: string | null;
  errors: EntryIssue[];
};

/** The file is no calendar, or above a bound. The message continues a sentence that begins with the name of the file. */
export class CalendarError extends Error {}

const [maxBytes, maxEntries, maxZones] = [5_000_000, 5_000, 20];
/** Of components: calendar, time zone, observance. Each line looks for its component among the open ones. */
const maxDepth = 20;
/** Of a file: UTF-16 has up to two bytes for each of UTF-8. */
export const maxFileBytes = 2 * maxBytes + 2;

/** @throws CalendarError */
export function parseCalendar(bytes: Buffer): Calendar {
  if (bytes.length > maxFileBytes) throw tooLarge();
  const decoded = toUtf8(bytes);
  if (decoded.length > maxBytes) throw tooLarge();
  if (countEntries(decoded) > maxEntries)
    throw new CalendarError(`has more than ${maxEntries.toLocaleString('en')} entries`);
  const lines = unfold(decoded);
  const isBegin = (line: ContentLine) => line.text?.trim().toUpperCase() === 'BEGIN:VCALENDAR';
  if (!lines.some(isBegin)) throw new CalendarError('is not a calendar: it has no BEGIN:VCALENDAR');
  return parseComponents(lines);
}

const tooLarge = () => new CalendarError(`has more than ${maxBytes / 1e6} MB`);

/** Stops counting above the bound. */
function countEntries(bytes: Buffer): number {
  const begin = /^BEGIN:VEVENT[ \t]*$/gim;
  const text = bytes.toString('latin1');
  let count = 0;
  while (count <= maxEntries && begin.test(text)) count++;
  return count;
}

/** Converts UTF-16 with a byte order mark to UTF-8, and removes a byte order mark of UTF-8. */
function toUtf8(bytes: Buffer): Buffer {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return bytes.subarray(3);
  if (!((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff))) return bytes;
  const pairs = Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)));
  const text = (a === 0xff ? pairs : pairs.swap16()).toString('utf16le');
  // A lone surrogate would become U+FFFD without an error. NUL makes the entry parser refuse it.
  return Buffer.from(text.replace(/\p{Cs}/gu, '\0'));
}

/** Joins folded lines. Works on bytes, because a fold can be within a UTF-8 character. */
function unfold(bytes: Buffer): ContentLine[] {
  const folded: { number: number; parts: string[] }[] = [];
  for (const [at, text] of bytes
    .toString('latin1')
    .split(/\r\n|\n|\r/)
    .entries()) {
    const last = folded.at(-1);
    if (/^[ \t]/.test(text) && last) last.parts.push(text.slice(1));
    else if (text !== '') folded.push({ number: at + 1, parts: [text] });
  }
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const decode = (text: string): string | null => {
    if (!/[\x80-\xff]/.test(text)) return text;
    try {
      return utf8.decode(Buffer.from(text, 'latin1'));
    } catch {
      return null;
    }
  };
  return folded.map(({ number, parts }) => ({ number, text: decode(parts.join('')) }));
}

type Component = { name: string; at: number; lines: ContentLine[] };

function parseComponents(lines: ContentLine[]): Calendar {
  const calendar: Calendar = { blocks: [], zones: new Map(), zone: null, errors: [] };
  const open: Component[] = [];
  const startOf = ({ at }: Component) => lines[at]?.number ?? 0;
  /** Components without END. Only a VEVENT is an error. */
  const discard = (unfinished: Component[]) => {
    for (const component of unfinished) {
      if (component.name === 'VCALENDAR') readTimezone(calendar, component.lines);
      if (component.name !== 'VEVENT') continue;
      calendar.errors.push({ line: startOf(component), reason: 'has no END:VEVENT' });
    }
  };
  for (const [at, line] of lines.entries()) {
    const [, verb, word = ''] = /^(BEGIN|END):([\w-]+)\s*$/i.exec(line.text ?? '') ?? [];
    const name = word.toUpperCase();
    if (!verb) open.at(-1)?.lines.push(line);
    else if (verb.toUpperCase() === 'BEGIN') {
      const unfinished = open.findIndex((component) => component.name === name && name === 'VEVENT');
      if (unfinished >= 0) discard(open.splice(unfinished));
      if (open.length === maxDepth)
        throw new CalendarError(`has more than ${maxDepth} components within each other`);
      open.push({ name, at, lines: [] });
    } else {
      const depth = open.findLastIndex((component) => component.name === name);
      const [component, ...unfinished] = depth < 0 ? [] : open.splice(depth);
      discard(unfinished);
      if (!component && name === 'VEVENT')
        calendar.errors.push({ line: line.number, reason: 'END:VEVENT without its BEGIN' });
      if (!component) continue;
      if (name === 'VEVENT') calendar.blocks.push({ line: startOf(component), lines: component.lines });
      if (name === 'VTIMEZONE') addZone(calendar, lines.slice(component.at, at + 1));
      if (name === 'VCALENDAR') readTimezone(calendar, component.lines);
    }
  }
  discard(open);
  return calendar;
}

function readTimezone(calendar: Calendar, lines: ContentLine[]): void {
  for (const { text } of lines) {
    const name = /^X-WR-TIMEZONE[^:]*:(.*)$/i.exec(text ?? '')?.[1]?.trim();
    if (name && isTimeZone(name)) calendar.zone = name;
  }
}

/** @throws CalendarError above `maxZones` */
function addZone(calendar: Calendar, lines: ContentLine[]): void {
  const own = readZone(lines.map(({ text }) => text ?? ''));
  if (!own || ianaName(own.tzid) !== null) return;
  calendar.zones.set(own.tzid, own.zone);
  if (calendar.zones.size > maxZones)
    throw new CalendarError(`has more than ${maxZones} time zones with rules of their own`);
}
