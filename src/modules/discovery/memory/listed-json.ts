/**
 * The JSON of the events of a segment, as lists show them: of the soonest ones, as many as the memory holds. It is in few
 * large arrays outside V8's heap. An event that changes is left out from then on; the cache of events has it.
 */
import { changeKeyOf } from '../../../cache/change-log.ts';
import { bytesIn } from '../../../lib/typed-arrays.ts';

/** The columns are by document. A document without JSON has the length 0. */
export type JsonData = {
  /** The number of the chunk of each document, and where its JSON begins there. */
  chunkNumbers: Uint32Array;
  offsets: Uint32Array;
  lengths: Uint32Array;
  /** Versions of the records in the change log, and hashes of their change keys. */
  versions: Float64Array;
  keyHashes: Int32Array;
  chunks: Uint8Array[];
};

const chunkSize = 4 * 1024 ** 2;

/** 32 bits of a change key, signed, so that V8 stores them in maps without a heap object. Two events with one hash only count as changed together. */
const hashOfKey = (changeKey: string): number => Buffer.from(changeKey, 'base64url').readInt32LE(0);

export class JsonBuilder {
  readonly #data: JsonData;
  #bytes: number;
  /** The unused part of the last chunk. */
  #left = new Uint8Array(0);

  /** @param size the number of documents */
  constructor(size: number) {
    const column = () => new Uint32Array(size);
    const versions = new Float64Array(size);
    const [chunkNumbers, offsets, lengths] = [column(), column(), column()];
    const keyHashes = new Int32Array(size);
    this.#data = { chunkNumbers, offsets, lengths, versions, keyHashes, chunks: [] };
    this.#bytes = 24 * size;
  }

  /** The memory of the data. */
  get bytes(): number {
    return this.#bytes;
  }

  add({ id, doc, version, json }: { id: string; doc: number; version: number; json: Buffer }): void {
    const { chunkNumbers, offsets, lengths, versions, keyHashes, chunks } = this.#data;
    if (json.length > chunkSize) return;
    if (json.length > this.#left.length) {
      this.#left = new Uint8Array(chunkSize);
      chunks.push(this.#left);
    }
    this.#left.set(json);
    chunkNumbers[doc] = chunks.length - 1;
    offsets[doc] = this.#left.byteOffset;
    lengths[doc] = json.length;
    versions[doc] = version;
    keyHashes[doc] = hashOfKey(changeKeyOf(id));
    this.#left = this.#left.subarray(json.length);
    this.#bytes += json.length;
  }

  build(): JsonData {
    const { chunks } = this.#data;
    const last = chunks.pop();
    if (last) chunks.push(last.slice(0, chunkSize - this.#left.length));
    return this.#data;
  }
}

/** The versions of changed events, by the hashes of their change keys. */
export class ChangedVersions {
  readonly #versions = new Map<number, number>();

  get size(): number {
    return this.#versions.size;
  }

  add(changeKey: string, version: number): void {
    const hash = hashOfKey(changeKey);
    this.#versions.set(hash, Math.max(version, this.#versions.get(hash) ?? 0));
  }

  /** Whether a newer version of the event is known. */
  has(keyHash: number, version: number): boolean {
    return (this.#versions.get(keyHash) ?? 0) > version;
  }
}

/** All are read again when this share has changed, and at least this many, but not more often than this. */
const [maxChangedShare, minChanged, minReloadMs] = [1 / 4, 2_048, 60_000];

export class ListedJson {
  readonly #data: JsonData;
  readonly changed: ChangedVersions;
  readonly size: number;
  readonly bytes: number;
  readonly #since = performance.now();

  /** @param changed the events that have changed since the data were read; to be kept current */
  constructor(data: JsonData, changed: ChangedVersions) {
    this.#data = data;
    this.changed = changed;
    this.size = data.lengths.reduce((count, length) => count + Math.sign(length), 0);
    this.bytes = bytesIn(data);
  }

  /** Whether so many events have changed that all should be read again. */
  get isOutdated(): boolean {
    return (
      this.changed.size > Math.max(this.size * maxChangedShare, minChanged) &&
      performance.now() - this.#since > minReloadMs
    );
  }

  /** The open JSON object of a document in lists (event-serializer.ts); null if it is not here or has changed. */
  find(doc: number): Buffer | null {
    const { chunkNumbers, offsets, lengths, versions, keyHashes, chunks } = this.#data;
    const length = lengths[doc] as number;
    if (length === 0 || this.changed.has(keyHashes[doc] as number, versions[doc] as number)) return null;
    const chunk = chunks[chunkNumbers[doc] as number] as Uint8Array;
    return Buffer.from(chunk.buffer, chunk.byteOffset + (offsets[doc] as number), length);
  }
}
