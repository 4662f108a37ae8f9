/** Draws the surroundings of a place as an SVG picture, with a pin. */
import { boxAround, fitBox, type Place } from '#lib/discovery/mercator.ts';
import { drawSheet, type MapKind, type Overlay, readSheet, type Sheet } from './draw-map.ts';
import type { Palette } from './place-shapes.ts';

const size = { width: 480, height: 240 };
const [x, y] = [size.width / 2, size.height / 2];
/** `streets`: null without a file of the operator on this server. */
export type MapPaths = { base: string; streets: string | null };

/** What a map shows of its surroundings, by what the file has. */
const radiusKm: Record<MapKind, number> = { base: 8, streets: 0.4 };

/** The radii of circles around a place, in km, on a map that has no streets to measure by. */
const ringsKm = [2, 5, 10];
const equatorKm = 40_075;

export async function drawPlace(place: Place, paths: MapPaths, isDark: boolean): Promise<string> {
  // The operator may be replacing the file.
  const streets =
    paths.streets === null ? null : await read(place, paths.streets, 'streets').catch(() => null);
  const sheet = streets?.tiles.some(({ layers }) => layers.has('roads'))
    ? streets
    : await read(place, paths.base, 'base');
  return drawSheet(sheet, isDark, (colours) => overlayOf(sheet, place, colours));
}

const read = (place: Place, path: string, kind: MapKind): Promise<Sheet> =>
  readSheet(path, kind, fitBox(boxAround(place, radiusKm[kind]), size.width, size.height), size);

/** The place of the pin, which has no names. */
const pinBox = { left: x - 15, right: x + 15, top: y - 42, bottom: y - 2 };

function overlayOf({ kind, drawing }: Sheet, { lat }: Place, { soft, land, pin, card }: Palette): Overlay {
  const unitsPerKm = drawing.worldSize / (equatorKm * Math.cos((lat * Math.PI) / 180));
  const rings = kind === 'base' ? ringsKm.map((km) => ({ km, radius: km * unitsPerKm })) : [];
  const circles = rings.map(
    ({ km, radius }) =>
      `<circle cx="${x}" cy="${y}" r="${radius.toFixed(1)}" fill="none" stroke="${soft}" stroke-opacity="0.45" ` +
      `stroke-dasharray="2 4"/><text x="${x}" y="${(y + radius + 4).toFixed(1)}" font-size="11" fill="${soft}" ` +
      `stroke="${land}" stroke-width="4" paint-order="stroke" text-anchor="middle" ` +
      `font-family="Figtree, system-ui, sans-serif">${km} km</text>`,
  );
  const labels = rings.map(({ radius }) => ({
    left: x - 18,
    right: x + 18,
    top: y + radius - 8,
    bottom: y + radius + 8,
  }));
  return {
    boxes: [pinBox, ...labels],
    below: circles.join(''),
    above:
      `<path transform="translate(${x} ${y})" fill="${pin}" stroke="${card}" stroke-width="3" ` +
      'd="M0 0c-6-9-14-15-14-24a14 14 0 0 1 28 0c0 9-8 15-14 24z"/>' +
      `<circle cx="${x}" cy="${y - 24}" r="5" fill="${card}"/>`,
  };
}
