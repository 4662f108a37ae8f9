/** The lists of events: which ones match, in which order, how many there are, and one page of them. */
import type { Sql } from '../db/connect.ts';
import type { Viewer } from '../http/viewer.ts';
import { circleCells } from './cells.ts';
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
 * One page and the exact total, in one statement and so of one moment. `matches` is computed once and holds only what
 * filter and order need; the wide rows, the counters and the viewer's own rows are fetched for the page's ids alone.
 * The outer join keeps the total on a page past the end.
 */
export async function listEvents(
  sql: Sql,
  filters: Filters,
  order: Order,
  { page, limit }: Page,
  viewer: Viewer | null,
): Promise<{ rows: EventRow[]; total: number }> {
  const { near, search } = filters;
  const distance = near ? sql`distance_km(${near.lat}, ${near.lng}, e.lat, e.lng)` : sql`null::float8`;
  const rank = order === 'relevance' && search ? relevance(sql, search) : sql`0::float8`;
  const found = await sql<(EventRow & { total: number; id: string | null })[]>`
    with matches as materialized (
      select e.id, e.start_at, ${distance} as distance_km, ${rank} as rank
      from events e
      where e.visibility = 'public' and e.status = 'scheduled' ${conditions(sql, filters)}
    ), page as (
      select * from matches
      order by rank desc, start_at, id
      limit ${limit} offset ${((page - 1) * limit).toString()}::bigint
    )
    select t.total, p.distance_km, found.*
    from (select count(*)::int as total from matches) t
    left join page p on true
    left join lateral (${selectEvent(sql, viewer)} where e.id = p.id) found on true
    order by p.rank desc, p.start_at, p.id`;
  // Past the end the join leaves one row without an event. An event deleted at this very moment cannot leave one:
  // the statement sees a single snapshot.
  return { rows: found.filter((row) => row.id !== null), total: found[0]?.total ?? 0 };
}

/**
 * All words in the title (whole words first) comes before title and address, that before the rest; the number, weight
 * and nearness of the words, always below 1, decides between what is still equal. It alone would put a long
 * description that says a word often, or says many words with one start, before a title.
 */
function relevance(sql: Sql, { anywhere, inTitle, inTitleOrAddress, wholeInTitle }: Search) {
  return sql`(
    4 * (e.search @@ ${inTitle}::tsquery)::int + 2 * (e.search @@ ${inTitleOrAddress}::tsquery)::int
    + (e.search @@ ${wholeInTitle}::tsquery)::int + ts_rank(e.search, ${anywhere}::tsquery, 32))`;
}

function conditions(sql: Sql, { near, category, from, until, search, hiddenOrganizers }: Filters) {
  const cells = near && circleCells(near.lat, near.lng, near.radius);
  return sql`
    ${cells ? sql`and e.cell = any(${cells}::int[])` : sql``}
    ${near ? sql`and distance_km(${near.lat}, ${near.lng}, e.lat, e.lng) <= ${near.radius}` : sql``}
    ${category === null ? sql`` : sql`and e.category = ${category}`}
    ${from ? sql`and e.end_at > ${from}` : sql``}
    ${until ? sql`and e.start_at <= ${until}` : sql``}
    ${search ? sql`and e.search @@ ${search.anywhere}::tsquery` : sql``}
    ${hiddenOrganizers.length > 0 ? sql`and e.organizer_id <> all(${hiddenOrganizers}::uuid[])` : sql``}`;
}
