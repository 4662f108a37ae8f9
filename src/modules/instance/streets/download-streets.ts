/** Cuts the streets of a town out of a map of the world. */
import { makeDirectory, replaceFile } from '#base';
import type { Coordinates } from '#record-index';
import { downloadedStreets } from '../../../config/map-tiles.ts';
import { writePmtiles } from '../../../lib/pmtiles-file.ts';
import { openStreets, readTiles, StreetsError } from './street-archive.ts';
import { boundsAround, tilesWithin } from './town-tiles.ts';

/** The tiles of 25 km in each direction take about 200 MB of memory. */
export const maxKm = 25;
export const defaultKm = 10;

/** `from`: the address of the map; undefined for the newest one of Protomaps. */
export type StreetsRequest = {
  dataDir: string;
  centre: Coordinates;
  km: number;
  from: string | undefined;
  stop: AbortSignal;
  /** Called before the download with the address of the map, then after each tile. */
  onProgress: (done: number, total: number, url: string) => void;
};

/**
 * Stores the streets where servers find them.
 * @returns the path of the file, and its size in bytes
 * @throws StreetsError; the reason of `stop`
 */
export async function downloadStreets(request: StreetsRequest): Promise<{ file: string; bytes: number }> {
  const { dataDir, centre, km, from, stop, onProgress } = request;
  const archive = await openStreets(from, new Date(), stop);
  const bounds = boundsAround(centre, km);
  const addresses = tilesWithin(bounds, archive.maxZoom);
  let done = 0;
  const report = () => onProgress(done++, addresses.length, archive.url);
  report();
  const tiles = await readTiles(archive, addresses, report);
  if (!tiles.some(({ z }) => z === archive.maxZoom))
    throw new StreetsError(`${archive.url} has no streets within ${km} km of ${centre.lat}, ${centre.lng}.`);
  const file = downloadedStreets(dataDir);
  const content = writePmtiles(tiles, bounds, archive.metadata);
  await store(file, content, dataDir);
  return { file, bytes: content.length };
}

async function store(file: string, content: Buffer, dataDir: string): Promise<void> {
  try {
    await makeDirectory(dataDir);
    await replaceFile(file, content);
  } catch (error) {
    throw new StreetsError(`${file} cannot be written: ${(error as Error).message}.`);
  }
}
