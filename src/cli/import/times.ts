/** When an entry is: DTSTART with DTEND or DURATION, in whatever way RFC 5545 lets them be written. */
import ICAL from 'ical.js';
import { isTimeZone } from '../../http/validation.ts';
import { parseTimestamp } from '../../lib/time.ts';
import type { Calendar } from './calendar.ts';

export type Times = { startAt: Date; endAt: Date; timezone: string };
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

/**
 * Without DTEND and DURATION an all-day entry takes its day, as the RFC has it, and any other one an hour: the RFC's
 * length of nothing is no event.
 * @throws Error that says what is wrong
 */
export function readTimes(
  start: Moment,
  end: Moment | null,
  duration: ICAL.Duration | null,
  calendar: Calendar,
): Times {
  const startAt = toInstant(start, calendar);
  const endAt = end ? toInstant(end, calendar) : afterDuration(start, duration, calendar);
  // One day all day is often written with both dates alike.
  if (start.isDate && end && endAt === startAt)
    return times(start, startAt, nextDay(start, calendar), calendar);
  if (!isStorable(startAt) || !isStorable(endAt)) throw new Error('is not within the years 1900 to 9999');
  if (endAt <= startAt) throw new Error(`${end ? 'DTEND' : 'its end by DURATION'} is not after DTSTART`);
  return times(start, startAt, endAt, calendar);
}

const isStorable = (at: number): boolean => parseTimestamp(new Date(at).toISOString()) !== null;

const times = (start: Moment, startAt: number, endAt: number, calendar: Calendar): Times => ({
  startAt: new Date(startAt),
  endAt: new Date(endAt),
  timezone: zoneName(start, calendar),
});

const nextDay = (start: Moment, calendar: Calendar): number =>
  toInstant({ ...start, local: start.local.add({ days: 1 }) }, calendar);

/** Weeks and days are by the calendar, hours and less by the clock. */
function afterDuration(start: Moment, duration: ICAL.Duration | null, calendar: Calendar): number {
  if (!duration) return start.isDate ? nextDay(start, calendar) : toInstant(start, calendar) + hourMs;
  const sign = duration.isNegative ? -1 : 1;
  const days = sign * (duration.weeks * 7 + duration.days);
  const hours = duration.hours + duration.minutes / 60 + duration.seconds / 3600;
  return toInstant({ ...start, local: start.local.add({ days }) }, calendar) + sign * hours * hourMs;
}

/** Milliseconds since 1970. @throws Error for a zone that nobody knows */
function toInstant({ local, tzid }: Moment, calendar: Calendar): number {
  const name = ianaName(tzid ?? calendar.zone);
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

/** What the event's own times are shown in. */
function zoneName({ tzid }: Moment, calendar: Calendar): string {
  return ianaName(tzid ?? calendar.zone) ?? 'UTC';
}
