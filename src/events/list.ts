/** The lists of events: which ones match, in which order, how many there are, and one page of them. */
import type { Sql } from '../db/connect.ts';
import type { Viewer } from '../http/viewer.ts';
import { circleCells, circleRows } from './cells.ts';
import { selectEvent } from './queries.ts';
import type { Search } from './search.ts';
import type { EventRow } from './views.ts';

export type Filters = {
  /** Radius in km. */
  near: { lat: number; lng: number; radius: number } | null;
  category: string | null;
  /** Events that have not ended by `from`, and begin by `until`. */
  from: Date | null;
  until: Date | null;
  search: Search | null;
  /** Ids of organizers whom the viewer does not want to see. */
  hiddenOrganizers: string[];
};
export type Order = 'start' | 'relevance';
export type Page = { page: number; limit: number };

/**
 * One page and the exact total, in one statement and so of one moment. The wide rows, the counters and the viewer's own
 * rows are fetched for the page's ids alone. The outer join keeps the total on a page past the end.
 */
export async function listEvents(
  sql: Sql,
  filters: Filters,
  order: Order,
  page: Page,
  viewer: Viewer | null,
): Promise<{ rows: EventRow[]; total: number }> {
  const gather = filters.near || filters.search;
  const found = await sql<(EventRow & { total: number; id: string | null })[]>`
    with ${gather ? gathered(sql, filters, order, page) : walked(sql, filters, page)}
    select t.total, p.distance_km, found.*
    from total t
    left join page p on true
    left join lateral (${selectEvent(sql, viewer)} where e.id = p.id) found on true
    order by p.rank desc, p.start_at, p.id`;
  // Past the end the join leaves one row without an event. An event deleted at this very moment cannot leave one:
  // the statement sees a single snapshot.
  return { rows: found.filter((row) => row.id !== null), total: found[0]?.total ?? 0 };
}

const listed = (sql: Sql) => sql`e.visibility = 'public' and e.status = 'scheduled'`;

/** By place or words: whatever matches is gathered once, with no more of it than order and distance need. */
function gathered(sql: Sql, filters: Filters, order: Order, { page, limit }: Page) {
  const { near, search, from, until } = filters;
  const distance = near ? sql`distance_km(${near.lat}, ${near.lng}, e.lat, e.lng)` : sql`null::float8`;
  const rank = order === 'relevance' && search ? relevance(sql, search) : sql`0::float8`;
  return sql`
    matches as materialized (
      select e.id, e.start_at, ${distance} as distance_km, ${rank} as rank
      from events e
      where ${listed(sql)}
        ${near ? sql`and ${inCircle(sql, near)}` : sql``}
        ${search ? sql`and ${hasWords(sql, search)}` : sql``}
        ${from ? sql`and e.end_at > ${from}` : sql``}
        ${until ? sql`and e.start_at <= ${until}` : sql``}
        ${also(sql, filters)}
    ), total as (
      select count(*)::int as total from matches
    ), page as (
      select * from matches order by rank desc, start_at, id limit ${limit} offset ${(page - 1) * limit}::bigint
    )`;
}

/**
 * By time alone, an index has the events in the order of the list: the page is read from where it begins, and the total
 * is counted in the index. What goes on at `from` but began before is in no such order; it is never much, and an index
 * of the spans finds it.
 */
function walked(sql: Sql, filters: Filters, { page, limit }: Page) {
  const { from, until } = filters;
  const beginning = sql`
    from events e
    where ${listed(sql)} ${from ? sql`and e.start_at >= ${from}` : sql``}
      ${until ? sql`and e.start_at <= ${until}` : sql``} ${also(sql, filters)}`;
  const running = from
    ? sql`and tstzrange(e.start_at, e.end_at) @> ${from}::timestamptz and e.start_at < ${from}`
    : sql`and false`;
  const skip = (page - 1) * limit;
  return sql`
    running as materialized (
      select e.id, e.start_at from events e where ${listed(sql)} ${running} ${also(sql, filters)}
    ), total as (
      select ((select count(*) from running) + (select count(*) ${beginning}))::int as total
    ), page as (
      select id, start_at, null::float8 as distance_km, 0::float8 as rank
      from (
        select id, start_at from running
        union all
        (select e.id, e.start_at ${beginning} order by e.start_at, e.id limit ${limit} + ${skip}::bigint)
      ) both_parts
      order by start_at, id limit ${limit} offset ${skip}::bigint
    )`;
}

/** A small circle names its cells; of a large one only the rows of the grid count. Then the distance is measured. */
function inCircle(sql: Sql, { lat, lng, radius }: NonNullable<Filters['near']>) {
  const cells = circleCells(lat, lng, radius);
  const { first, last } = circleRows(lat, radius);
  return sql`
    ${cells ? sql`e.cell = any(${cells}::int[])` : sql`e.cell between ${first} and ${last}`}
    and distance_km(${lat}, ${lng}, e.lat, e.lng) <= ${radius}`;
}

/** Only the longest words go through the index; `is true` keeps the planner from taking the others there too. */
function hasWords(sql: Sql, { longest, anywhere }: Search) {
  return longest === anywhere
    ? sql`e.search @@ ${anywhere}::tsquery`
    : sql`e.search @@ ${longest}::tsquery and (e.search @@ ${anywhere}::tsquery) is true`;
}

/**
 * All words in the title (whole words first) comes before title and address, that before the rest; number and weight of
 * the words, always below 1, decide between what is still equal. They alone would put a long description that says a
 * word often, or says many words with one start, before a title. Their nearness is left out: it takes time by the
 * square of how often they are there.
 */
function relevance(sql: Sql, { anyOf, inTitle, inTitleOrAddress, wholeInTitle }: Search) {
  return sql`(
    case
      when e.search @@ ${inTitle}::tsquery then 2 + (e.search @@ ${wholeInTitle}::tsquery)::int
      when e.search @@ ${inTitleOrAddress}::tsquery then 1
      else 0
    end + ts_rank(e.search, ${anyOf}::tsquery, 32))`;
}

/** What no index has to find. */
function also(sql: Sql, { category, hiddenOrganizers }: Filters) {
  return sql`
    ${category === null ? sql`` : sql`and e.category = ${category}`}
    ${hiddenOrganizers.length > 0 ? sql`and e.organizer_id <> all(${hiddenOrganizers}::uuid[])` : sql``}`;
}
