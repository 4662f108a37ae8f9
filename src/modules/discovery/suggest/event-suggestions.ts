/** What a person may mean who types the start of a search: places, categories, events, and corrected words. */
import { type FairQueue, largestNetworkOf } from '#base';
import type { Viewer } from '../../../identity/caller.ts';
import { words } from '../../../lib/text.ts';
import { type Category, categories } from '../../events/catalogue.ts';
import type { ShownEvent } from '../../events/event-serializer.ts';
import type { EventServices } from '../../events/services.ts';
import type { FoundPlace } from '../../places/gazetteer.ts';
import { loadGazetteer } from '../../places/load-gazetteer.ts';
import type { Lists } from '../event-lists.ts';
import { type EventQuery, readEventQuery } from '../event-query.ts';
import type { CurrentIndex } from '../memory/current-index.ts';
import { type Correction, listCorrections } from './corrections.ts';
import { maxOf } from './limits.ts';
import type { Effort, NearWord } from './near-words.ts';
import { listNearWordsBySql } from './sql-near-words.ts';

/** `searched`: the words of `q`, folded and distinct. `address`: that of the client. */
type Request = { q: string; searched: string[]; viewer: Viewer | null; address: string };
type SuggestedPlace = FoundPlace & { eventsCount: number };
export type Suggestions = {
  places: SuggestedPlace[];
  categories: Category[];
  events: ShownEvent[];
  corrections: Correction[];
};

/**
 * @param index null to compute all lists on the database
 * @param statements runs the statements on the database
 */
export function createEventSuggestions(
  { clock, replicas }: EventServices,
  lists: Lists,
  index: CurrentIndex | null,
  statements: FairQueue,
) {
  async function listPlaces({ q, viewer, address }: Request): Promise<SuggestedPlace[]> {
    // Without the file of the towns, the other lists still help. GET /v1/places reports what is wrong.
    const gazetteer = await loadGazetteer().catch(() => null);
    const found = gazetteer?.search(q, null, maxOf.places) ?? [];
    return await Promise.all(
      found.map(async (place) => {
        const { lat, lng } = place;
        const query = readEventQuery({ lat, lng }, clock());
        return { ...place, eventsCount: await lists.count({ query, viewer, address }) };
      }),
    );
  }

  async function listNearWords(word: string, effort: Effort, address: string): Promise<NearWord[]> {
    const found = (await index?.current())?.nearWords(word, effort);
    if (found) return found;
    const now = clock();
    return await statements.run(largestNetworkOf(address), () =>
      replicas.read((db) => listNearWordsBySql(db, word, effort, now)),
    );
  }

  async function listEvents(request: Request): Promise<Pick<Suggestions, 'events' | 'corrections'>> {
    const { q, searched, viewer, address } = request;
    if (searched.length === 0) return { events: [], corrections: [] };
    const queryOf = (q: string): EventQuery => readEventQuery({ q }, clock());
    const slice = { page: 1, limit: maxOf.events };
    const list = {
      query: { ...queryOf(q), collapse: true },
      order: 'relevance',
      slice,
      viewer,
      address,
    } as const;
    const { listed, total } = await lists.shown(list);
    const corrections =
      total > 0
        ? []
        : await listCorrections(searched, {
            count: (q) => lists.count({ query: queryOf(q), viewer, address }),
            nearWords: (word, effort) => listNearWords(word, effort, address),
          });
    // Those with all words in the title are the first by relevance.
    return { events: listed.filter(({ title }) => haveAll([title], searched)), corrections };
  }

  return async (request: Request): Promise<Suggestions> => {
    const [places, found] = await Promise.all([listPlaces(request), listEvents(request)]);
    return { places, categories: listCategories(request.searched), ...found };
  };
}

const listCategories = (searched: string[]): Category[] =>
  searched.length === 0
    ? []
    : categories.filter(({ slug, name }) => haveAll([slug, name], searched)).slice(0, maxOf.categories);

/** Whether each searched word is the start of a word of the texts. */
function haveAll(texts: string[], searched: string[]): boolean {
  const all = texts.flatMap(words);
  return searched.every((start) => all.some((word) => word.startsWith(start)));
}
