/** The places that a search names. */
import { type Client, type Place as NamedPlace, searchPlaces } from '@potluck/client';
import { hrefOf, type Search } from '#lib/discovery/search.ts';
import { m } from '#lib/messages/index.js';
import { labelOf } from '#lib/places/places.ts';
import { load } from '#lib/server/problems.ts';

export type FoundPlaces = {
  /** The search with the place that was found. */
  search: Search;
  /** Other places with this name, and events with the word. */
  others: { label: string; href: string }[];
  isUnknown: boolean;
};

/** Finds the place of a search by its name: without scripts, the form has a name alone. */
export async function findPlace(api: Client, search: Search): Promise<FoundPlaces> {
  if (search.place === '' || search.near) return { search, others: [], isUnknown: false };
  const name = search.place.split(',')[0]?.trim();
  const { data } = name
    ? await load(searchPlaces({ client: api, query: { q: name, limit: 6 } }))
    : { data: [] };
  const [best, ...others] = data;
  if (!best) return { search, others: [], isUnknown: true };
  const at = (place: NamedPlace): Partial<Search> => ({
    place: labelOf(place),
    near: { lat: place.lat, lng: place.lng },
    box: null,
  });
  return {
    search: { ...search, ...at(best) },
    others: [
      ...others.map((place) => ({ label: labelOf(place), href: hrefOf(search, at(place)) })),
      {
        label: m.discovery_with_words({ words: search.place }),
        href: hrefOf(search, { q: search.place, place: '' }),
      },
    ],
    isUnknown: false,
  };
}
