/** What a timeline is read from: how many events of a filter begin on each day, and which ones. */

import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import { transaction } from '../../db/transaction.ts';
import { listedCondition } from '../events/policy.ts';
import type { Search } from '../events/search-words.ts';

/** What is looked for, but for dates and places. */
export type Filter = { category: string | null; search: Search | null };

/** How well an event matches, from 0 to 3; 0 for all where no words are looked for, or order is by start alone. */
export type Grade = number;
export const grades = [3, 2, 1, 0] as const;

/** Times in ms; days in UTC from 1970-01-01. */
export type Entry = { grade: Grade; id: string; start: number; end: number };
export type DayCount = { grade: Grade; day: number; n: number };

const secondsOfDay = 86_400;
export const ofCategory = ({ category }: Pick<Filter, 'category'>) =>
  category === null ? sql`` : sql`and e.category = ${category}`;

/**
 * By way of the index of words. Only the longest words go through it; `is true` keeps the planner from taking the
 * others there too.
 */
export function hasWords(search: Search | null) {
  if (!search) return sql``;
  const { longest, anywhere } = search;
  return longest === anywhere
    ? sql`and e.search @@ ${anywhere}::tsquery`
    : sql`and e.search @@ ${longest}::tsquery and (e.search @@ ${anywhere}::tsquery) is true`;
}

/** The same for events that another index finds. */
export const alsoHasWords = ({ search }: Filter) =>
  search ? sql`and (e.search @@ ${search.anywhere}::tsquery) is true` : sql``;

/** All words in the title, whole; in the title; in title and address; anywhere. */
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
 * All days of a filter. A word that most of millions of events have takes longer than a request may; so that the next
 * one finds the counts, this goes on.
 */
export function countDays(db: Database, filter: Filter, isGraded: boolean): Promise<DayCount[]> {
  return transaction(db, async (tx) => {
    await tx.query(sql`set local statement_timeout = '60s'`);
    return await tx.query<DayCount>(sql`
      select ${gradeOf(filter, isGraded)} as grade,
        floor(date_part('epoch', e.start_at) / ${secondsOfDay})::int as day, count(*)::int as n
      from events e
      where ${listedCondition()} ${ofCategory(filter)} ${hasWords(filter.search)}
      group by 1, 2`);
  });
}

/** Some days of a filter, each by a look into the index of starts. */
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

/** Days from first to last; of one grade or, where it is null, of all. */
export type Days = { first: number; last: number; grade: Grade | null };

/**
 * The entries that begin on these days, in the order of lists.
 * @param byWords true when fewer events have the words than begin on these days: then words are looked up first
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

/** The entries that had begun before a day and went on into it. */
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

/** The entries of some organizers: what a viewer who blocked them does not see. */
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
