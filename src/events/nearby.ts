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
import type { Page, Slice } from './timeline-page.ts';
import { listed } from './timeline-queries.ts';

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
    from events e
    where ${listed(sql)} and cell = any(${cells}::int[])
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

/** Events kept at most, at about 120 bytes each; the cells that were used longest ago make room. */
const mostEvents = 2_000_000;

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

/** A cell, and which of its events comes next in the list. */
type Head = { cell: Cell; next: number };
type Test = (cell: Cell, i: number) => boolean;

/** Whether the event at an index belongs to the list. Nothing is made here: it runs for every event of the circle. */
function testFor([x, y, z]: Point, reach: number, { category, from, hidden }: NearbyFilter): Test {
  const after = from?.getTime() ?? Number.NEGATIVE_INFINITY;
  return ({ end, points, categories, ids }, i) => {
    if ((end[i] as number) <= after) return false;
    const dx = (points[3 * i] as number) - x;
    const dy = (points[3 * i + 1] as number) - y;
    const dz = (points[3 * i + 2] as number) - z;
    if (dx * dx + dy * dy + dz * dz > reach) return false;
    if (category !== null && categories[i] !== category) return false;
    return hidden.size === 0 || !hidden.has(ids[i] as string);
  };
}

/**
 * The ids of one page, by start and then id, and how many events match.
 * @param radius in km; a point on the rim is inside
 */
export function listNearby(
  cells: Cell[],
  circle: Circle,
  filter: NearbyFilter,
  { page, limit }: Slice,
): Page {
  const test = testFor(toPoint(circle), chordSquared(circle.radius), filter);
  let total = 0;
  const until = filter.until?.getTime() ?? Number.POSITIVE_INFINITY;
  for (const cell of cells) {
    const { start } = cell;
    for (let i = 0; i < start.length && (start[i] as number) <= until; i++) if (test(cell, i)) total++;
  }
  const skip = (page - 1) * limit;
  const ids: string[] = [];
  if (skip >= total) return { ids, total };
  let heads = cells.map((cell) => ({ cell, next: -1 })).filter((head) => advance(head, test));
  for (let place = 0; place < Math.min(skip + limit, total); place++) {
    const head = heads.reduce(earlier);
    if (place >= skip) ids.push(idOf(head));
    if (!advance(head, test)) heads = heads.filter((each) => each !== head);
  }
  return { ids, total };
}

/** To the next event that belongs to the list; false when there is none. */
function advance(head: Head, test: Test): boolean {
  const { length } = head.cell.start;
  for (head.next++; head.next < length; head.next++) if (test(head.cell, head.next)) return true;
  return false;
}

const startOf = ({ cell, next }: Head) => cell.start[next] as number;
const idOf = ({ cell, next }: Head) => cell.ids[next] as string;

function earlier(a: Head, b: Head): Head {
  const difference = startOf(a) - startOf(b);
  return difference < 0 || (difference === 0 && idOf(a) < idOf(b)) ? a : b;
}
