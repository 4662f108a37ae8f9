/** Draws a part of the world as an SVG picture, as a ground for pins. */
import { type Box as Area, boxAround, fitBox, type Place } from '#lib/map/mercator.ts';
import { drawSheet, type MapKind, type Overlay, readSheet, type Sheet, type Size } from './draw-map.ts';

/** `streets`: null without a file of the operator on this server. */
export type MapPaths = { base: string; streets: string | null };
export type Request = Size & Overlay & { paths: MapPaths };

/** What a map shows of the surroundings of a place, by what the file has. */
const radiusKm: Record<MapKind, number> = { base: 3, streets: 0.4 };
/** From this zoom on, a map shows the streets of the operator. */
const streetZoom = 12;

export async function drawArea(area: Area, request: Request): Promise<string> {
  const drawing = fitBox(area, request.width, request.height);
  const streets = drawing.zoom >= streetZoom ? await readStreets(area, request) : null;
  return drawSheet(streets ?? (await read(area, 'base', request)), request);
}

/** Draws the surroundings of a place, which is in the middle. */
export async function drawPlace(place: Place, request: Request): Promise<string> {
  const streets = await readStreets(boxAround(place, radiusKm.streets), request);
  return drawSheet(streets ?? (await read(boxAround(place, radiusKm.base), 'base', request)), request);
}

/** Null where the file has no streets. The operator may be replacing it. */
async function readStreets(area: Area, request: Request): Promise<Sheet | null> {
  if (request.paths.streets === null) return null;
  const sheet = await read(area, 'streets', request).catch(() => null);
  return sheet?.tiles.some(({ layers }) => layers.has('roads')) ? sheet : null;
}

const read = (area: Area, kind: MapKind, { paths, width, height }: Request): Promise<Sheet> =>
  readSheet(paths[kind] ?? paths.base, kind, fitBox(area, width, height), { width, height });
