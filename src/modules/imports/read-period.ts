/** DTSTART with DTEND or DURATION. */
import { shorten } from '../../lib/text.ts';
import type { Property } from './content-line.ts';
import { EntryError } from './entry-error.ts';
import { type EntryPeriod, type EntryTime, parseDuration, parseEntryTime } from './entry-times.ts';
import type { Calendar } from './parse-calendar.ts';
import { firstOf, type Properties } from './read-properties.ts';

const anyDate: EntryTime = {
  local: Temporal.PlainDateTime.from('2000-01-01'),
  isDate: true,
  tzid: undefined,
  isMended: false,
};

/** @throws EntryError without a start */
export function readPeriod(
  properties: Properties,
  notes: string[],
  { isCancelling }: Pick<Calendar, 'isCancelling'>,
): EntryPeriod {
  const written = firstOf(properties, 'DTSTART');
  // A cancellation may have nothing but the UID of what it cancels, whose times stay.
  if (!written && isCancelling) return { start: anyDate, end: null, duration: null };
  if (!written) throw new EntryError('date', 'has no DTSTART');
  const start = parseEntryTime(written);
  if (!start) throw new EntryError('date', `"${quote(written)}" is not a date or time`, written.line);
  noteMended(start, written, notes);
  const end = readEnd(properties, notes);
  const length = end ? undefined : firstOf(properties, 'DURATION');
  const duration = length ? parseDuration(length.value) : null;
  if (length && !duration) notes.push(`"${quote(length)}" is not a duration; it was left out`);
  return { start, end, duration };
}

function readEnd(properties: Properties, notes: string[]): EntryTime | null {
  const written = properties.get('DTEND')?.[0];
  const end = written ? parseEntryTime(written) : null;
  if (written && !end) notes.push(`"${quote(written)}" is not a date or time; it was left out`);
  if (written && end) noteMended(end, written, notes);
  return end;
}

function noteMended({ isMended }: EntryTime, written: Property, notes: string[]): void {
  if (isMended) notes.push(`"${quote(written)}" is not a time of RFC 5545; it was read as one`);
}

const quote = ({ name, value }: Property): string => shorten(`${name}:${value}`, 60);

/** Days that Outlook writes as times from midnight to midnight. */
export function allDayByFlag(period: EntryPeriod, flag: string): EntryPeriod {
  const { start, end } = period;
  const isMidnight = (time: EntryTime | null) =>
    time === null || time.local.toPlainTime().equals(new Temporal.PlainTime());
  if (flag.toUpperCase() !== 'TRUE' || !isMidnight(start) || !isMidnight(end)) return period;
  const asDate = (time: EntryTime): EntryTime => ({ ...time, isDate: true, tzid: undefined });
  return { ...period, start: asDate(start), end: end && asDate(end) };
}
