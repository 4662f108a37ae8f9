/** Where the events of a feed are looked for: among what the people do, or among what comes next. */
import type { Sql } from '../db/connect.ts';
import { type Found, listByPeople, listByTime, type Wanted } from './queries.ts';

/** Up to so many people are asked for what they do. */
const fewPeople = 100;
/**
 * Many people have to do with many events, so a page of theirs is among the next few: so many are looked at, and so
 * many more as long as the page is not full.
 */
const looks = [100, 400, 1_600, 6_400];

/**
 * Costs at most what the people do (queries.ts) and a look at the next 8,500 events; for those who follow few, or many
 * who do much, a few milliseconds.
 */
export async function findFeed(sql: Sql, wanted: Wanted): Promise<Found[]> {
  const { organizers } = wanted.circle;
  if (organizers.length === 0) return [];
  if (organizers.length <= fewPeople) return listByPeople(sql, wanted);
  const found: Found[] = [];
  let { after } = wanted;
  for (const most of looks) {
    const left = wanted.limit - found.length;
    const look = await listByTime(sql, { ...wanted, after, limit: left }, most);
    found.push(...look.found);
    if (!look.seenTo || found.length >= wanted.limit) return found;
    after = look.seenTo;
  }
  const rest = await listByPeople(sql, { ...wanted, after, limit: wanted.limit - found.length });
  return [...found, ...rest];
}
