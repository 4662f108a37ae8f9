/** Chooses between two ways to find the events of a feed: from the followed people, or along the next events. */
import type { Database } from '#pg';
import { firstPosition, type Position } from '../events/start-pages.ts';
import { countFollowed, type FeedElement, type FeedQuery, listByPeople, listByTime } from './repo.ts';

/** Up to this number of followed people, the feed reads all their events. */
const maxPeople = 100;
/**
 * Above it, the feed reads the next events and selects those of the followed people: this many events at a time, until
 * the page is full.
 */
const batchSizes = [100, 400, 1_600, 6_400];

/**
 * Finds the elements of a page.
 * @param limits overrides the limits above in tests
 */
export async function findFeed(
  db: Database,
  query: FeedQuery,
  limits = { maxPeople, batchSizes },
): Promise<FeedElement[]> {
  const count = await countFollowed(db, query.viewer.id);
  if (count === 0) return [];
  if (count <= limits.maxPeople) return listByPeople(db, query);
  if (query.collapse) return findCollapsed(db, query, limits.batchSizes);
  const found: FeedElement[] = [];
  let { after } = query;
  for (const batchSize of limits.batchSizes) {
    const limit = query.limit - found.length;
    const batch = await listByTime(db, { ...query, after, limit }, batchSize);
    found.push(...batch.found);
    if (!batch.last || found.length >= query.limit) return found;
    after = batch.last;
  }
  // Many people with few events: reading their events costs less than reading all further events.
  const rest = await listByPeople(db, { ...query, after, limit: query.limit - found.length });
  return [...found, ...rest];
}

const isAfter = (a: Position, b: Position): boolean =>
  a.startAt > b.startAt || (a.startAt.getTime() === b.startAt.getTime() && a.id > b.id);

/** Reads the events before the page too: the first one of a series may be among them. */
async function findCollapsed(db: Database, query: FeedQuery, batchSizes: number[]): Promise<FeedElement[]> {
  const found: FeedElement[] = [];
  const seen = new Set<string>();
  let after = firstPosition;
  for (const batchSize of batchSizes) {
    const batch = await listByTime(db, { ...query, after, limit: batchSize }, batchSize);
    const first = batch.found.filter(
      ({ seriesId }) => seriesId === null || seen.size < seen.add(seriesId).size,
    );
    found.push(...first.filter((element) => isAfter(element, query.after)));
    if (!batch.last || found.length >= query.limit) return found.slice(0, query.limit);
    after = batch.last;
  }
  return listByPeople(db, query);
}
