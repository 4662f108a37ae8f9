/** What a visitor may mean who types into the field of the search. */
import type { EventSuggestions } from '@potluck/client';
import { labelOf } from '#lib/places/places.ts';
import { categoryName } from './category-name.ts';
import { type CategorySlug, categories, type Search } from './search.ts';

type Found = EventSuggestions['data'];
export type Suggestion =
  | { kind: 'place'; place: Found['places'][number] }
  | { kind: 'category'; slug: CategorySlug }
  | { kind: 'event'; event: Found['events'][number] }
  | { kind: 'correction'; correction: Found['corrections'][number] };

/** The API asks for no more. */
export const maxLength = 100;

/** Finds suggestions in the order of the list: last the places without events. Null if the server refuses. */
export async function findSuggestions(q: string, signal: AbortSignal): Promise<Suggestion[] | null> {
  const response = await fetch(`/v1/events/suggest?${new URLSearchParams({ q })}`, { signal });
  if (!response.ok) return null;
  const { data } = (await response.json()) as EventSuggestions;
  const places = data.places.map((place) => ({ kind: 'place', place }) as const);
  const isUseful = ({ place }: (typeof places)[number]) => place.eventsCount > 0;
  return [
    ...places.filter(isUseful),
    ...categoriesFor(q, data).map((slug) => ({ kind: 'category', slug }) as const),
    ...data.events.map((event) => ({ kind: 'event', event }) as const),
    ...data.corrections.map((correction) => ({ kind: 'correction', correction }) as const),
    ...places.filter((place) => !isUseful(place)),
  ];
}

/** Categories by their names in the visitor's language; the API knows the English ones. */
function categoriesFor(q: string, found: Found): CategorySlug[] {
  const typed = q.toLocaleLowerCase();
  return categories.filter(
    (slug) =>
      ` ${categoryName(slug).toLocaleLowerCase()}`.includes(` ${typed}`) ||
      found.categories.some((category) => category.slug === slug),
  );
}

type Chosen = Exclude<Suggestion, { kind: 'event' }>;

/** How a search changes when a suggestion takes the place of its words. */
export function changesOf(suggestion: Chosen): Partial<Search> & { q: string } {
  switch (suggestion.kind) {
    case 'place': {
      const { place } = suggestion;
      return { q: '', place: labelOf(place), near: { lat: place.lat, lng: place.lng }, box: null };
    }
    case 'category':
      return { q: '', category: suggestion.slug };
    case 'correction':
      return { q: suggestion.correction.q };
  }
}

/** What the words of a search that finds nothing may mean: a link to all events of corrected words, or of a place. */
export type Meant = { href: string; eventsCount: number } & ({ words: string } | { place: string });
