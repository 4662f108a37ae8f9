/** The places that a search names. */
import { type Client, listEvents, type Place as NamedPlace, searchPlaces } from '@potluck/client';
import { labelOf } from '#lib/discovery/places.ts';
import { hrefOf, type Search } from '#lib/discovery/search.ts';
import { m } from '#lib/messages/index.js';
import { load } from '#lib/server/problems.ts';
import { normalize } from '../../../../../src/lib/user-texts/normalize.ts';
import { toFilters } from './filters.ts';

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

/** In ms. The first search of a server loads its places, for seconds: a visitor who waits for them finds the town. */
const maxWaitMs = 5_000;

/**
 * Decides what the text of the field "What or where" is: the name of a town that has events around it, or else words.
 * @returns the search without the text, near the place; or the same search
 */
export async function readWhatOrWhere(api: Client, search: Search): Promise<Search> {
  const { q } = search;
  const place = q && (await Promise.race([findNamed(api, q), pause(maxWaitMs)]));
  if (!place) return search;
  const around = { ...search, q: '', place: q, near: { lat: place.lat, lng: place.lng }, box: null };
  const [withWords, near] = await Promise.all([countEvents(api, search), countEvents(api, around)]);
  // The page finds the place by its name once more, and offers others of this name.
  return near > 0 || withWords === 0 ? { ...around, near: null } : search;
}

const pause = (ms: number) => new Promise<null>((resolve) => setTimeout(resolve, ms, null));

/** Finds the largest place of this name. */
async function findNamed(api: Client, name: string): Promise<NamedPlace | null> {
  const { data } = await load(searchPlaces({ client: api, query: { q: name.slice(0, 100), limit: 3 } }));
  const wanted = normalize(name, 'NFC');
  const isSame = (other: string) => names.compare(wanted, other) === 0;
  return data.find((place) => isSame(place.name) || isSame(labelOf(place))) ?? null;
}

/** Without regard to case and accents. */
const names = new Intl.Collator('en', { sensitivity: 'base', ignorePunctuation: true });

const countEvents = async (api: Client, search: Search): Promise<number> =>
  (await load(listEvents({ client: api, query: { ...toFilters(search), limit: 1 } }))).meta.total;
