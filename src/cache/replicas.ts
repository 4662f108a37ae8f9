/**
 * Reads from streaming replicas, which may be behind the primary. A read never returns less than the primary would: it
 * runs on a replica that has what it needs, and otherwise on the primary. A replica that fails costs a bounded delay.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createLoader } from '../db/batching.ts';
import type { Database } from '../db/client.ts';
import { one, type Queryable } from '../db/query.ts';
import { sql } from '../db/sql.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { ChangeLog } from './change-log.ts';
import { instance, type Position } from './list-changes.ts';
import { isCurrent } from './recent-versions.ts';

/** `name`: host and port, for logs and metrics. */
export type Replica = { name: string; db: Database };
type Log = { info(fields: object, message: string): void; warn(fields: object, message: string): void };
/** Where reads ran that could run on a replica, and which replicas are in use. */
export type ReplicaMetrics = {
  countRead(on: 'replica' | 'primary'): void;
  setUsable(name: string, isUsable: boolean): void;
};
type Options = {
  primary: Database;
  replicas: Replica[];
  changeLog: ChangeLog;
  log: Log;
  metrics: ReplicaMetrics;
};

/** How often each replica is checked, and how long a check may take. */
const [checkMs, checkTimeoutMs] = [250, 1_000];
/** How long records and lists may take on a replica; then they are read from the primary. */
const [recordsTimeoutMs, defaultTimeoutMs] = [200, 1_000];
/** How long a read waits for a replica that is behind. */
const maxWaitMs = 30;

type RecordRead<T> = {
  ids: string[];
  /** The version that the change log requires of each record. */
  required: (number | undefined)[];
  read: (db: Queryable, ids: string[]) => Promise<T[]>;
  idOf: (record: T) => string;
  versionOf: (record: T) => number;
};

export class Replicas {
  readonly #options: Options;
  /** The replicas that follow the primary and are not failing, with their positions in the change log. */
  readonly #positions = new Map<Replica, Position>();
  readonly #readPosition: (key: null) => Promise<string>;
  #turn = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#readPosition = createLoader(
      async () => {
        const rows = await options.primary.query<{ lsn: string }>(
          sql`select pg_current_wal_insert_lsn()::text as lsn`,
        );
        return [one(rows).lsn];
      },
      { keyOf: () => '' },
    );
    for (const { name } of options.replicas) options.metrics.setUsable(name, false);
  }

  /** Starts checking the replicas; returns at once. Until then, all reads run on the primary. */
  start(): void {
    if (this.#options.replicas.length === 0) return;
    let isChecking = false;
    this.#timer = setInterval(async () => {
      if (isChecking) return;
      isChecking = true;
      await this.check();
      isChecking = false;
    }, checkMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The names of the replicas, and whether each of them is in use. */
  get states(): { name: string; isUsable: boolean }[] {
    return this.#options.replicas.map((replica) => ({
      name: replica.name,
      isUsable: this.#positions.has(replica),
    }));
  }

  /**
   * Reads records by id. A record that a replica does not show, or shows in an older version than the change log
   * requires, is read from the primary.
   */
  async readRecords<T>({ ids, required, read, idOf, versionOf }: RecordRead<T>): Promise<Map<string, T>> {
    const { primary } = this.#options;
    // In the same turn as the required versions: all later changes of the log are among these.
    const replica = this.#pick(true);
    const found = new Map<string, T>();
    const add = (records: T[]) => {
      for (const record of records) found.set(idOf(record), record);
    };
    if (replica) add((await this.#attempt(replica, () => read(replica.db, ids), recordsTimeoutMs)) ?? []);
    const missing = ids.filter((id, i) => {
      const record = found.get(id);
      // Of an unknown version, only the primary is known to have the record.
      const isUsable = record && !Number.isNaN(required[i]) && isCurrent(required[i], versionOf(record));
      if (!isUsable) found.delete(id);
      return !isUsable;
    });
    if (missing.length > 0) add(await read(primary, missing));
    this.#countRead(missing.length > 0 ? 'primary' : 'replica');
    return found;
  }

  /**
   * Runs a read that sees every commit of before the call.
   * @param timeoutMs how long it may take on a replica before it runs on the primary
   */
  async read<T>(read: (db: Database) => Promise<T>, timeoutMs = defaultTimeoutMs): Promise<T> {
    const replica = this.#pick(false);
    const found = replica && (await this.#attempt(replica, () => this.#readOn(replica, read), timeoutMs));
    this.#countRead(found ? 'replica' : 'primary');
    return found ? found.value : read(this.#options.primary);
  }

  /** Checks all replicas once. */
  async check(): Promise<void> {
    await Promise.all(this.#options.replicas.map((replica) => this.#check(replica)));
  }

  /** @returns null if the replica does not have all commits of before the call in time */
  async #readOn<T>({ db }: Replica, read: (db: Database) => Promise<T>): Promise<{ value: T } | null> {
    const position = await this.#readPosition(null);
    const since = performance.now();
    for (let waitMs = 1; ; waitMs *= 2) {
      // The next statement sees what was replayed before this one ran.
      const [row] = await db.query<{ isReached: boolean }>(
        sql`select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= ${position}::pg_lsn as is_reached`,
      );
      if (row?.isReached) return { value: await read(db) };
      if (performance.now() - since + waitMs > maxWaitMs) return null;
      await sleep(waitMs);
    }
  }

  /**
   * Picks the replicas in use in turn; null if there is none.
   * @param forRecords of those that have everything of which the change log remembers no versions
   */
  #pick(forRecords: boolean): Replica | null {
    if (this.#positions.size === 0) return null;
    const { instance: current, revisions } = this.#options.changeLog.remembered;
    const usable = [...this.#positions].filter(
      ([, position]) =>
        position.instance === current &&
        (!forRecords || revisions.every((revision, shard) => (position.revisions[shard] ?? -1n) >= revision)),
    );
    return usable[this.#turn++ % usable.length]?.[0] ?? null;
  }

  /** Runs `work` on the replica; null if it fails. The next check decides whether the replica is used again. */
  async #attempt<T>(replica: Replica, work: () => Promise<T>, timeoutMs: number): Promise<T | null> {
    try {
      return await withTimeout(work(), timeoutMs);
    } catch (error) {
      this.#setPosition(replica, null, error);
      return null;
    }
  }

  async #check(replica: Replica): Promise<void> {
    try {
      const current = await this.#recordInstance();
      const reading = replica.db.query<{ isFollowing: boolean; revisions: string[] }>(sql`
        select pg_is_in_recovery() and exists (select 1 from database_instances where started_at = ${current})
            as is_following,
          (select array_agg(version::text order by shard) from change_shards) as revisions`);
      const [row] = await withTimeout(reading, checkTimeoutMs);
      const position = row?.isFollowing && { instance: current, revisions: row.revisions.map(BigInt) };
      this.#setPosition(replica, position || null);
    } catch (error) {
      this.#setPosition(replica, null, error);
    }
  }

  /** Stores the start time of the present primary in the primary, unless a replica has it already. @returns it */
  async #recordInstance(): Promise<string> {
    const { primary, changeLog } = this.#options;
    await changeLog.catchUp();
    const current = changeLog.remembered.instance;
    if ([...this.#positions.values()].some((position) => position.instance === current)) return current;
    // Written by the primary that has this start time: the connection may lead to another one.
    await primary.execute(sql`
      insert into database_instances (started_at) select ${current} where ${current} = ${instance}
      on conflict do nothing`);
    return current;
  }

  #countRead(on: 'replica' | 'primary'): void {
    if (this.#options.replicas.length > 0) this.#options.metrics.countRead(on);
  }

  #setPosition(replica: Replica, position: Position | null, error?: unknown): void {
    const wasUsable = this.#positions.has(replica);
    if (position) this.#positions.set(replica, position);
    else this.#positions.delete(replica);
    if (wasUsable === (position !== null)) return;
    const { log, metrics } = this.#options;
    metrics.setUsable(replica.name, position !== null);
    const fields = { replica: replica.name, err: error };
    if (position) log.info({ replica: replica.name }, 'the replica is in use');
    else log.warn(fields, 'the replica is not in use: it fails, or does not follow the primary');
  }
}
