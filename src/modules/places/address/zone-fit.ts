/** Whether a place keeps the time of a zone. */
import type { Coordinates } from '#record-index';
import { timeZoneAt } from '../../../lib/time-zones.ts';

/** The zones that the name of one stands for: several for a name of Windows, which covers countries. */
export type ZoneHint = { names: string[] };

/** In a winter and in a summer of either hemisphere. */
const instants = ['2027-01-15T12:00:00Z', '2027-07-15T12:00:00Z'].map((text) => Temporal.Instant.from(text));
const offsets = new Map<string, string>();

const offsetsOf = (zone: string): string =>
  offsets.getOrInsertComputed(zone, () =>
    instants.map((at) => at.toZonedDateTimeISO(zone).offsetNanoseconds).join(' '),
  );

/** Whether clocks show the same in both zones, in winter and in summer. */
export const isSameTime = (a: string, b: string): boolean => offsetsOf(a) === offsetsOf(b);

/** Whether two names are names of one zone. */
const isSameZone = (a: string, b: string): boolean =>
  a === b || new Temporal.ZonedDateTime(0n, a).equals(new Temporal.ZonedDateTime(0n, b));

/** 2: the place is in the zone. 1: its clocks show the same time. 0: they do not. */
export function fitOf(place: Coordinates, { names }: ZoneHint): 0 | 1 | 2 {
  const zone = timeZoneAt(place);
  if (names.some((name) => isSameZone(zone, name))) return 2;
  return names.some((name) => isSameTime(zone, name)) ? 1 : 0;
}
