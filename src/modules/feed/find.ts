/** Where the events of a feed are looked for: among what the people do, or among what comes next. */
import type { Database } from '../../db/client.ts';
import { countFollowed, type EventQuery, type Found, listByPeople, listByTime } from './repo.ts';

/** Up to so many people are asked for what they do. */
const fewPeople = 100;
/**
 * Many people have to do with many events, so a page of theirs is among the next few: so many are looked at, and so
 * many more as long as the page is not full.
 */
const looks = [100, 400, 1_600, 6_400];

/** @param ways what the limits above are; less in tests */
export async function findFeed(
  db: Database,
  eventQuery: EventQuery,
  ways = { fewPeople, looks },
): Promise<Found[]> {
  const count = await countFollowed(db, eventQuery.viewer.id);
  if (count === 0) return [];
  if (count <= ways.fewPeople) return listByPeople(db, eventQuery);
  const found: Found[] = [];
  let { after } = eventQuery;
  for (const most of ways.looks) {
    const left = eventQuery.limit - found.length;
    const look = await listByTime(db, { ...eventQuery, after, limit: left }, most);
    found.push(...look.found);
    if (!look.seenTo || found.length >= eventQuery.limit) return found;
    after = look.seenTo;
  }
  // Many who do little: what they do costs less than all the time there is.
  const rest = await listByPeople(db, { ...eventQuery, after, limit: eventQuery.limit - found.length });
  return [...found, ...rest];
}
