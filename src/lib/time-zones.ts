/** Time zones: valid names, the zone of a place, and the local days of a zone. */
import lookUpZone from '@photostructure/tz-lookup';

/** Whether Intl on this machine knows the name. Offsets such as +02:00 are not names, although Intl accepts them. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

export const isUtc = (timezone: string): boolean => /^(Etc\/)?(UTC|UCT|Universal|Zulu)$/i.test(timezone);

/** Zones are added and removed by versions of Node.js. A stored zone that this one does not know is read as UTC. */
export const knownZone = (name: string): string => (isTimeZone(name) ? name : 'UTC');

export type Place = { lat: number; lng: number };

/** The zone of a place, from an offline map. At sea it is one of the nautical zones `Etc/GMT±n`. */
export const timeZoneAt = ({ lat, lng }: Place): string => knownZone(lookUpZone(lat, lng));

/**
 * The zone of an event after it moves to another place. A zone that equals the one derived from the old place is
 * derived again; any other zone was chosen, and stays.
 */
export const zoneAfterMove = (before: Place & { timezone: string }, place: Place): string =>
  before.timezone === timeZoneAt(before) ? timeZoneAt(place) : before.timezone;

/** The calendar date of a moment in a zone. */
export const dateIn = (at: Date, timezone: string): Temporal.PlainDate =>
  at.toTemporalInstant().toZonedDateTimeISO(knownZone(timezone)).toPlainDate();

/** The first instant of a date in a zone: midnight, or the end of a clock change that skips midnight. */
export const startOfDate = (date: Temporal.PlainDate, timezone: string): Date =>
  new Date(date.toZonedDateTime(knownZone(timezone)).epochMilliseconds);

export const isStartOfDay = (at: Date, timezone: string): boolean =>
  startOfDate(dateIn(at, timezone), timezone).getTime() === at.getTime();
