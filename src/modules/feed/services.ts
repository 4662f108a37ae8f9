import { createLoader } from '../../db/batching.ts';
import type { DiscoveryServices } from '../discovery/services.ts';
import { findFeed } from './find-feed.ts';
import { createIndexedFeed } from './indexed-feed.ts';
import type { FeedElement, FeedQuery } from './repo.ts';

export type FeedServices = DiscoveryServices & { findFeed(query: FeedQuery): Promise<FeedElement[]> };

/** Feed queries that the database runs at the same time. A low limit leaves connections to cheaper requests. */
const maxConcurrency = 3;

export function createFeedServices({ db, replicas, discoveryIndex }: DiscoveryServices) {
  let sequence = 0;
  const findBySql = createLoader<FeedQuery, FeedElement[]>(
    async ([query]) => (query ? [await replicas.read((source) => findFeed(source, query))] : []),
    // Unique keys: each request runs its own query.
    { keyOf: () => `${sequence++}`, concurrency: maxConcurrency, maxBatchSize: 1 },
  );
  const findInIndex = discoveryIndex ? createIndexedFeed(db, discoveryIndex) : async () => null;
  return {
    findFeed: async (query: FeedQuery) => (await findInIndex(query)) ?? findBySql(query),
  };
}
