/** Points in time in few letters, as lists of what happened have them. */
import { dateFormatter, relativeFormatter } from '#lib/language/formatters.ts';
import { m } from '#lib/messages/index.js';
import { dayMs, formatClock, hourMs, isOtherYear, isToday, minuteMs } from './format.ts';
import { getClock, getLocale } from './languages.ts';
import { formatShortTime } from './short-times.ts';

/** Such as `5 min ago`; after a week, the day. */
export function formatAgo(time: string, timeZone?: string): string {
  const passed = Math.max(Date.now() - Date.parse(time), 0);
  const format = relativeFormatter(getLocale(), { numeric: 'auto', style: 'short' });
  if (passed < minuteMs) return format.format(0, 'second');
  if (passed < hourMs) return format.format(-Math.floor(passed / minuteMs), 'minute');
  if (passed < dayMs) return format.format(-Math.floor(passed / hourMs), 'hour');
  if (passed < 7 * dayMs) return format.format(-Math.floor(passed / dayMs), 'day');
  return formatShortTime(time, timeZone);
}

/** The day and the time of day, such as `Today 18:00` or `Sat 12 Dec, 18:00`. */
export const formatMoment = (time: string, timeZone?: string): string =>
  isToday(time, timeZone)
    ? `${m.discovery_when_today()} ${formatClock(time, timeZone)}`
    : dateFormatter(getLocale(), {
        weekday: 'short',
        day: 'numeric',
        month: 'short',
        ...(isOtherYear(time) && { year: 'numeric' }),
        ...getClock(),
        timeZone,
      }).format(new Date(time));
