/**
 * Runs lists before clients do, so that V8 has compiled their code: the first lists of a server would take several
 * times as long as later ones.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Coordinates } from '#record-index';
import { serializePage } from '../events/event-serializer.ts';
import type { Lists } from './event-lists.ts';
import { readEventQuery } from './event-query.ts';

/** Enough that more make no difference. They take about a second. */
export const warmUpLists = 2_000;
/** Lists of fewer events are fast without. */
export const minEventsToWarmUp = 5_000;
const [limit, pages, radius] = [20, 5, 50];
/** Not that of a client: clients take turns at the database (fair-queue.ts). */
const address = '127.0.0.1';

/**
 * Lists events of different words and places, a quarter of the lists by relevance. Requests run between two lists.
 * @param words of the discovery index
 * @throws as `Lists`
 */
export async function warmUp(lists: Lists, words: string[], clock: () => Date): Promise<void> {
  let place: Coordinates = { lat: 0, lng: 0 };
  for (let i = 0; i < warmUpLists; i++) {
    const q = words[i % words.length] ?? '';
    const { lat, lng } = place;
    const filters = [{}, { q }, { lat, lng, radius }, { q }][i % 4] ?? {};
    const page = 1 + (Math.floor(i / 4) % pages);
    const { listed, total } = await lists.elements({
      query: readEventQuery(filters, clock()),
      order: i % 4 === 3 ? 'relevance' : 'start',
      slice: { page, limit },
      viewer: null,
      address,
    });
    place = listed[0]?.place ?? place;
    serializePage(listed, { total, page, limit });
    await turn();
  }
}
