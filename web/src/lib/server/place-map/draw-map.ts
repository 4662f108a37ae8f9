/** Draws a part of a map as an SVG picture, with the names of towns. */
import type { Drawing } from '#lib/discovery/mercator.ts';
import { mapFile, readTile } from './map-files.ts';
import { type Box, labelsOf, type NamedPoint } from './place-labels.ts';
import { backgrounds, type Palette, palettes, type Shape, shapesOf } from './place-shapes.ts';
import type { Layer } from './vector-tile.ts';

export type Size = { width: number; height: number };
/** Countries and towns, or the streets of the operator. */
export type MapKind = 'base' | 'streets';
/** The last zoom of the tiles. */
const maxZooms: Record<MapKind, number> = { base: 7, streets: 14 };

/** A tile, and where it is in the drawing. */
type PlacedTile = { layers: Map<string, Layer>; left: number; top: number; size: number };
export type Sheet = Size & { kind: MapKind; drawing: Drawing; tiles: PlacedTile[] };
/** What lies over a map: boxes without names, and drawings below and above the names. */
export type Overlay = { boxes: Box[]; below: string; above: string };

/** @param drawing one of this size */
export async function readSheet(
  path: string,
  kind: MapKind,
  drawing: Drawing,
  { width, height }: Size,
): Promise<Sheet> {
  const z = Math.min(drawing.zoom, maxZooms[kind]);
  const count = 2 ** z;
  const { left, top, worldSize } = drawing;
  const size = worldSize / count;
  const range = (from: number, length: number) => {
    const first = Math.floor(-from / size);
    return Array.from({ length: Math.floor((length - from) / size) - first + 1 }, (_, i) => first + i);
  };
  const rows = range(top, height).filter((y) => y >= 0 && y < count);
  const cells = range(left, width).flatMap((x) => rows.map((y) => ({ x, y })));
  const file = mapFile(path);
  const tiles = await Promise.all(
    cells.map(async ({ x, y }) => {
      // Beyond the antimeridian, the world begins again.
      const layers = await readTile(file, z, (x + count) % count, y);
      return layers && { layers, left: left + x * size, top: top + y * size, size };
    }),
  );
  return { width, height, kind, drawing, tiles: tiles.filter((tile) => tile !== null) };
}

export function drawSheet(sheet: Sheet, isDark: boolean, overlayOf: (colours: Palette) => Overlay): string {
  const { width, height, kind, tiles } = sheet;
  const colours = palettes[isDark ? 'dark' : 'light'];
  const drawn = shapesOf[kind].map((shape) => {
    const d = tiles.map((tile) => pathOf(sheet, tile, shape)).join('');
    return d && `<path d="${d}" ${paintOf(shape, colours)}/>`;
  });
  const names = tiles.flatMap((tile) => pointsOf(sheet, tile));
  const { boxes, below, above } = overlayOf(colours);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">` +
    `<path fill="${colours[backgrounds[kind]]}" d="M0 0h${width}v${height}H0z"/>${drawn.join('')}` +
    `${kind === 'base' ? groundsOf(names, sheet.drawing, colours) : ''}${below}` +
    `${labelsOf(names, boxes, sheet, colours)}${above}</svg>`
  );
}

const paintOf = ({ fill, line }: Shape, colours: Palette): string =>
  fill
    ? `fill="${colours[fill]}" fill-rule="evenodd"`
    : `fill="none" stroke="${colours[line?.colour ?? 'border']}" stroke-width="${line?.width ?? 1}" stroke-linejoin="round" stroke-linecap="round"`;

/** The lines of a layer that cross the drawing. */
function pathOf(
  { width, height }: Size,
  { layers, left, top, size }: PlacedTile,
  { layer, kinds, fill }: Shape,
): string {
  const { extent = 1, features = [] } = layers.get(layer) ?? {};
  const unit = size / extent;
  return features
    .filter(({ isPolygon }) => isPolygon === (fill !== undefined))
    .filter(({ properties }) => !kinds || kinds.includes(String(properties.kind)))
    .flatMap(({ lines }) => lines)
    .map((line) => line.map(([x, y]) => [left + x * unit, top + y * unit] as const))
    .filter((line) => {
      const [xs, ys] = [line.map(([x]) => x), line.map(([, y]) => y)];
      return (
        Math.max(...xs) >= 0 && Math.min(...xs) <= width && Math.max(...ys) >= 0 && Math.min(...ys) <= height
      );
    })
    .map((line) => `M${line.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}${fill ? 'z' : ''}`)
    .join('');
}

function pointsOf({ kind, width, height }: Sheet, { layers, left, top, size }: PlacedTile): NamedPoint[] {
  const { extent = 1, features = [] } = layers.get(kind === 'base' ? 'towns' : 'places') ?? {};
  return features.flatMap(({ lines, properties }) => {
    const [x = 0, y = 0] = lines[0]?.[0] ?? [];
    const at = { x: left + (x / extent) * size, y: top + (y / extent) * size };
    const isInside = at.x > 0 && at.x < width && at.y > 0 && at.y < height;
    const rank = Number(properties.population ?? properties.population_rank ?? 0);
    return isInside && properties.name ? [{ ...at, name: String(properties.name), rank }] : [];
  });
}

/** The radius of the ground of a town, in parts of the world for each root of its population: some 9 km for half a million. */
const builtSize = 5.3e-7;
/** Where people live. Smaller grounds would be dots. */
function groundsOf(towns: NamedPoint[], { worldSize }: Drawing, { built }: Palette): string {
  const circles = towns
    .map(({ x, y, rank }) => ({ x, y, radius: builtSize * Math.sqrt(rank) * worldSize }))
    .filter(({ radius }) => radius > 3)
    .map(
      ({ x, y, radius }) =>
        `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${radius.toFixed(1)}" fill="url(#built)"/>`,
    );
  return (
    `<radialGradient id="built"><stop stop-color="${built}"/><stop offset="1" stop-color="${built}" stop-opacity="0"/>` +
    `</radialGradient>${circles.join('')}`
  );
}
