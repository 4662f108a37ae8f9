/** Maps that the database computes, with one statement each. */
import { join, type Queryable, raw, type Statement, sql } from '#pg';
import type { ListQuery } from '../event-query.ts';
import { matching } from '../sql-lists.ts';
import {
  type Cluster,
  type EventMap,
  finestSize,
  maxClusters,
  maxZoom,
  unitsPerDegree,
} from './cluster-grid.ts';

type MapFilters = Omit<ListQuery, 'order'>;

/** Clusters events as `ClusterGrid` does. */
export async function mapBySql(db: Queryable, filters: MapFilters, zoom: number): Promise<EventMap> {
  const rows = await db.query<Cluster & { zoom: number }>(mapStatement(filters, zoom));
  return { zoom: rows[0]?.zoom ?? zoom, clusters: rows.map(({ zoom: _zoom, ...cluster }) => cluster) };
}

/**
 * The statement of a map: a row for each cluster. It groups the events by the cells of the requested zoom,
 * finds by binary search how many times the grid must be halved, and groups the cells by those of that grid.
 */
function mapStatement(filters: MapFilters, zoom: number): Statement {
  const position = (coordinate: Statement, range: number) => sql`
    least(floor((${coordinate} + ${range / 2}::float8) / ${range}::float8 * ${finestSize}::float8), ${finestSize - 1}::float8)::int
      >> ${maxZoom - zoom}::int`;
  const units = (coordinate: Statement) =>
    sql`sum(floor(${coordinate} * ${unitsPerDegree}::float8 + 0.5::float8)::bigint)`;
  const steps = Array.from({ length: Math.ceil(Math.log2(zoom + 1)) || 1 }, (_, i) => searchStep(i));
  return sql`
    with cells as materialized (
      select ${position(sql`e.lng`, 360)} as x, ${position(sql`e.lat`, 180)} as y, count(*) as count,
        ${units(sql`e.lat`)} as lat_sum, ${units(sql`e.lng`)} as lng_sum,
        min(e.lng) as west, min(e.lat) as south, max(e.lng) as east, max(e.lat) as north, min(e.id::text collate "C") as id
      from ${filters.collapse ? firstAtPlaces(filters) : sql`events e where ${matching(filters)}`} group by 1, 2
    ), step_0 (low, high) as (select 0, ${zoom}::int)
    ${join(steps, '')}
    select ${zoom}::int - low as zoom, sum(count)::int as count,
      sum(lat_sum)::float8 as "latSum", sum(lng_sum)::float8 as "lngSum",
      min(west) as west, min(south) as south, max(east) as east, max(north) as north,
      case when sum(count) = 1 then min(id) end as "eventId"
    from step_${raw(`${steps.length}`)} cross join cells
    group by low, y >> low, x >> low order by sum(count) desc, y >> low, x >> low`;
}

/** The events without a series, and of each series the first occurrence at each place. */
const firstAtPlaces = (filters: MapFilters): Statement => sql`(
    select e.id, e.lat, e.lng from events e where e.series_id is null and ${matching(filters)}
    union all (
      select distinct on (e.series_id, e.lat, e.lng) e.id, e.lat, e.lng from events e
      where e.series_id is not null and ${matching(filters)}
      order by e.series_id, e.lat, e.lng, e.start_at, e.id
    )
  ) e`;

/** A step of the binary search for the lowest number of halvings with which the clusters fit. */
const searchStep = (i: number): Statement => sql`
  , step_${raw(`${i + 1}`)} (low, high) as materialized (
    select case when fits then low else middle + 1 end, case when fits then middle else high end
    from (select low, high, (low + high) / 2 as middle from step_${raw(`${i}`)}) s
    cross join lateral (
      select case when low = high then true else (
        select count(*) <= ${maxClusters} from (select from cells group by x >> middle, y >> middle) coarse
      ) end as fits
    ) t
  )`;
