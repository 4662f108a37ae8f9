/** Reads tiles of the maps on the disk of this server: the base map, and the streets of the operator. */
import { open } from 'node:fs/promises';
import { PMTiles, type Source } from 'pmtiles';
import { type Layer, readVectorTile } from './vector-tile.ts';

/** By path. Each holds the index of its file. */
const files = new Map<string, PMTiles>();

export function mapFile(path: string): PMTiles {
  const file = files.get(path) ?? new PMTiles(sourceOf(path));
  files.set(path, file);
  return file;
}

/** Null for a tile that the file does not have. */
export async function readTile(
  file: PMTiles,
  z: number,
  x: number,
  y: number,
): Promise<Map<string, Layer> | null> {
  const tile = await file.getZxy(z, x, y);
  return tile ? readVectorTile(new Uint8Array(tile.data)) : null;
}

/** Opens the file for each read, because another one may get its name: the reader notices by its version. */
const sourceOf = (path: string): Source => ({
  getKey: () => path,
  async getBytes(offset, length) {
    await using handle = await open(path);
    const { mtimeMs, size } = await handle.stat();
    const data = new ArrayBuffer(length);
    const { bytesRead } = await handle.read(new Uint8Array(data), 0, length, offset);
    return { data: data.slice(0, bytesRead), etag: `${mtimeMs} ${size}` };
  },
});
