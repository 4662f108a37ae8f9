/**
 * Keeps a discovery index current. The change log names the changed events; before a query, their rows are read and
 * replaced in the index. So a query sees every write that was acknowledged before it.
 */
import type { ChangeLog, CommittedChange } from '../../../cache/change-log.ts';
import type { Database } from '../../../db/client.ts';
import { BackgroundLoad } from '../../../lib/background-load.ts';
import type { EventMap } from '../map/cluster-grid.ts';
import { applyChanges, applyUntilVisible } from './apply-changes.ts';
import type { MapQuery } from './cluster-events.ts';
import { EventIndex } from './event-index.ts';
import type { IndexQuery, Page, Slice } from './index-query.ts';
import { LateChanges } from './late-changes.ts';
import { loadSegment } from './load-segment.ts';
import { PendingChanges } from './pending-changes.ts';
import type { PeopleEvent, PeopleQuery } from './people-events.ts';
import { type Log, logLoaded, reportSize, warnTooLarge } from './report-index.ts';

type Options = {
  db: Database;
  changeLog: ChangeLog;
  log: Log;
  maxBytes: number;
  /** Called when the index is loaded, and when it does not fit. */
  onLoaded: () => void;
};

/** While no request reads the change log, the index reads it this often, because old changes are deleted from the log. */
const idleCatchUpMs = 5_000;

export class CurrentIndex {
  readonly #options: Options;
  #index: EventIndex | null = null;
  readonly #pending = new PendingChanges((changes) => this.#apply(changes));
  /**
   * Changes that the database did not show when they were applied, or that the log named while there was no index. They
   * are applied again from time to time, and to the next index.
   */
  readonly #late = new LateChanges();
  #isGivenUp = false;
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
    this.#pending.clear();
    reportSize(index);
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
    if (this.#index) await this.#pending.applyAll();
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
    if (!this.#index && !this.#sinceLoad && !this.#isGivenUp) this.#late.add([change]);
    if (this.#index) this.#pending.add([change]);
  }

  /** Any event may have changed. */
  #reset(): void {
    this.#late.clear();
    if (!this.#index && !this.#sinceLoad) return;
    this.#sinceLoad = null;
    this.#setIndex(null);
    this.#load.restart();
  }

  async #catchUp(): Promise<void> {
    if (!this.#index) return;
    await this.#options.changeLog.catchUp();
    this.#pending.add(this.#late);
    await this.#current();
  }

  async #apply(changes: CommittedChange[]): Promise<void> {
    const index = this.#index;
    // Lists have waited for late changes before.
    const again = changes.filter((change) => this.#late.has(change));
    const others = changes.filter((change) => !this.#late.has(change));
    const late = index && [
      ...(await applyUntilVisible(this.#options, index, others)),
      ...(await applyChanges(this.#options, index, again)),
    ];
    // A reset meanwhile has forgotten all late changes.
    if (index !== this.#index) return;
    this.#late.remove(again);
    this.#late.add(late ?? []);
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
      // The rows of all changes that the log has named must be visible before all events are read.
      const late = await applyUntilVisible(this.#options, null, [...this.#late]);
      changes.push(...late);
      const loaded = await loadSegment(db, maxBytes, signal);
      signal.throwIfAborted();
      if (!('data' in loaded)) {
        this.#giveUp(loaded);
        onLoaded();
        return;
      }
      const index = new EventIndex(loaded.data);
      const stillLate: CommittedChange[] = [];
      // More changes may arrive while these are read; they are in the list as well.
      for (let done = 0; done < changes.length; ) {
        const next = changes.slice(done);
        stillLate.push(...(await applyUntilVisible(this.#options, index, next)));
        done += next.length;
      }
      signal.throwIfAborted();
      this.#setIndex(index);
      this.#late.clear();
      this.#late.add(stillLate);
      logLoaded(log, index, performance.now() - since);
      onLoaded();
    } finally {
      if (this.#sinceLoad === changes) this.#sinceLoad = null;
    }
  }

  /** The lists are read from the database from now on. */
  #giveUp(needed: { neededBytes: number; events: number }): void {
    this.#setIndex(null);
    this.#isGivenUp = true;
    this.#late.clear();
    const { log, maxBytes } = this.#options;
    warnTooLarge(log, { ...needed, maxBytes });
  }
}
