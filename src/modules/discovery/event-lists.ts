/** Lists of public events, from the discovery index or, while there is none, from the database. */
import type { Viewer } from '../../identity/caller.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import { networkOf } from '../../lib/ip-address.ts';
import { distanceKm, farthestKm, type Place } from '../../lib/sphere.ts';
import type { ListElement } from '../events/event-serializer.ts';
import { loadCurrentEvents } from '../events/load-listed-events.ts';
import { isListed } from '../events/policy.ts';
import type { EventServices } from '../events/services.ts';
import type { EventQuery, Order } from './event-query.ts';
import type { CurrentIndex } from './memory/current-index.ts';
import type { IndexQuery, Page, Slice } from './memory/index-query.ts';
import { listBySql } from './sql-lists.ts';

export type ListRequest = {
  query: EventQuery;
  order: Order;
  slice: Slice;
  viewer: Viewer | null;
  /** The address of the client, which shares the database with the others. */
  address: string;
};
export type Lists = (request: ListRequest) => Promise<{ listed: ListElement[]; total: number }>;

/** Statements of lists may be expensive: few run at a time, and clients take turns. */
const queueOptions = { concurrency: 3, maxWaitingPerClient: 100, maxWaiting: 1_000, timeoutMs: 4_500 };
const maxAttempts = 4;

/** @param index null to compute all lists on the database */
export function createEventLists(services: EventServices, index: CurrentIndex | null): Lists {
  const { db, changeLog, people } = services;
  const queue = new FairQueue(queueOptions);

  async function find(
    { query, order, slice, address }: ListRequest,
    hiddenOrganizers: string[],
  ): Promise<Page> {
    const found = await index?.search(toIndexQuery(query, order, hiddenOrganizers), slice);
    return (
      found ??
      queue.run(networkOf(address), () => listBySql(db, { ...query, order, hiddenOrganizers }, slice))
    );
  }

  return async (request) => {
    const { viewer, query } = request;
    const blocked = viewer ? people.blockedBy(viewer.id) : [];
    for (let attempt = 1; ; attempt++) {
      // Authentication has read the change log for requests with a token.
      if (!viewer || attempt > 1) await changeLog.catchUp();
      const { ids, total } = await find(request, await blocked);
      const found = await loadCurrentEvents(services, ids, viewer, isListed);
      // Events that were changed or deleted after the query are missing.
      const listed = found.flatMap((element) => (element ? [withDistance(element, query.circle)] : []));
      const missing = ids.length - listed.length;
      // Events that were hidden or deleted after the query leave gaps: query again, a few times at most.
      if (missing === 0 || attempt === maxAttempts) return { listed, total: total - missing };
    }
  };
}

const withDistance = (element: ListElement, place: Place | null): ListElement =>
  place ? { ...element, distanceKm: distanceKm(place, element.place) } : element;

function toIndexQuery(
  { circle, category, from, until, search }: EventQuery,
  order: Order,
  hiddenOrganizers: string[],
): IndexQuery {
  return {
    from: from?.getTime() ?? null,
    until: until?.getTime() ?? null,
    category,
    circle: circle && circle.radius < farthestKm ? circle : null,
    words: search?.words ?? null,
    isGraded: order === 'relevance',
    hiddenOrganizers,
  };
}
