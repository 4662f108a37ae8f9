/**
 * The JSON of the events of a segment, as lists show them, compressed (symbol-table.ts). A worker thread adds it to memory
 * that it shares with the index, which serves meanwhile. An event that changes is left out from then on; the cache of events
 * has it.
 */
import { bytesIn } from '#base';
import { changeKeyOf } from '#fresh-records';
import {
  type ByteWriter,
  packSymbols,
  SymbolDecoder,
  SymbolEncoder,
  type Symbols,
  type TextWithId,
} from '#record-index';

export type JsonData = {
  symbols: Symbols;
  /** The codes of the JSON of all events. The part that is not used yet takes no memory. */
  codes: Uint16Array;
  /** How many events and codes there are. */
  counts: Uint32Array;
  // By document: where its codes begin, their number, which is written last and is 0 without JSON, the version of the record
  // in the change log, and a hash of its change key.
  positions: Uint32Array;
  lengths: Uint16Array;
  versions: Uint32Array;
  keyHashes: Int32Array;
};

/** 32 bits of a change key, signed, so that V8 stores them in maps without a heap object. Two events with one hash only count as changed together. */
const hashOfKey = (changeKey: string): number => Buffer.from(changeKey, 'base64url').readInt32LE(0);

/** The JSON of a document. */
export type JsonOfDoc = TextWithId & { doc: number; version: number };

export class JsonBuilder {
  readonly data: JsonData;
  readonly #encoder: SymbolEncoder;

  /** @param size the number of documents */
  constructor(size: number, symbols: Symbols, maxBytes: number) {
    const memory = (bytes: number) => new SharedArrayBuffer(bytes);
    const columns = {
      counts: new Uint32Array(memory(8)),
      positions: new Uint32Array(memory(4 * size)),
      lengths: new Uint16Array(memory(2 * size)),
      versions: new Uint32Array(memory(4 * size)),
      keyHashes: new Int32Array(memory(4 * size)),
    };
    const maxCodes = Math.min(Math.max(Math.floor((maxBytes - bytesIn(columns)) / 2), 0), 2 ** 32 - 1);
    this.data = { symbols, codes: new Uint16Array(memory(2 * maxCodes)), ...columns };
    this.#encoder = new SymbolEncoder(symbols);
  }

  /** @returns false if the memory does not hold the text */
  add({ text, id, doc, version }: JsonOfDoc): boolean {
    const { codes, counts, positions, lengths, versions, keyHashes } = this.data;
    const position = counts[1] as number;
    if (position + text.length > codes.length) return false;
    const end = this.#encoder.encode({ text, id }, codes, position);
    // What is larger than its column is left out, and what the segment does not have.
    if (end - position >= 2 ** 16 || version >= 2 ** 32 || doc < 0) return true;
    positions[doc] = position;
    versions[doc] = version;
    keyHashes[doc] = hashOfKey(changeKeyOf(id));
    Atomics.store(lengths, doc, end - position);
    counts.set([(counts[0] as number) + 1, end]);
    return true;
  }
}

/** No JSON of so many documents. */
export const noJson = (size: number): JsonData => new JsonBuilder(size, packSymbols([]), 0).data;

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
  readonly #decoder: SymbolDecoder;
  readonly #bytesOfColumns: number;
  readonly #since = performance.now();

  /** @param changed the events that have changed since the data were read; to be kept current */
  constructor(data: JsonData, changed: ChangedVersions) {
    this.#data = data;
    this.changed = changed;
    this.#decoder = new SymbolDecoder(data.symbols);
    this.#bytesOfColumns = bytesIn(data) - data.codes.byteLength;
  }

  get size(): number {
    return this.#data.counts[0] as number;
  }

  get bytes(): number {
    return this.#bytesOfColumns + 2 * (this.#data.counts[1] as number);
  }

  /** Whether so many events have changed that all should be read again. */
  get isOutdated(): boolean {
    return (
      this.changed.size > Math.max(this.size * maxChangedShare, minChanged) &&
      performance.now() - this.#since > minReloadMs
    );
  }

  /**
   * Finds what writes the open JSON object of a document in lists (event-serializer.ts); null if the JSON is not here or has
   * changed.
   * @param id that of the document
   */
  find(doc: number, id: string): ((out: ByteWriter) => void) | null {
    const { codes, positions, lengths, versions, keyHashes } = this.#data;
    const length = Atomics.load(lengths, doc);
    if (length === 0 || this.changed.has(keyHashes[doc] as number, versions[doc] as number)) return null;
    const begin = positions[doc] as number;
    return (out) => this.#decoder.decode(codes, begin, begin + length, id, out);
  }
}
