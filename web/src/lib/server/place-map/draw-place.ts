/** Draws the surroundings of a place as an SVG picture, with a pin. */
import { boxAround, type Drawing, fitBox, type Place } from '#lib/discovery/mercator.ts';
import { mapFile, readTile } from './map-files.ts';
import { labelsOf, type NamedPoint } from './place-labels.ts';
import { backgrounds, type Colour, palettes, type Shape, shapesOf } from './place-shapes.ts';
import type { Layer } from './vector-tile.ts';

const [width, height] = [480, 240];
/** `streets`: null without a file of the operator on this server. */
export type MapPaths = { base: string; streets: string | null };

/** What a map shows of its surroundings, by what the file has. */
const views = {
  base: { radiusKm: 8, maxZoom: 7 },
  streets: { radiusKm: 0.4, maxZoom: 14 },
};

/** A tile, and where it is in the drawing. */
type PlacedTile = { layers: Map<string, Layer>; left: number; top: number; size: number };

export async function drawPlace(place: Place, paths: MapPaths, isDark: boolean): Promise<string> {
  // The operator may be replacing the file.
  const streets =
    paths.streets === null ? null : await readView(place, paths.streets, 'streets').catch(() => null);
  if (streets?.some(({ layers }) => layers.has('roads'))) return toSvg(streets, 'streets', isDark);
  return toSvg(await readView(place, paths.base, 'base'), 'base', isDark);
}

function readView(place: Place, path: string, kind: keyof typeof views): Promise<PlacedTile[]> {
  const { radiusKm, maxZoom } = views[kind];
  return readTiles(path, fitBox(boxAround(place, radiusKm), width, height), maxZoom);
}

async function readTiles(path: string, { left, top, worldSize }: Drawing, z: number): Promise<PlacedTile[]> {
  const count = 2 ** z;
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
  return tiles.filter((tile) => tile !== null);
}

function toSvg(tiles: PlacedTile[], kind: keyof typeof views, isDark: boolean): string {
  const colours = palettes[isDark ? 'dark' : 'light'];
  const drawn = shapesOf[kind].map((shape) => {
    const d = tiles.map((tile) => pathOf(tile, shape)).join('');
    return d && `<path d="${d}" ${paintOf(shape, colours)}/>`;
  });
  const names = tiles.flatMap((tile) => pointsOf(tile, kind === 'base' ? 'towns' : 'places'));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">` +
    `<path fill="${colours[backgrounds[kind]]}" d="M0 0h${width}v${height}H0z"/>${drawn.join('')}` +
    `${labelsOf(names, colours)}${pinOf(colours)}</svg>`
  );
}

const paintOf = ({ fill, line }: Shape, colours: Record<Colour, string>): string =>
  fill
    ? `fill="${colours[fill]}" fill-rule="evenodd"`
    : `fill="none" stroke="${colours[line?.colour ?? 'border']}" stroke-width="${line?.width ?? 1}" stroke-linejoin="round" stroke-linecap="round"`;

/** The lines of a layer that cross the drawing. */
function pathOf({ layers, left, top, size }: PlacedTile, { layer, kinds, fill }: Shape): string {
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

function pointsOf({ layers, left, top, size }: PlacedTile, name: string): NamedPoint[] {
  const { extent = 1, features = [] } = layers.get(name) ?? {};
  return features.flatMap(({ lines, properties }) => {
    const [x = 0, y = 0] = lines[0]?.[0] ?? [];
    const at = { x: left + (x / extent) * size, y: top + (y / extent) * size };
    const isInside = at.x > 0 && at.x < width && at.y > 0 && at.y < height;
    const rank = Number(properties.population ?? properties.population_rank ?? 0);
    return isInside && properties.name ? [{ ...at, name: String(properties.name), rank }] : [];
  });
}

const pinOf = ({ pin, card }: Record<Colour, string>): string =>
  `<path transform="translate(${width / 2} ${height / 2})" fill="${pin}" stroke="${card}" stroke-width="3" ` +
  'd="M0 0c-6-9-14-15-14-24a14 14 0 0 1 28 0c0 9-8 15-14 24z"/>' +
  `<circle cx="${width / 2}" cy="${height / 2 - 24}" r="5" fill="${card}"/>`;
