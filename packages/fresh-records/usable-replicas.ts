/** The replicas that can be read from: those that follow the primary and are not failing. */
import { withTimeout } from '#base';
import { type Database, sql } from '#pg';
import { type ChangeLog, instance, type Position } from './change-log.ts';

/** `name`: host and port, for logs and metrics. */
export type Replica = { name: string; db: Database };
type Log = { info(fields: object, message: string): void; warn(fields: object, message: string): void };
export type Options = {
  primary: Database;
  replicas: Replica[];
  changeLog: ChangeLog;
  log: Log;
  metrics: { setUsable(name: string, isUsable: boolean): void };
};

/** How often each replica is checked, and how long a check may take. */
const [checkMs, checkTimeoutMs] = [250, 1_000];

export class UsableReplicas {
  readonly #options: Options;
  /** The usable replicas, with their positions in the change log. */
  readonly #positions = new Map<Replica, Position>();
  #turn = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    this.#options = options;
    for (const { name } of options.replicas) options.metrics.setUsable(name, false);
  }

  /** Starts checking the replicas; returns at once. Before the first check, none of them is usable. */
  start(): void {
    if (this.#options.replicas.length === 0) return;
    let isChecking = false;
    this.#timer = setInterval(async () => {
      if (isChecking) return;
      isChecking = true;
      await Promise.all(this.#options.replicas.map((replica) => this.#check(replica)));
      isChecking = false;
    }, checkMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The names of all replicas, and whether each of them is usable. */
  get states(): { name: string; isUsable: boolean }[] {
    return this.#options.replicas.map((replica) => ({
      name: replica.name,
      isUsable: this.#positions.has(replica),
    }));
  }

  /**
   * Picks the usable replicas in turn; null if there is none.
   * @param forRecords of those that have everything of which the change log remembers no versions
   */
  pick(forRecords: boolean): Replica | null {
    if (this.#positions.size === 0) return null;
    const { instance: current, revisions } = this.#options.changeLog.remembered;
    const usable = [...this.#positions].filter(
      ([, position]) =>
        position.instance === current &&
        (!forRecords || revisions.every((revision, shard) => (position.revisions[shard] ?? -1n) >= revision)),
    );
    return usable[this.#turn++ % usable.length]?.[0] ?? null;
  }

  /** Leaves the replica out until a check succeeds. */
  exclude(replica: Replica, error: unknown): void {
    this.#setPosition(replica, null, error);
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
      this.exclude(replica, error);
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
