/** Addresses as lists show them: the venue and the town, without the street and the postal code between them. */

import { defaultRadius } from '#lib/discovery/search.ts';
import { distanceKm } from '#lib/places/distance.ts';
import { codeBehind, codeInFront, regionPattern, separators } from '#lib/places/postal-codes.ts';

type Location = { address: string; lat: number; lng: number };
export type Located = { location: Location };

/** `town`: empty if the address has one part. */
export type ShortAddress = { venue: string; town: string };

const withoutCode = (part: string): string =>
  ` ${part}`.replace(codeBehind, '').trimStart().replace(codeInFront, '');

export function shortAddress(address: string): ShortAddress {
  const [venue = '', ...rest] = address.split(separators).map((part) => part.trim());
  const bare = rest.map(withoutCode);
  // The town stands beside the postal code; behind them may be a country.
  const withCode = rest.findLastIndex((part, i) => part !== bare[i]);
  const parts = withCode < 0 ? bare : bare.slice(0, withCode + 1);
  return { venue, town: parts.findLast((part) => part !== '' && !regionPattern.test(part)) ?? '' };
}

/** What may be the town of an address, or of a text that is a town. */
export function townsIn(address: string): string[] {
  const [first = '', ...rest] = address.split(separators).map((part) => withoutCode(part).trim());
  return (rest.length > 0 ? rest : [first]).filter(Boolean);
}

/** The town that most events name, if none is far from it; empty without one. */
export function commonTown(locations: Location[]): string {
  const towns = Map.groupBy(locations, ({ address }) => shortAddress(address).town);
  towns.delete('');
  const [town, [centre]] = [...towns].reduce<[string, Location[]]>(
    (most, each) => (each[1].length > most[1].length ? each : most),
    ['', []],
  );
  return centre && locations.every((other) => distanceKm(centre, other) <= defaultRadius) ? town : '';
}

/** Events with the short addresses of lists. @param known the town that the page names: rows do not repeat it */
export const withShortAddresses = <T extends Located>(events: T[], known: string): T[] =>
  events.map((event) => {
    const { venue, town } = shortAddress(event.location.address);
    const address = town === '' || town === known ? venue : `${venue}, ${town}`;
    return { ...event, location: { ...event.location, address } };
  });
