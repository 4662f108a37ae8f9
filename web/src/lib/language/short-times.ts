/** Points in time in few letters, for rows of a list. */
import { formatClock, isOtherYear, isToday } from './format.ts';
import { dateFormatter } from './formatters.ts';
import { getLocale } from './languages.ts';

/** A point in time in few letters: the time of today, or the day. */
export const formatShortTime = (time: string, timeZone?: string): string =>
  isToday(time, timeZone) ? formatClock(time, timeZone) : formatShortDay(time, timeZone);

/** Such as `28 Oct`. */
export const formatShortDay = (time: string, timeZone?: string): string =>
  dateFormatter(getLocale(), {
    day: 'numeric',
    month: 'short',
    ...(isOtherYear(time) && { year: 'numeric' }),
    timeZone,
  }).format(new Date(time));
