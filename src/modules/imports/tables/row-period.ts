/** When the event of a row is: of its columns for dates and times, those that say it. */
import { shorten } from '../../../lib/text.ts';
import { EntryError } from '../entry-error.ts';
import { type EntryPeriod, type EntryTime, parseEntryTime } from '../entry-times.ts';
import type { Field } from './column-names.ts';
import { cleaned, readDate } from './date-text.ts';
import type { Cells } from './table.ts';
import { readTime, type TimeText } from './time-text.ts';

/** Fields with dates, in the order in which they count. The cells of "Start" and "End" may be times. */
export const dateFields = { start: ['startDate', 'date', 'start'], end: ['endDate', 'end'] } as const;
const timeFields = { start: ['startTime', 'start'], end: ['endTime', 'end'] } as const;
type Side = 'start' | 'end';

/** A date with what is known of its time; `exact`: a time with an offset, which is complete. */
type Read = { date: Temporal.PlainDate; time: TimeText | null; exact: EntryTime | null };

/** @throws EntryError without a start that can be read */
export function readRowPeriod(cells: Cells, notes: string[]): EntryPeriod {
  const start = requireStart(cells);
  const end = readSide(cells, 'end');
  if (!end) noteUnread(cells, 'endDate', notes);
  const startTime = timeOf(cells, 'start', start, notes);
  const endTime = timeOf(cells, 'end', end, notes);
  const from = startTime?.time ?? null;
  if (isAllDay(cells, start) || (!from && !endTime && !start.exact)) return daysOf(start, end, endTime);
  const zone = zoneOf(cells, [startTime, endTime]);
  const begin = start.exact ?? toTime(start.date, from, zone);
  return {
    start: begin,
    end: endOf({ begin, end, endTime, range: startTime?.end ?? null, zone }),
    duration: null,
  };
}

function requireStart(cells: Cells): Read {
  const start = readSide(cells, 'start');
  if (start) return start;
  const written = dateFields.start.find((field) => cells.text(field) !== '');
  if (!written) throw new EntryError('date', `has no "${cells.heading(firstColumn(cells))}"`);
  throw new EntryError('date', `${quote(cells, written)} is not a date`);
}

/** The column that a message names. */
const firstColumn = (cells: Cells): Field =>
  dateFields.start.find((field) => cells.heading(field) !== field) ?? 'date';

function readSide(cells: Cells, side: Side): Read | null {
  for (const field of dateFields[side]) {
    const text = cells.text(field);
    if (text === '') continue;
    const exact = parseEntryTime({ value: text, parameters: new Map() });
    if (exact && exact.tzid !== undefined)
      return { date: exact.local.toPlainDate(), time: null, exact: { ...exact, isMended: false } };
    const found = readDate(text);
    const date = found && (found[cells.order(field)] ?? found.dayFirst ?? found.monthFirst);
    if (found && date) return { date, time: found.time, exact: null };
  }
  return null;
}

/** The time in a column of its own; otherwise the one behind the date. */
function timeOf(cells: Cells, side: Side, read: Read | null, notes: string[]): TimeText | null {
  for (const field of timeFields[side]) {
    const text = cells.text(field);
    if (text === '' || (field === side && readDate(text))) continue;
    // Spreadsheets write the day zero in front of a time.
    const time = readTime(cleaned(text)) ?? readDate(text)?.time;
    if (time) return time;
    noteUnread(cells, field, notes);
  }
  return read?.time ?? null;
}

function noteUnread(cells: Cells, field: Field, notes: string[]): void {
  if (cells.text(field) !== '') notes.push(`${quote(cells, field)} is not a date or time; it was left out`);
}

const quote = (cells: Cells, field: Field): string =>
  `"${shorten(cells.text(field).replace(/\s+/g, ' '), 40)}" in "${shorten(cells.heading(field), 40)}"`;

const yes =
  /^(?:true|yes|y|1|x|ja|j|wahr|oui|vrai|si|sí|sim|verdadero|verdadeiro|vero|tak|prawda|kyllä|tosi|sant|sann|да|истина|نعم|صحيح|✓|✔)$/i;

const isAllDay = (cells: Cells, { exact }: Read): boolean => !exact && yes.test(cells.text('allDay'));

/** The last day is part of the event, unless Outlook wrote it: as midnight behind it. */
function daysOf(start: Read, end: Read | null, endTime: TimeText | null): EntryPeriod {
  const isBehind = endTime?.time.equals(new Temporal.PlainTime()) ?? false;
  const last = end && Temporal.PlainDate.compare(end.date, start.date) > 0 ? end.date : start.date;
  const days = isBehind && !last.equals(start.date) ? 0 : 1;
  const asTime = (date: Temporal.PlainDate): EntryTime => ({
    ...{ local: date.toPlainDateTime(), isDate: true, tzid: undefined, isMended: false },
  });
  return { start: asTime(start.date), end: asTime(last.add({ days })), duration: null };
}

type Ending = {
  begin: EntryTime;
  end: Read | null;
  endTime: TimeText | null;
  range: Temporal.PlainTime | null;
  zone: string | undefined;
};

/** Without a date of its own, an end that is not after the start is on the next day. */
function endOf({ begin, end, endTime, range, zone }: Ending): EntryTime | null {
  if (end?.exact) return end.exact;
  const time = endTime?.time ?? range;
  const date = begin.local.toPlainDate();
  if (!end) {
    if (!time) return null;
    const isNextDay = Temporal.PlainTime.compare(time, begin.local.toPlainTime()) <= 0;
    return { ...toTime(date.add({ days: isNextDay ? 1 : 0 }), time, zone), tzid: begin.tzid };
  }
  if (time) return toTime(end.date, time, zone);
  // A last day without a time is over at its end; the first one alone says nothing of the end.
  return end.date.equals(date) ? null : toTime(end.date.add({ days: 1 }), null, zone);
}

const toTime = (
  date: Temporal.PlainDate,
  time: Temporal.PlainTime | null,
  zone: string | undefined,
): EntryTime => ({
  ...{ local: date.toPlainDateTime(time ?? undefined), isDate: false, tzid: zone, isMended: false },
});

/** The zone behind a time, or in its own column. */
function zoneOf(cells: Cells, times: (TimeText | null)[]): string | undefined {
  const behind = times.find((time) => time !== null && time.zone !== '')?.zone;
  const name = behind === undefined ? cells.text('timezone') : behind === 'z' ? 'UTC' : behind.toUpperCase();
  return name === '' ? undefined : name;
}
