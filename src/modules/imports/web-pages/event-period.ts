/** When an event of JSON-LD is. Times without an offset are those of the place; a date alone is a whole day. */
import { shorten } from '../../../lib/text.ts';
import { EntryError } from '../entry-error.ts';
import { type EntryPeriod, type EntryTime, parseDuration, parseEntryTime } from '../entry-times.ts';
import { readDate } from '../tables/date-text.ts';
import { type Node, textIn } from './json-ld.ts';

/** @throws EntryError without a start that can be read */
export function readEventPeriod(node: Node, notes: string[]): EntryPeriod {
  const written = textIn(node, 'startDate');
  if (written === '') throw new EntryError('date', 'has no startDate');
  const start = readTime(written);
  if (!start) throw new EntryError('date', `"${shorten(written, 60)}" is not a date or time`);
  const end = readEnd(node, notes);
  if (!end) {
    const length = textIn(node, 'duration');
    const duration = length === '' ? null : parseDuration(length);
    return { start, end: null, duration };
  }
  return { start, end: lastDay(start, end), duration: null };
}

function readEnd(node: Node, notes: string[]): EntryTime | null {
  const written = textIn(node, 'endDate');
  const end = written === '' ? null : readTime(written);
  if (written !== '' && !end) notes.push(`"${shorten(written, 60)}" is not a date or time; it was left out`);
  return end;
}

/** A last day is part of the event. That of an event with a time says nothing of its end if it is the first day, too. */
function lastDay(start: EntryTime, end: EntryTime): EntryTime | null {
  if (!end.isDate) return end;
  const isFirst = end.local.toPlainDate().equals(start.local.toPlainDate());
  if (!start.isDate && isFirst) return null;
  const isBefore = Temporal.PlainDateTime.compare(end.local, start.local) < 0;
  const local = isBefore ? end.local : end.local.add({ days: 1 });
  return start.isDate ? { ...end, local } : { ...end, local, isDate: false };
}

/** ISO 8601, or a date as people write it whose order is clear. */
function readTime(text: string): EntryTime | null {
  const exact = parseEntryTime({ value: text, parameters: new Map() });
  if (exact) return { ...exact, isMended: false };
  const found = readDate(text);
  const date = found?.dayFirst ?? null;
  if (!found || !date || !found.monthFirst?.equals(date)) return null;
  const zone = found.time?.zone ? { tzid: found.time.zone.toUpperCase() } : { tzid: undefined };
  return { local: date.toPlainDateTime(found.time?.time), isDate: !found.time, ...zone, isMended: false };
}
