/**
 * Lists around a place. The events of the circle's cells are kept in memory, cell by cell; what the database says has
 * changed is read again before it is used (changes.ts). So a page costs a walk over the numbers of the circle, and its
 * total is exact.
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
  /** Ids of events that are left out. */
  hidden: ReadonlySet<string>;
};

/** The listed events of one cell: in parts, so that most need no measuring one by one. */
type Cell = { revision: number; usedAt: number; size: number; blocks: Block[] };

/** Events that are close to each other, in the order of lists; times in ms. */
type Block = {
  ids: string[];
  categories: Uint8Array;
  start: Float64Array;
  end: Float64Array;
  /** The same in order. */
  ends: Float64Array;
  points: Float64Array;
  /** All are within a chord of `spread` of it. */
  centre: Point;
  spread: number;
  /** The longest of them takes so many ms: what began that long before a moment is over by then. */
  longest: number;
  /** The same of one category alone, once it was asked for. */
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

/** Answered by events_by_cell alone, in its order. */
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

/** Events of a block that make it worth one more. */
const blockSize = 256;
const maxSides = 4;

/** By a grid over the cell. */
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

/** What of a block is of one category. */
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

/** Events kept at most, at about 130 bytes each, and as many again by category; the cells that were used longest ago make room. */
const maxEvents = 2_000_000;

/** Gives the cells that are asked for, as they are at least as of the last look at the changes. */
export function openCells(db: Database, changes: ChangeLog): (cells: number[]) => Promise<Cell[]> {
  const kept = new Map<number, Cell>();
  let events = 0;

  const load = createLoader(
    async (cells: number[]) => {
      const { revision } = changes;
      const rows = Map.groupBy(await listCells(db, cells), ({ cell }) => cell);
      return cells.map((cell) => createRecordCache(cell, toCell(rows.get(cell) ?? [], revision)));
    },
    // About a city's; so who asks for one waits for no other, and a second is read while the first is taken in.
    { keyOf: String, maxBatchSize: 24, concurrency: 2 },
  );

  const createRecordCache = (number: number, cell: Cell): Cell => {
    events += cell.size - (kept.get(number)?.size ?? 0);
    kept.set(number, cell);
    if (events > maxEvents) makeRoom();
    return cell;
  };
  const makeRoom = () => {
    for (const [number, cell] of [...kept].sort(([, a], [, b]) => a.usedAt - b.usedAt)) {
      if (events <= maxEvents * 0.9) return;
      kept.delete(number);
      events -= cell.size;
    }
  };

  return (cells) =>
    Promise.all(
      cells.map((number) => {
        const cell = kept.get(number);
        if (!cell || cell.revision < changes.ofCell(number)) return load(number);
        cell.usedAt = performance.now();
        return cell;
      }),
    );
}

type Test = (block: Block, i: number) => boolean;
/** A block that the circle touches; `isInner`: all of it lies within. Only from `first` to before `begun` can match. */
type Touched = { block: Block; isInner: boolean; first: number; begun: number };
/** Which event of a block comes next in the list. */
type Head = { block: Block; next: number; begun: number };

/** Whether the event at an index belongs to the list. Nothing is made here: it runs for every event on the rim. */
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

/** More than any error of rounding, and less than a millimetre. */
const doubt = 1e-12;

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
      if (distance - whole.spread > reach + doubt) continue;
      const block = code === null ? whole : ofCategory(whole, code);
      const { start, longest } = block;
      const first = from ? atMost(start, from.getTime() - longest) : 0;
      const begun = until ? atMost(start, until.getTime()) : start.length;
      touched.push({ block, isInner: distance + block.spread < reach - doubt, first, begun });
    }
  }
  return touched;
}

/** How many events of a block match. What lies within, and where only time decides, is looked up. */
function countIn(
  { block, isInner, first, begun }: Touched,
  { from, until, hidden }: NearbyFilter,
  test: Test,
): number {
  const isInOrder = !from || !until || from <= until;
  // Whatever ended by `from` has begun by `until`.
  if (isInner && hidden.size === 0 && isInOrder)
    return begun - (from ? atMost(block.ends, from.getTime()) : 0);
  let count = 0;
  for (let i = first; i < begun; i++) if (test(block, i)) count++;
  return count;
}

/** How many of these numbers, which are in order, are at most `limit`. */
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
 * The ids of one page, by start and then id, and how many events match.
 * @param radius in km; a point on the rim is inside
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

/** To the next event that belongs to the list; false when there is none. */
function advance(head: Head, test: Test): boolean {
  for (head.next++; head.next < head.begun; head.next++) if (test(head.block, head.next)) return true;
  return false;
}

const startOf = ({ block, next }: Head) => block.start[next] as number;
const idOf = ({ block, next }: Head) => block.ids[next] as string;
const inOrder = (a: Head, b: Head) => startOf(a) - startOf(b) || (idOf(a) < idOf(b) ? -1 : 1);
