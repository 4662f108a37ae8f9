/** Finds the places that an address may mean. */
import type { Place } from '@potluck/client';
import { normalizeName } from '#lib/discovery/normalize-name.ts';
import { type Reading, readAddress } from '#lib/discovery/read-address.ts';

export type FoundAddress = {
  /** The likeliest first. */
  places: Place[];
  /** Those of them that have exactly the name in the text. */
  named: Place[];
  /** What the text has in front of the town. */
  street: string;
};

const maxLength = 100;

/** @param search finds places by the start of their names */
export async function searchAddress(
  text: string,
  search: (name: string) => Promise<Place[]>,
): Promise<FoundAddress> {
  for (const reading of readAddress(text)) {
    const found = preferred(await search(reading.town.slice(0, maxLength)), reading);
    const named = found.filter(({ name }) => normalizeName(name) === normalizeName(reading.town));
    const places = reading.isGuess ? named : found;
    if (places.length > 0) return { places, named, street: reading.street };
  }
  return { places: [], named: [], street: '' };
}

/** The places in the country and the region of the text, if there are any. */
function preferred(places: Place[], { country, region }: Reading): Place[] {
  const inCountry = country ? places.filter((place) => place.country === country) : [];
  const inRegion = region ? places.filter((place) => place.region === region) : [];
  return [inRegion, inCountry].find((some) => some.length > 0) ?? places;
}
