/**
 * Groups places by the cells of a grid over the globe. Each zoom has twice the columns and rows of the one
 * before, so a coarser grid merges whole cells. The grid needs only operations whose results PostgreSQL
 * computes to the same bit (sql-map.ts), so there is no projection: rows are half as high as columns are
 * wide. On a map in the Mercator projection, cells are square at a latitude of 60°, and twice as wide as high
 * at the equator.
 */

export const maxZoom = 22;
/**
 * The columns, and the rows, of zoom 0: a cell is 64 pixels wide on a map whose world is 256 pixels wide at
 * zoom 0.
 */
const sizeAtZoom0 = 4;
/** The columns, and the rows, of the finest grid. */
export const finestSize = sizeAtZoom0 * 2 ** maxZoom;
export const maxClusters = 200;
/** Coordinates are summed as integers, so that the order of the events does not change the sums. */
export const unitsPerDegree = 1_000_000;

/** The column of the finest grid. +180° belongs to the last column, so no cell crosses the antimeridian. */
const columnOf = (lng: number): number =>
  Math.min(Math.floor(((lng + 180) / 360) * finestSize), finestSize - 1);
const rowOf = (lat: number): number => Math.min(Math.floor(((lat + 90) / 180) * finestSize), finestSize - 1);

/** The events in a cell. */
export type CellSums = {
  count: number;
  /** The sums of the coordinates, each rounded to an integer of `unitsPerDegree`. */
  latSum: number;
  lngSum: number;
  west: number;
  south: number;
  east: number;
  north: number;
};
/** `eventId`: for a cluster of one event. */
export type Cluster = CellSums & { eventId: string | null };
/** `zoom`: that of the grid, at most that of the query. */
export type EventMap = { zoom: number; clusters: Cluster[] };

type Cell = CellSums & {
  column: number;
  row: number;
  /** The first event of the cell, as a number of the caller. */
  event: number;
};

/** Collects events. As soon as they occupy more than `maxClusters` cells, the grid becomes coarser. */
export class ClusterGrid {
  #zoom: number;
  #cells = new Map<number, Cell>();
  /** The cell of the event before, which most events share. */
  #last: Cell | null = null;

  constructor(zoom: number) {
    this.#zoom = zoom;
  }

  /** The zoom of the present grid. */
  get zoom(): number {
    return this.#zoom;
  }

  add(lat: number, lng: number, event: number): void {
    const cell = this.#cellOf(lat, lng);
    cell.latSum += Math.floor(lat * unitsPerDegree + 0.5);
    cell.lngSum += Math.floor(lng * unitsPerDegree + 0.5);
    if (lng < cell.west) cell.west = lng;
    if (lng > cell.east) cell.east = lng;
    if (lat < cell.south) cell.south = lat;
    if (lat > cell.north) cell.north = lat;
    if (cell.count++ > 0) return;
    cell.event = event;
    while (this.#cells.size > maxClusters) this.#coarsen();
  }

  #cellOf(lat: number, lng: number): Cell {
    const shift = maxZoom - this.#zoom;
    const [column, row] = [columnOf(lng) >>> shift, rowOf(lat) >>> shift];
    if (this.#last?.column !== column || this.#last.row !== row) this.#last = this.#cellAt(column, row);
    return this.#last;
  }

  #cellAt(column: number, row: number): Cell {
    const key = row * sizeAtZoom0 * 2 ** this.#zoom + column;
    let cell = this.#cells.get(key);
    if (!cell) {
      cell = emptyCell(column, row);
      this.#cells.set(key, cell);
    }
    return cell;
  }

  #coarsen(): void {
    const finer = this.#cells;
    this.#cells = new Map();
    this.#last = null;
    this.#zoom--;
    for (const cell of finer.values()) merge(this.#cellAt(cell.column >>> 1, cell.row >>> 1), cell);
  }

  /** The occupied cells: those with the most events first, then by row and column. */
  cells(): Cell[] {
    return [...this.#cells.values()].sort(
      (a, b) => b.count - a.count || a.row - b.row || a.column - b.column,
    );
  }
}

const emptyCell = (column: number, row: number): Cell => ({
  count: 0,
  latSum: 0,
  lngSum: 0,
  west: Number.POSITIVE_INFINITY,
  south: Number.POSITIVE_INFINITY,
  east: Number.NEGATIVE_INFINITY,
  north: Number.NEGATIVE_INFINITY,
  column,
  row,
  event: -1,
});

function merge(cell: Cell, other: Cell): void {
  if (cell.count === 0) cell.event = other.event;
  cell.count += other.count;
  cell.latSum += other.latSum;
  cell.lngSum += other.lngSum;
  cell.west = Math.min(cell.west, other.west);
  cell.south = Math.min(cell.south, other.south);
  cell.east = Math.max(cell.east, other.east);
  cell.north = Math.max(cell.north, other.north);
}
