/** The dates and times of the form of an event, as clocks at the place show them. Texts such as `2027-06-05` and `18:30`. */

export type WallTimes = { startDate: string; startTime: string; endDate: string; endTime: string };

const dayMs = 24 * 3_600_000;
/** NaN for an empty or an incomplete text, and for a year that does not have four digits. */
const toMs = (date: string, time: string): number =>
  /^\d{4}-/.test(date) ? Date.parse(`${date}T${time}Z`) : Number.NaN;
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const timeOf = (ms: number): string => new Date(ms).toISOString().slice(11, 16);
const anyDay = '2000-01-01';
/** Later years have more than four digits, which dates such as `2027-06-05` cannot have. */
const lastDay = toMs('9999-12-31', '00:00');

/** From a time to the next `end`, which is at most a day later; without `start`, from midnight. */
export function msBetween(start: string | undefined, end: string): number {
  const ms = toMs(anyDay, end) - toMs(anyDay, start ?? '00:00');
  return start === undefined || ms > 0 ? ms : ms + dayMs;
}

/** The half hours of a day, in the order in which they follow a time. */
export function halfHoursAfter(start: string | undefined): string[] {
  const times = Array.from({ length: 48 }, (_, i) => timeOf(i * (dayMs / 48)));
  return times.sort((one, other) => msBetween(start, one) - msBetween(start, other));
}

/** Hours, minutes, and the half of a day: `18:30`, `18.30`, `1830`, `6 pm`. Arabic has letters of its own for the halves. */
const timePattern = /^(\d{1,2})(?:\s*[:.h]?\s*(\d\d))?(?:\s*(?:(a|ص)|(p|م))(?:\.?m\.?)?)?$/i;

/** Reads a time of day as people write it. @returns such as `18:30`; null for another text */
export function parseTime(text: string): string | null {
  const latin = text.trim().replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660));
  const [found, hour, minute = '00', morning, evening] = timePattern.exec(latin) ?? [];
  if (found === undefined) return null;
  const isHalf = morning !== undefined || evening !== undefined;
  const hours = isHalf ? (Number(hour) % 12) + (evening ? 12 : 0) : Number(hour);
  if (hours > 23 || Number(minute) > 59 || (isHalf && Number(hour) > 12)) return null;
  return `${String(hours).padStart(2, '0')}:${minute}`;
}

/**
 * The end after a change of the start: the event lasts as long as before. An end without a date is at its time on the
 * day of the start, or on the next day.
 */
export function endAfterMove(
  before: WallTimes,
  { startDate, startTime }: Pick<WallTimes, 'startDate' | 'startTime'>,
): Pick<WallTimes, 'endDate' | 'endTime'> {
  const { endDate, endTime } = before;
  const moved = toMs(anyDay, startTime || before.startTime) - toMs(anyDay, before.startTime || startTime);
  const days = toMs(startDate, '00:00') - toMs(before.startDate, '00:00');
  const shift = (Number.isNaN(moved) ? 0 : moved) + (endDate === '' || Number.isNaN(days) ? 0 : days);
  const end = toMs(endDate || anyDay, endTime || '00:00') + shift;
  if (Number.isNaN(end)) return { endDate, endTime };
  return { endDate: endDate && dateOf(end), endTime: endTime && timeOf(end) };
}

/**
 * The day of a new event: the first Saturday that is at least two days away, in each time zone of the world a day to come.
 */
export function suggestedDay(now: number): string {
  const earliest = now + 2 * dayMs;
  const daysToSaturday = (6 - new Date(earliest).getUTCDay()) % 7;
  return dateOf(earliest + daysToSaturday * dayMs);
}

/**
 * The next days of a time zone, as `2027-06-05`: from today on, or from tomorrow if the start of today is over.
 * @param timeZone that of the computer if undefined
 * @param startTime empty for an event that lasts all day
 */
export function nextDays(
  now: number,
  { timeZone, startTime, count }: { timeZone: string | undefined; startTime: string; count: number },
): string[] {
  const clock = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const [today = '', time = ''] = clock.format(now).split(' ');
  const isOver = startTime !== '' && startTime <= time;
  return daysFrom(isOver ? shiftDay(today, 1) : today, count);
}

/** Empty for a text that is no date. */
export function shiftDay(date: string, days: number): string {
  const ms = toMs(date, '00:00') + days * dayMs;
  return Number.isNaN(ms) ? '' : dateOf(ms);
}

/** A day and those after it. */
export function daysFrom(first: string, count: number): string[] {
  const days = Array.from({ length: count }, (_, i) => toMs(first, '00:00') + i * dayMs);
  return days.filter((ms) => ms <= lastDay).map(dateOf);
}

/**
 * The times as an event in UTC, for the functions that format those of events; null while they are incomplete.
 */
export function asEvent({ startDate, endDate, allDay, ...typed }: WallTimes & { allDay: boolean }) {
  const [startTime, endTime] = [parseTime(typed.startTime) ?? '00:00', parseTime(typed.endTime) ?? ''];
  const start = toMs(startDate, allDay ? '00:00' : startTime);
  const isNextDay = !allDay && endTime !== '' && endTime <= startTime;
  const endsOn = endDate === '' ? toMs(startDate, '00:00') + (isNextDay ? dayMs : 0) : toMs(endDate, '00:00');
  const end = allDay ? endsOn + dayMs : endsOn + (toMs(anyDay, endTime) - toMs(anyDay, '00:00'));
  if (Number.isNaN(start)) return null;
  const endAt = end > start ? end : start;
  return {
    startAt: new Date(start).toISOString(),
    endAt: new Date(endAt).toISOString(),
    allDay,
    timezone: 'UTC',
  };
}
