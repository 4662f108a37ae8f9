/**
 * Keeps the JSON of listed events in memory, as lists show them, from the start of the server on: the soonest ones, as
 * many as the memory holds. An event that changes is left out from then on; the cache of events has it. When many have
 * changed, all are read again.
 */
import type { ChangeLog } from '../../../cache/change-log.ts';
import type { Database } from '../../../db/client.ts';
import { sql } from '../../../db/sql.ts';
import { preloadedEvents as metrics } from '../../../http/metrics.ts';
import { BackgroundLoad } from '../../../lib/background-load.ts';
import { bitmapLength, hasBit, setBit } from '../../../lib/bitmap.ts';
import { bytesOfId, findId } from '../../../lib/id-table.ts';
import { lowerBound } from '../../../lib/lower-bound.ts';
import { runInWorker } from '../../../lib/run-in-worker.ts';
import type { Coordinates } from '../../../lib/sphere.ts';
import { listedCondition } from '../policy.ts';
import type { PreloadOptions } from './preload-worker.ts';
import { arraysOf, chunkSize, hashOfKey, type PreloadedData } from './preloaded-data.ts';

type Options = {
  db: Database;
  changeLog: ChangeLog;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  publicUrl: string;
  maxBytes: number;
  /** With fewer listed events, reading them on demand takes less time than the start of a worker. */
  minEvents?: number;
};

/** `json`: the open JSON object of the event in lists (event-serializer.ts). */
export type PreloadedEvent = { json: Buffer; place: Coordinates };

const worker = new URL('./preload-worker.ts', import.meta.url);
const defaultMinEvents = 5_000;
/** The share of changed events above which all are read again, and the shortest time between two reads. */
const [maxChangedShare, minReloadMs] = [1 / 4, 60_000];

export class PreloadedEvents {
  readonly #options: Options;
  readonly #load: BackgroundLoad;
  #data: PreloadedData | null = null;
  #changed = new Uint32Array(0);
  #changedCount = 0;
  #loadedAt = 0;
  #isStarted = false;
  #onLoaded = async () => {};
  /** Change keys since the running load began; null if no load is running. */
  #sinceLoad: string[] | null = null;

  constructor(options: Options) {
    this.#options = options;
    this.#load = new BackgroundLoad({
      load: (signal) => this.#loadOnce(signal),
      onError: (error) => options.log.warn({ err: error }, 'events could not be preloaded; trying again'),
    });
    options.changeLog.watch((change) => this.#note(change?.changeKeys ?? null));
  }

  /** Starts loading; returns at once. @param onLoaded runs after each load, before the load counts as complete */
  start(onLoaded: () => Promise<void> = async () => {}): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#onLoaded = onLoaded;
    this.#load.start();
  }

  stop(): void {
    this.#isStarted = false;
    this.#load.stop();
    this.#setData(null);
  }

  /** Finds a listed event, for a request that has read the change log. @returns null if it is not preloaded */
  find(id: string): PreloadedEvent | null {
    if (!this.#data) return null;
    const { idTable, ids, places, offsets, lengths, chunks } = this.#data;
    const position = findId(idTable, ids, bytesOfId(id), 0);
    if (position < 0 || hasBit(this.#changed, position)) return null;
    const offset = offsets[position] as number;
    const chunk = chunks[Math.floor(offset / chunkSize)] as Uint8Array;
    const begin = chunk.byteOffset + (offset % chunkSize);
    return {
      json: Buffer.from(chunk.buffer as ArrayBuffer, begin, lengths[position]),
      place: { lat: places[2 * position] as number, lng: places[2 * position + 1] as number },
    };
  }

  #setData(data: PreloadedData | null): void {
    this.#data = data;
    if (!data) metrics.loaded.set(0);
    this.#changed = new Uint32Array(bitmapLength(data?.size ?? 0));
    this.#changedCount = 0;
    this.#loadedAt = performance.now();
    metrics.events.set(data?.size ?? 0);
    metrics.bytes.set(data ? arraysOf(data).reduce((sum, { byteLength }) => sum + byteLength, 0) : 0);
  }

  /** @param changeKeys null if any event may have changed */
  #note(changeKeys: string[] | null): void {
    if (!this.#isStarted) return;
    if (!changeKeys) {
      this.#setData(null);
      this.#load.restart();
      return;
    }
    this.#sinceLoad?.push(...changeKeys);
    for (const key of changeKeys) this.#markChanged(key);
    const isOutdated = this.#changedCount > (this.#data?.size ?? 0) * maxChangedShare;
    if (!isOutdated || performance.now() - this.#loadedAt < minReloadMs) return;
    // Old and new data together would exceed the memory. The cache of events has those that are listed meanwhile.
    this.#setData(null);
    this.#load.start();
  }

  /**
   * @param version of the changed record: a record that was read in this version or a newer one has not changed; default:
   * newer than every version that was read
   */
  #markChanged(changeKey: string, version = Number.POSITIVE_INFINITY): void {
    if (!this.#data) return;
    const { keyHashes, keyPositions, versions } = this.#data;
    const hash = hashOfKey(changeKey);
    for (let i = lowerBound(keyHashes, hash); keyHashes[i] === hash; i++) {
      const position = keyPositions[i] as number;
      if (hasBit(this.#changed, position) || (versions[position] as number) >= version) continue;
      setBit(this.#changed, position);
      this.#changedCount++;
    }
  }

  async #loadOnce(signal: AbortSignal): Promise<void> {
    const { db, changeLog, log, publicUrl, maxBytes } = this.#options;
    if (!(await this.#hasManyEvents())) {
      metrics.loaded.set(1);
      return;
    }
    const since = performance.now();
    // What is committed before this read is in the snapshot of the worker; what is committed later is noted.
    await changeLog.catchUp();
    const changeKeys: string[] = [];
    this.#sinceLoad = changeKeys;
    try {
      const options: PreloadOptions = { target: db.target, publicUrl, maxBytes };
      const data = await runInWorker<PreloadedData>(worker, options, signal);
      signal.throwIfAborted();
      this.#setData(data);
      for (const key of changeKeys) this.#markChanged(key);
      // The worker may have read records before the database showed changes that the log had named already.
      for (const [key, version] of changeLog.recentVersions('event')) this.#markChanged(key, version);
      log.info({ events: data.size, ms: Math.round(performance.now() - since) }, 'events are preloaded');
      await this.#onLoaded();
      if (this.#data === data) metrics.loaded.set(1);
    } finally {
      if (this.#sinceLoad === changeKeys) this.#sinceLoad = null;
    }
  }

  async #hasManyEvents(): Promise<boolean> {
    const { db, minEvents = defaultMinEvents } = this.#options;
    const found = await db.query(
      sql`select 1 from events e where ${listedCondition()} offset ${minEvents}::int limit 1`,
    );
    return found.length > 0;
  }
}
