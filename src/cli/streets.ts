import { rename, rm, writeFile } from 'node:fs/promises';
import { downloadedStreets } from '../lib/config/map-tiles.ts';
import { isUrl } from '../lib/config/reader.ts';
import type { Config } from '../lib/config.ts';
import { parseCoordinates } from '../lib/coordinates.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import { writePmtiles } from '../lib/pmtiles-file.ts';
import type { Coordinates } from '../lib/sphere.ts';
import { loadGazetteer } from '../modules/places/load-gazetteer.ts';
import { CommandError } from './command/command-error.ts';
import { stopSignal } from './command/stop.ts';
import { openStreets, readTiles } from './streets/street-archive.ts';
import { boundsAround, tilesWithin } from './streets/town-tiles.ts';

/** The tiles of 25 km in each direction take about 200 MB of memory. */
const maxKm = 25;

/**
 * `streets TOWN [--km 10] [--from URL]`: cuts the streets of a town out of a map of the world, and stores them where the
 * server finds them at its next start.
 */
export async function streetsCommand(
  { dataDir }: Config,
  words: string[],
  { km: kmText = '10', from }: { km?: string; from?: string },
): Promise<void> {
  const km = Number(kmText);
  if (!/^\d+$/.test(kmText) || km < 1 || km > maxKm)
    throw new CommandError(`--km is "${kmText}"; it must be a whole number from 1 to ${maxKm}.`);
  if (from !== undefined && !isUrl(from, ['http:', 'https:']))
    throw new CommandError(
      `--from is "${from}"; it must be an address that starts with https:// or http://.`,
    );
  const stop = stopSignal();
  const town = await findTown(words.join(' '), stop);
  const archive = await openStreets(from, new Date(), stop);
  const bounds = boundsAround(town, km);
  const addresses = tilesWithin(bounds, archive.maxZoom);
  console.log(`Streets within ${km} km of ${town.label}, out of ${archive.url}`);
  const tiles = await readTiles(archive, addresses, reportProgress(addresses.length));
  if (!tiles.some(({ z }) => z === archive.maxZoom))
    throw new CommandError(`${archive.url} has no streets within ${km} km of ${town.label}.`);
  const file = downloadedStreets(dataDir);
  const content = writePmtiles(tiles, bounds, archive.metadata);
  await store(file, content, dataDir);
  console.log(
    `${file} has ${(content.length / 1e6).toFixed(1)} MB. The server shows it after its next start.`,
  );
}

/** @throws CommandError if there is no such town */
async function findTown(text: string, stop: AbortSignal): Promise<Coordinates & { label: string }> {
  if (text === '')
    throw new CommandError('The command is: streets TOWN, such as "streets Malmö" or "streets 55.605,13.0".');
  const coordinates = parseCoordinates(text);
  if (coordinates) return { ...coordinates, label: text };
  const [place] = (await loadGazetteer(stop)).search(text, null, 1);
  if (!place) throw new CommandError(`There is no town "${text}". Give its coordinates: streets 55.605,13.0`);
  const { name, country, lat, lng } = place;
  return { lat, lng, label: `${name}, ${country} (${lat}, ${lng})` };
}

/** Prints a line after each tenth. */
function reportProgress(total: number): () => void {
  let done = 0;
  return () => {
    done++;
    if (Math.floor((done * 10) / total) > Math.floor(((done - 1) * 10) / total))
      console.log(`${done} of ${total} tiles`);
  };
}

/** The file has its name once it is complete, so that a server never starts with a part of it. */
async function store(file: string, content: Buffer, dataDir: string): Promise<void> {
  const part = `${file}.part`;
  try {
    await makeDirectory(dataDir);
    await writeFile(part, content);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw new CommandError(`${file} cannot be written: ${(error as Error).message}.`);
  }
}
