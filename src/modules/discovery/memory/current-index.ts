/**
 * Keeps a discovery index current. The change log names the changed events; before a query, their rows are read and
 * replaced in the index. So a query sees every write that was acknowledged before it.
 */
import { assertTransition, BackgroundLoad, singleFlight, type Transitions } from '#base';
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

/** What has changed since a load began: changes of lists, and versions. */
type Since = { changes: CommittedChange[]; versions: ChangedVersions };

/**
 * `empty`: there is no index, and none is being read. `loading`: the first one is being read. `reloading`: another one, while
 * the present one answers. `tooLarge`: the index does not fit, so lists are read from the database from now on.
 */
type State =
  | { name: 'empty' }
  | { name: 'loading'; since: Since }
  | { name: 'current'; index: EventIndex }
  | { name: 'reloading'; index: EventIndex; since: Since }
  | { name: 'tooLarge' };

const transitions: Transitions<State['name']> = {
  empty: ['loading'],
  loading: ['current', 'tooLarge', 'empty'],
  current: ['reloading', 'empty'],
  reloading: ['current', 'tooLarge', 'empty'],
  tooLarge: [],
};

export class CurrentIndex {
  readonly #options: Options;
  #state: State = { name: 'empty' };
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
  readonly #load: BackgroundLoad;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#load = new BackgroundLoad({
      load: async (signal) => {
        await this.#loadOnce(signal);
        await options.onLoaded(this.loaded?.size ?? 0);
        if (this.loaded) reportReady();
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
    this.#empty();
  }

  /** @throws Error for a state that may not follow the present one */
  #enter(state: State): void {
    assertTransition(transitions, this.#state.name, state.name);
    const before = this.loaded;
    this.#state = state;
    if (this.loaded === before) return;
    // The index has applied all changes that were noted, or there is none to apply them to.
    this.#pending = [];
    this.#applied = this.#added;
    reportSize(this.loaded);
  }

  #empty(): void {
    if (this.#state.name !== 'empty' && this.#state.name !== 'tooLarge') this.#enter({ name: 'empty' });
  }

  /** The index, in which changes may be missing that lists select by; null while there is none. */
  get loaded(): EventIndex | null {
    return 'index' in this.#state ? this.#state.index : null;
  }

  /** Null unless an index is being read. */
  get #since(): Since | null {
    return 'since' in this.#state ? this.#state.since : null;
  }

  /**
   * The index with all changes that the change log has read until now; null while there is none.
   * @throws the error of the database, if it cannot read the changed rows
   */
  async current(): Promise<EventIndex | null> {
    const added = this.#added;
    while (this.#applied < added) await this.#applyShared();
    return this.loaded;
  }

  #note(change: CommittedChange | null): void {
    if (!change) {
      this.#reset();
      return;
    }
    const { loaded } = this;
    for (const key of change.changeKeys) {
      const version = this.#options.changeLog.versionOf(recordKinds.event, key);
      if (version === undefined) continue;
      loaded?.json.changed.add(key, version);
      this.#since?.versions.add(key, version);
    }
    if (loaded?.isOutgrown) this.#load.start();
    // Only changes with listing keys concern what lists select. RSVPs, for example, have none.
    if (change.listingKeys.length === 0) return;
    this.#since?.changes.push(change);
    if (this.#state.name === 'empty') this.#addLate([change]);
    if (loaded) this.#addPending([change]);
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
    if (this.#state.name === 'empty' || this.#state.name === 'tooLarge') return;
    this.#empty();
    this.#load.restart();
  }

  async #catchUp(): Promise<void> {
    if (!this.loaded) return;
    await this.#options.changeLog.catchUp();
    this.#addPending([...this.#late]);
    await this.current();
  }

  /** Changes stay pending if it throws. */
  async #applyPending(): Promise<void> {
    const index = this.loaded;
    const changes = [...this.#pending];
    // Lists have waited for late changes before.
    const again = changes.filter((change) => this.#late.has(change));
    const others = changes.filter((change) => !this.#late.has(change));
    const late = [
      ...(await applyUntilVisible(this.#options, index, others)),
      ...(await applyChanges(this.#options, index, again)),
    ];
    // Another index has applied them, or a reset has forgotten them.
    if (index !== this.loaded) return;
    this.#pending.splice(0, changes.length);
    this.#applied += changes.length;
    for (const change of again) this.#late.delete(change);
    this.#addLate(late);
    if (index?.isOutgrown) this.#load.start();
  }

  /** Loads an index and puts it in place of the present one. */
  async #loadOnce(signal: AbortSignal): Promise<void> {
    const { db, changeLog, log } = this.#options;
    const startedAt = performance.now();
    await changeLog.catchUp();
    // A reset that the log has demanded began another load.
    signal.throwIfAborted();
    const since: Since = { changes: [], versions: new ChangedVersions() };
    const { changes, versions } = since;
    const present = this.loaded;
    this.#enter(present ? { name: 'reloading', index: present, since } : { name: 'loading', since });
    try {
      // The rows of all changes that the log has named must be visible before all events are read.
      const late = await applyUntilVisible(this.#options, null, [...this.#late]);
      changes.push(...late);
      const loaded = await load(db, this.#options, signal);
      signal.throwIfAborted();
      if (!('data' in loaded)) {
        this.#enter({ name: 'tooLarge' });
        this.#late.clear();
        warnTooLarge(log, { ...loaded, maxBytes: this.#options.maxBytes });
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
      this.#enter({ name: 'current', index });
      this.#late.clear();
      this.#addLate(stillLate);
      logLoaded(log, index, performance.now() - startedAt);
      // Lists are slower until then. But two indexes with JSON would take too much memory.
      await untilEnd(rest);
      reportSize(index);
    } finally {
      if (this.#since === since)
        this.#enter(present ? { name: 'current', index: present } : { name: 'empty' });
    }
  }
}

async function untilEnd(messages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of messages);
}
