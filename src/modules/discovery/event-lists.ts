import { createLoader } from '../../db/batching.ts';
import type { Viewer } from '../../identity/caller.ts';
import { circleCells } from '../../lib/grid-cells.ts';
import { distanceKm, farthestKm, type Place } from '../../lib/sphere.ts';
import type { ListElement } from '../events/load-listed-events.ts';
import { isListed } from '../events/policy.ts';
import type { EventServices } from '../events/services.ts';
import type { EventQuery } from './event-query.ts';
import { listAround, listWordsAround } from './geo-queries.ts';
import { createCellCache, listNearby } from './nearby-lists.ts';
import type { Page, Slice } from './timeline-page.ts';
import { type Filter, listOfOrganizers } from './timeline-queries.ts';
import { createTimelines } from './timelines.ts';

/** `start`: by start and id; `relevance`: by the grade of the match, then by start and id. */
export type Order = 'start' | 'relevance';
export type Lists = (
  eventQuery: EventQuery,
  order: Order,
  slice: Slice,
  viewer: Viewer | null,
) => Promise<{ listed: ListElement[]; total: number }>;

/** Circles with up to this many cells, a radius of about 300 km, are searched in memory. */
const maxCells = 500;
const maxAttempts = 4;
const everything: Filter = { category: null, search: null };

/** Creates the lists of public events, which read current caches or the database. */
export function createEventLists({ db, changeLog, people, events, viewerStates }: EventServices): Lists {
  const cells = createCellCache(db, changeLog);
  const timelines = createTimelines(db, changeLog);
  // A low concurrency leaves database connections to cheaper statements.
  const runLimited = createLoader<() => Promise<Page>, Page>(async ([run]) => (run ? [await run()] : []), {
    keyOf: () => `${sequence++}`,
    concurrency: 3,
    maxBatchSize: 1,
  });
  let sequence = 0;

  async function find(eventQuery: EventQuery, order: Order, slice: Slice, blocked: string[]): Promise<Page> {
    const { circle, from, until, category, search } = eventQuery;
    const isGraded = order === 'relevance' && search !== null;
    const span = { from: from?.getTime() ?? null, until: until?.getTime() ?? null };
    if (circle === null || circle.radius >= farthestKm) {
      const hidden = await listOfOrganizers(db, eventQuery, isGraded, blocked);
      return timelines({ category, search }, isGraded, span, hidden, slice);
    }
    const around = { ...eventQuery, circle, hiddenOrganizers: blocked };
    const cellNumbers = circleCells(circle, maxCells);
    if (search) {
      const byWords = (await countWords({ category, search })) < (await countCells(cellNumbers));
      return runLimited(() => listWordsAround(db, around, slice, byWords));
    }
    if (cellNumbers) {
      const hidden = await listOfOrganizers(db, eventQuery, false, blocked);
      const filter = { category, from, until, hidden: new Set(hidden.map(({ id }) => id)) };
      return listNearby(await cells(cellNumbers), circle, filter, slice);
    }
    const { total } = await timelines(everything, false, span, [], { page: 1, limit: 1 });
    return runLimited(() => listAround(db, around, slice, total));
  }

  const countWords = async (filter: Filter) =>
    (await timelines(filter, false, { from: null, until: null }, [], { page: 1, limit: 1 })).total;
  const countCells = async (cellNumbers: number[] | null) =>
    cellNumbers
      ? (await cells(cellNumbers)).reduce((sum, { size }) => sum + size, 0)
      : Number.POSITIVE_INFINITY;

  async function loadElements(
    eventIds: string[],
    place: Place | null,
    viewer: Viewer | null,
  ): Promise<ListElement[]> {
    const [states, found] = await Promise.all([
      viewer && eventIds.length > 0 ? viewerStates.findMany({ userId: viewer.id, eventIds }) : null,
      Promise.all(eventIds.map((id) => events.findCurrent(id))),
    ]);
    return found.flatMap((event, i) => {
      // Changed or deleted after the query.
      if (!event || !isListed(event.row)) return [];
      return [{ event, distanceKm: place && distanceKm(place, event.row), viewerState: states?.[i] ?? null }];
    });
  }

  return async (eventQuery, order, slice, viewer) => {
    const blocked = viewer ? people.blockedBy(viewer.id) : [];
    for (let attempt = 1; ; attempt++) {
      // Authentication has read the change log for requests with a token.
      if (!viewer || attempt > 1) await changeLog.catchUp();
      const { ids, total } = await find(eventQuery, order, slice, await blocked);
      const listed = await loadElements(ids, eventQuery.circle, viewer);
      const missing = ids.length - listed.length;
      // Events that were hidden or deleted after the query leave gaps: query again, a few times at most.
      if (missing === 0 || attempt === maxAttempts) return { listed, total: total - missing };
    }
  };
}
