/** Finds where the events of a calendar are: by GEO, by LOCATION, by the other events, or at a default place. */
import { mapInTurns } from '#base';
import { type Coordinates, distanceKm } from '#record-index';
import { timeZoneAt } from '../../lib/time-zones.ts';
import type { AddressFinder, FoundAddress } from '../places/address/find-address.ts';
import { fitOf } from '../places/address/zone-fit.ts';
import type { Gazetteer, NamedPlace } from '../places/gazetteer.ts';
import type { ChosenEntry } from './choose-dates.ts';

/** A place and the address of events that have none. */
export type DefaultPlace = Coordinates & { name: string };

/** Coordinates with the name of the nearest town. */
export const namedPlace = ({ lat, lng }: Coordinates, gazetteer: Gazetteer): DefaultPlace => ({
  ...{ lat, lng },
  name: gazetteer.nearest({ lat, lng })?.name ?? `${lat}, ${lng}`,
});

export type EntryPlace = Coordinates & {
  /** `geo`: exact. `name`: by LOCATION. `default`: the default place. `none`: only the zone says where. */
  by: 'geo' | 'name' | 'default' | 'none';
  /** Of an event without LOCATION. */
  address: string;
  /** Why nothing says where the event is; empty unless `by` is `none`. */
  reason: string;
  /** The name of the town at the coordinates. */
  town: string;
  /** Of a default place, where it comes from. */
  from: 'option' | 'calendar' | 'organizer' | null;
  /** Whether places of the same name are in other countries, and nothing but their size tells which one is meant. */
  isCountryGuessed: boolean;
  /** Of a default place, whether the text is the name of a town elsewhere. */
  namesOther: boolean;
};
export type Placing = {
  finder: AddressFinder;
  gazetteer: Gazetteer;
  /** The default place that the command names. */
  given: DefaultPlace | null;
  /** Where the organizer's last event is, or the organizer's own town. */
  own: DefaultPlace | null;
};
export type PlacedEntries = {
  placeOf: Map<ChosenEntry, EntryPlace>;
  default: { place: DefaultPlace; from: 'option' | 'calendar' | 'organizer' } | null;
};

/** The calendar has a place if so many of its events are so near to each other. One event decides between namesakes. */
const [minShare, minEvents, homeKm] = [0.6, 2, 50];

export async function placeEntries(entries: ChosenEntry[], placing: Placing): Promise<PlacedEntries> {
  const { finder, given, own } = placing;
  const found = new Map<ChosenEntry, FoundAddress>();
  const find = (near: Coordinates | null, isOpen: (entry: ChosenEntry) => boolean) =>
    mapInTurns(entries.filter(isOpen), (entry) => {
      const zone = entry.zones.length > 0 ? { names: entry.zones } : null;
      found.set(entry, finder.find(entry.lines, { zone, near }));
    });
  await find(given, ({ geo, lines }) => !geo && lines !== '');
  const known = entries.flatMap((entry) => entry.geo ?? found.get(entry)?.place ?? []);
  const near = given ?? homeOf(known, 1);
  // Namesakes of which one is near to the others.
  if (near) await find(near, (entry) => found.get(entry)?.place === null);
  const home = given ? null : homeOf(known, minEvents);
  const fallback = defaultOf(given, home && namedPlace(home, placing.gazetteer), own);
  const towns = new Map<string, DefaultPlace>();
  const usual = usualZone(entries);
  const townOf = (zone = usual) =>
    towns.getOrInsertComputed(zone, () => townOfZone(zone, placing.gazetteer) ?? greenwich);
  const placeOf = new Map(
    await mapInTurns(
      entries,
      (entry) => [entry, placeOfEntry(entry, found.get(entry), fallback, { townOf, near, placing })] as const,
    ),
  );
  return { placeOf, default: fallback };
}

function defaultOf(
  given: DefaultPlace | null,
  home: DefaultPlace | null,
  own: DefaultPlace | null,
): PlacedEntries['default'] {
  if (given) return { place: given, from: 'option' };
  if (home) return { place: home, from: 'calendar' };
  return own ? { place: own, from: 'organizer' } : null;
}

/** The middle of the places, if most of them are near to it. */
function homeOf(places: Coordinates[], least: number): Coordinates | null {
  if (places.length < least) return null;
  const median = (of: (place: Coordinates) => number) =>
    places.map(of).toSorted((a, b) => a - b)[Math.floor(places.length / 2)] ?? 0;
  const middle = { lat: median(({ lat }) => lat), lng: median(({ lng }) => lng) };
  const near = places.filter((place) => distanceKm(place, middle) <= homeKm);
  if (near.length < least || near.length < minShare * places.length) return null;
  return near.reduce((a, b) => (distanceKm(b, middle) < distanceKm(a, middle) ? b : a));
}

function placeOfEntry(
  { geo, zones, address }: ChosenEntry,
  found: FoundAddress | undefined,
  fallback: PlacedEntries['default'],
  { townOf, near, placing }: TownSources,
): EntryPlace {
  const rest = { reason: '', from: null, isCountryGuessed: false, namesOther: false };
  if (geo) return { ...geo, by: 'geo', address: `${geo.lat}, ${geo.lng}`, town: '', ...rest };
  if (found?.place) {
    const isCountryGuessed =
      zones.length === 0 && near === null && hasNamesakesAbroad(found, address, placing);
    return { ...at(found.place), by: 'name', address, ...rest, town: found.place.name, isCountryGuessed };
  }
  const candidates = found?.place === null ? found.candidates : [];
  const place = fallback?.place ?? null;
  const isInZone = place !== null && (zones.length === 0 || fitOf(place, { names: zones }) > 0);
  const isPossible = place !== null && (fallback?.from === 'option' || isInZone);
  // A default place that was found and lies in another zone is not the place of the event. A town in the text is not the default place.
  if (candidates.length === 0 && isPossible)
    return {
      ...at(place),
      ...{ by: 'default', address: place.name, ...rest, town: place.name, from: fallback?.from ?? null },
      namesOther: fallback?.from !== 'option' && placing.gazetteer.named(address).length > 0,
    };
  const reason = reasonFor(address, candidates, place !== null && !isPossible ? place.name : '');
  const town = townOf(zones[0]);
  return { ...at(town), by: 'none', address: 'To be announced', ...rest, reason, town: town.name };
}

type TownSources = {
  townOf: (zone: string | undefined) => DefaultPlace;
  /** Where the other entries are; null if nothing says it. */
  near: Coordinates | null;
  placing: Placing;
};

/** Inhabitants of a namesake that may be meant. */
const minNamesake = 15_000;

function hasNamesakesAbroad(
  { place, town }: Extract<FoundAddress, { town: string }>,
  address: string,
  { finder, gazetteer }: Placing,
): boolean {
  return (
    !finder.namesCountry(address) &&
    gazetteer
      .named(town)
      .some(({ country, population }) => country !== place.country && population >= minNamesake)
  );
}

const at = ({ lat, lng }: Coordinates): Coordinates => ({ lat, lng });

function reasonFor(address: string, candidates: NamedPlace[], otherZone: string): string {
  const names = candidates
    .slice(0, 4)
    .map(({ name, region, country }) => [name, region, country].filter(Boolean).join(', '));
  if (names.length > 0) return `"${address}" may be in ${names.join('; ')}`;
  const where =
    address === '' ? 'has neither GEO nor LOCATION' : `has no GEO, and "${address}" names no known place`;
  return otherZone === '' ? where : `${where}; ${otherZone} is in another time zone`;
}

/** The zone that most entries name; empty if none names one. */
function usualZone(entries: ChosenEntry[]): string {
  const counts = Map.groupBy(
    entries.flatMap(({ zones }) => zones.slice(0, 1)),
    (zone) => zone,
  );
  return [...counts].reduce(
    (most, each) => (each[1].length > most[1].length ? each : most),
    ['', [] as string[]],
  )[0];
}

/** A large town in a zone; null for no zone. */
const townOfZone = (zone: string, gazetteer: Gazetteer): NamedPlace | null =>
  zone === '' ? null : gazetteer.largest((place) => timeZoneAt(place) === zone, largestTowns);

const largestTowns = 5_000;
const greenwich = { lat: 51.48, lng: 0, name: 'Greenwich' };
