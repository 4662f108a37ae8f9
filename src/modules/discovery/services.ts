import type { EventServices } from '../events/services.ts';
import { createEventLists, type Lists } from './event-lists.ts';
import { CurrentIndex } from './memory/current-index.ts';

export type DiscoveryServices = EventServices & {
  lists: Lists;
  /** Null with DISCOVERY=sql. */
  discoveryIndex: CurrentIndex | null;
};

/** The share of the memory for caches that the index may take. */
const indexShare = 0.6;

export function createDiscoveryServices(services: EventServices) {
  const { config, db, changeLog, log } = services;
  const discoveryIndex =
    config.discovery === 'memory'
      ? new CurrentIndex({ db, changeLog, log, maxBytes: config.cacheBytes * indexShare })
      : null;
  return { discoveryIndex, lists: createEventLists(services, discoveryIndex) };
}
