/** What lies under the names of a picture of a map: where people live, and circles of equal distance. */
import {
  builtBlur,
  builtSize,
  equator,
  leastRing,
  medium,
  ringRadii,
  valueAt,
} from '#lib/discovery/map-scale.ts';
import type { Drawing } from '#lib/discovery/mercator.ts';
import { type Box, type NamedPoint, overlap, writeText } from './place-labels.ts';

/** Smaller grounds would be dots. */
const leastRadius = 3;
/** The width of the rings that make up a ground, and their largest number. */
const [ringWidth, mostRings] = [6, 20];

/** Where people live: grounds that fade out. A gradient would not have the colours of the page that uses the picture. */
export function drawBuilt(towns: NamedPoint[], { worldSize }: Drawing): string {
  const rings = towns
    .filter(({ rank }) => rank >= medium)
    .flatMap(({ x, y, rank }) => {
      const radius = builtSize * Math.sqrt(rank) * worldSize;
      if (radius < leastRadius) return [];
      const count = Math.min(Math.ceil(radius / ringWidth), mostRings);
      const width = radius / count;
      return Array.from({ length: count }, (_, i) => {
        const r = (i + 0.5) * width;
        return (
          `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${r.toFixed(1)}" ` +
          `stroke-width="${width.toFixed(2)}" stroke-opacity="${opacityAt(r / radius).toFixed(2)}"/>`
        );
      });
    });
  // Smooth edges would be lines between the rings.
  return `<g fill="none" stroke="var(--built)" shape-rendering="crispEdges">${rings.join('')}</g>`;
}

/** @param part of the radius */
function opacityAt(part: number): number {
  const depth = Math.min((1 - part) / builtBlur, 1);
  return depth * depth * (3 - 2 * depth);
}

export type RingCentre = { x: number; y: number; lat: number };

/** Circles around a place, and their radii at their southern and northern ends where there is room for them. */
export function drawRings(
  { x, y, lat }: RingCentre,
  { worldSize }: Drawing,
  zoom: number,
): { circles: string; labels: (taken: Box[]) => string } {
  const unitsPerKm = worldSize / (equator * Math.cos((lat * Math.PI) / 180));
  const rings = ringRadii
    .filter((km) => km >= valueAt(leastRing, zoom))
    .map((km) => ({ km, radius: km * unitsPerKm }));
  return {
    circles:
      '<g fill="none" stroke="var(--soft)" stroke-opacity="0.45" stroke-width="1.25" stroke-dasharray="4 5">' +
      `${rings.map(({ radius }) => `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${radius.toFixed(1)}" vector-effect="non-scaling-stroke"/>`).join('')}</g>`,
    labels: (taken) =>
      rings
        .flatMap(({ km, radius }) => [y + radius, y - radius].map((at) => ({ km, at })))
        .filter(({ at }) => {
          const box = { left: x - 18, right: x + 18, top: at - 8, bottom: at + 8 };
          return !taken.some((other) => overlap(box, other));
        })
        .map(({ km, at }) => writeText(`${km} km`, x, at, 12, 'fill="var(--soft)" text-anchor="middle"'))
        .join(''),
  };
}
