/**
 * Writes PMTiles files, version 3: https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md. Tiles are vector
 * tiles (MVT). Equal tiles, such as those without a coast, are stored once.
 */
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { zxyToTileId } from 'pmtiles';

export type Tile = { z: number; x: number; y: number; data: Uint8Array };
/** In degrees: west, south, east, north. */
type Bounds = [number, number, number, number];

/** `runLength`: how many consecutive ids have this tile; 0 for a leaf directory. */
type Entry = { id: number; runLength: number; length: number; offset: number };

const headerBytes = 127;
/** Readers get the header and the root directory with the first 16 KiB: more entries than that are in leaves. */
const maxEntries = 2_048;
const [gzip, vectorTiles] = [2, 1];

/**
 * @param tiles one or more
 * @param metadata what readers find out about the data, such as its attribution
 */
export function writePmtiles(tiles: Tile[], bounds: Bounds, metadata: object = {}): Buffer {
  const { entries, data, contents } = storeTiles(tiles);
  const { root, leaves } = writeDirectories(entries);
  const sections = [root, gzipSync(JSON.stringify(metadata)), leaves, data];
  const header = Buffer.alloc(headerBytes);
  header.write('PMTiles\x03', 'latin1');
  let offset = headerBytes;
  for (const [i, { length }] of sections.entries()) {
    header.writeBigUInt64LE(BigInt(offset), 8 + i * 16);
    header.writeBigUInt64LE(BigInt(length), 16 + i * 16);
    offset += length;
  }
  for (const [i, count] of [tiles.length, entries.length, contents].entries())
    header.writeBigUInt64LE(BigInt(count), 72 + i * 8);
  const zooms = tiles.map(({ z }) => z);
  // The tiles are in the order of their ids.
  const isClustered = 1;
  header.set([isClustered, gzip, gzip, vectorTiles, Math.min(...zooms), Math.max(...zooms)], 96);
  for (const [i, degrees] of bounds.entries()) header.writeInt32LE(Math.round(degrees * 1e7), 102 + i * 4);
  return Buffer.concat([header, ...sections]);
}

function storeTiles(tiles: Tile[]): { entries: Entry[]; data: Buffer; contents: number } {
  const sorted = tiles
    .map(({ z, x, y, data }) => ({ id: zxyToTileId(z, x, y), data }))
    .sort((a, b) => a.id - b.id);
  const entries: Entry[] = [];
  const chunks: Buffer[] = [];
  const stored = new Map<string, { length: number; offset: number }>();
  let end = 0;
  for (const { id, data } of sorted) {
    const key = hash('sha256', data);
    let place = stored.get(key);
    if (!place) {
      const chunk = gzipSync(data);
      place = { length: chunk.length, offset: end };
      stored.set(key, place);
      chunks.push(chunk);
      end += chunk.length;
    }
    const last = entries.at(-1);
    if (last && last.offset === place.offset && last.id + last.runLength === id) last.runLength++;
    else entries.push({ id, runLength: 1, ...place });
  }
  return { entries, data: Buffer.concat(chunks), contents: stored.size };
}

function writeDirectories(entries: Entry[]): { root: Buffer; leaves: Buffer } {
  if (entries.length <= maxEntries) return { root: directoryOf(entries), leaves: Buffer.alloc(0) };
  const leaves: Buffer[] = [];
  const pointers: Entry[] = [];
  let offset = 0;
  for (let i = 0; i < entries.length; i += maxEntries) {
    const part = entries.slice(i, i + maxEntries);
    const leaf = directoryOf(part);
    pointers.push({ id: part[0]?.id ?? 0, runLength: 0, length: leaf.length, offset });
    leaves.push(leaf);
    offset += leaf.length;
  }
  return { root: directoryOf(pointers), leaves: Buffer.concat(leaves) };
}

/** The columns of the entries, as variable-length numbers. */
function directoryOf(entries: Entry[]): Buffer {
  const bytes: number[] = [];
  const write = (value: number) => {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  };
  write(entries.length);
  for (const [i, { id }] of entries.entries()) write(id - (entries[i - 1]?.id ?? 0));
  for (const { runLength } of entries) write(runLength);
  for (const { length } of entries) write(length);
  for (const [i, { offset }] of entries.entries()) {
    const last = entries[i - 1];
    // 0 stands for the end of the entry before.
    write(last && last.offset + last.length === offset ? 0 : offset + 1);
  }
  return gzipSync(Buffer.from(bytes));
}
