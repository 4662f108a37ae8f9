/** The JSON of listed events in few large arrays outside V8's heap, which a worker thread builds. */
import { changeKeyOf } from '../../../cache/change-log.ts';
import { bytesOfId, createIdTable } from '../../../lib/id-table.ts';

export type PreloadedData = {
  size: number;
  /** Ids of 16 bytes each, and the table that finds them. The other columns are in the order of this one. */
  ids: Uint8Array;
  idTable: Uint32Array;
  /** Latitude and longitude of each event. */
  places: Float64Array;
  /** Versions of the records in the change log. */
  versions: Float64Array;
  /** Where the JSON of each event begins, in bytes: the number of its chunk times `chunkSize`, plus the offset in the chunk. */
  offsets: Float64Array;
  lengths: Uint32Array;
  chunks: Uint8Array[];
  /** Hashes of the events' change keys, ascending, and the position of the event of each. */
  keyHashes: Uint32Array;
  keyPositions: Uint32Array;
};

export const chunkSize = 4 * 1024 ** 2;
/** The columns, the table and the bitmap of changed events. */
const bytesOfEntry = 16 + 12 + 16 + 8 + 8 + 4 + 8 + 1;

/** 32 bits of a change key. Two events with one hash only count as changed together. */
export const hashOfKey = (changeKey: string): number => Buffer.from(changeKey, 'base64url').readUInt32LE(0);

type Entry = { id: string; lat: number; lng: number; version: number; json: Buffer };

export class PreloadBuilder {
  readonly #ids: Buffer[] = [];
  readonly #places: number[] = [];
  readonly #versions: number[] = [];
  readonly #offsets: number[] = [];
  readonly #lengths: number[] = [];
  readonly #hashes: number[] = [];
  readonly #chunks: Uint8Array[] = [];
  /** The used part of the last chunk. */
  #used = chunkSize;

  /** The memory of the data, without the unused part of the last chunk. */
  get bytes(): number {
    return this.#ids.length * bytesOfEntry + (this.#chunks.length - 1) * chunkSize + this.#used;
  }

  add({ id, lat, lng, version, json }: Entry): void {
    if (json.length > chunkSize) return;
    if (this.#used + json.length > chunkSize) {
      this.#chunks.push(new Uint8Array(chunkSize));
      this.#used = 0;
    }
    this.#chunks.at(-1)?.set(json, this.#used);
    this.#ids.push(bytesOfId(id));
    this.#places.push(lat, lng);
    this.#versions.push(version);
    this.#offsets.push((this.#chunks.length - 1) * chunkSize + this.#used);
    this.#lengths.push(json.length);
    this.#hashes.push(hashOfKey(changeKeyOf(id)));
    this.#used += json.length;
  }

  build(): PreloadedData {
    const size = this.#ids.length;
    const ids = Uint8Array.from(Buffer.concat(this.#ids));
    const hashes = Uint32Array.from(this.#hashes);
    const keyPositions = Uint32Array.from({ length: size }, (_, position) => position).sort(
      (a, b) => (hashes[a] as number) - (hashes[b] as number),
    );
    return {
      size,
      ids,
      idTable: createIdTable(ids),
      places: Float64Array.from(this.#places),
      versions: Float64Array.from(this.#versions),
      offsets: Float64Array.from(this.#offsets),
      lengths: Uint32Array.from(this.#lengths),
      chunks: this.#chunks,
      keyHashes: keyPositions.map((position) => hashes[position] as number),
      keyPositions,
    };
  }
}

/** All arrays of the data. */
export const arraysOf = ({
  size: _,
  chunks,
  ...columns
}: PreloadedData): (Uint8Array | Uint32Array | Float64Array)[] => [...Object.values(columns), ...chunks];
