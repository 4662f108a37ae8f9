/** Points in time in few letters, as lists of what happened have them. */
import { dateFormatter, relativeFormatter } from '#lib/language/formatters.ts';
import { m } from '#lib/messages/index.js';
import {
  dayMs,
  formatClock,
  formatShortTime,
  hourMs,
  isOtherYear,
  isToday,
  language,
  minuteMs,
} from './format.ts';

/** Such as `5 min ago`; after a week, the day. */
export function formatAgo(time: string, timeZone?: string): string {
  const passed = Math.max(Date.now() - Date.parse(time), 0);
  const format = relativeFormatter(language(), { numeric: 'auto', style: 'short' });
  if (passed < minuteMs) return format.format(0, 'second');
  if (passed < hourMs) return format.format(-Math.floor(passed / minuteMs), 'minute');
  if (passed < dayMs) return format.format(-Math.floor(passed / hourMs), 'hour');
  if (passed < 7 * dayMs) return format.format(-Math.floor(passed / dayMs), 'day');
  return formatShortTime(time, timeZone);
}

/** Today the time, such as `18:00`; within a week the weekday, such as `Sat`; before that, the day. */
export function formatBrief(time: string, timeZone?: string): string {
  if (isToday(time, timeZone)) return formatClock(time, timeZone);
  const isThisWeek = Date.now() - Date.parse(time) < 6 * dayMs;
  const options: Intl.DateTimeFormatOptions = isThisWeek
    ? { weekday: 'short' }
    : { day: 'numeric', month: 'short', ...(isOtherYear(time) && { year: 'numeric' }) };
  return dateFormatter(language(), { ...options, timeZone }).format(new Date(time));
}

/** Such as `Today`, or `Sat 12 Dec`. */
export const formatDayName = (time: string, timeZone?: string): string =>
  isToday(time, timeZone)
    ? m.discovery_when_today()
    : dateFormatter(language(), {
        weekday: 'short',
        day: 'numeric',
        month: 'short',
        ...(isOtherYear(time) && { year: 'numeric' }),
        timeZone,
      }).format(new Date(time));
