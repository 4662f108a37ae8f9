import { createLoader } from '../../db/batching.ts';
import type { EventServices } from '../events/services.ts';
import { findFeed } from './find-feed.ts';
import type { FeedElement, FeedQuery } from './repo.ts';

export type FeedServices = EventServices & { findFeed(query: FeedQuery): Promise<FeedElement[]> };

/** Feed queries that run at the same time. A low limit leaves database connections to cheaper requests. */
const maxConcurrency = 3;

export function createFeedServices({ db }: EventServices) {
  let sequence = 0;
  return {
    findFeed: createLoader<FeedQuery, FeedElement[]>(
      async ([query]) => (query ? [await findFeed(db, query)] : []),
      // Unique keys: each request runs its own query.
      { keyOf: () => `${sequence++}`, concurrency: maxConcurrency, maxBatchSize: 1 },
    ),
  };
}
