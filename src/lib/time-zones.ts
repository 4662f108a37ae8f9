/** Time zones: valid names, the zone of a place, and the local days of a zone. */
import lookUpZone from '@photostructure/tz-lookup';
import { dayMs } from '#base';
import type { Coordinates } from '#record-index';

/**
 * Returns true for the name of a zone and for aliases such as `US/Pacific`. Offsets such as +02:00 are not names, although
 * Temporal accepts them. Temporal decides, because it computes the dates: Intl accepts abbreviations such as `PST`, which
 * Temporal does not, and takes 80 µs for an alias, against 2 µs.
 */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && Boolean(new Temporal.ZonedDateTime(0n, name));
  } catch {
    return false;
  }
}

/**
 * Returns the name in the spelling of the IANA database: `Europe/Berlin` for `europe/berlin`. An alias stays an alias, and
 * a name that this version of Node.js does not know does not change.
 */
export const spellZone = (name: string): string =>
  isTimeZone(name) ? new Temporal.ZonedDateTime(0n, name).timeZoneId : name;

export const isUtc = (timezone: string): boolean => /^(Etc\/)?(UTC|UCT|Universal|Zulu)$/i.test(timezone);

/** Returns the zone, or `UTC` if this version of Node.js does not know it: versions add and remove zones. */
export const knownZone = (name: string): string => (isTimeZone(name) ? name : 'UTC');

/** Returns the zone of a place from an offline map; at sea, one of the nautical zones `Etc/GMT±n`. */
export const timeZoneAt = ({ lat, lng }: Coordinates): string => knownZone(lookUpZone(lat, lng));

/**
 * Returns the zone of an event after a change of its place. If the zone equals that of the old place, it
 * becomes that of the new place; a zone that the organizer chose does not change.
 */
export const zoneAfterMove = (before: Coordinates & { timezone: string }, place: Coordinates): string =>
  spellZone(before.timezone) === timeZoneAt(before) ? timeZoneAt(place) : before.timezone;

/** Returns the date and the time of an instant in a zone. */
export const timeIn = (at: Date, timezone: string): Temporal.ZonedDateTime =>
  at.toTemporalInstant().toZonedDateTimeISO(knownZone(timezone));

/** Returns the calendar date of an instant in a zone. */
export const dateIn = (at: Date, timezone: string): Temporal.PlainDate => timeIn(at, timezone).toPlainDate();

/** Returns the number of a calendar date: that of days since 1970-01-01. */
export const dayNumber = (date: Temporal.PlainDate): number =>
  date.toZonedDateTime('UTC').epochMilliseconds / dayMs;

/**
 * Returns the first instant of a date in a zone: midnight, or the end of a clock change that skips midnight.
 */
export const startOfDate = (date: Temporal.PlainDate, timezone: string): Date =>
  new Date(date.toZonedDateTime(knownZone(timezone)).epochMilliseconds);

export const isStartOfDay = (at: Date, timezone: string): boolean =>
  startOfDate(dateIn(at, timezone), timezone).getTime() === at.getTime();

/**
 * Returns the instant that is as much later than `start` on the clocks of a zone as `to` is later than `from`. In the hour that
 * repeats when clocks are set back, that is the first such instant after `start`; without one, the elapsed time decides.
 */
export function sameClockLater(from: Date, to: Date, start: Date, timezone: string): Date {
  const clock = (at: Date) => timeIn(at, timezone).toPlainDateTime();
  const end = clock(start).add(clock(from).until(clock(to)));
  const found = (['compatible', 'later'] as const)
    .map((disambiguation) => end.toZonedDateTime(knownZone(timezone), { disambiguation }).epochMilliseconds)
    .find((ms) => ms > start.getTime());
  return new Date(found ?? start.getTime() + to.getTime() - from.getTime());
}
