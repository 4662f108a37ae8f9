/**
 * Lists around a place. The events of the circle's cells are kept in memory, cell by cell; what the database says has
 * changed is read again before it is used (changes.ts). So a page costs a walk over the numbers of the circle, and its
 * total is exact.
 */

import type { Changes } from '../changes.ts';
import { coalesceReads } from '../db/coalesce.ts';
import type { Sql } from '../db/connect.ts';
import type { Circle } from './cells.ts';
import { chordSquared, type Point, toPoint } from './sphere.ts';

export type NearbyFilter = {
  category: string | null;
  from: Date | null;
  until: Date | null;
  /** Ids of events that are left out. */
  hidden: ReadonlySet<string>;
};

/** The listed events of one cell, in the order of lists; times in ms. */
type Cell = {
  moment: number;
  usedAt: number;
  ids: string[];
  categories: string[];
  start: Float64Array;
  end: Float64Array;
  points: Float64Array;
};

type CellRow = {
  cell: number;
  id: string;
  start: number;
  end: number;
  lat: number;
  lng: number;
  category: string;
};

/** Answered by events_by_cell alone, in its order. */
async function listCells(sql: Sql, cells: number[]): Promise<CellRow[]> {
  return await sql<CellRow[]>`
    select cell, id, date_part('epoch', start_at) * 1000 as start, date_part('epoch', end_at) * 1000 as "end",
      lat, lng, category
    from events
    where visibility = 'public' and status = 'scheduled' and cell = any(${cells}::int[])
    order by cell, start_at, id`;
}

function toCell(rows: CellRow[], moment: number): Cell {
  return {
    moment,
    usedAt: performance.now(),
    ids: rows.map(({ id }) => id),
    categories: rows.map(({ category }) => category),
    start: Float64Array.from(rows, ({ start }) => Math.round(start)),
    end: Float64Array.from(rows, ({ end }) => Math.round(end)),
    points: Float64Array.from(rows.flatMap(toPoint)),
  };
}

/** Events kept at most, at about 200 bytes each; the cells that were used longest ago make room. */
const mostEvents = 500_000;

/** Gives the cells that are asked for, as they are at least as of the last look at the changes. */
export function openCells(sql: Sql, changes: Changes): (cells: number[]) => Promise<Cell[]> {
  const kept = new Map<number, Cell>();
  let events = 0;

  const load = coalesceReads(
    async (cells: number[]) => {
      const { moment } = changes;
      const rows = Map.groupBy(await listCells(sql, cells), ({ cell }) => cell);
      return cells.map((cell) => keep(cell, toCell(rows.get(cell) ?? [], moment)));
    },
    { keyOf: String, most: 1_000 },
  );

  const keep = (number: number, cell: Cell): Cell => {
    events += cell.ids.length - (kept.get(number)?.ids.length ?? 0);
    kept.set(number, cell);
    if (events > mostEvents) makeRoom();
    return cell;
  };
  const makeRoom = () => {
    for (const [number, cell] of [...kept].sort(([, a], [, b]) => a.usedAt - b.usedAt)) {
      if (events <= mostEvents * 0.9) return;
      kept.delete(number);
      events -= cell.ids.length;
    }
  };

  return (cells) =>
    Promise.all(
      cells.map((number) => {
        const cell = kept.get(number);
        if (!cell || cell.moment < changes.ofCell(number)) return load(number);
        cell.usedAt = performance.now();
        return cell;
      }),
    );
}

/** What one cell has of a list: the cell, and the indexes of its events that match. */
type Matches = { cell: Cell; indexes: number[]; next: number };

function matchesIn(cell: Cell, [x, y, z]: Point, reach: number, filter: NearbyFilter): Matches {
  const { start, end, points, categories, ids } = cell;
  const { category, hidden } = filter;
  const from = filter.from?.getTime() ?? Number.NEGATIVE_INFINITY;
  const until = filter.until?.getTime() ?? Number.POSITIVE_INFINITY;
  const indexes: number[] = [];
  for (let i = 0, p = 0; i < start.length; i++, p += 3) {
    if ((start[i] as number) > until) break;
    if ((end[i] as number) <= from) continue;
    const [dx, dy, dz] = [
      (points[p] as number) - x,
      (points[p + 1] as number) - y,
      (points[p + 2] as number) - z,
    ];
    if (dx * dx + dy * dy + dz * dz > reach) continue;
    if (category !== null && categories[i] !== category) continue;
    if (hidden.size > 0 && hidden.has(ids[i] as string)) continue;
    indexes.push(i);
  }
  return { cell, indexes, next: 0 };
}

/**
 * The ids of one page, by start and then id, and how many events match.
 * @param radius in km; a point on the rim is inside
 */
export function listNearby(
  cells: Cell[],
  circle: Circle,
  filter: NearbyFilter,
  { page, limit }: { page: number; limit: number },
): { ids: string[]; total: number } {
  const centre = toPoint(circle);
  const reach = chordSquared(circle.radius);
  const heads = cells.map((cell) => matchesIn(cell, centre, reach, filter)).filter(hasNext);
  const total = heads.reduce((sum, { indexes }) => sum + indexes.length, 0);
  const skip = (page - 1) * limit;
  const ids: string[] = [];
  if (skip >= total) return { ids, total };
  for (let place = 0; place < Math.min(skip + limit, total); place++) {
    const head = heads.reduce(earlier);
    if (place >= skip) ids.push(idOf(head));
    head.next++;
    if (!hasNext(head)) heads.splice(heads.indexOf(head), 1);
  }
  return { ids, total };
}

const hasNext = ({ indexes, next }: Matches) => next < indexes.length;
// A head always has a next one.
const indexOf = ({ indexes, next }: Matches) => indexes[next] as number;
const startOf = (head: Matches) => head.cell.start[indexOf(head)] as number;
const idOf = (head: Matches) => head.cell.ids[indexOf(head)] as string;

function earlier(a: Matches, b: Matches): Matches {
  const difference = startOf(a) - startOf(b);
  return difference < 0 || (difference === 0 && idOf(a) < idOf(b)) ? a : b;
}
