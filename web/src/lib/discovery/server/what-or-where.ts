/** What a visitor means who enters a text into the field "What or where", and chooses no suggestion. */
import { type Client, listEvents, type Place, searchPlaces } from '@potluck/client';
import { categoryNamed } from '#lib/discovery/category-name.ts';
import { hrefOf, type Search } from '#lib/discovery/search.ts';
import { findSuggested } from '#lib/discovery/server/meant.ts';
import { changesOf } from '#lib/discovery/suggestions.ts';
import { labelOf } from '#lib/places/places.ts';
import { load } from '#lib/server/problems.ts';
import { normalize } from '../../../../../src/lib/user-texts/normalize.ts';
import { collapsed, toFilters } from './filters.ts';

/**
 * Returns the address of the events that the text of a search stands for. It may be the name of a category or of a town: the
 * first that has events is meant. Words that find nothing stand for their correction, if there is only one.
 */
export async function hrefOfMeant(api: Client, search: Search): Promise<string> {
  const { q } = search;
  if (q === '') return hrefOf(search);
  const [suggested, place] = await Promise.all([findSuggested(api, q), findNamed(api, q)]);
  const slug = categoryNamed(q, suggested?.categories ?? []);
  const corrections = suggested?.corrections ?? [];
  const correction = corrections.length === 1 ? corrections[0] : undefined;
  const byCategory = slug && { ...search, ...changesOf({ kind: 'category', slug }) };
  const byCorrection = correction && { ...search, ...changesOf({ kind: 'correction', correction }) };
  const around = place && { ...search, q: '', place: q, near: { lat: place.lat, lng: place.lng }, box: null };
  const has = async (events: Search | null | undefined) => events && (await countEvents(api, events)) > 0;
  // The page finds the place by its name once more, and offers others of this name.
  const placeHref = around && hrefOf({ ...around, near: null });
  if (byCategory && (await has(byCategory))) return withAsked(byCategory, q);
  if (placeHref && (await has(around))) return placeHref;
  if (await has(search)) return hrefOf(search);
  if (byCorrection && (await has(byCorrection))) return withAsked(byCorrection, q);
  return placeHref ?? hrefOf(search);
}

/** The page says which words it shows other events for. */
const withAsked = (search: Search, asked: string): string =>
  `${hrefOf(search)}&${new URLSearchParams({ asked })}`;

/** Finds the largest place of this name. */
async function findNamed(api: Client, name: string): Promise<Place | null> {
  const { data } = await load(searchPlaces({ client: api, query: { q: name.slice(0, 100), limit: 3 } }));
  const wanted = normalize(name, 'NFC');
  const isNamed = (place: Place) =>
    (place.isWholeName && !place.address) || labels.compare(wanted, labelOf(place)) === 0;
  return data.find(isNamed) ?? null;
}

/** Without regard to case and accents. */
const labels = new Intl.Collator('en', { sensitivity: 'base', ignorePunctuation: true });

const countEvents = async (api: Client, search: Search): Promise<number> =>
  (await load(listEvents({ client: api, query: { ...toFilters(search), ...collapsed, limit: 1 } }))).meta
    .total;
