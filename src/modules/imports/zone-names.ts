/** The time zones that names in calendars stand for: those of the IANA database, of Windows, and offsets from UTC. */
import { findIana, type WindowsZoneName } from 'windows-iana';
import { isTimeZone, isUtc, spellZone } from '../../lib/time-zones.ts';
import { isSameTime } from '../places/address/zone-fit.ts';
import type { OwnZone } from './zone-rules.ts';

/** What a name stands for. `names`: the likeliest first; several for a name of Windows, which covers countries. */
export type KnownZone = { kind: 'named'; names: string[] } | { kind: 'offset'; minutes: number };
/** `own`: a zone that the file defines. */
export type Zone = KnownZone | { kind: 'own'; zone: OwnZone };

const maxNameLength = 200;
const known = new Map<string, KnownZone | null>();
const maxKnown = 1_000;

/** @returns null for a name that nothing but the file itself can define */
export function findZone(tzid: string): KnownZone | null {
  const name = tzid.slice(0, maxNameLength).trim().replace(/^"|"$/g, '');
  if (known.size > maxKnown) known.clear();
  return known.getOrInsertComputed(name, () => {
    const iana = ianaName(name);
    if (iana !== null) return { kind: 'named', names: [spellZone(iana)] };
    const windows = findIana(name as WindowsZoneName).filter(isTimeZone);
    if (windows.length > 0) return { kind: 'named', names: [...windows] };
    return readDisplayName(name) ?? readOffset(name);
  });
}

/**
 * Returns the IANA zone of a TZID, also from the end of a longer name (/example.org/Europe/Oslo), or null.
 * The rules of the IANA database replace the VTIMEZONE of the file, which often covers a single year.
 */
function ianaName(tzid: string): string | null {
  const parts = tzid.replaceAll(' ', '_').split('/', 10);
  const names = parts.map((_, from) => parts.slice(from).join('/'));
  // A last part without a slash could be any word. A zone of one word must be the whole TZID.
  return names.find((name) => (name === tzid || name.includes('/')) && isTimeZone(name)) ?? null;
}

/** Names of Windows for the time of regions, which have no city in them. */
const regions: Record<string, string> = {
  'eastern time': 'Eastern Standard Time',
  'central time': 'Central Standard Time',
  'mountain time': 'Mountain Standard Time',
  'pacific time': 'Pacific Standard Time',
  'atlantic time': 'Atlantic Standard Time',
  arizona: 'US Mountain Standard Time',
  alaska: 'Alaskan Standard Time',
  hawaii: 'Hawaiian Standard Time',
  'greenwich mean time': 'GMT Standard Time',
};

const cities = new Map(
  Intl.supportedValuesOf('timeZone')
    .filter((name) => name.includes('/'))
    .map((name) => [
      name
        .slice(name.lastIndexOf('/') + 1)
        .replaceAll('_', ' ')
        .toLowerCase(),
      name,
    ]),
);

/** Such as "(UTC-05:00) Eastern Time (US & Canada)" and "(GMT+01:00) Amsterdam, Berlin, Bern". */
function readDisplayName(name: string): KnownZone | null {
  const [, offset = '', words = ''] = /^\((?:UTC|GMT)?([^()]*)\)\s*(.*)$/i.exec(name) ?? [];
  if (words === '') return null;
  const minutes = minutesOf(offset) ?? 0;
  const [region] = Object.entries(regions).filter(([start]) => words.toLowerCase().startsWith(start));
  const found = region ? findIana(region[1] as WindowsZoneName, '001') : [];
  const named = words.split(/,|\//, 10).flatMap((word) => cities.get(word.trim().toLowerCase()) ?? []);
  const names = [...found, ...named].filter((zone) => isTimeZone(zone) && standardMinutes(zone) === minutes);
  const [first] = names;
  if (!first) return { kind: 'offset', minutes };
  return { kind: 'named', names: [...new Set(names)].filter((zone) => isSameTime(zone, first)) };
}

/** East of UTC, without daylight saving time. */
const standardMinutes = (zone: string): number =>
  Math.min(
    ...['2027-01-15T12:00:00Z', '2027-07-15T12:00:00Z'].map(
      (at) => Temporal.Instant.from(at).toZonedDateTimeISO(zone).offsetNanoseconds / 60e9,
    ),
  );

/** Such as GMT+0200, UTC+2 and +02:00. */
function readOffset(name: string): KnownZone | null {
  const [, text] = /^(?:UTC|GMT|Z)?\s?([+-]\d{1,2}:?(?:\d{2})?)$/i.exec(name) ?? [];
  const minutes = text === undefined ? null : minutesOf(text);
  return minutes === null ? null : { kind: 'offset', minutes };
}

export function minutesOf(offset: string): number | null {
  const [, sign, hours, minutes = '0'] = /^([+-−])(\d{1,2}):?(\d{2})?$/.exec(offset.trim()) ?? [];
  if (!sign || Number(hours) > 15) return null;
  return (sign === '+' ? 1 : -1) * (Number(hours) * 60 + Number(minutes));
}

/** The zone that says where an event is: with the name of a place in it, and not UTC, which programs use everywhere. */
export const placeZones = (zone: Zone | null): string[] =>
  zone?.kind === 'named'
    ? zone.names.filter((name) => name.includes('/') && !name.startsWith('Etc/') && !isUtc(name))
    : [];
