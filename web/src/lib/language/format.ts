/** Formats times, prices, numbers and lists of names in the visitor's language. */
import type { ListedEvent } from '@potluck/client';
import {
  dateFormatter,
  listFormatter,
  numberFormatter,
  relativeFormatter,
} from '#lib/language/formatters.ts';
import { getClock, getLocale, showsTwelveHours } from '#lib/language/languages.ts';
import { decimalsOf } from '../../../../src/lib/currencies.ts';

export const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

export type Timed = Pick<ListedEvent, 'startAt' | 'endAt' | 'allDay' | 'timezone'>;

/**
 * The day and the time of an event at its venue, such as `Sat 12 Dec, 18:00–22:00`. Dates of all-day events
 * are inclusive.
 */
export function formatPeriod({ startAt, endAt, allDay, timezone }: Timed): string {
  const format = dateFormatter(getLocale(), {
    timeZone: timezone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(isOtherYear(startAt) && { year: 'numeric' }),
    ...(!allDay && getClock()),
  });
  // The end is exclusive: an event that ends at midnight does not include the next day.
  const end = allDay ? new Date(Date.parse(endAt) - 1) : new Date(endAt);
  return format.formatRange(new Date(startAt), end);
}

/** The day of a time in a time zone, such as `2026-11-29`. */
export const dayOf = (time: string | number, timeZone: string): string =>
  dateFormatter('sv', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(new Date(time));

export const daysBetween = (first: string, last: string): number =>
  (Date.parse(last) - Date.parse(first)) / dayMs;

/** The month and the day on which an event starts at its venue, such as `Nov` and `29`. */
export const formatLeaf = ({ startAt, timezone }: Pick<Timed, 'startAt' | 'timezone'>) => ({
  month: dateFormatter(getLocale(), { timeZone: timezone, month: 'short' }).format(new Date(startAt)),
  day: dateFormatter(getLocale(), { timeZone: timezone, day: 'numeric' }).format(new Date(startAt)),
});

/** Such as `Sat`. */
export const formatWeekday = ({ startAt, timezone }: Pick<Timed, 'startAt' | 'timezone'>): string =>
  dateFormatter(getLocale(), { timeZone: timezone, weekday: 'short' }).format(new Date(startAt));

/** In days. Farther times are counted in weeks, and then in months. */
const [maxDays, maxWeeks] = [14, 60];

/**
 * How far off the start of an event is, in days of its venue, such as `in 5 days` or `tomorrow`; on the day itself,
 * `in 3 hours`. Null for an event that has begun.
 */
export function formatCountdown({ startAt, timezone }: Pick<Timed, 'startAt' | 'timezone'>): string | null {
  const [start, now] = [Date.parse(startAt), Date.now()];
  if (start <= now) return null;
  const days = daysBetween(dayOf(now, timezone), dayOf(start, timezone));
  const format = relativeFormatter(getLocale(), { numeric: 'auto' });
  if (days > maxWeeks) return format.format(Math.round(days / 30), 'month');
  if (days > maxDays) return format.format(Math.round(days / 7), 'week');
  if (days > 0) return format.format(days, 'day');
  const hours = Math.floor((start - now) / hourMs);
  return hours > 0
    ? format.format(hours, 'hour')
    : format.format(Math.ceil((start - now) / minuteMs), 'minute');
}

/** A number of seconds from now, such as `in 5 minutes`. */
export function formatDelay(seconds: number): string {
  const format = relativeFormatter(getLocale(), {});
  if (seconds < 60) return format.format(seconds, 'second');
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? format.format(minutes, 'minute') : format.format(Math.ceil(minutes / 60), 'hour');
}

export const isOtherYear = (time: string) => new Date(time).getUTCFullYear() !== new Date().getUTCFullYear();

/** The name of the time zone of a venue at a time, such as `Central European Standard Time` or, short, `CET`. */
export const formatZone = ({ startAt, timezone }: Timed, length: 'long' | 'short' = 'long'): string =>
  dateFormatter(getLocale(), { timeZone: timezone, timeZoneName: length })
    .formatToParts(new Date(startAt))
    .find(({ type }) => type === 'timeZoneName')?.value ?? timezone;

/** A point in time for the visitor, such as a message's: in the time zone of the browser or the server. */
export const formatTime = (time: string, timeZone?: string): string =>
  dateFormatter(getLocale(), { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(new Date(time));

export const isToday = (time: string, timeZone?: string): boolean =>
  formatDay(time, timeZone) === formatDay(new Date().toISOString(), timeZone);

/** A time of a form, such as `18:00`, as the visitor writes it. Other texts stay as they are. */
export const formatWallTime = (time: string): string =>
  showsTwelveHours() && /^\d\d:\d\d$/.test(time) ? formatClock(`2000-01-01T${time}Z`, 'UTC') : time;

/** The time of day, such as `18:00`. */
export const formatClock = (time: string, timeZone?: string): string =>
  dateFormatter(getLocale(), { ...getClock(), timeZone }).format(new Date(time));

export const formatDay = (time: string, timeZone?: string): string =>
  dateFormatter(getLocale(), { dateStyle: 'medium', timeZone }).format(new Date(time));

/** A day without its year, such as `8 Dec`. */
export const formatMonthDay = (time: string, timeZone?: string): string =>
  dateFormatter(getLocale(), { day: 'numeric', month: 'short', timeZone }).format(new Date(time));

/** Null if the price is unknown or the event is free. */
export const formatPrice = ({ price, currency }: Pick<ListedEvent, 'price' | 'currency'>): string | null =>
  price === 0
    ? null
    : numberFormatter(getLocale(), {
        style: 'currency',
        currency,
        // The browser knows fewer decimals of some currencies than ISO 4217, and would round the price.
        minimumFractionDigits: decimalsOf(currency),
        maximumFractionDigits: decimalsOf(currency),
        trailingZeroDisplay: 'stripIfInteger',
      }).format(price);

export const formatNumber = (value: number): string => numberFormatter(getLocale(), {}).format(value);

export const formatKilometres = (value: number): string =>
  numberFormatter(getLocale(), {
    style: 'unit',
    unit: 'kilometer',
    maximumFractionDigits: value < 10 ? 1 : 0,
  }).format(value);

/** The name of a country, such as `Sweden`. @param code of ISO 3166-1 alpha-2 */
export const formatCountry = (code: string): string =>
  new Intl.DisplayNames(getLocale(), { type: 'region' }).of(code) ?? code;

/** Joins names as a sentence does, such as `Mara, Noor and Ada`. */
export const formatList = (names: string[]): string =>
  listFormatter(getLocale(), { type: 'conjunction' }).format(names);
