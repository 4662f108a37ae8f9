import type { DiscoveryServices } from '../discovery/services.ts';
import { createStatementQueue } from '../discovery/statement-queue.ts';
import { findFeed } from './find-feed.ts';
import { createIndexedFeed } from './indexed-feed.ts';
import type { FeedElement, FeedQuery } from './repo.ts';

export type FeedServices = DiscoveryServices & { findFeed(query: FeedQuery): Promise<FeedElement[]> };

export function createFeedServices({ db, replicas, discoveryIndex }: DiscoveryServices) {
  const statements = createStatementQueue();
  const findInIndex = discoveryIndex ? createIndexedFeed(db, discoveryIndex) : async () => null;
  return {
    findFeed: async (query: FeedQuery) =>
      (await findInIndex(query)) ??
      statements.run(query.viewer.id, () => replicas.read((source) => findFeed(source, query))),
  };
}
