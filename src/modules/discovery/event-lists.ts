import { createLoader } from '../../db/batching.ts';
import type { Viewer } from '../../identity/caller.ts';
import { circleCells } from '../../lib/grid-cells.ts';
import { distanceKm, farthestKm, type Place } from '../../lib/sphere.ts';
import type { ListElement } from '../events/load-listed-events.ts';
import { isListed } from '../events/policy.ts';
import type { EventServices } from '../events/services.ts';
import type { EventQuery } from './event-query.ts';
import { listAround, listWordsAround } from './geo-queries.ts';
import { listNearby, openCells } from './nearby-lists.ts';
import type { Page, Slice } from './timeline-page.ts';
import { type Filter, listOfOrganizers } from './timeline-queries.ts';
import { openTimelines } from './timelines.ts';

/** By start and id; or by where the words are, then by start and id. */
export type Order = 'start' | 'relevance';
export type Lists = (
  eventQuery: EventQuery,
  order: Order,
  slice: Slice,
  viewer: Viewer | null,
) => Promise<{ listed: ListElement[]; total: number }>;

/** Circles of up to about 300 km are walked in memory. */
const maxCells = 500;
const attempts = 4;
const everything: Filter = { category: null, search: null };

export function openLists({ db, changeLog: changes, people, events, viewerStates }: EventServices): Lists {
  const cells = openCells(db, changes);
  const timelines = openTimelines(db, changes);
  // Few at once, so that they leave connections to those who only read a row.
  const atOnce = createLoader<() => Promise<Page>, Page>(async ([run]) => (run ? [await run()] : []), {
    keyOf: () => `${turn++}`,
    concurrency: 3,
    maxBatchSize: 1,
  });
  let turn = 0;

  async function find(eventQuery: EventQuery, order: Order, slice: Slice, blocked: string[]): Promise<Page> {
    const { circle, from, until, category, search } = eventQuery;
    const isGraded = order === 'relevance' && search !== null;
    const span = { from: from?.getTime() ?? null, until: until?.getTime() ?? null };
    if (circle === null || circle.radius >= farthestKm) {
      const hidden = await listOfOrganizers(db, eventQuery, isGraded, blocked);
      return timelines({ category, search }, isGraded, span, hidden, slice);
    }
    const around = { ...eventQuery, circle, hiddenOrganizers: blocked };
    const named = circleCells(circle, maxCells);
    if (search) {
      const byWords = (await countWords({ category, search })) < (await countCells(named));
      return atOnce(() => listWordsAround(db, around, slice, byWords));
    }
    if (named) {
      const hidden = await listOfOrganizers(db, eventQuery, false, blocked);
      const filter = { category, from, until, hidden: new Set(hidden.map(({ id }) => id)) };
      return listNearby(await cells(named), circle, filter, slice);
    }
    const { total } = await timelines(everything, false, span, [], { page: 1, limit: 1 });
    return atOnce(() => listAround(db, around, slice, total));
  }

  const countWords = async (filter: Filter) =>
    (await timelines(filter, false, { from: null, until: null }, [], { page: 1, limit: 1 })).total;
  const countCells = async (named: number[] | null) =>
    named ? (await cells(named)).reduce((sum, { size }) => sum + size, 0) : Number.POSITIVE_INFINITY;

  async function show(
    eventIds: string[],
    place: Place | null,
    viewer: Viewer | null,
  ): Promise<ListElement[]> {
    const [states, found] = await Promise.all([
      viewer && eventIds.length > 0 ? viewerStates.findMany({ userId: viewer.id, eventIds }) : null,
      Promise.all(eventIds.map((id) => events.findCurrent(id))),
    ]);
    return found.flatMap((event, i) => {
      // Changed or deleted since it was found.
      if (!event || !isListed(event.row)) return [];
      return [{ event, distanceKm: place && distanceKm(place, event.row), viewerState: states?.[i] ?? null }];
    });
  }

  return async (eventQuery, order, slice, viewer) => {
    const blocked = viewer ? people.blockedBy(viewer.id) : [];
    for (let attempt = 1; ; attempt++) {
      // Whoever has a viewer has looked already.
      if (!viewer || attempt > 1) await changes.catchUp();
      const { ids, total } = await find(eventQuery, order, slice, await blocked);
      const listed = await show(ids, eventQuery.circle, viewer);
      const gone = ids.length - listed.length;
      // What was hidden or deleted since it was found makes room for others, unless that goes on and on.
      if (gone === 0 || attempt === attempts) return { listed, total: total - gone };
    }
  };
}
