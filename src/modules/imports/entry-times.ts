/** Reads DTSTART, DTEND and DURATION of an entry (RFC 5545), also as programs write them that do not follow it. */
import { dayMs, hourMs, parseTimestamp } from '#base';
import { shorten } from '../../lib/text.ts';
import { startOfDate } from '../../lib/time-zones.ts';
import { daysOf, maxDays } from '../events/event-length.ts';
import type { Property } from './content-line.ts';
import { type Calendar, zoneOf } from './parse-calendar.ts';
import { minutesOf, placeZones } from './zone-names.ts';

export type EventTimes = { startAt: Date; endAt: Date };
/** The value of a DATE-TIME or DATE property. */
export type EntryTime = {
  local: Temporal.PlainDateTime;
  /** A DATE without a time of day; `local` is midnight then. */
  isDate: boolean;
  /** The name of the time zone in the file, or UTC. Undefined for a floating time. */
  tzid: string | undefined;
  /** Whether the value is not written as RFC 5545 has it. */
  isMended: boolean;
};

const pattern =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d\d:?\d\d)?)?$/i;
const exact = /^\d{8}(?:T\d{6}Z?)?$/;

/** @returns null for a value that is no date or time */
export function parseEntryTime({
  value,
  parameters,
}: Pick<Property, 'value' | 'parameters'>): EntryTime | null {
  const text = value.trim();
  const [, year, month, day, hours, minutes = '00', seconds = '00', offset = ''] =
    (text.length <= 40 && pattern.exec(text)) || [];
  if (!year) return null;
  try {
    const date = Temporal.PlainDate.from(`${year}-${month}-${day}`);
    const isDate = hours === undefined || parameters.get('VALUE')?.toUpperCase() === 'DATE';
    const isEndOfDay = hours === '24' && minutes === '00' && seconds === '00';
    const time = isDate || isEndOfDay ? '00:00:00' : `${hours}:${minutes}:${seconds}`;
    const local = date
      .add({ days: isEndOfDay && !isDate ? 1 : 0 })
      .toPlainDateTime(Temporal.PlainTime.from(time));
    const east = offset === '' || /z/i.test(offset) ? 0 : minutesOf(offset);
    if (east === null) return null;
    return {
      local: isDate ? local : local.subtract({ minutes: east }),
      isDate,
      tzid: offset === '' ? parameters.get('TZID') || undefined : 'UTC',
      isMended: !exact.test(text) || isEndOfDay,
    };
  } catch {
    return null;
  }
}

/** DTSTART with DTEND or DURATION, as parsed. */
export type EntryPeriod = { start: EntryTime; end: EntryTime | null; duration: Temporal.Duration | null };

/** Reads a DURATION, also without P and T. @returns null for a value that is no duration */
export function parseDuration(value: string): Temporal.Duration | null {
  const text = value.trim().toUpperCase();
  if (!/^[+-]?P?(?:\d{1,6}[WDHMS]|T)+$/.test(text) || text.length > 40) return null;
  const of = (unit: string) => Number(new RegExp(`(\\d+)${unit}`).exec(text)?.[1] ?? 0);
  const duration = Temporal.Duration.from({
    days: of('W') * 7 + of('D'),
    hours: of('H'),
    minutes: of('M'),
    seconds: of('S'),
  });
  return text.startsWith('-') ? duration.negated() : duration;
}

const isWholeDays = ({ hours, minutes, seconds }: Temporal.Duration): boolean =>
  hours % 24 === 0 && minutes === 0 && seconds === 0;

/** Whether the entry has only dates, or a date and a duration of whole days. */
export const isAllDay = ({ start, end, duration }: EntryPeriod): boolean =>
  start.isDate && (end ? end.isDate : !duration || isWholeDays(duration));

/** The times of an event, and what was changed to make an event of them. */
export type ReadTimes = EventTimes & { mended: string[] };

/**
 * Converts a period to times of an event. A date begins at the start of the day in the zone of the event. A
 * floating time is in X-WR-TIMEZONE, or else in the zone of the event. Without an end, or with one that is not after the
 * start, a date lasts one day (RFC 5545) and a time lasts one hour, because an event needs an end.
 * @param timezone the IANA zone of the event
 * @throws Error with the reason, for the import report
 */
export function toEventTimes(period: EntryPeriod, timezone: string, calendar: Calendar): ReadTimes {
  const { start, end, duration } = period;
  const mended: string[] = [];
  const instant = (time: EntryTime) => toInstant(time, timezone, calendar);
  const after = (days: number) => instant({ ...start, local: start.local.add({ days }) });
  const startAt = instant(start);
  if (!isStorable(startAt)) throw new Error('is not within the years 1900 to 9999');
  let endAt = end ? instant(end) : duration ? afterDuration(start, duration, after) : startAt;
  const nextDay = end && instant({ ...end, local: end.local.add({ days: 1 }) });
  if (endAt < startAt && nextDay !== null && isSameDay(start, end) && nextDay - startAt <= maxNightMs) {
    endAt = nextDay;
    mended.push('ends before it starts; its end is on the next day');
  } else if (endAt < startAt) {
    endAt = startAt;
    mended.push(`ends before it starts; it lasts ${start.isDate ? 'one day' : 'one hour'}`);
  }
  if (endAt === startAt) endAt = start.isDate ? after(1) : startAt + hourMs;
  const isTooLong = (at: number) =>
    daysOf({ startAt: new Date(startAt), endAt: new Date(at), allDay: isAllDay(period), timezone }) > maxDays;
  if (!isStorable(endAt) || isTooLong(endAt)) {
    endAt = start.isDate ? after(maxDays) : startAt + maxDays * dayMs;
    mended.push(`lasts more than ${maxDays} days; its end is after so many`);
  }
  if (!isStorable(endAt)) throw new Error('is not within the years 1900 to 9999');
  // The zone may skip a date.
  if (endAt <= startAt) throw new Error('the end is not after DTSTART');
  return { startAt: new Date(startAt), endAt: new Date(endAt), mended };
}

/** From 22:00 to 02:00 of the same date is one night, if it is not longer than this. */
const maxNightMs = 12 * hourMs;

const isSameDay = (start: EntryTime, end: EntryTime | null): boolean =>
  end !== null && !start.isDate && !end.isDate && start.local.toPlainDate().equals(end.local.toPlainDate());

const isStorable = (at: number): boolean =>
  Math.abs(at) < 8.64e15 && parseTimestamp(new Date(at).toISOString()) !== null;

/**
 * Adds weeks and days in local time, and hours, minutes and seconds in elapsed time. After a date, 24 hours
 * are a day.
 */
function afterDuration(
  start: EntryTime,
  duration: Temporal.Duration,
  after: (days: number) => number,
): number {
  const { days, hours, minutes, seconds } = duration;
  if (start.isDate && isWholeDays(duration)) return after(days + hours / 24);
  return after(days) + (hours + minutes / 60 + seconds / 3600) * hourMs;
}

/** Returns milliseconds since 1970. A time in an unknown zone is one of the event's zone. */
export function toInstant({ local, isDate, tzid }: EntryTime, timezone: string, calendar: Calendar): number {
  if (isDate) return startOfDate(local.toPlainDate(), timezone).getTime();
  const zone = tzid === undefined ? null : zoneOf(tzid, calendar);
  if (zone?.kind === 'own') return zone.zone.toInstant(local);
  if (zone?.kind === 'offset')
    return local.toZonedDateTime('UTC').subtract({ minutes: zone.minutes }).epochMilliseconds;
  const name = zone?.names[0] ?? calendar.zone ?? timezone;
  return local.toZonedDateTime(name).epochMilliseconds;
}

/** Whether the zone of a time is neither known nor defined by the file. */
export const hasUnknownZone = ({ tzid, isDate }: EntryTime, calendar: Calendar): boolean =>
  !isDate && tzid !== undefined && zoneOf(tzid, calendar) === null;

export function noteUnknownZone({ start }: EntryPeriod, calendar: Calendar, notes: string[]): void {
  if (hasUnknownZone(start, calendar))
    notes.push(`its time zone ${shorten(start.tzid ?? '', 60)} is unknown; its times are those of its place`);
}

/**
 * The zones that the entry names as those of its place, the likeliest first: the zone of a time, or X-WR-TIMEZONE for a
 * date, a floating time, a time in UTC, and one in a zone without a place.
 */
export function zonesOf({ start }: EntryPeriod, calendar: Calendar): string[] {
  const named = start.isDate || start.tzid === undefined ? [] : placeZones(zoneOf(start.tzid, calendar));
  if (named.length > 0) return named;
  return calendar.zone === null ? [] : placeZones({ kind: 'named', names: [calendar.zone] });
}

/**
 * The zone that the times of the entry are in; null for dates, for floating times without X-WR-TIMEZONE, for zones that
 * only the file defines, for offsets, for UTC, and for a name that stands for several zones.
 */
export function namedZone({ start }: EntryPeriod, calendar: Calendar): string | null {
  if (start.isDate) return null;
  const zone = start.tzid === undefined ? null : zoneOf(start.tzid, calendar);
  if (start.tzid === undefined)
    return calendar.zone === null ? null : (placeZones({ kind: 'named', names: [calendar.zone] })[0] ?? null);
  const names = placeZones(zone);
  return names.length === 1 ? (names[0] ?? null) : null;
}
