/** Lists that the database computes, with one statement each: the page and the exact total. */
import { materialized, type Queryable, type Statement, sql } from '#pg';
import type { Search } from '../events/search-words.ts';
import type { ListQuery, Page, Slice } from './event-query.ts';
import { conditionOf, isBounded } from './filters.ts';

/** Lists a page of ids by grade, start and id. */
export async function listBySql(db: Queryable, query: ListQuery, slice: Slice): Promise<Page> {
  const rows = await db.query<{ total: number; id: string | null }>(listStatement(query, slice));
  return { ids: rows.flatMap(({ id }) => id ?? []), total: rows[0]?.total ?? 0 };
}

/**
 * The statement of a list: a row for each event of the page, in order, with the total. An empty page has one row, whose
 * id is null.
 */
export function listStatement(query: ListQuery, { page, limit }: Slice): Statement {
  const slice = sql`limit ${limit} offset ${(page - 1) * limit}::bigint`;
  // Few events have the words or lie in the circle or box: they are read once, for the total and the page.
  if (query.search !== null || isBounded(query.circle) || query.box || query.order === 'distance') {
    return sql`
    with found as ${materialized} (
      select e.id, e.start_at, e.series_id, ${gradeOf(query)} as grade from events e where ${matching(query)}
    ), matches as (${query.collapse ? firstOfSeries : sql`select * from found`}), page as (
      select * from matches order by grade desc, start_at, id ${slice}
    )
    select t.total, p.id from (select count(*)::int as total from matches) t
    left join page p on true order by p.grade desc, p.start_at, p.id`;
  }
  // Otherwise the total is a scan of an index alone, and the page reads the index of starts only as far as it needs.
  const { starting, running } = rangesOf(query);
  return sql`
    with running as materialized (
      select e.id, e.start_at from events e where ${running}
      ${query.collapse ? sql`union all ${firstOccurrences(query)}` : sql``}
    ), page as (
      select * from (
        select * from running
        union all
        (select e.id, e.start_at from events e where ${starting}
          order by e.start_at, e.id limit ${page * limit}::bigint)
      ) found
      order by start_at, id ${slice}
    )
    select t.total, p.id from (
      select sum(n)::int as total from (
        select count(*) as n from running union all select count(*) from events e where ${starting}
      ) counts
    ) t left join page p on true order by p.start_at, p.id`;
}

/**
 * The conditions on the events that begin from `query.from` on, and on those that are running then, which events_by_span
 * finds. One condition on their end would read the events of all the past.
 */
function rangesOf(query: ListQuery): { starting: Statement; running: Statement } {
  const { starting, running } = rangesOfAll(query);
  if (!query.collapse) return { starting, running };
  return {
    starting: sql`${starting} and e.series_id is null`,
    running: sql`${running} and e.series_id is null`,
  };
}

function rangesOfAll(query: ListQuery): { starting: Statement; running: Statement } {
  const { from, since } = query;
  const starting = { ...query, from: null };
  if (!from || (since && since >= from)) return { starting: matching(starting), running: sql`false` };
  const isRunning = sql`e.start_at < ${from} and tstzrange(e.start_at, e.end_at) @> ${from}::timestamptz`;
  return {
    // An all-day event that begins from then on begins on the day of `query.since` or later.
    starting: matching({ ...starting, since: from, days: { ...query.days, since: null } }),
    running: sql`${matching(starting)} and ${isRunning}`,
  };
}

/** Of the events `found`, those without a series, and of each series the first one of the list. */
const firstOfSeries = sql`
  select * from found where series_id is null
  union all (
    select distinct on (series_id) * from found where series_id is not null
    order by series_id, grade desc, start_at, id
  )`;

/** The first occurrences of series by start and id. The index events_of_series has no other events. */
const firstOccurrences = (query: ListQuery): Statement => sql`
  (select distinct on (e.series_id) e.id, e.start_at from events e
    where e.series_id is not null and ${matching(query)} order by e.series_id, e.start_at, e.id)`;

/** The condition on `events e` of all filters and the words. */
export function matching(query: Omit<ListQuery, 'order'>): Statement {
  const condition = conditionOf(query);
  return query.search ? sql`${condition} and ${hasWords(query.search)}` : condition;
}

/**
 * The index of words finds the longest words only. The other words are cheaper to check on the rows; `is true` prevents
 * the planner from using the index for them.
 */
const hasWords = ({ longest, anywhere }: Search): Statement =>
  longest === anywhere
    ? sql`e.search @@ ${anywhere}::tsquery`
    : sql`e.search @@ ${longest}::tsquery and (e.search @@ ${anywhere}::tsquery) is true`;

/**
 * Grade 3: all words in the title, as whole words; 2: in the title; 1: in title and address; 0: anywhere. By distance: the higher,
 * the nearer, in mm as in memory.
 */
function gradeOf({ search, order, circle }: ListQuery): Statement {
  if (order === 'distance' && circle)
    return sql`-round(distance_km(${circle.lat}, ${circle.lng}, e.lat, e.lng) * 1000000)`;
  if (!search || order !== 'relevance') return sql`0`;
  return sql`
    case
      when e.search @@ ${search.wholeInTitle}::tsquery then 3
      when e.search @@ ${search.inTitle}::tsquery then 2
      when e.search @@ ${search.inTitleOrAddress}::tsquery then 1
      else 0
    end`;
}
