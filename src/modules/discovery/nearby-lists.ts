/**
 * Lists around a place, from cached cells of the grid. Cells that the change log names are read again before they are
 * used, so pages and totals are exact. A page costs a scan of the coordinates and times in the circle.
 */

import TinyQueue from 'tinyqueue';
import type { ChangeLog } from '../../cache/change-log.ts';
import { createLoader } from '../../db/batching.ts';
import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import type { Circle } from '../../lib/grid-cells.ts';
import { chordSquared, type Point, toPoint } from '../../lib/sphere.ts';
import { categorySlugs } from '../events/catalogue.ts';
import { listedCondition } from '../events/policy.ts';
import type { Page, Slice } from './timeline-page.ts';

export type NearbyFilter = {
  category: string | null;
  from: Date | null;
  until: Date | null;
  /** Ids of events to leave out. */
  hidden: ReadonlySet<string>;
};

/** The listed events of one cell, in blocks. A block inside the circle needs no distances of its events. */
type Cell = { revision: number; usedAt: number; size: number; blocks: Block[] };

/** Events that are close to each other, sorted by start and id. Times are in ms. */
type Block = {
  ids: string[];
  categories: Uint8Array;
  start: Float64Array;
  end: Float64Array;
  /** `end`, sorted. */
  ends: Float64Array;
  points: Float64Array;
  /** The chord from `centre` to each event is at most `spread`. */
  centre: Point;
  spread: number;
  /** Duration of the longest event in ms: events that began longer ago have ended. */
  longest: number;
  /** Blocks of one category each, created on first use. */
  ofCategory: Map<number, Block>;
};

export type CellRow = {
  cell: number;
  id: string;
  start: number;
  end: number;
  lat: number;
  lng: number;
  category: string;
};

/** Lists the events of cells by cell, start and id, with an index-only scan of events_by_cell. */
async function listCells(db: Database, cells: number[]): Promise<CellRow[]> {
  return await db.query<CellRow>(sql`
    select cell, id, date_part('epoch', start_at) * 1000 as start, date_part('epoch', end_at) * 1000 as "end",
      lat, lng, category
    from events e
    where ${listedCondition()} and cell = any(${cells}::int[])
    order by cell, start_at, id`);
}

export function toCell(rows: CellRow[], revision: number): Cell {
  return { revision, usedAt: performance.now(), size: rows.length, blocks: split(rows).map(toBlock) };
}

/** Events of a block, on average, before a cell has more blocks. */
const blockSize = 256;
const maxSides = 4;

/** Splits a cell by a grid. */
function split(rows: CellRow[]): CellRow[][] {
  const sides = Math.min(Math.ceil(Math.sqrt(rows.length / blockSize)), maxSides);
  const side = (values: number[]) => {
    const low = values.reduce((least, value) => Math.min(least, value));
    const high = values.reduce((most, value) => Math.max(most, value));
    return (value: number) => Math.min(Math.floor(((value - low) / (high - low || 1)) * sides), sides - 1);
  };
  if (sides < 2) return rows.length > 0 ? [rows] : [];
  const [row, column] = [side(rows.map(({ lat }) => lat)), side(rows.map(({ lng }) => lng))];
  return [...Map.groupBy(rows, ({ lat, lng }) => row(lat) * sides + column(lng)).values()];
}

function toBlock(rows: CellRow[]): Block {
  const points = rows.map(toPoint);
  const mean = (axis: 0 | 1 | 2) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const centre: Point = [mean(0), mean(1), mean(2)];
  const start = Float64Array.from(rows, (row) => Math.round(row.start));
  const end = Float64Array.from(rows, (row) => Math.round(row.end));
  return {
    ids: rows.map(({ id }) => id),
    categories: Uint8Array.from(rows, ({ category }) => codeOf(category)),
    start,
    end,
    ends: end.toSorted(),
    points: Float64Array.from(points.flat()),
    centre,
    spread: points.reduce((most, point) => Math.max(most, chord(point, centre)), 0),
    longest: end.reduce((most, at, i) => Math.max(most, at - (start[i] as number)), 0),
    ofCategory: new Map(),
  };
}

/** The events of a block with one category. */
function ofCategory(block: Block, code: number): Block {
  const known = block.ofCategory.get(code);
  if (known) return known;
  const chosen = Array.from(block.ids, (_, i) => i).filter((i) => block.categories[i] === code);
  const pick = (values: Float64Array) => Float64Array.from(chosen, (i) => values[i] as number);
  const end = pick(block.end);
  const part: Block = {
    ...block,
    ids: chosen.map((i) => block.ids[i] as string),
    categories: Uint8Array.from(chosen, () => code),
    start: pick(block.start),
    end,
    ends: end.toSorted(),
    points: Float64Array.from(chosen.flatMap((i) => [...block.points.subarray(3 * i, 3 * i + 3)])),
    ofCategory: new Map(),
  };
  block.ofCategory.set(code, part);
  return part;
}

const codes = new Map<string, number>(categorySlugs.map((slug, code) => [slug, code]));
const codeOf = (category: string): number => codes.get(category) ?? 255;
const chord = (a: Point, b: Point) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** About 130 bytes each, and the same for blocks of categories. The least recently used cells are removed. */
const maxEvents = 2_000_000;

/** Creates the cache of cells. Returns cells at least as new as the last read of the change log. */
export function createCellCache(db: Database, changes: ChangeLog): (cells: number[]) => Promise<Cell[]> {
  const cached = new Map<number, Cell>();
  let events = 0;

  const load = createLoader(
    async (cells: number[]) => {
      const { revision } = changes;
      const rows = Map.groupBy(await listCells(db, cells), ({ cell }) => cell);
      return cells.map((cell) => addCell(cell, toCell(rows.get(cell) ?? [], revision)));
    },
    // A batch has about the cells of one city. Two batches run at the same time: one in the database, one in this process.
    { keyOf: String, maxBatchSize: 24, concurrency: 2 },
  );

  const addCell = (number: number, cell: Cell): Cell => {
    events += cell.size - (cached.get(number)?.size ?? 0);
    cached.set(number, cell);
    if (events > maxEvents) evict();
    return cell;
  };
  const evict = () => {
    for (const [number, cell] of [...cached].sort(([, a], [, b]) => a.usedAt - b.usedAt)) {
      if (events <= maxEvents * 0.9) return;
      cached.delete(number);
      events -= cell.size;
    }
  };

  return (cells) =>
    Promise.all(
      cells.map((number) => {
        const cell = cached.get(number);
        if (!cell || cell.revision < changes.ofCell(number)) return load(number);
        cell.usedAt = performance.now();
        return cell;
      }),
    );
}

type Test = (block: Block, i: number) => boolean;
/**
 * A block that intersects the circle. `isInner`: the circle contains all its events. Only events from index `first` to
 * before `begun` can match the dates.
 */
type Touched = { block: Block; isInner: boolean; first: number; begun: number };
/** A position in a block: the index of the next event that matches. */
type Head = { block: Block; next: number; begun: number };

/** Creates the test of one event. The test allocates no memory, because it runs for every event on the rim. */
function testFor([x, y, z]: Point, reach: number, { from, hidden }: NearbyFilter): Test {
  const after = from?.getTime() ?? Number.NEGATIVE_INFINITY;
  return ({ end, points, ids }, i) => {
    if ((end[i] as number) <= after) return false;
    const dx = (points[3 * i] as number) - x;
    const dy = (points[3 * i + 1] as number) - y;
    const dz = (points[3 * i + 2] as number) - z;
    if (dx * dx + dy * dy + dz * dz > reach) return false;
    return hidden.size === 0 || !hidden.has(ids[i] as string);
  };
}

/** Chord tolerance: above rounding errors, and below a millimetre. */
const tolerance = 1e-12;

function touchedBlocks(
  cells: Cell[],
  centre: Point,
  reach: number,
  { category, from, until }: NearbyFilter,
): Touched[] {
  const code = category === null ? null : codeOf(category);
  const touched: Touched[] = [];
  for (const { blocks } of cells) {
    for (const whole of blocks) {
      const distance = chord(centre, whole.centre);
      if (distance - whole.spread > reach + tolerance) continue;
      const block = code === null ? whole : ofCategory(whole, code);
      const { start, longest } = block;
      const first = from ? atMost(start, from.getTime() - longest) : 0;
      const begun = until ? atMost(start, until.getTime()) : start.length;
      touched.push({ block, isInner: distance + block.spread < reach - tolerance, first, begun });
    }
  }
  return touched;
}

/** Counts the matching events of a block. An inner block needs only binary searches of times. */
function countIn(
  { block, isInner, first, begun }: Touched,
  { from, until, hidden }: NearbyFilter,
  test: Test,
): number {
  const isInOrder = !from || !until || from <= until;
  // An event that ended at or before `from` began before `until`.
  if (isInner && hidden.size === 0 && isInOrder)
    return begun - (from ? atMost(block.ends, from.getTime()) : 0);
  let count = 0;
  for (let i = first; i < begun; i++) if (test(block, i)) count++;
  return count;
}

/** How many of the sorted numbers are at most `limit`, by binary search. */
function atMost(ordered: Float64Array, limit: number): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ordered[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Computes a page of ids by start and id, and the number of all matching events.
 * @param circle radius in km; a point on the rim is inside
 */
export function listNearby(
  cells: Cell[],
  circle: Circle,
  filter: NearbyFilter,
  { page, limit }: Slice,
): Page {
  const [centre, reach] = [toPoint(circle), chordSquared(circle.radius)];
  const test = testFor(centre, reach, filter);
  const touched = touchedBlocks(cells, centre, Math.sqrt(reach), filter);
  const total = touched.reduce((sum, each) => sum + countIn(each, filter, test), 0);
  const skip = (page - 1) * limit;
  const ids: string[] = [];
  if (skip >= total) return { ids, total };
  const started = touched.map(({ block, first, begun }) => ({ block, next: first - 1, begun }));
  const heads = new TinyQueue<Head>(
    started.filter((head) => advance(head, test)),
    inOrder,
  );
  for (let place = 0; place < Math.min(skip + limit, total); place++) {
    const head = heads.pop();
    if (!head) break;
    if (place >= skip) ids.push(idOf(head));
    if (advance(head, test)) heads.push(head);
  }
  return { ids, total };
}

/** Moves to the next matching event. Returns false if there is none. */
function advance(head: Head, test: Test): boolean {
  for (head.next++; head.next < head.begun; head.next++) if (test(head.block, head.next)) return true;
  return false;
}

const startOf = ({ block, next }: Head) => block.start[next] as number;
const idOf = ({ block, next }: Head) => block.ids[next] as string;
const inOrder = (a: Head, b: Head) => startOf(a) - startOf(b) || (idOf(a) < idOf(b) ? -1 : 1);
