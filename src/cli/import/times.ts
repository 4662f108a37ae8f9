/** When an entry is: DTSTART with DTEND or DURATION, in whatever way RFC 5545 lets them be written. */
import ICAL from 'ical.js';
import { parseTimestamp } from '../../lib/time.ts';
import { isTimeZone, isUtc, startOfDate } from '../../lib/time-zones.ts';
import type { Calendar } from './calendar.ts';

export type Times = { startAt: Date; endAt: Date };
/** A DATE-TIME or DATE property. */
export type Moment = {
  local: Temporal.PlainDateTime;
  /** All day: the hours mean nothing. */
  isDate: boolean;
  /** A name as the file has it, or UTC; undefined for floating times. */
  tzid: string | undefined;
};

const hourMs = 3_600_000;

/**
 * @param line the whole property; what ical.js reads generously (rolling the 32nd over into the next month, dropping an
 * offset) is refused here
 * @returns null when it is no moment
 */
export function parseMoment(line: string): Moment | null {
  const [, head = '', day = '', clock = '', z = ''] =
    /^(.*):(\d{8})(?:T(\d{6})(Z?))?$/.exec(line.trimEnd()) ?? [];
  if (!day) return null;
  try {
    // Any value will do: ical.js is asked for the parameters alone.
    const named = new ICAL.Property(ICAL.parse.property(`${head}:20000101T000000`)).getParameter('tzid');
    const tzid = z ? 'UTC' : [named].flat()[0];
    const date = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
    const time = clock && `T${clock.slice(0, 2)}:${clock.slice(2, 4)}:${clock.slice(4)}`;
    return { local: Temporal.PlainDateTime.from(date + time), isDate: !clock, tzid };
  } catch {
    return null;
  }
}

/** DTSTART with DTEND or DURATION, checked against the zones of the file. */
export type When = { start: Moment; end: Moment | null; duration: ICAL.Duration | null };

/** Dates, or a date and a length of whole days. */
export const isAllDay = ({ start, end, duration }: When): boolean =>
  start.isDate && (end ? end.isDate : !duration || isWholeDays(duration));

/**
 * Dates begin at the start of the day in the zone of the event; floating times are in X-WR-TIMEZONE, or without it in the
 * zone of the event. Without DTEND and DURATION an entry with a date takes that day, as RFC 5545 says, and any other one
 * takes an hour, because an event needs a length.
 * @param timezone of the event
 * @throws Error that says what is wrong
 */
export function readTimes({ start, end, duration }: When, timezone: string, calendar: Calendar): Times {
  const instant = (moment: Moment) => toInstant(moment, timezone, calendar);
  const after = (days: number) => instant({ ...start, local: start.local.add({ days }) });
  const startAt = instant(start);
  let endAt = end ? instant(end) : null;
  // One day all day is often written with both dates alike.
  if (start.isDate && (endAt === startAt || (!end && !duration))) endAt = after(1);
  if (endAt === null && duration) endAt = afterDuration(start, duration, after);
  endAt ??= startAt + hourMs;
  if (!isStorable(startAt) || !isStorable(endAt)) throw new Error('is not within the years 1900 to 9999');
  if (endAt <= startAt) throw new Error(`${end ? 'DTEND' : 'its end by DURATION'} is not after DTSTART`);
  return { startAt: new Date(startAt), endAt: new Date(endAt) };
}

const isStorable = (at: number): boolean => parseTimestamp(new Date(at).toISOString()) !== null;

const daySeconds = 86_400;
const isWholeDays = (duration: ICAL.Duration): boolean => duration.toSeconds() % daySeconds === 0;

/** Weeks and days are by the calendar, hours and less by the clock; after a date, 24 hours are a day as well. */
function afterDuration(start: Moment, duration: ICAL.Duration, after: (days: number) => number): number {
  if (start.isDate && isWholeDays(duration)) return after(duration.toSeconds() / daySeconds);
  const sign = duration.isNegative ? -1 : 1;
  const days = sign * (duration.weeks * 7 + duration.days);
  const hours = duration.hours + duration.minutes / 60 + duration.seconds / 3600;
  return after(days) + sign * hours * hourMs;
}

/** Milliseconds since 1970. @throws Error for an unknown zone */
function toInstant({ local, isDate, tzid }: Moment, timezone: string, calendar: Calendar): number {
  if (isDate) return startOfDate(local.toPlainDate(), timezone).getTime();
  const name = tzid === undefined ? (calendar.zone ?? timezone) : ianaName(tzid);
  if (name) return local.toZonedDateTime(name).epochMilliseconds;
  const zone = calendar.zones.get(tzid ?? '');
  if (!zone) throw new Error(`its time zone ${tzid} is unknown, and the file does not describe it`);
  const { year, month, day, hour, minute, second } = local;
  return new ICAL.Time({ year, month, day, hour, minute, second, isDate: false }, zone).toUnixTime() * 1000;
}

/**
 * The IANA zone that a TZID means, also at the end of a longer name (/example.org/Europe/Oslo). Such a zone is taken as
 * this machine knows it: the file's own description of it is often of one year alone.
 */
function ianaName(tzid: string): string | null {
  const parts = tzid.split('/');
  const names = parts.map((_, from) => parts.slice(from).join('/'));
  // The last part alone could be anything; only a zone that is one word from the start counts.
  return names.find((name) => (name === tzid || name.includes('/')) && isTimeZone(name)) ?? null;
}

/**
 * The zone that an entry names for its event. Null for dates, for floating times, for a zone that only the file knows,
 * and for UTC, in which programs write moments of any place: the zone is then that of the place.
 */
export function namedZone(when: When, calendar: Calendar): string | null {
  const { tzid } = when.start;
  if (when.start.isDate) return null;
  const name = tzid === undefined ? calendar.zone : ianaName(tzid);
  return name !== null && isUtc(name) ? null : name;
}
