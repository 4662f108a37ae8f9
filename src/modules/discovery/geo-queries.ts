/** Lists around a place that are read from the database: searches by words, and circles with too many cells to cache. */

import type { Database } from '../../db/client.ts';
import type { Queryable } from '../../db/query.ts';
import { one } from '../../db/query.ts';
import { sql } from '../../db/sql.ts';
import { type Circle, circleBands, circleCells } from '../../lib/grid-cells.ts';
import { listedCondition } from '../events/policy.ts';
import type { Page, Slice } from './timeline-page.ts';
import { alsoHasWords, type Filter, hasWords, ofCategory } from './timeline-queries.ts';

export type Around = Filter & {
  /** Radius in km. */
  circle: Circle;
  from: Date | null;
  until: Date | null;
  hiddenOrganizers: string[];
};

const maxCells = 2_000;

/**
 * Lists the events with some words in a circle.
 * @param byWords whether the index of words selects fewer events than the index of cells, and is used first
 */
export async function listWordsAround(
  db: Database,
  around: Around,
  { page, limit }: Slice,
  byWords: boolean,
): Promise<Page> {
  const { circle } = around;
  const cells = circleCells(circle, maxCells);
  // One statement gives a consistent page and total. The outer join returns the total of an empty page.
  const found = await db.query<{ total: number; id: string | null }>(sql`
    with matches as materialized (
      select e.id, e.start_at from events e
      where ${matches(around)} and ${isInside(circle)}
        ${cells && !byWords ? sql`and e.cell = any(${cells}::int[]) ${alsoHasWords(around)}` : hasWords(around.search)}
    ), total as (
      select count(*)::int as total from matches
    ), page as (
      select * from matches order by start_at, id limit ${limit} offset ${(page - 1) * limit}::bigint
    )
    select t.total, p.id from total t left join page p on true order by p.start_at, p.id`);
  return { ids: found.flatMap(({ id }) => id ?? []), total: found[0]?.total ?? 0 };
}

/**
 * Lists the events in a large circle. Counts them by bands of cells, and computes distances only in bands on the rim.
 * @param worldTotal number of events in the same time range, anywhere
 */
export async function listAround(
  db: Queryable,
  around: Around,
  { page, limit }: Slice,
  worldTotal: number,
): Promise<Page> {
  const { total } = one(
    await db.query<{ total: number }>(sql`
    select coalesce(sum(found.n), 0)::int as total
    from ${bands(around)}
    cross join lateral (select count(*) as n from events e where ${inBand(around)}) found`),
  );
  const skip = (page - 1) * limit;
  if (skip >= total) return { ids: [], total };
  // Compares the events to read in the order of starts, up to the end of the page, with the events to sort.
  const scanned = ((skip + limit) / total) * worldTotal;
  const ids =
    scanned < total
      ? await listByStart(db, around, skip, limit)
      : await listBySorting(db, around, skip, limit);
  return { ids: ids.map(({ id }) => id), total };
}

/** Reads the index of starts in its order. The index of spans gives the events that run at `from`. */
async function listByStart(db: Queryable, around: Around, skip: number, limit: number) {
  const { circle, from } = around;
  const all = sql`${matches(around)} and ${isInside(circle)}`;
  return await db.query<{ id: string }>(sql`
    select id from (
      (select e.id, e.start_at from events e
        where ${all} ${from ? sql`and tstzrange(e.start_at, e.end_at) @> ${from}::timestamptz and e.start_at < ${from}` : sql`and false`})
      union all
      (select e.id, e.start_at from events e
        where ${all} ${from ? sql`and e.start_at >= ${from}` : sql``}
        order by e.start_at, e.id limit ${skip + limit}::bigint)
    ) both_parts
    order by start_at, id limit ${limit} offset ${skip}::bigint`);
}

/** Reads the bands of cells and sorts. */
async function listBySorting(db: Queryable, around: Around, skip: number, limit: number) {
  return await db.query<{ id: string }>(sql`
    select found.id
    from ${bands(around)}
    cross join lateral (select e.id, e.start_at from events e where ${inBand(around)} offset 0) found
    order by found.start_at, found.id limit ${limit} offset ${skip}::bigint`);
}

/** The bands of cells as rows. Each band is one index-only scan of events_by_cell. */
function bands({ circle }: Around) {
  const all = circleBands(circle);
  return sql`
    unnest(${all.map(({ first }) => first)}::int[], ${all.map(({ last }) => last)}::int[],
      ${all.map(({ isInner }) => Number(isInner))}::int[]) b (first, last, inner_band)`;
}

const inBand = (around: Around) => sql`
  e.cell between b.first and b.last and (b.inner_band = 1 or ${isInside(around.circle)}) and ${matches(around)}`;

const isInside = ({ lat, lng, radius }: Circle) =>
  sql`distance_km(${lat}, ${lng}, e.lat, e.lng) <= ${radius}`;

const matches = ({ from, until, category, hiddenOrganizers }: Around) => sql`
  ${listedCondition()} ${ofCategory({ category })}
  ${from ? sql`and e.end_at > ${from}` : sql``}
  ${until ? sql`and e.start_at <= ${until}` : sql``}
  ${hiddenOrganizers.length > 0 ? sql`and e.organizer_id <> all(${hiddenOrganizers}::uuid[])` : sql``}`;
