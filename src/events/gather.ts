/**
 * Lists by words around a place, and around circles too large to keep their cells in memory: whatever matches is
 * gathered once, with no more of it than order and distance need.
 */
import type { Sql } from '../db/connect.ts';
import { circleCells, circleRows } from './cells.ts';
import type { Place } from './sphere.ts';
import type { Page, Slice } from './timeline-page.ts';
import { type Filter, hasWords } from './timeline-queries.ts';

export type Gathering = Filter & {
  /** Radius in km. */
  circle: Place & { radius: number };
  from: Date | null;
  until: Date | null;
  hiddenOrganizers: string[];
};

/**
 * One page and the exact total, in one statement and so of one moment. The outer join keeps the total on a page past
 * the end.
 */
export async function listGathered(
  sql: Sql,
  { circle, from, until, category, search, hiddenOrganizers }: Gathering,
  { page, limit }: Slice,
): Promise<Page> {
  const found = await sql<{ total: number; id: string | null }[]>`
    with matches as materialized (
      select e.id, e.start_at
      from events e
      where e.visibility = 'public' and e.status = 'scheduled'
        and ${inCircle(sql, circle)}
        ${hasWords(sql, search)}
        ${from ? sql`and e.end_at > ${from}` : sql``}
        ${until ? sql`and e.start_at <= ${until}` : sql``}
        ${category === null ? sql`` : sql`and e.category = ${category}`}
        ${hiddenOrganizers.length > 0 ? sql`and e.organizer_id <> all(${hiddenOrganizers}::uuid[])` : sql``}
    ), total as (
      select count(*)::int as total from matches
    ), page as (
      select * from matches order by start_at, id limit ${limit} offset ${(page - 1) * limit}::bigint
    )
    select t.total, p.id from total t left join page p on true order by p.start_at, p.id`;
  return { ids: found.flatMap(({ id }) => id ?? []), total: found[0]?.total ?? 0 };
}

const mostCells = 2_000;

/** A small circle names its cells; of a large one only the rows of the grid count. Then the distance is measured. */
function inCircle(sql: Sql, { lat, lng, radius }: Gathering['circle']) {
  const cells = circleCells(lat, lng, radius, mostCells);
  const { first, last } = circleRows(lat, radius);
  return sql`
    ${cells ? sql`e.cell = any(${cells}::int[])` : sql`e.cell between ${first} and ${last}`}
    and distance_km(${lat}, ${lng}, e.lat, e.lng) <= ${radius}`;
}
