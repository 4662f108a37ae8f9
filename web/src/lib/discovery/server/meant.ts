import { type Client, type EventSuggestions, suggestEvents } from '@potluck/client';
import { hrefOf, type Search, withoutFilters } from '#lib/discovery/search.ts';
import { changesOf, type Meant, maxLength } from '#lib/discovery/suggestions.ts';
import { labelOf } from '#lib/places/places.ts';

/** Finds suggestions for a text. They are an extra: a request that fails, such as one of too many words, finds null. */
export async function findSuggested(api: Client, text: string): Promise<EventSuggestions['data'] | null> {
  const q = text.slice(0, maxLength);
  const found = await suggestEvents({ client: api, query: { q } }).catch(() => null);
  return found?.data.data ?? null;
}

/** Finds what the words of a search may mean, for a page without results. */
export async function loadMeant(api: Client, search: Search): Promise<Meant[]> {
  const { corrections = [], places = [] } = (await findSuggested(api, search.q)) ?? {};
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
