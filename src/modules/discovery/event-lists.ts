/** Lists of public events, from the discovery index or, while there is none, from the database. */
import { type FairQueue, largestNetworkOf } from '#base';
import { unlessLate } from '#fresh-records';
import { type Coordinates, distanceKm } from '#record-index';
import type { Viewer } from '../../identity/caller.ts';
import type { CachedEvent } from '../events/event-cache.ts';
import { type ListElement, listedJson, parseListed, type ShownEvent } from '../events/event-serializer.ts';
import { isListed } from '../events/policy.ts';
import type { EventRow } from '../events/present.ts';
import type { EventServices } from '../events/services.ts';
import type { EventQuery, ListQuery, Order, Page, Slice } from './event-query.ts';
import type { CurrentIndex } from './memory/current-index.ts';
import { listBySql } from './sql-lists.ts';

export type ListRequest = {
  query: EventQuery;
  order: Order;
  slice: Slice;
  viewer: Viewer | null;
  /** The address of the client, which shares the database with the others. */
  address: string;
};
type Listed<T> = { listed: T[]; total: number };
export type Lists = {
  /** A page of elements for a response. */
  elements(request: ListRequest): Promise<Listed<ListElement>>;
  /** A page of the events themselves. */
  events(request: ListRequest): Promise<Listed<CachedEvent>>;
  /** A page of some fields that lists show. */
  shown(request: ListRequest): Promise<Listed<ShownEvent>>;
  /** The number of all events of a list. */
  count(request: Omit<ListRequest, 'order' | 'slice'>): Promise<number>;
};

const maxAttempts = 4;

/**
 * @param index null to compute all lists on the database
 * @param statements runs the statements on the database
 */
export function createEventLists(
  services: EventServices,
  index: CurrentIndex | null,
  statements: FairQueue,
): Lists {
  const { replicas, changeLog, events, people } = services;
  const loading = { ...services, discoveryIndex: index };

  async function find(
    { query, order, slice, address }: ListRequest,
    hiddenOrganizers: string[],
  ): Promise<Page> {
    const listQuery: ListQuery = { ...query, order, hiddenOrganizers };
    const found = (await index?.current())?.search(listQuery, slice);
    return (
      found ??
      statements.run(largestNetworkOf(address), () => replicas.read((db) => listBySql(db, listQuery, slice)))
    );
  }

  /** @param load gives null for an event that was changed or deleted after the query */
  async function list<T>(
    request: ListRequest,
    load: (ids: string[]) => Promise<(T | null)[]>,
  ): Promise<Listed<T>> {
    const { viewer } = request;
    const blocked = viewer ? people.blockedBy(viewer.id) : [];
    for (let attempt = 1; ; attempt++) {
      const { ids, total } = await find(request, await blocked);
      const listed = (await load(ids)).filter((element) => element !== null);
      const missing = ids.length - listed.length;
      if (missing === 0 || attempt === maxAttempts) return { listed, total: total - missing };
      // Missing events leave gaps: query again, after the changes of which they are missing.
      await changeLog.catchUp();
    }
  }

  const loadEvent = async (id: string): Promise<CachedEvent | null> => {
    const event = await events.find(id);
    return event && isListed(event.row) ? event : null;
  };

  return {
    elements: (request) =>
      list(request, async (ids) => {
        const elements = await loadListedEvents(loading, ids, request.viewer, isListed);
        return elements.map((element) => element && withDistance(element, request.query.circle));
      }),
    events: (request) => list(request, (ids) => Promise.all(ids.map(loadEvent))),
    shown: (request) =>
      list(request, async (ids) => {
        const elements = await loadListedEvents(loading, ids, null, isListed);
        return elements.map((element) => element && parseListed(element));
      }),
    count: async (request) => {
      const blocked = request.viewer ? await people.blockedBy(request.viewer.id) : [];
      const { total } = await find({ ...request, order: 'start', slice: { page: 1, limit: 0 } }, blocked);
      return total;
    },
  };
}

const withDistance = (element: ListElement, center: Coordinates | null): ListElement =>
  center ? { ...element, distanceKm: distanceKm(center, element.place) } : element;

type LoadingServices = Pick<EventServices, 'events' | 'viewerStates' | 'config'> & {
  discoveryIndex: CurrentIndex | null;
};

/**
 * Loads the events of a page, with the viewer's RSVPs and saved flags.
 * @param isIncluded excludes events that were hidden or changed after the page was queried. It must include all events
 *   that are listed
 * @returns an element for each id, in the same order; null for an event that is excluded or deleted, or late: one
 *   event must not prevent the lists that have it
 */
export async function loadListedEvents(
  { events, discoveryIndex, viewerStates, config }: LoadingServices,
  ids: string[],
  viewer: Viewer | null,
  isIncluded: (event: EventRow) => boolean,
): Promise<(ListElement | null)[]> {
  const load = async (id: string) => {
    const event = await unlessLate(events.find(id));
    if (!event || !isIncluded(event.row)) return null;
    const { lat, lng } = event.row;
    return { json: listedJson(event, config.publicUrl), place: { lat, lng } };
  };
  const found = await Promise.all(ids.map((id) => discoveryIndex?.loaded?.findListed(id) ?? load(id)));
  // Read after the events: where a node shows the newest version of an event, it shows the viewer's RSVP as well.
  const states =
    viewer && ids.length > 0 ? await viewerStates.findMany({ userId: viewer.id, eventIds: ids }) : null;
  return found.map((event, i) => event && { ...event, distanceKm: null, viewerState: states?.[i] ?? null });
}
