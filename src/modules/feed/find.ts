/** Where the events of a feed are looked for: among what the people do, or among what comes next. */
import type { Database } from '../../db/client.ts';
import { countFollowed, type Found, listByPeople, listByTime, type Wanted } from './repo.ts';

/** Up to so many people are asked for what they do. */
const fewPeople = 100;
/**
 * Many people have to do with many events, so a page of theirs is among the next few: so many are looked at, and so
 * many more as long as the page is not full.
 */
const looks = [100, 400, 1_600, 6_400];

/** @param ways what the limits above are; less in tests */
export async function findFeed(db: Database, wanted: Wanted, ways = { fewPeople, looks }): Promise<Found[]> {
  const count = await countFollowed(db, wanted.viewer.id);
  if (count === 0) return [];
  if (count <= ways.fewPeople) return listByPeople(db, wanted);
  const found: Found[] = [];
  let { after } = wanted;
  for (const most of ways.looks) {
    const left = wanted.limit - found.length;
    const look = await listByTime(db, { ...wanted, after, limit: left }, most);
    found.push(...look.found);
    if (!look.seenTo || found.length >= wanted.limit) return found;
    after = look.seenTo;
  }
  // Many who do little: what they do costs less than all the time there is.
  const rest = await listByPeople(db, { ...wanted, after, limit: wanted.limit - found.length });
  return [...found, ...rest];
}
