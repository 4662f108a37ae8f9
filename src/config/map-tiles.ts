import path from 'node:path';
import { isUrl, type Reader } from './reader.ts';

/**
 * The streets of the map: a PMTiles file on this machine (an absolute path), or one at an https address. A downloaded file may
 * not be there yet.
 */
export type MapTiles = { file: string; isDownloaded?: true } | { url: string };

export const isDownloaded = (tiles: MapTiles): boolean => 'file' in tiles && tiles.isDownloaded === true;

/** Where downloaded streets are stored. Servers use them unless `MAP_TILES` is set. */
export const downloadedStreets = (dataDir: string): string => path.join(dataDir, 'streets.pmtiles');

export function readMapTiles(read: Reader, dataDir: string): MapTiles {
  const downloaded: MapTiles = { file: downloadedStreets(dataDir), isDownloaded: true };
  const value = read.text('MAP_TILES');
  if (value === undefined) return downloaded;
  if (!/^[a-z][a-z\d+.-]*:/i.test(value)) return { file: path.resolve(value) };
  const url = isUrl(value, ['https:']) ? new URL(value) : null;
  // Browsers load the file, and they accept no URL with a password.
  if (url && url.username + url.password === '') return { url: url.href };
  read.faults.push(
    'MAP_TILES must be the path of a PMTiles file, or an address of one that starts with https:// and has no password.',
  );
  return downloaded;
}
