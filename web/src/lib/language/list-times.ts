/** Times in lists of events: under the heading of a day, and of events that have begun. */
import { dateFormatter } from '#lib/language/formatters.ts';
import { m } from '#lib/messages/index.js';
import { dayMs, dayOf, daysBetween, hourMs, isOtherYear, type Timed } from './format.ts';
import { getClock, getLocale } from './languages.ts';

/** The time at which an event starts at its venue, such as `18:00`, and the day on which it ends if it lasts longer. */
export function formatStart(event: Timed): string {
  const { startAt, endAt, allDay, timezone } = event;
  const start = allDay
    ? m.discovery_all_day()
    : dateFormatter(getLocale(), { timeZone: timezone, ...getClock() }).format(new Date(startAt));
  return Date.parse(endAt) - Date.parse(startAt) > dayMs + hourMs ? `${start} · ${formatEnd(event)}` : start;
}

/** The day on which an event ends at its venue, such as `until Sun 29 Nov`. */
export const formatEnd = ({ endAt, timezone }: Timed): string =>
  m.discovery_until({
    time: dateFormatter(getLocale(), {
      timeZone: timezone,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      ...(isOtherYear(endAt) && { year: 'numeric' }),
    }).format(new Date(Date.parse(endAt) - 1)),
  });

/** The weekday on which an event starts at its venue, such as `Sat`. */
export const formatWeekday = ({ startAt, timezone }: Timed): string =>
  dateFormatter(getLocale(), { timeZone: timezone, weekday: 'short' }).format(new Date(startAt));

/** A day as a heading: `Today` and `Tuesday 24 November`, or `Saturday` and `29 November`. */
export function formatHeading(day: string, timeZone: string): { name: string; date: string } {
  const time = new Date(`${day}T12:00:00Z`);
  const format = (options: Intl.DateTimeFormatOptions) =>
    dateFormatter(getLocale(), { timeZone: 'UTC', ...options }).format(time);
  const date: Intl.DateTimeFormatOptions = {
    day: 'numeric',
    month: 'long',
    ...(isOtherYear(day) && { year: 'numeric' }),
  };
  const today = dayOf(Date.now(), timeZone);
  const name = [m.discovery_when_today, m.discovery_tomorrow][daysBetween(today, day)]?.();
  return name
    ? { name, date: format({ weekday: 'long', ...date }) }
    : { name: format({ weekday: 'long' }), date: format(date) };
}
