/** What lies under the names of a picture of a map: where people live, and circles of equal distance. */
import {
  builtSize,
  discOpacity,
  discRange,
  equator,
  leastBuilt,
  leastPopulation,
  leastRing,
  ringDashes,
  ringOpacity,
  ringRadii,
  valueAt,
} from '#lib/map/map-scale.ts';
import type { Drawing } from '#lib/map/mercator.ts';
import { type Room, touches } from '#lib/map/rooms.ts';
import { type NamedPoint, writeText } from './place-labels.ts';

/** The parts of a ground, of which each lies over the one before: it has no edge. */
const softParts = [1, 0.92, 0.84, 0.76, 0.68, 0.6, 0.52, 0.44];

/** Where people live: a ground as wide as the town. */
export function drawBuilt(towns: NamedPoint[], { worldSize }: Drawing, zoom: number): string {
  if (zoom < leastBuilt) return '';
  const circles = towns
    .filter(({ rank }) => rank >= valueAt(leastPopulation, zoom))
    .flatMap(({ x, y, rank }) => {
      const radius = builtSize * Math.sqrt(rank) * worldSize;
      return softParts.map(
        (part) => `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${(part * radius).toFixed(1)}"/>`,
      );
    });
  return `<g fill="var(--built)" fill-opacity="0.09">${circles.join('')}</g>`;
}

type RingCentre = { x: number; y: number; lat: number };

/** Circles around a place, and their radii at their southern or northern ends where there is room for them. */
export function drawRings(
  { x, y, lat }: RingCentre,
  { worldSize }: Drawing,
  zoom: number,
): { circles: string; labels: (taken: Room[]) => string } {
  const unitsPerKm = worldSize / (equator * Math.cos((lat * Math.PI) / 180));
  const least = valueAt(leastRing, zoom);
  const rings = ringRadii
    .filter((km) => km >= least)
    .map((km) => ({ km, radius: km * unitsPerKm, opacity: km <= discRange * least ? discOpacity : 0 }));
  return {
    circles:
      `<g fill="var(--road)" stroke="var(--soft)" stroke-opacity="${ringOpacity}" stroke-dasharray="${ringDashes.join(' ')}">` +
      `${rings.map(({ radius, opacity }) => `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${radius.toFixed(1)}" fill-opacity="${opacity}" vector-effect="non-scaling-stroke"/>`).join('')}</g>`,
    labels: (taken) =>
      rings
        .flatMap(({ km, radius }) => {
          const at = [y + radius, y - radius].find((at) => {
            const box = { left: x - 18, right: x + 18, top: at - 8, bottom: at + 8 };
            return !taken.some((other) => touches(box, other));
          });
          return at === undefined ? [] : [{ km, at }];
        })
        .map(({ km, at }) => writeText(`${km} km`, x, at, 12, 'fill="var(--soft)" text-anchor="middle"'))
        .join(''),
  };
}
