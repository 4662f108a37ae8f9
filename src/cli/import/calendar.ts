/**
 * A calendar file taken apart (RFC 5545) into its entries, each with the lines that it stands on, so that a broken
 * one can be named by its line and leaves the others alone.
 */
import ICAL from 'ical.js';
import { isTimeZone } from '../../lib/time-zones.ts';

/** A line as it was meant, its folded parts joined; `number` is that of its first part. Null: not UTF-8. */
export type Line = { number: number; text: string | null };
/** What stands between BEGIN:VEVENT and END:VEVENT, without parts of its own such as alarms. */
export type Block = { line: number; lines: Line[] };
export type Fault = { line: number; title?: string; reason: string };
export type Calendar = {
  blocks: Block[];
  /** Of the time zones that the file describes itself, those that could be read. */
  zones: Map<string, ICAL.Timezone>;
  /** X-WR-TIMEZONE, the zone of floating times. Null: they are in the zone of their place. */
  zone: string | null;
  faults: Fault[];
};

/** @returns null when the bytes are no calendar at all */
export function readCalendar(bytes: Buffer): Calendar | null {
  const lines = unfold(asUtf8(bytes));
  const isBegin = (line: Line) => line.text?.trim().toUpperCase() === 'BEGIN:VCALENDAR';
  return lines.some(isBegin) ? takeApart(lines) : null;
}

/** Some programs write UTF-16, with the mark that says so. A mark of UTF-8 is dropped. */
function asUtf8(bytes: Buffer): Buffer {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return bytes.subarray(3);
  if (!((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff))) return bytes;
  const pairs = Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)));
  const text = (a === 0xff ? pairs : pairs.swap16()).toString('utf16le');
  // Half a surrogate pair would silently become U+FFFD; like NUL it is refused where the entry is read.
  return Buffer.from(text.replace(/\p{Cs}/gu, '\0'));
}

/** On bytes, since a fold may fall in the middle of a character. */
function unfold(bytes: Buffer): Line[] {
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

type Component = { name: string; at: number; lines: Line[] };

function takeApart(lines: Line[]): Calendar {
  const calendar: Calendar = { blocks: [], zones: new Map(), zone: null, faults: [] };
  const open: Component[] = [];
  const startOf = ({ at }: Component) => lines[at]?.number ?? 0;
  /** Components whose end is missing: an entry cannot be trusted then, of the others nobody needs to know. */
  const drop = (unfinished: Component[]) => {
    for (const component of unfinished) {
      if (component.name === 'VCALENDAR') readHead(calendar, component.lines);
      if (component.name !== 'VEVENT') continue;
      calendar.faults.push({ line: startOf(component), reason: 'has no END:VEVENT' });
    }
  };
  for (const [at, line] of lines.entries()) {
    const [, verb, word = ''] = /^(BEGIN|END):([\w-]+)\s*$/i.exec(line.text ?? '') ?? [];
    const name = word.toUpperCase();
    if (!verb) open.at(-1)?.lines.push(line);
    else if (verb.toUpperCase() === 'BEGIN') {
      const unfinished = open.findIndex((component) => component.name === name && name === 'VEVENT');
      if (unfinished >= 0) drop(open.splice(unfinished));
      open.push({ name, at, lines: [] });
    } else {
      const depth = open.findLastIndex((component) => component.name === name);
      const [component, ...unfinished] = depth < 0 ? [] : open.splice(depth);
      drop(unfinished);
      if (!component && name === 'VEVENT')
        calendar.faults.push({ line: line.number, reason: 'END:VEVENT without its BEGIN' });
      if (!component) continue;
      if (name === 'VEVENT') calendar.blocks.push({ line: startOf(component), lines: component.lines });
      if (name === 'VTIMEZONE') addZone(calendar, lines.slice(component.at, at + 1));
      if (name === 'VCALENDAR') readHead(calendar, component.lines);
    }
  }
  drop(open);
  return calendar;
}

function readHead(calendar: Calendar, lines: Line[]): void {
  for (const { text } of lines) {
    const name = /^X-WR-TIMEZONE[^:]*:(.*)$/i.exec(text ?? '')?.[1]?.trim();
    if (name && isTimeZone(name)) calendar.zone = name;
  }
}

/** A zone that cannot be read is left out: whichever entry needs it says so. */
function addZone(calendar: Calendar, lines: Line[]): void {
  try {
    const component = new ICAL.Component(ICAL.parse(lines.map(({ text }) => text ?? '').join('\r\n')));
    const tzid = component.getFirstPropertyValue('tzid');
    const rules = component.getAllSubcomponents().flatMap((part) => part.getAllProperties('rrule'));
    // A zone that changes more often than by the year is none, and would keep the reader busy for ever.
    const isYearly = rules.every((rule) => (rule.getFirstValue() as ICAL.Recur).freq === 'YEARLY');
    if (typeof tzid === 'string' && isYearly)
      calendar.zones.set(tzid, new ICAL.Timezone({ component, tzid }));
  } catch {}
}
