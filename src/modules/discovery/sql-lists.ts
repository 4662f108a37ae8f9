/** Lists that the database computes, with one statement each: the page and the exact total. */
import type { Queryable } from '../../db/query.ts';
import { type Statement, sql } from '../../db/sql.ts';
import type { Box } from '../../lib/coordinates.ts';
import { boxCells, type Circle, circleCells } from '../../lib/grid-cells.ts';
import { farthestKm } from '../../lib/sphere.ts';
import { listedCondition } from '../events/policy.ts';
import type { Search } from '../events/search-words.ts';
import type { EventQuery, Order } from './event-query.ts';
import type { Page, Slice } from './memory/index-query.ts';

export type SqlFilters = EventQuery & { hiddenOrganizers: string[] };
export type SqlQuery = SqlFilters & { order: Order };

/** Larger circles are not looked up by cells, but by the distances of all events. A radius of 500 km has about 1,100. */
const maxCells = 4_000;

/** Lists a page of ids by grade, start and id. */
export async function listBySql(db: Queryable, query: SqlQuery, slice: Slice): Promise<Page> {
  const rows = await db.query<{ total: number; id: string | null }>(listStatement(query, slice));
  return { ids: rows.flatMap(({ id }) => id ?? []), total: rows[0]?.total ?? 0 };
}

/**
 * The statement of a list: a row for each event of the page, in order, with the total. An empty page has one row, whose
 * id is null.
 */
export function listStatement(query: SqlQuery, { page, limit }: Slice): Statement {
  const slice = sql`limit ${limit} offset ${(page - 1) * limit}::bigint`;
  // Few events have the words or lie in the circle or box: they are read once, for the total and the page.
  if (query.search !== null || isBounded(query.circle) || query.box) {
    return sql`
    with matches as materialized (
      select e.id, e.start_at, ${gradeOf(query)} as grade from events e where ${matching(query)}
    ), page as (
      select * from matches order by grade desc, start_at, id ${slice}
    )
    select t.total, p.id from (select count(*)::int as total from matches) t
    left join page p on true order by p.grade desc, p.start_at, p.id`;
  }
  // Otherwise the total is a scan of an index alone, and the page reads the index of starts only as far as it needs.
  return sql`
    with page as (
      select e.id, e.start_at from events e where ${matching(query)} order by e.start_at, e.id ${slice}
    )
    select t.total, p.id from (select count(*)::int as total from events e where ${matching(query)}) t
    left join page p on true order by p.start_at, p.id`;
}

const isBounded = (circle: Circle | null): circle is Circle => circle !== null && circle.radius < farthestKm;

/** The condition on `events e` of all filters. */
export function matching(filters: SqlFilters): Statement {
  const { circle, box, category, from, since, until, search, isFree, hiddenOrganizers } = filters;
  return sql`${listedCondition()}
    ${category === null ? sql`` : sql`and e.category = ${category}`}
    ${from ? sql`and e.end_at > ${from}` : sql``}
    ${since ? sql`and e.start_at >= ${since}` : sql``}
    ${until ? sql`and e.start_at <= ${until}` : sql``}
    ${hiddenOrganizers.length > 0 ? sql`and e.organizer_id <> all(${hiddenOrganizers}::uuid[])` : sql``}
    ${search ? hasWords(search) : sql``}
    ${isFree ? sql`and e.price = 0 and e.is_price_known` : sql``}
    ${isBounded(circle) ? isInside(circle) : sql``}
    ${box ? isInBox(box) : sql``}`;
}

function isInside(circle: Circle): Statement {
  const cells = circleCells(circle, maxCells);
  const { lat, lng, radius } = circle;
  return sql`${cells ? sql`and e.cell = any(${cells}::int[])` : sql``}
    and distance_km(${lat}, ${lng}, e.lat, e.lng) <= ${radius}`;
}

/** The index events_by_cell finds the events of a small box. */
function isInBox(box: Box): Statement {
  const cells = boxCells(box, maxCells);
  const { west, south, east, north } = box;
  const isBetween =
    west <= east ? sql`e.lng between ${west} and ${east}` : sql`(e.lng >= ${west} or e.lng <= ${east})`;
  return sql`${cells ? sql`and e.cell = any(${cells}::int[])` : sql``}
    and e.lat between ${south} and ${north} and ${isBetween}`;
}

/**
 * The index of words finds the longest words only. The other words are cheaper to check on the rows; `is true` prevents
 * the planner from using the index for them.
 */
const hasWords = ({ longest, anywhere }: Search): Statement =>
  longest === anywhere
    ? sql`and e.search @@ ${anywhere}::tsquery`
    : sql`and e.search @@ ${longest}::tsquery and (e.search @@ ${anywhere}::tsquery) is true`;

/** Grade 3: all words in the title, as whole words; 2: in the title; 1: in title and address; 0: anywhere. */
function gradeOf({ search, order }: SqlQuery): Statement {
  if (!search || order === 'start') return sql`0`;
  return sql`
    case
      when e.search @@ ${search.wholeInTitle}::tsquery then 3
      when e.search @@ ${search.inTitle}::tsquery then 2
      when e.search @@ ${search.inTitleOrAddress}::tsquery then 1
      else 0
    end`;
}
