/** Draws a part of a map as an SVG picture, with the names of towns, in the colours and letters of the page that uses it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { localName } from '#lib/map/local-names.ts';
import { populationOf, shoreOpacity, shoreWidth, townZoom } from '#lib/map/map-scale.ts';
import { type Drawing, latitudeOf, type Place } from '#lib/map/mercator.ts';
import { isIn, type Room } from '#lib/map/rooms.ts';
import { drawBuilt, drawRings } from './draw-ground.ts';
import { mapFile, readTile } from './map-files.ts';
import { clipPolygon, pathScale, type TilePlace, toPath } from './paths.ts';
import { drawTowns, type NamedPoint } from './place-labels.ts';
import { backgrounds, type Colour, type Shape, shapesOf } from './place-shapes.ts';
import { drawStreetNames, type NamedLine } from './street-names.ts';
import type { Layer, Point } from './vector-tile.ts';

export type Size = { width: number; height: number };
/** Countries and towns, or the streets of the operator. */
export type MapKind = 'base' | 'streets';
/** The last zoom of the tiles. */
const maxZooms: Record<MapKind, number> = { base: 7, streets: 14 };
/** A picture goes on around its size: its place in the page may be wider or higher. */
const beyond = 360;
/** The zoom of a drawing on a phone; in a wide window, it is larger than its size. */
const zoomOf = ({ worldSize }: Drawing): number => Math.log2(worldSize / 512) + 0.2;

/** A tile, and where it is in the drawing. */
type PlacedTile = { layers: Map<string, Layer>; left: number; top: number; size: number };
export type Sheet = Size & { kind: MapKind; drawing: Drawing; tiles: PlacedTile[] };

/**
 * What lies over a map. `taken`: boxes of pins, which no name may lie under. `isTall`: whether names may cross the upper and
 * the lower edge. `hasRings`: whether circles show distances: `from` a place, or else from the main town.
 * `local`: names of towns in the addresses beside the picture.
 */
export type Overlay = {
  taken: Room[];
  isTall: boolean;
  hasRings: boolean;
  from: Place | null;
  local: string[];
};

/** @param drawing one of this size */
export async function readSheet(
  path: string,
  kind: MapKind,
  drawing: Drawing,
  { width, height }: Size,
): Promise<Sheet> {
  // Tiles are made for 512 units, and the zoom of a drawing is that of 256: more tiles would cost more and show no more.
  const z = Math.min(Math.max(drawing.zoom - 1, 0), maxZooms[kind]);
  const count = 2 ** z;
  const { left, top, worldSize } = drawing;
  const size = worldSize / count;
  const range = (from: number, length: number) => {
    const [first, last] = [-from - beyond, length + beyond - from].map((at) => Math.floor(at / size));
    return Array.from({ length: (last ?? 0) - (first ?? 0) + 1 }, (_, i) => (first ?? 0) + i);
  };
  const rows = range(top, height).filter((y) => y >= 0 && y < count);
  const cells = range(left, width).flatMap((x) => rows.map((y) => ({ x, y })));
  const file = mapFile(path);
  const tiles = await Promise.all(
    cells.map(async ({ x, y }) => {
      // Beyond the antimeridian, the world begins again.
      const layers = await readTile(file, z, ((x % count) + count) % count, y);
      return layers && { layers, left: left + x * size, top: top + y * size, size };
    }),
  );
  return { width, height, kind, drawing, tiles: tiles.filter((tile) => tile !== null) };
}

export async function drawSheet(
  sheet: Sheet,
  { taken, isTall, hasRings, from, local }: Overlay,
): Promise<string> {
  const { width, height, kind, drawing, tiles } = sheet;
  const zoom = zoomOf(drawing);
  const drawn = new Map<string, string>();
  const shapes: string[] = [];
  for (const shape of shapesOf[kind]) {
    // Several lines of different widths follow the same points.
    const source = `${shape.layer} ${shape.kinds} ${shape.details} ${shape.fill !== undefined}`;
    const paths = drawn.get(source) ?? (await drawTiles(sheet, shape));
    drawn.set(source, paths);
    shapes.push(paths && `<g ${paintOf(shape, kind === 'streets' ? lineScale(drawing) : 1)}>${paths}</g>`);
  }
  const towns = tiles.flatMap((tile) => pointsOf(sheet, tile, local));
  const centre = from ? placed(from, drawing) : mainTown(towns, sheet, local);
  const rings = hasRings && kind === 'base' ? ringsOf(centre, drawing, zoom) : null;
  const built = kind === 'base' ? drawBuilt(towns, drawing, zoom) : '';
  const [ground = '', ...above] = shapes;
  // Below the land, which covers its half of the line.
  const shore =
    kind === 'base' && zoom >= townZoom
      ? `<g fill="none" stroke="var(--land)" stroke-width="${shoreWidth / pathScale}" stroke-opacity="${shoreOpacity}" stroke-linejoin="round" transform="scale(${pathScale})">${[...drawn.values()][0] ?? ''}</g>`
      : '';
  const names = drawTowns(towns, [...taken, ...edgesOf(sheet, isTall)], kind === 'base' ? zoom : Infinity);
  const [x, y] = [-beyond, -beyond];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"><g id="map">` +
    `<path fill="${paint(backgrounds[kind])}" d="M${x} ${y}h${width + 2 * beyond}v${height + 2 * beyond}H${x}z"/>` +
    `${shore}${ground}${built}${rings?.circles ?? ''}${above.join('')}` +
    `${
      kind === 'streets'
        ? drawStreetNames(
            tiles.flatMap((tile) => streetsOf(tile)),
            names.taken,
            frameOf(sheet),
            drawing.zoom,
          )
        : ''
    }` +
    `${names.drawn}${rings?.labels(names.taken) ?? ''}</g></svg>`
  );
}

type Centre = { x: number; y: number; lat: number };

const placed = ({ lat, lng }: Place, { toX, toY }: Drawing): Centre => ({ lat, x: toX(lng), y: toY(lat) });

/** The town that the page names, or the largest one; null if none is in the picture. */
function mainTown(towns: NamedPoint[], { drawing, width, height }: Sheet, local: string[]): Centre | null {
  const frame = { left: 0, right: width, top: 0, bottom: height };
  const inSight = towns.filter(({ x, y }) => isIn([x, y], frame)).toSorted((a, b) => b.rank - a.rank);
  const main = inSight.find(({ name }) => local.includes(name)) ?? inSight[0];
  return main ? { ...main, lat: latitudeOf((main.y - drawing.top) / drawing.worldSize) } : null;
}

const ringsOf = (centre: Centre | null, drawing: Drawing, zoom: number) =>
  centre && zoom >= townZoom ? drawRings(centre, drawing, zoom) : null;

/** A path for each tile: their edges overlap, and where a path overlaps itself, it is not filled. */
async function drawTiles(sheet: Sheet, shape: Shape): Promise<string> {
  let paths = '';
  for (const tile of sheet.tiles) {
    const d = pathOf(sheet, tile, shape);
    paths += d && `<path d="${d}"/>`;
    // Other requests have their turns between two tiles.
    await nextTurn();
  }
  return paths;
}

/** Streets are as wide as they are declared at this zoom; the farther the map, the narrower. */
const wideZoom = 15;
const lineScale = ({ worldSize }: Drawing): number => Math.min(worldSize / (256 * 2 ** wideZoom), 1);

const paint = (colour: Colour): string => `var(--${colour})`;
const paintOf = ({ fill, line }: Shape, scale: number): string =>
  (fill
    ? `fill="${paint(fill)}" fill-rule="evenodd"`
    : `fill="none" stroke="${paint(line?.colour ?? 'border')}" stroke-width="${Number(((scale * (line?.width ?? 1) + (line?.edge ?? 0)) / pathScale).toFixed(1))}" stroke-opacity="${line?.opacity ?? 1}" stroke-linejoin="round" ${line?.dashes ? `stroke-dasharray="${line.dashes.map((part) => (part * line.width) / pathScale).join(' ')}"` : 'stroke-linecap="round"'}`) +
  ` transform="scale(${pathScale})"`;

/** All of the picture. */
const frameOf = ({ width, height }: Size): Room => ({
  left: -beyond,
  right: width + beyond,
  top: -beyond,
  bottom: height + beyond,
});

/** What names do not cross: the edges of what is always in sight. */
const edgesOf = ({ width, height }: Size, isTall: boolean): Room[] => [
  ...[0, width].map((x) => ({ left: x, right: x, top: -beyond, bottom: height + beyond })),
  ...(isTall ? [] : [0, height]).map((y) => ({ left: -beyond, right: width + beyond, top: y, bottom: y })),
];

/** The lines of a layer, as far as they are in the picture. */
function pathOf(
  picture: Size,
  { layers, left, top, size }: PlacedTile,
  { layer, kinds, details, fill }: Shape,
): string {
  const { extent = 1, features = [] } = layers.get(layer) ?? {};
  const place = { left, top, unit: size / extent };
  const frame = frameIn(frameOf(picture), place);
  const isClosed = fill !== undefined;
  return features
    .filter(({ isPolygon }) => isPolygon === isClosed)
    .filter(({ properties }) => !kinds || kinds.includes(String(properties.kind)))
    .filter(({ properties }) => !details || details.includes(String(properties.kind_detail)))
    .flatMap(({ lines }) => lines)
    .map((line) =>
      isClosed ? clipPolygon(line, frame) : line.some((point) => isIn(point, frame)) ? line : [],
    )
    .map((line) => toPath(line, isClosed, place))
    .join('');
}

/** A frame of the drawing in units of a tile. */
const frameIn = (frame: Room, { left, top, unit }: TilePlace): Room => ({
  left: (frame.left - left) / unit,
  right: (frame.right - left) / unit,
  top: (frame.top - top) / unit,
  bottom: (frame.bottom - top) / unit,
});

/** The towns of a tile. Those of another one lie in its margin, too. */
function pointsOf(sheet: Sheet, { layers, left, top, size }: PlacedTile, local: string[]): NamedPoint[] {
  const frame = frameOf(sheet);
  const { extent = 1, features = [] } = layers.get(sheet.kind === 'base' ? 'towns' : 'places') ?? {};
  return features.flatMap(({ lines, properties }) => {
    const [x = 0, y = 0] = lines[0]?.[0] ?? [];
    const at = { x: left + (x / extent) * size, y: top + (y / extent) * size };
    const isOwn = x >= 0 && x < extent && y >= 0 && y < extent;
    const rank = Number(properties.population ?? populationOf[String(properties.kind_detail)] ?? 0);
    return isOwn && isIn([at.x, at.y], frame) && properties.name
      ? [
          {
            ...at,
            name: localName({ name: String(properties.name), other: String(properties.other ?? '') }, local),
            rank,
          },
        ]
      : [];
  });
}

const streetsOf = ({ layers, left, top, size }: PlacedTile): NamedLine[] => {
  const { extent = 1, features = [] } = layers.get('roads') ?? {};
  return features.flatMap(({ lines, properties: { name, kind_detail } }) =>
    name
      ? lines.map((line) => ({
          name: String(name),
          detail: String(kind_detail),
          line: line.map(([x, y]): Point => [left + (x / extent) * size, top + (y / extent) * size]),
        }))
      : [],
  );
};
