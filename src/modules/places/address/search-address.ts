/** Finds the places that an address may mean, for a person who chooses among them and may still be typing. */
import type { Coordinates } from '#record-index';
import type { FoundPlace, Gazetteer } from '../gazetteer.ts';
import type { CountryNames } from './country-names.ts';
import { type Interpretation, readAddress } from './read-address.ts';

export type AddressMatch = FoundPlace & { address: { street: string; town: string } };

/** Of the readings whose start of a name is searched for: each takes up to a millisecond. */
const maxSearches = 8;

/** @returns the places of the likeliest reading that has any */
export function searchAddress(
  gazetteer: Gazetteer,
  countries: CountryNames,
  { q, near, limit }: { q: string; near: Coordinates | null; limit: number },
): AddressMatch[] {
  let searches = 0;
  for (const interpretation of readAddress(q, countries)) {
    for (const { town, street, isGuess } of interpretation.readings) {
      if (++searches > maxSearches) return [];
      const found = preferred(gazetteer.search(town, near, limit), interpretation);
      const places = isGuess ? found.filter(({ isWholeName }) => isWholeName) : found;
      if (places.length > 0) return places.map((place) => ({ ...place, address: { street, town } }));
    }
  }
  return [];
}

/** The places in the country and the region of the text, if there are any. */
function preferred(places: FoundPlace[], { country, region }: Interpretation): FoundPlace[] {
  const inCountry = country ? places.filter((place) => place.country === country) : [];
  const inRegion = region ? inCountry.filter((place) => place.region === region) : [];
  return [inRegion, inCountry].find((some) => some.length > 0) ?? places;
}
