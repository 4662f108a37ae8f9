/** Finds the events of a feed in the discovery index. */
import { runInTurn } from '#base';
import { createLoader, type Database } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import type { CurrentIndex } from '../discovery/memory/current-index.ts';
import { rsvpLength } from '../discovery/memory/people-events.ts';
import { type FeedElement, type FeedQuery, listSurroundings, type Surroundings } from './repo.ts';

/** Above one of these limits, the database finds the events: the index would hold the event loop for too long. */
const limits = { followed: 100, hidden: 1_000, rsvps: 5_000 };

/** Viewers whose surroundings one statement reads, and such statements that run at the same time. */
const [maxBatchSize, concurrency] = [16, 2];

/** @returns a function that returns null if the index cannot find the events: it is not loaded, or a limit is exceeded */
export function createIndexedFeed(
  db: Database,
  index: CurrentIndex,
): (query: FeedQuery) => Promise<FeedElement[] | null> {
  const load = createLoader((viewers: Viewer[]) => listSurroundings(db, viewers, limits), {
    keyOf: ({ id, role }) => `${role} ${id}`,
    maxBatchSize,
    concurrency,
  });
  return async ({ viewer, now, after, limit, collapse }) => {
    if (!index.loaded) return null;
    const { followed, hidden, rsvps } = await load(viewer);
    if (followed.length === 0) return [];
    if (isAboveLimits({ followed, hidden, rsvps })) return null;
    const current = await index.current();
    if (!current) return null;
    const query = {
      people: followed,
      rsvps: rsvps ?? new Uint8Array(0),
      hiddenOrganizers: hidden,
      from: now.getTime(),
      after: { start: after.startAt.getTime(), id: after.id },
      ...{ limit, collapse },
    };
    // The viewers of a statement are searched for together, and each RSVP takes about a microsecond.
    return runInTurn(() => current.listByPeople(query));
  };
}

const isAboveLimits = ({ followed, hidden, rsvps }: Surroundings): boolean =>
  followed.length > limits.followed ||
  hidden.length > limits.hidden ||
  (rsvps?.length ?? 0) > limits.rsvps * rsvpLength;
