/**
 * Reads from streaming replicas, which may be behind the primary. A read never returns less than the primary would: it
 * runs on a replica that has what it needs, and otherwise on the primary. A replica that fails costs a bounded delay.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '#base';
import { createLoader, type Database, one, type Queryable, sql } from '#pg';
import { isCurrent } from './recent-versions.ts';
import { type Replica, UsableReplicas, type Options as UsableReplicasOptions } from './usable-replicas.ts';

type Options = UsableReplicasOptions & {
  /** Counts the reads that could run on a replica, by where they ran. */
  metrics: { countRead(on: 'replica' | 'primary'): void };
};

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
  /** To be started; until then, all reads run on the primary. */
  readonly usable: UsableReplicas;
  readonly #readPosition: (key: null) => Promise<string>;

  constructor(options: Options) {
    this.#options = options;
    this.usable = new UsableReplicas(options);
    this.#readPosition = createLoader(
      async () => {
        const rows = await options.primary.query<{ lsn: string }>(
          sql`select pg_current_wal_insert_lsn()::text as lsn`,
        );
        return [one(rows).lsn];
      },
      { keyOf: () => '' },
    );
  }

  /**
   * Reads records by id. A record that a replica does not show, or shows in an older version than the change log
   * requires, is read from the primary.
   */
  async readRecords<T>({ ids, required, read, idOf, versionOf }: RecordRead<T>): Promise<Map<string, T>> {
    const { primary } = this.#options;
    // In the same turn as the required versions: all later changes of the log are among these.
    const replica = this.usable.pick(true);
    const found = new Map<string, T>();
    const add = (records: T[]) => {
      for (const record of records) found.set(idOf(record), record);
    };
    if (replica) add((await this.#attempt(replica, () => read(replica.db, ids), recordsTimeoutMs)) ?? []);
    const missing = ids.filter((id, i) => {
      const record = found.get(id);
      const isUsable = record && isCurrent(required[i], versionOf(record));
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
    const replica = this.usable.pick(false);
    const found = replica && (await this.#attempt(replica, () => this.#readOn(replica, read), timeoutMs));
    this.#countRead(found ? 'replica' : 'primary');
    return found ? found.value : read(this.#options.primary);
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

  /** Runs `work` on the replica; null if it fails. The next check decides whether the replica is used again. */
  async #attempt<T>(replica: Replica, work: () => Promise<T>, timeoutMs: number): Promise<T | null> {
    try {
      return await withTimeout(work(), timeoutMs);
    } catch (error) {
      this.usable.exclude(replica, error);
      return null;
    }
  }

  #countRead(on: 'replica' | 'primary'): void {
    if (this.#options.replicas.length > 0) this.#options.metrics.countRead(on);
  }
}
