import type { EventServices } from '../events/services.ts';
import { createEventLists, type Lists } from './event-lists.ts';
import { createEventMaps, type FindEventMap } from './map/event-map.ts';
import { CurrentIndex } from './memory/current-index.ts';
import { createStatementQueue } from './statement-queue.ts';

export type DiscoveryServices = EventServices & {
  lists: Lists;
  findEventMap: FindEventMap;
  /** Null with DISCOVERY=sql. */
  discoveryIndex: CurrentIndex | null;
};

/** The share of the memory for caches that the index may take. */
const indexShare = 0.5;

export function createDiscoveryServices(services: EventServices) {
  const { config, db, changeLog, log, preloadedEvents } = services;
  const discoveryIndex =
    config.discovery === 'memory'
      ? new CurrentIndex({
          db,
          changeLog,
          log,
          maxBytes: config.cacheBytes * indexShare,
          // One after the other: lists can be answered without preloaded events, but not fast without an index.
          onLoaded: () => preloadedEvents.start(),
        })
      : null;
  const statements = createStatementQueue();
  return {
    discoveryIndex,
    lists: createEventLists(services, discoveryIndex, statements),
    findEventMap: createEventMaps(services, discoveryIndex, statements),
  };
}
