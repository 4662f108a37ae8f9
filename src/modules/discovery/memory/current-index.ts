/**
 * Keeps a discovery index current. The change log names the changed events; before a query, their rows are read and
 * replaced in the index. So a query sees every write that was acknowledged before it.
 */
import type { ChangeLog, CommittedChange, ListingKey } from '../../../cache/change-log.ts';
import type { Database } from '../../../db/client.ts';
import { discoveryIndex as metrics } from '../../../http/metrics.ts';
import { BackgroundLoad } from '../../../lib/background-load.ts';
import type { EventMap } from '../map/cluster-grid.ts';
import type { MapQuery } from './cluster-events.ts';
import { EventIndex } from './event-index.ts';
import type { IndexQuery, Page, Slice } from './index-query.ts';
import { listChangedRows } from './index-rows.ts';
import { loadSegment } from './load-segment.ts';
import type { PeopleEvent, PeopleQuery } from './people-events.ts';

type Log = { info(fields: object, message: string): void; warn(fields: object, message: string): void };
type Options = {
  db: Database;
  changeLog: ChangeLog;
  log: Log;
  maxBytes: number;
  /** Called when the index is loaded, and when it does not fit. */
  onLoaded: () => void;
};

/**
 * What one statement reads, so that its rows need little memory: most changes are of one event, but one of an account may
 * name thousands.
 */
const [maxChangesPerStatement, maxPlacesPerStatement] = [100, 500];
/** While no request reads the change log, the index reads it this often, because old changes are deleted from the log. */
const idleCatchUpMs = 5_000;

export class CurrentIndex {
  readonly #options: Options;
  #index: EventIndex | null = null;
  /** Changes that the index has not applied, in the order of the log; and the number of all changes until now. */
  #pending: CommittedChange[] = [];
  #noted = 0;
  #applied = 0;
  #applying: Promise<void> | null = null;
  /** Changes since the running load began, to apply to the loaded index; null if no load is running. */
  #sinceLoad: CommittedChange[] | null = null;
  readonly #load: BackgroundLoad;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#load = new BackgroundLoad({
      load: (signal) => this.#loadOnce(signal),
      onError: (error) =>
        options.log.warn({ err: error }, 'the discovery index could not be loaded; trying again'),
    });
    options.changeLog.watch((change) => this.#note(change));
  }

  /** Starts loading; returns at once. */
  start(): void {
    this.#idle = setInterval(() => void this.#catchUp().catch(() => {}), idleCatchUpMs).unref();
    this.#load.start();
  }

  stop(): void {
    clearInterval(this.#idle);
    this.#load.stop();
    this.#setIndex(null);
  }

  #setIndex(index: EventIndex | null): void {
    this.#index = index;
    // The index has applied all changes that were noted, or there is none to apply them to.
    this.#pending = [];
    this.#applied = this.#noted;
    metrics.loaded.set(index ? 1 : 0);
    metrics.events.set(index?.size ?? 0);
    metrics.bytes.set(index?.bytes ?? 0);
  }

  /**
   * Computes a page, for a request that has read the change log.
   * @returns null while there is no index
   * @throws the error of the database, if it cannot read the changed rows
   */
  async search(query: IndexQuery, slice: Slice): Promise<Page | null> {
    return (await this.#current())?.search(query, slice) ?? null;
  }

  /**
   * Clusters events on a map, for a request that has read the change log.
   * @returns null while there is no index
   * @throws as `search`
   */
  async map(query: MapQuery): Promise<EventMap | null> {
    return (await (await this.#current())?.map(query)) ?? null;
  }

  /**
   * Lists the events of people, for a request that has read the change log.
   * @returns null while there is no index, and for a search that would take long
   * @throws as `search`
   */
  async listByPeople(query: PeopleQuery): Promise<PeopleEvent[] | null> {
    return (await this.#current())?.listByPeople(query) ?? null;
  }

  /** The index with all changes that the change log has read until now; null while there is none. */
  async #current(): Promise<EventIndex | null> {
    if (this.#index && this.#applied < this.#noted) await this.#applyUntil(this.#noted);
    return this.#index;
  }

  /** Different words of the events, at most `count`; none while there is no index. */
  sampleWords(count: number): string[] {
    return this.#index?.sampleWords(count) ?? [];
  }

  /** Whether there is an index at present. */
  get isLoaded(): boolean {
    return this.#index !== null;
  }

  #note(change: CommittedChange | null): void {
    if (!change) {
      this.#reset();
      return;
    }
    // Only changes with listing keys concern lists. RSVPs, for example, have none.
    if (change.listingKeys.length === 0) return;
    this.#sinceLoad?.push(change);
    if (!this.#index) return;
    this.#pending.push(change);
    this.#noted++;
  }

  /** Any event may have changed. */
  #reset(): void {
    if (!this.#index && !this.#sinceLoad) return;
    this.#setIndex(null);
    this.#load.restart();
  }

  async #catchUp(): Promise<void> {
    if (!this.#index) return;
    await this.#options.changeLog.catchUp();
    await this.#current();
  }

  /** Several requests share one read of the changed rows. */
  async #applyUntil(noted: number): Promise<void> {
    while (this.#applied < noted) {
      this.#applying ??= this.#applyPending().finally(() => {
        this.#applying = null;
      });
      await this.#applying;
    }
  }

  async #applyPending(): Promise<void> {
    const index = this.#index;
    const changes = [...this.#pending];
    if (index) await applyChanges(this.#options.db, index, changes);
    // A reset meanwhile has emptied the list.
    if (index !== this.#index) return;
    this.#pending.splice(0, changes.length);
    this.#applied += changes.length;
    if (index?.isOutgrown) this.#load.start();
  }

  /** Loads an index and puts it in place of the present one. */
  async #loadOnce(signal: AbortSignal): Promise<void> {
    const { db, changeLog, log, maxBytes, onLoaded } = this.#options;
    const since = performance.now();
    await changeLog.catchUp();
    const changes: CommittedChange[] = [];
    this.#sinceLoad = changes;
    try {
      const loaded = await loadSegment(db, maxBytes, signal);
      signal.throwIfAborted();
      if (!('data' in loaded)) {
        this.#giveUp(loaded);
        onLoaded();
        return;
      }
      const index = new EventIndex(loaded.data);
      // More changes may arrive while these are read; they are in the list as well.
      for (let done = 0; done < changes.length; ) {
        const next = changes.slice(done);
        await applyChanges(db, index, next);
        done += next.length;
      }
      signal.throwIfAborted();
      this.#setIndex(index);
      const [megabytes, ms] = [toMegabytes(index.bytes), Math.round(performance.now() - since)];
      log.info({ events: index.size, megabytes, ms }, 'the discovery index is loaded');
      onLoaded();
    } finally {
      if (this.#sinceLoad === changes) this.#sinceLoad = null;
    }
  }

  /** The lists are read from the database from now on. */
  #giveUp({ neededBytes, events }: { neededBytes: number; events: number }): void {
    this.#setIndex(null);
    const fields = {
      events,
      neededMegabytes: toMegabytes(neededBytes),
      availableMegabytes: toMegabytes(this.#options.maxBytes),
    };
    this.#options.log.warn(
      fields,
      'the discovery index does not fit into its share of CACHE_MB, so lists are read from the database. ' +
        'Raise CACHE_MB, or set DISCOVERY=sql.',
    );
  }
}

const toMegabytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);

/** Reads the current rows of the changed events, and replaces these events in the index. */
async function applyChanges(db: Database, index: EventIndex, changes: CommittedChange[]): Promise<void> {
  for (let first = 0; first < changes.length; first += maxChangesPerStatement) {
    const some = changes.slice(first, first + maxChangesPerStatement);
    const places = new Map<string, ListingKey>();
    for (const key of some.flatMap(({ listingKeys }) => listingKeys))
      places.set(`${key.cell} ${key.day}`, key);
    const changeKeys = new Set(some.flatMap((change) => change.changeKeys));
    const all = [...places.values()];
    for (let i = 0; i < all.length; i += maxPlacesPerStatement) {
      const near = all.slice(i, i + maxPlacesPerStatement);
      index.apply(near, changeKeys, await listChangedRows(db, near, [...changeKeys]));
    }
  }
}
