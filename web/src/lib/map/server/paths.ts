/** Lines of a picture, as short as they can be. */
import type { Room } from '#lib/map/rooms.ts';
import type { Point } from './vector-tile.ts';

/** Where a tile is in a drawing. `unit`: of its points, in units of the drawing. */
export type TilePlace = { left: number; top: number; unit: number };

/** A path has whole numbers alone, which are written faster and shorter: it needs `transform="scale(${pathScale})"`. */
export const pathScale = 0.1;
/** Of a path: nearer points are one. */
const leastStep = 7;

type Side = { axis: 0 | 1; limit: number; sign: 1 | -1 };
const sidesOf = ({ left, right, top, bottom }: Room): Side[] => [
  { axis: 0, limit: left, sign: 1 },
  { axis: 0, limit: right, sign: -1 },
  { axis: 1, limit: top, sign: 1 },
  { axis: 1, limit: bottom, sign: -1 },
];

/** The part of a polygon in a frame (Sutherland and Hodgman). Parts that lie apart are joined along the frame. */
export function clipPolygon(polygon: Point[], frame: Room): Point[] {
  let points = polygon;
  for (const side of sidesOf(frame)) points = clipAt(points, side);
  return points;
}

function clipAt(points: Point[], { axis, limit, sign }: Side): Point[] {
  const depthOf = (point: Point) => (point[axis] - limit) * sign;
  // Most polygons are on one side of the edge.
  if (points.every((point) => depthOf(point) >= 0)) return points;
  const kept: Point[] = [];
  let before = points.at(-1) ?? [0, 0];
  let from = depthOf(before);
  for (const point of points) {
    const to = depthOf(point);
    if (from * to < 0) {
      const part = from / (from - to);
      kept.push([before[0] + (point[0] - before[0]) * part, before[1] + (point[1] - before[1]) * part]);
    }
    if (to >= 0) kept.push(point);
    [before, from] = [point, to];
  }
  return kept;
}

/** @param line of a tile. @returns an empty text for a line without length, and for a polygon without area */
export function toPath(line: Point[], isClosed: boolean, { left, top, unit }: TilePlace): string {
  const at = (start: number, value: number) => Math.round((start + value * unit) / pathScale);
  let path = '';
  let [lastX, lastY, count] = [0, 0, 0];
  for (const [i, point] of line.entries()) {
    const [x, y] = [at(left, point[0]), at(top, point[1])];
    const [dx, dy] = [x - lastX, y - lastY];
    if (i > 0 && i < line.length - 1 && Math.abs(dx) + Math.abs(dy) < leastStep) continue;
    // Each point after the first one is relative to the point before.
    path += i === 0 ? `M${x} ${y}l` : `${dx} ${dy} `;
    [lastX, lastY] = [x, y];
    count++;
  }
  return count < (isClosed ? 3 : 2) ? '' : `${path.slice(0, -1)}${isClosed ? 'z' : ''}`;
}
