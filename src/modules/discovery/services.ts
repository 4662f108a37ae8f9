import { lazily } from '#base';
import type { EventServices } from '../events/services.ts';
import { createEventLists } from './event-lists.ts';
import { createHighlightLoader } from './highlights.ts';
import { createEventMaps } from './map/event-map.ts';
import { CurrentIndex } from './memory/current-index.ts';
import { createStatementQueue } from './statement-queue.ts';
import { createEventSuggestions } from './suggest/event-suggestions.ts';
import { createUpdatedEvents } from './updated-events.ts';
import { minEventsToWarmUp, warmUp, warmUpLists } from './warm-up.ts';

export type DiscoveryServices = EventServices & ReturnType<typeof createDiscoveryServices>;

/** The shares of the memory for caches that the index and the JSON of its events may take. */
const [indexShare, jsonShare] = [0.5, 0.25];

export function createDiscoveryServices(services: EventServices) {
  const { config, db, changeLog, clock, log } = services;
  const statements = createStatementQueue();
  /** Null with DISCOVERY=sql. */
  const discoveryIndex =
    config.discovery === 'memory'
      ? new CurrentIndex({
          db,
          changeLog,
          log,
          publicUrl: config.publicUrl,
          maxBytes: config.cacheBytes * indexShare,
          maxJsonBytes: config.cacheBytes * jsonShare,
          onLoaded: async (events) => {
            if (events >= minEventsToWarmUp) await warmUpOnce();
          },
        })
      : null;
  const lists = createEventLists(services, discoveryIndex, statements);
  const warmUpOnce = lazily(async () => {
    const words = discoveryIndex?.loaded?.sampleWords(warmUpLists) ?? [];
    // Without it, the first lists are slow; what is wrong is reported where a client needs it.
    await warmUp(lists, words, clock).catch(() => {});
  });
  return {
    discoveryIndex,
    lists,
    listUpdated: createUpdatedEvents(services, statements),
    findEventMap: createEventMaps(services, discoveryIndex, statements),
    suggest: createEventSuggestions(services, lists, discoveryIndex, statements),
    highlights: createHighlightLoader(db),
  };
}
