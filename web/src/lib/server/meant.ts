import { type Client, suggestEvents } from '@potluck/client';
import { labelOf } from '#lib/discovery/places.ts';
import { hrefOf, type Search, withoutFilters } from '#lib/discovery/search.ts';
import { changesOf, type Meant, maxLength } from '#lib/discovery/suggestions.ts';

/**
 * Finds what the words of a search may mean. It is an extra of a page without results: a request that fails, such as one of
 * too many words, finds nothing.
 */
export async function loadMeant(api: Client, search: Search): Promise<Meant[]> {
  const q = search.q.slice(0, maxLength);
  const found = await suggestEvents({ client: api, query: { q } }).catch(() => null);
  const { corrections = [], places = [] } = found?.data.data ?? {};
  const linkTo = (changes: Partial<Search>) => hrefOf(search, { ...withoutFilters, ...changes });
  return [
    ...corrections.map((correction) => ({
      words: correction.q,
      href: linkTo(changesOf({ kind: 'correction', correction })),
      eventsCount: correction.eventsCount,
    })),
    ...places
      .filter(({ eventsCount }) => eventsCount > 0)
      .map((place) => ({
        place: labelOf(place),
        href: linkTo(changesOf({ kind: 'place', place })),
        eventsCount: place.eventsCount,
      })),
  ];
}
