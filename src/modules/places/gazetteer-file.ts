/**
 * The file with the arrays of the gazetteer, which a server only has to read. Its numbers are little-endian, as on all
 * processors that Potluck runs on.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CitiesSource } from './cities.ts';
import type { GazetteerData } from './gazetteer-data.ts';

const gazetteerFile = path.join(import.meta.dirname, 'gazetteer.bin');

/** In JSON, padded with spaces to this length, which is a multiple of the bytes of each number. */
const headBytes = 512;
/** `inputs`: a hash of what the file was built from. `lengths`: the elements of each array, in the order of the file. */
type Head = { inputs: string; source: CitiesSource; lengths: number[] };

/** Replaces the file at once: a server that starts meanwhile reads a whole one. */
export function writeGazetteerFile(data: GazetteerData, inputs: string): void {
  const { source, labels, populations, coordinates, points, keys, keyPlaces } = data;
  // The bytes are last: arrays of numbers begin at a multiple of four.
  const numbers = [labels.offsets, populations, coordinates, points, keys.offsets, keyPlaces];
  const arrays = [...numbers, labels.bytes, keys.bytes];
  const head: Head = { inputs, source, lengths: arrays.map(({ length }) => length) };
  const part = `${gazetteerFile}.part`;
  writeFileSync(
    part,
    Buffer.concat([Buffer.from(JSON.stringify(head).padEnd(headBytes)), ...arrays.map(toBytes)]),
  );
  renameSync(part, gazetteerFile);
}

const toBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** @throws the error of Node.js if the file cannot be read */
export async function readGazetteerFile(): Promise<GazetteerData> {
  const file = await readFile(gazetteerFile);
  const { source, lengths } = parseHead(file);
  let [read, end] = [0, file.byteOffset + headBytes];
  /** The next array of the file, in its memory. */
  const next = <T extends ArrayBufferView>(
    type: new (buffer: ArrayBufferLike, offset: number, length: number) => T,
  ): T => {
    const array = new type(file.buffer, end, lengths[read++] as number);
    end += array.byteLength;
    return array;
  };
  const labelOffsets = next(Uint32Array);
  const populations = next(Uint32Array);
  const coordinates = next(Int32Array);
  const points = next(Float32Array);
  const keyOffsets = next(Uint32Array);
  const keyPlaces = next(Uint32Array);
  const labels = { bytes: next(Uint8Array), offsets: labelOffsets };
  const keys = { bytes: next(Uint8Array), offsets: keyOffsets };
  return { source, labels, populations, coordinates, points, keys, keyPlaces };
}

export const isGazetteerBuilt = (): boolean => existsSync(gazetteerFile);

/** The hash of what the file was built from; null if there is no file. */
export const readInputsOfFile = (): string | null =>
  isGazetteerBuilt() ? parseHead(readFileSync(gazetteerFile)).inputs : null;

const parseHead = (file: Buffer): Head => JSON.parse(file.toString('utf8', 0, headBytes)) as Head;
