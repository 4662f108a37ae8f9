/**
 * Keeps a discovery index current. The change log names the changed events; before a query, their rows are read and
 * replaced in the index. So a query sees every write that was acknowledged before it.
 */
import { BackgroundLoad, singleFlight } from '#base';
import type { ChangeLog, CommittedChange } from '#fresh-records';
import type { Database } from '#pg';
import { recordKinds } from '../../../schema/record-kinds.ts';
import { applyChanges, applyUntilVisible } from './apply-changes.ts';
import { EventIndex } from './event-index.ts';
import type { Amount } from './index-rows.ts';
import { ChangedVersions } from './listed-json.ts';
import { type LoadOptions, load } from './load-segment.ts';
import { type Log, logLoaded, reportReady, reportSize, warnTooLarge } from './report-index.ts';

type Options = LoadOptions & {
  /** The index is loaded in a worker thread from this amount on. */
  minForWorker?: Amount;
  db: Database;
  changeLog: ChangeLog;
  log: Log;
  /** Runs after each load, before it counts as complete. @param events those in the index; 0 if they do not fit */
  onLoaded: (events: number) => Promise<void>;
};

/** While no request reads the change log, the index reads it this often, because old changes are deleted from the log. */
const idleCatchUpMs = 5_000;
/** Of more late changes, the oldest are forgotten. */
const maxLate = 4_000;

export class CurrentIndex {
  readonly #options: Options;
  #index: EventIndex | null = null;
  /** Changes that the index has not applied yet, in the order of the change log. */
  #pending: CommittedChange[] = [];
  /** The number of all changes until now, and of those that are applied or forgotten. */
  #added = 0;
  #applied = 0;
  readonly #applyShared = singleFlight(() => this.#applyPending());
  /**
   * Changes that the database did not show when they were applied, or that the log named while there was no index. They
   * are applied again from time to time, and to the next index.
   */
  readonly #late = new Set<CommittedChange>();
  #isGivenUp = false;
  /** What has changed since the running load began: changes of lists, and versions; null if no load is running. */
  #sinceLoad: { changes: CommittedChange[]; versions: ChangedVersions } | null = null;
  readonly #load: BackgroundLoad;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#load = new BackgroundLoad({
      load: async (signal) => {
        await this.#loadOnce(signal);
        await options.onLoaded(this.#index?.size ?? 0);
        if (this.#index) reportReady();
      },
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
    this.#applied = this.#added;
    reportSize(index);
  }

  /** The index, in which changes may be missing that lists select by; null while there is none. */
  get loaded(): EventIndex | null {
    return this.#index;
  }

  /**
   * The index with all changes that the change log has read until now; null while there is none.
   * @throws the error of the database, if it cannot read the changed rows
   */
  async current(): Promise<EventIndex | null> {
    const added = this.#added;
    while (this.#applied < added) await this.#applyShared();
    return this.#index;
  }

  #note(change: CommittedChange | null): void {
    if (!change) {
      this.#reset();
      return;
    }
    for (const key of change.changeKeys) {
      const version = this.#options.changeLog.versionOf(recordKinds.event, key);
      if (version === undefined) continue;
      this.#index?.json.changed.add(key, version);
      this.#sinceLoad?.versions.add(key, version);
    }
    if (this.#index?.isOutgrown) this.#load.start();
    // Only changes with listing keys concern what lists select. RSVPs, for example, have none.
    if (change.listingKeys.length === 0) return;
    this.#sinceLoad?.changes.push(change);
    if (!this.#index && !this.#sinceLoad && !this.#isGivenUp) this.#addLate([change]);
    if (this.#index) this.#addPending([change]);
  }

  #addPending(changes: CommittedChange[]): void {
    this.#pending.push(...changes);
    this.#added += changes.length;
  }

  #addLate(changes: CommittedChange[]): void {
    for (const change of changes) {
      this.#late.add(change);
      const [oldest] = this.#late;
      if (oldest && this.#late.size > maxLate) this.#late.delete(oldest);
    }
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
    this.#addPending([...this.#late]);
    await this.current();
  }

  /** Changes stay pending if it throws. */
  async #applyPending(): Promise<void> {
    const index = this.#index;
    const changes = [...this.#pending];
    // Lists have waited for late changes before.
    const again = changes.filter((change) => this.#late.has(change));
    const others = changes.filter((change) => !this.#late.has(change));
    const late = [
      ...(await applyUntilVisible(this.#options, index, others)),
      ...(await applyChanges(this.#options, index, again)),
    ];
    // Another index has applied them, or a reset has forgotten them.
    if (index !== this.#index) return;
    this.#pending.splice(0, changes.length);
    this.#applied += changes.length;
    for (const change of again) this.#late.delete(change);
    this.#addLate(late);
    if (index?.isOutgrown) this.#load.start();
  }

  /** Loads an index and puts it in place of the present one. */
  async #loadOnce(signal: AbortSignal): Promise<void> {
    const { db, changeLog, log } = this.#options;
    const since = performance.now();
    await changeLog.catchUp();
    const sinceLoad = { changes: [] as CommittedChange[], versions: new ChangedVersions() };
    const { changes, versions } = sinceLoad;
    this.#sinceLoad = sinceLoad;
    try {
      // The rows of all changes that the log has named must be visible before all events are read.
      const late = await applyUntilVisible(this.#options, null, [...this.#late]);
      changes.push(...late);
      const loaded = await load(db, this.#options, signal);
      signal.throwIfAborted();
      if (!('data' in loaded)) {
        this.#giveUp(loaded);
        return;
      }
      await using rest = loaded.rest;
      // Records may have been read before the database showed changes that the log had named already.
      for (const [key, version] of changeLog.recentVersions(recordKinds.event)) versions.add(key, version);
      const index = new EventIndex(loaded.data, loaded.json, versions);
      const stillLate: CommittedChange[] = [];
      // More changes may arrive while these are read; they are in the list as well.
      for (let done = 0; done < changes.length; ) {
        const next = changes.slice(done);
        stillLate.push(...(await applyUntilVisible(this.#options, index, next)));
        done += next.length;
      }
      signal.throwIfAborted();
      this.#setIndex(index);
      this.#sinceLoad = null;
      this.#late.clear();
      this.#addLate(stillLate);
      logLoaded(log, index, performance.now() - since);
      // Lists are slower until then. But two indexes with JSON would take too much memory.
      await untilEnd(rest);
      reportSize(index);
    } finally {
      if (this.#sinceLoad === sinceLoad) this.#sinceLoad = null;
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

async function untilEnd(messages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of messages);
}
