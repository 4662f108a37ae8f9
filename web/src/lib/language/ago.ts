/** Points in time in few letters, as lists of what happened have them. */
import { relativeFormatter } from '#lib/language/formatters.ts';
import { m } from '#lib/messages/index.js';
import {
  dayMs,
  formatClock,
  formatShortTime,
  formatTime,
  hourMs,
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

/** The day and the time of day, such as `Today 18:00`. */
export const formatMoment = (time: string, timeZone?: string): string =>
  isToday(time, timeZone)
    ? `${m.discovery_when_today()} ${formatClock(time, timeZone)}`
    : formatTime(time, timeZone);
