/** Lines of a picture, as short as they can be. */
import type { Box } from './place-labels.ts';
import type { Point } from './vector-tile.ts';

/** In units of the drawing: nearer points are one. */
const leastStep = 0.7;

export const isIn = ([x, y]: Point, { left, right, top, bottom }: Box): boolean =>
  x >= left && x <= right && y >= top && y <= bottom;

/** The part of a polygon in a frame (Sutherland and Hodgman). Parts that lie apart are joined along the frame. */
export function clipPolygon(polygon: Point[], { left, right, top, bottom }: Box): Point[] {
  const sides: [axis: 0 | 1, limit: number, sign: 1 | -1][] = [
    [0, left, 1],
    [0, right, -1],
    [1, top, 1],
    [1, bottom, -1],
  ];
  return sides.reduce((points, [axis, limit, sign]) => {
    const depths = points.map((point) => (point[axis] - limit) * sign);
    // Most polygons are on one side of the edge.
    if (depths.every((depth) => depth >= 0)) return points;
    if (depths.every((depth) => depth < 0)) return [];
    return points.flatMap((point, i) => {
      const before = points.at(i - 1) ?? point;
      const [from, to] = [depths.at(i - 1) ?? 0, depths[i] ?? 0];
      const crossing = (): Point => {
        const part = from / (from - to);
        return [before[0] + (point[0] - before[0]) * part, before[1] + (point[1] - before[1]) * part];
      };
      return [...(from * to < 0 ? [crossing()] : []), ...(to >= 0 ? [point] : [])];
    });
  }, polygon);
}

/** Faster than `toFixed`, and shorter. */
const tenths = (value: number): number => Math.round(value * 10) / 10;

export function toPath(line: Point[], isClosed: boolean): string {
  let last: Point | null = null;
  const kept = line.filter((point, i) => {
    const isFar =
      !last ||
      Math.abs(point[0] - last[0]) + Math.abs(point[1] - last[1]) >= leastStep ||
      i === line.length - 1;
    if (isFar) last = point;
    return isFar;
  });
  if (kept.length < 2) return '';
  return `M${kept.map(([x, y]) => `${tenths(x)} ${tenths(y)}`).join('L')}${isClosed ? 'z' : ''}`;
}
