import { lazily } from '../../lib/lazily.ts';
import type { EventServices } from '../events/services.ts';
import { createEventLists, type Lists } from './event-lists.ts';
import { createEventMaps, type FindEventMap } from './map/event-map.ts';
import { CurrentIndex } from './memory/current-index.ts';
import { createStatementQueue } from './statement-queue.ts';
import { warmUp, warmUpLists } from './warm-up.ts';

export type DiscoveryServices = EventServices & {
  lists: Lists;
  findEventMap: FindEventMap;
  /** Null with DISCOVERY=sql. */
  discoveryIndex: CurrentIndex | null;
};

/** The share of the memory for caches that the index may take. */
const indexShare = 0.5;

export function createDiscoveryServices(services: EventServices) {
  const { config, db, changeLog, clock, log, preloadedEvents } = services;
  const statements = createStatementQueue();
  const discoveryIndex =
    config.discovery === 'memory'
      ? new CurrentIndex({
          db,
          changeLog,
          log,
          maxBytes: config.cacheBytes * indexShare,
          // One after the other: lists can be answered without preloaded events, but not fast without an index.
          onLoaded: () => preloadedEvents.start(warmUpOnce),
        })
      : null;
  const lists = createEventLists(services, discoveryIndex, statements);
  const warmUpOnce = lazily(async () => {
    const words = discoveryIndex?.sampleWords(warmUpLists) ?? [];
    // Without it, the first lists are slow; what is wrong is reported where a client needs it.
    await warmUp(lists, words, clock).catch(() => {});
  });
  return {
    discoveryIndex,
    lists,
    findEventMap: createEventMaps(services, discoveryIndex, statements),
  };
}
