/** Reads DTSTART, DTEND and DURATION of an entry (RFC 5545). */
import ICAL from 'ical.js';
import { hourMs, parseTimestamp } from '../../lib/time.ts';
import { isUtc, startOfDate } from '../../lib/time-zones.ts';
import { daysOf, maxDays } from '../../modules/events/event-length.ts';
import type { Calendar } from './parse-calendar.ts';
import { ianaName } from './zone-rules.ts';

export type EventTimes = { startAt: Date; endAt: Date };
/** The value of a DATE-TIME or DATE property. */
export type EntryTime = {
  local: Temporal.PlainDateTime;
  /** A DATE without a time of day; `local` is midnight then. */
  isDate: boolean;
  /** The name of the time zone in the file, or UTC. Undefined for a floating time. */
  tzid: string | undefined;
};

/**
 * Parses stricter than ical.js, which accepts the 32nd of a month and ignores offsets.
 * @param line the whole property
 * @returns null for an invalid value
 */
export function parseEntryTime(line: string): EntryTime | null {
  const [, head = '', day = '', clock = '', z = ''] =
    /^(.*):(\d{8})(?:T(\d{6})(Z?))?$/.exec(line.trimEnd()) ?? [];
  if (!day) return null;
  try {
    // Any valid value works here, because ical.js only parses the parameters.
    const tzidParameter = new ICAL.Property(ICAL.parse.property(`${head}:20000101T000000`)).getParameter(
      'tzid',
    );
    const tzid = z ? 'UTC' : [tzidParameter].flat()[0];
    const date = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
    const time = clock && `T${clock.slice(0, 2)}:${clock.slice(2, 4)}:${clock.slice(4)}`;
    return { local: Temporal.PlainDateTime.from(date + time), isDate: !clock, tzid };
  } catch {
    return null;
  }
}

/** DTSTART with DTEND or DURATION, as parsed. */
export type EntryPeriod = { start: EntryTime; end: EntryTime | null; duration: ICAL.Duration | null };

/** Whether the entry has only dates, or a date and a duration of whole days. */
export const isAllDay = ({ start, end, duration }: EntryPeriod): boolean =>
  start.isDate && (end ? end.isDate : !duration || isWholeDays(duration));

/**
 * Converts a period to times of an event. A date begins at the start of the day in the zone of the event. A
 * floating time is in X-WR-TIMEZONE, or else in the zone of the event. Without DTEND and DURATION, a date
 * lasts one day (RFC 5545) and a time lasts one hour, because an event needs an end.
 * @param timezone the IANA zone of the event
 * @throws Error with the reason, for the import report
 */
export function toEventTimes(period: EntryPeriod, timezone: string, calendar: Calendar): EventTimes {
  const { start, end, duration } = period;
  const instant = (time: EntryTime) => toInstant(time, timezone, calendar);
  const after = (days: number) => instant({ ...start, local: start.local.add({ days }) });
  const startAt = instant(start);
  let endAt = end ? instant(end) : null;
  // Some programs write a single day with DTEND equal to DTSTART.
  if (start.isDate && (endAt === startAt || (!end && !duration))) endAt = after(1);
  if (endAt === null && duration) endAt = afterDuration(start, duration, after);
  endAt ??= startAt + hourMs;
  if (!isStorable(startAt) || !isStorable(endAt)) throw new Error('is not within the years 1900 to 9999');
  if (endAt <= startAt) throw new Error(`${end ? 'DTEND' : 'its end by DURATION'} is not after DTSTART`);
  const times = { startAt: new Date(startAt), endAt: new Date(endAt) };
  if (daysOf({ ...times, allDay: isAllDay(period), timezone }) > maxDays)
    throw new Error(`lasts more than ${maxDays} days`);
  return times;
}

const isStorable = (at: number): boolean => parseTimestamp(new Date(at).toISOString()) !== null;

const daySeconds = 86_400;
const isWholeDays = (duration: ICAL.Duration): boolean => duration.toSeconds() % daySeconds === 0;

/**
 * Adds weeks and days in local time, and hours, minutes and seconds in elapsed time. After a date, 24 hours
 * are a day.
 */
function afterDuration(start: EntryTime, duration: ICAL.Duration, after: (days: number) => number): number {
  if (start.isDate && isWholeDays(duration)) return after(duration.toSeconds() / daySeconds);
  const sign = duration.isNegative ? -1 : 1;
  const days = sign * (duration.weeks * 7 + duration.days);
  const hours = duration.hours + duration.minutes / 60 + duration.seconds / 3600;
  return after(days) + sign * hours * hourMs;
}

/** Returns milliseconds since 1970. @throws Error for an unknown time zone */
function toInstant({ local, isDate, tzid }: EntryTime, timezone: string, calendar: Calendar): number {
  if (isDate) return startOfDate(local.toPlainDate(), timezone).getTime();
  const name = tzid === undefined ? (calendar.zone ?? timezone) : ianaName(tzid);
  if (name) return local.toZonedDateTime(name).epochMilliseconds;
  const zone = calendar.zones.get(tzid ?? '');
  if (!zone) throw new Error(`its time zone ${tzid} is unknown, and the file does not describe it`);
  return zone.toInstant(local);
}

/**
 * Returns the IANA zone that the entry names. Returns null for dates, for floating times without
 * X-WR-TIMEZONE, for zones that only the file defines, and for UTC, which programs also use for events in
 * other zones.
 */
export function namedZone(period: EntryPeriod, calendar: Calendar): string | null {
  const { tzid } = period.start;
  if (period.start.isDate) return null;
  const name = tzid === undefined ? calendar.zone : ianaName(tzid);
  return name !== null && isUtc(name) ? null : name;
}
