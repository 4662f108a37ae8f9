/** Queries of timelines: the number of events of a filter that begin on each day, and the events of some days. */

import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import { transaction } from '../../db/transaction.ts';
import { listedCondition } from '../events/policy.ts';
import type { Search } from '../events/search-words.ts';

/** The filters of a list, without dates and places. */
export type Filter = { category: string | null; search: Search | null };

/** How well an event matches the words, from 0 to 3. Always 0 without words, and in lists by start. */
export type Grade = number;
export const grades = [3, 2, 1, 0] as const;

/** Times in ms; days in UTC from 1970-01-01. */
export type Entry = { grade: Grade; id: string; start: number; end: number };
export type DayCount = { grade: Grade; day: number; n: number };

const secondsOfDay = 86_400;
export const ofCategory = ({ category }: Pick<Filter, 'category'>) =>
  category === null ? sql`` : sql`and e.category = ${category}`;

/**
 * SQL condition on `events e` that uses the index of words. Only the longest words use it; `is true` prevents the
 * planner from using it for the other words.
 */
export function hasWords(search: Search | null) {
  if (!search) return sql``;
  const { longest, anywhere } = search;
  return longest === anywhere
    ? sql`and e.search @@ ${anywhere}::tsquery`
    : sql`and e.search @@ ${longest}::tsquery and (e.search @@ ${anywhere}::tsquery) is true`;
}

/** The same condition for statements that use another index. */
export const alsoHasWords = ({ search }: Filter) =>
  search ? sql`and (e.search @@ ${search.anywhere}::tsquery) is true` : sql``;

/** Grade 3: all words in the title, as whole words; 2: in the title; 1: in title and address; 0: anywhere. */
function gradeOf({ search }: Filter, isGraded: boolean) {
  if (!search || !isGraded) return sql`0`;
  return sql`
    case
      when e.search @@ ${search.wholeInTitle}::tsquery then 3
      when e.search @@ ${search.inTitle}::tsquery then 2
      when e.search @@ ${search.inTitleOrAddress}::tsquery then 1
      else 0
    end`;
}

const entry = (filter: Filter, isGraded: boolean) => sql`
  ${gradeOf(filter, isGraded)} as grade, e.id,
  date_part('epoch', e.start_at) * 1000 as start, date_part('epoch', e.end_at) * 1000 as "end"`;

/**
 * Counts the events of all days of a filter. The statement may run longer than a request, because a common word matches
 * millions of events; the next request then finds the counts cached.
 */
export function countDays(db: Database, filter: Filter, isGraded: boolean): Promise<DayCount[]> {
  return transaction(db, async (tx) => {
    await tx.query(sql`set local statement_timeout = '60s'`);
    // A frequent word needs another plan than a rare one.
    await tx.query(sql`set local plan_cache_mode = auto`);
    return await tx.query<DayCount>(sql`
      select ${gradeOf(filter, isGraded)} as grade,
        floor(date_part('epoch', e.start_at) / ${secondsOfDay})::int as day, count(*)::int as n
      from events e
      where ${listedCondition()} ${ofCategory(filter)} ${hasWords(filter.search)}
      group by 1, 2`);
  });
}

/** Counts the events of some days of a filter, each with a scan of the index of starts. */
export async function recountDays(
  db: Database,
  filter: Filter,
  isGraded: boolean,
  days: number[],
): Promise<DayCount[]> {
  return await db.query<DayCount>(sql`
    select ${gradeOf(filter, isGraded)} as grade, d.day, count(*)::int as n
    from unnest(${days}::int[]) d (day)
    join events e on e.start_at >= to_timestamp(d.day * ${secondsOfDay}::float8)
      and e.start_at < to_timestamp((d.day + 1) * ${secondsOfDay}::float8)
    where ${listedCondition()} ${ofCategory(filter)} ${alsoHasWords(filter)}
    group by 1, 2`);
}

/** A range of days; `grade` null means all grades. */
export type Days = { first: number; last: number; grade: Grade | null };

/**
 * Lists the entries that begin on these days, by start and id.
 * @param byWords whether the index of words selects fewer events than the index of starts, and is used first
 */
export async function listDays(
  db: Database,
  filter: Filter,
  isGraded: boolean,
  { first, last, grade }: Days,
  byWords: boolean,
): Promise<Entry[]> {
  const within = sql`
    e.start_at >= to_timestamp(${first}::int * ${secondsOfDay}::float8)
    and e.start_at < to_timestamp((${last}::int + 1) * ${secondsOfDay}::float8)`;
  return await db.query<Entry>(sql`
    select ${entry(filter, isGraded)}
    from events e
    where ${listedCondition()} ${ofCategory(filter)}
      ${byWords ? sql`and (${within}) is true ${hasWords(filter.search)}` : sql`and ${within} ${alsoHasWords(filter)}`}
      ${grade === null ? sql`` : sql`and ${gradeOf(filter, isGraded)} = ${grade}`}
    order by e.start_at, e.id`);
}

/** Lists the entries that began before a day and end after its start. */
export async function listRunning(
  db: Database,
  filter: Filter,
  isGraded: boolean,
  day: number,
): Promise<Entry[]> {
  const at = sql`to_timestamp(${day}::int * ${secondsOfDay}::float8)`;
  return await db.query<Entry>(sql`
    select ${entry(filter, isGraded)}
    from events e
    where ${listedCondition()} and tstzrange(e.start_at, e.end_at) @> ${at} and e.start_at < ${at}
      ${ofCategory(filter)} ${alsoHasWords(filter)}
    order by e.start_at, e.id`);
}

/** Lists the entries of some organizers, to leave them out for a viewer who blocked them. */
export async function listOfOrganizers(
  db: Database,
  filter: Filter,
  isGraded: boolean,
  organizers: string[],
): Promise<Entry[]> {
  if (organizers.length === 0) return [];
  return await db.query<Entry>(sql`
    select ${entry(filter, isGraded)}
    from events e
    where ${listedCondition()} and e.organizer_id = any(${organizers}::uuid[])
      ${ofCategory(filter)} ${alsoHasWords(filter)}`);
}
