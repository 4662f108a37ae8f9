import type { Coordinates } from '#record-index';
import type { Config } from '../config/config.ts';
import { isUrl } from '../config/reader.ts';
import { parseCoordinates } from '../lib/coordinates.ts';
import { defaultKm, downloadStreets, maxKm } from '../modules/instance/streets/download-streets.ts';
import { StreetsError } from '../modules/instance/streets/street-archive.ts';
import { CommandError } from './command/command-error.ts';
import { openGazetteer } from './command/open-gazetteer.ts';
import { stopSignal } from './command/stop.ts';

/**
 * `streets TOWN [--km 10] [--from URL]`: downloads the streets of a town.
 */
export async function streetsCommand(
  { dataDir, streetsFrom }: Config,
  words: string[],
  { km: kmText = `${defaultKm}`, from }: { km?: string; from?: string },
): Promise<void> {
  const km = Number(kmText);
  if (!/^\d+$/.test(kmText) || km < 1 || km > maxKm)
    throw new CommandError(`--km is "${kmText}"; it must be a whole number from 1 to ${maxKm}.`);
  if (from !== undefined && !isUrl(from, ['http:', 'https:']))
    throw new CommandError(
      `--from is "${from}"; it must be an address that starts with https:// or http://.`,
    );
  const stop = stopSignal();
  const town = await findTown(words.join(' '));
  const { file, bytes } = await downloadStreets({
    dataDir,
    centre: town,
    km,
    from: from ?? streetsFrom,
    stop,
    onProgress: reportProgress(km, town.label),
  }).catch((error) => {
    throw error instanceof StreetsError ? new CommandError(error.message) : error;
  });
  console.log(`${file} has ${(bytes / 1e6).toFixed(1)} MB. Servers show it from their next start on.`);
}

/** @throws CommandError if there is no such town */
async function findTown(text: string): Promise<Coordinates & { label: string }> {
  if (text === '')
    throw new CommandError('The command is: streets TOWN, such as "streets Malmö" or "streets 55.605,13.0".');
  const coordinates = parseCoordinates(text);
  if (coordinates) return { ...coordinates, label: text };
  const [place] = (await openGazetteer()).search(text, null, 1);
  if (!place) throw new CommandError(`There is no town "${text}". Give its coordinates: streets 55.605,13.0`);
  const { name, country, lat, lng } = place;
  return { lat, lng, label: `${name}, ${country} (${lat}, ${lng})` };
}

/** Prints what is downloaded, then a line after each tenth. */
const reportProgress = (km: number, town: string) => (done: number, total: number, url: string) => {
  if (done === 0) console.log(`Streets within ${km} km of ${town}, out of ${url}`);
  else if (Math.floor((done * 10) / total) > Math.floor(((done - 1) * 10) / total))
    console.log(`${done} of ${total} tiles`);
};
