/** Names of streets in a picture of a map, along a straight part of each: the most important streets first. */
import { isIn, type Room, touches } from '#lib/map/rooms.ts';
import { letterWidth, writeText } from './place-labels.ts';
import { namedRoads } from './place-shapes.ts';
import type { Point } from './vector-tile.ts';

export type NamedLine = { name: string; detail: string; line: Point[] };

/** In units of the drawing. */
const size = 11;
/** More would hide the map. */
const mostNames = 18;
const longestName = 28;
/** The lowest zoom, of a world of 256 pixels, with names, and that with the names of small streets. */
const [leastZoom, smallStreets] = [13, 14];
const small = new Set(['service', 'pedestrian', 'residential', 'unclassified', 'living_street']);
/** A street that is longer than the way between its ends by this is not straight. */
const straight = 1.05;

/** @param taken boxes that lie on the drawing already @param frame all of the picture */
export function drawStreetNames(streets: NamedLine[], taken: Room[], frame: Room, zoom: number): string {
  if (zoom < leastZoom) return '';
  const all = [...taken];
  const drawn = new Map<string, string>();
  const named = streets
    .filter(({ name, detail }) => name.length <= longestName && rankOf(detail) >= 0)
    .filter(({ detail }) => zoom >= smallStreets || !small.has(detail))
    .toSorted((a, b) => rankOf(a.detail) - rankOf(b.detail));
  for (const { name, line } of named) {
    if (drawn.has(name)) continue;
    const length = [...name].length * letterWidth * size;
    const place = placesOn(line, length).find(
      ({ boxes }) =>
        boxes.every(({ left, top }) => isIn([left, top], frame)) &&
        !boxes.some((box) => all.some((other) => touches(box, other))),
    );
    if (!place) continue;
    all.push(...place.boxes);
    drawn.set(name, place.write(name));
    if (drawn.size === mostNames) break;
  }
  return [...drawn.values()].join('');
}

const rankOf = (detail: string): number => namedRoads.indexOf(detail);

type NamePlace = { boxes: Room[]; write: (name: string) => string };

/** The straight parts of a line that are as long as a name. */
function placesOn(line: Point[], length: number): NamePlace[] {
  return line.flatMap((from, i) => {
    let walked = 0;
    for (let j = i + 1; j < line.length; j++) {
      const [before, to] = [line[j - 1] ?? from, line[j] ?? from];
      walked += distance(before, to);
      const direct = distance(from, to);
      if (walked > direct * straight) return [];
      if (direct >= length) return [placeBetween(from, to, length)];
    }
    return [];
  });
}

const distance = ([ax, ay]: Point, [bx, by]: Point): number => Math.hypot(ax - bx, ay - by);

/** In the middle, not upside down. The room is that of squares along the name. */
function placeBetween([ax, ay]: Point, [bx, by]: Point, length: number): NamePlace {
  const [x, y] = [(ax + bx) / 2, (ay + by) / 2];
  const slope = Math.atan2(by - ay, bx - ax);
  const angle = Math.abs(slope) > Math.PI / 2 ? slope + Math.PI : slope;
  const count = Math.ceil(length / size);
  const boxes = Array.from({ length: count }, (_, i): Room => {
    const along = ((i + 0.5) / count - 0.5) * length;
    const [cx, cy] = [x + along * Math.cos(angle), y + along * Math.sin(angle)];
    return { left: cx - size / 2, right: cx + size / 2, top: cy - size / 2, bottom: cy + size / 2 };
  });
  const degrees = ((angle * 180) / Math.PI).toFixed(1);
  const turn = `transform="rotate(${degrees} ${x.toFixed(1)} ${y.toFixed(1)})"`;
  return {
    boxes,
    write: (name) => writeText(name, x, y, size, `text-anchor="middle" fill="var(--soft)" ${turn}`),
  };
}
