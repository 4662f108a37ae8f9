/**
 * Lists of public events, in four steps: find the ids of the page, in the discovery index or, while there is none, in the
 * database; load their events; leave out those that are no longer listed; present the rest.
 */
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

/**
 * @param index null to compute all lists on the database
 * @param statements runs the statements on the database
 */
export function createEventLists(
  services: EventServices,
  index: CurrentIndex | null,
  statements: FairQueue,
): Lists {
  const { replicas, events, people } = services;
  const loading = { ...services, discoveryIndex: index };

  async function findIds({ query, order, slice, viewer, address }: ListRequest): Promise<Page> {
    const hiddenOrganizers = viewer ? await people.blockedBy(viewer.id) : [];
    const listQuery: ListQuery = { ...query, order, hiddenOrganizers };
    const found = (await index?.current())?.search(listQuery, slice);
    return (
      found ??
      statements.run(largestNetworkOf(address), () => replicas.read((db) => listBySql(db, listQuery, slice)))
    );
  }

  const loadEvent = async (id: string): Promise<CachedEvent | null> => {
    const event = await events.find(id);
    return event && isListed(event.row) ? event : null;
  };

  return {
    async elements(request) {
      const page = await findIds(request);
      const loaded = await loadListedEvents(loading, page.ids, request.viewer, isListed);
      return present(page, loaded, (element) => withDistance(element, request.query.circle));
    },
    async events(request) {
      const page = await findIds(request);
      return present(page, await Promise.all(page.ids.map(loadEvent)), (event) => event);
    },
    async shown(request) {
      const page = await findIds(request);
      return present(page, await loadListedEvents(loading, page.ids, null, isListed), parseListed);
    },
    async count(request) {
      const { total } = await findIds({ ...request, order: 'start', slice: { page: 1, limit: 0 } });
      return total;
    },
  };
}

/** @param loaded an event for each id of the page; null for one that was changed, deleted or late after the query */
function present<T, R>({ total }: Page, loaded: (T | null)[], show: (event: T) => R): Listed<R> {
  const listed = loaded.filter((event) => event !== null);
  return { listed: listed.map(show), total: total - (loaded.length - listed.length) };
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
