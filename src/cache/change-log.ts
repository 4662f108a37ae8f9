/**
 * The change log: writes record the keys of the cached records that they change, in their own transactions. A server
 * reads the log before each request uses its caches, so a cache is never older than the request. One statement reads
 * the log for all requests that wait at the same time.
 */

import { hash } from 'node:crypto';
import { createLoader } from '../db/batching.ts';
import type { Database } from '../db/client.ts';
import type { Queryable } from '../db/query.ts';
import { sql } from '../db/sql.ts';
import type { Transaction } from '../db/transaction.ts';

/** A place in the lists of events: a cell number, and the number of the day on which an event begins. */
export type ListingKey = { cell: number; day: number };

const shards = 16;

/** The key that names a record in the log. It is a hash, because log rows outlive deleted records. */
export const changeKeyOf = (id: string): string => hash('sha256', id, 'base64url').slice(0, 16);

/** `records`: ids of the changed records. `listingKeys`: the places of listed events, before and after the change. */
export type Change = { records: string[]; listingKeys?: ListingKey[] };

/**
 * The statement that records a change. It must be the last statement of its transaction, because it locks a shard of
 * the log until the commit. The shard's row assigns versions in the order of commits and without gaps: a server that
 * has read version n has read all versions before n.
 */
export function changeStatement({ records, listingKeys = [] }: Change) {
  const shard = Math.floor(Math.random() * shards);
  return sql`
    with raised as (
      update change_shards set version = version + 1 where shard = ${shard} returning shard, version
    )
    insert into changes (shard, version, records, cells, days, at)
    select shard, version, ${records.map(changeKeyOf)}::text[], ${listingKeys.map(({ cell }) => cell)}::int[],
      ${listingKeys.map(({ day }) => day)}::int[], now()
    from raised`;
}

/** Records a change as the last statement of a transaction. */
export async function recordChange(tx: Transaction, change: Change): Promise<void> {
  await tx.execute(changeStatement(change));
}

/** Deletes log rows older than 5 minutes. A server that has not read them by then empties its caches. */
export async function deleteExpiredChanges(db: Queryable): Promise<void> {
  await db.query(sql`delete from changes where at < now() - interval '5 minutes'`);
}

type ChangeRow = {
  instance: string;
  shard: number;
  latest: string;
  version: string | null;
  records: string[];
  cells: number[];
  days: number[];
};

/** Rows of one shard that are read at most. A server that is further behind empties its caches instead. */
const maxRead = 1_000;

/**
 * The start time of the PostgreSQL that responds. It names the instance: versions of two instances cannot be
 * compared. After a failover or a restored backup, PostgreSQL may have lost commits, and then assigns their
 * versions again. It may also have lost a commit that this server has not read in the log, but has read in a
 * record. In both cases the log shows no difference. The system identifier and the timeline differ after some
 * of these events, and the start time after all of them: a restored copy that ends its recovery without a
 * promotion keeps the other two.
 */
const instance = sql`(select pg_postmaster_start_time()::text)`;

/** The position of a server in the log. */
type Position = { instance: string; versions: bigint[] };

/**
 * Lists the changes after the known versions, by shard and version. A shard with too many changes gives one
 * row without a version. If the instance is another one, all shards have rows. Table statistics are
 * unreliable because the table is constantly emptied and refilled; the LIMIT makes the planner choose the
 * index.
 */
async function listChanges(db: Database, known: Position): Promise<ChangeRow[]> {
  const versions = known.versions.map(String);
  return await db.query<ChangeRow>(sql`
    select ${instance} as instance, s.shard, s.version as latest, c.version, c.records, c.cells, c.days
    from (select shard, version, (${versions}::bigint[])[shard + 1] as known from change_shards) s
    left join lateral (
      select * from changes c where c.shard = s.shard and c.version > s.known and c.version <= s.version
      order by c.version limit ${maxRead}
    ) c on s.version - s.known <= ${maxRead}
    where s.version <> s.known or ${known.instance} <> ${instance}
    order by s.shard, c.version`);
}

/** A change that another server, or this one, has committed. `changeKeys` name the changed records. */
export type CommittedChange = { changeKeys: string[]; listingKeys: ListingKey[] };

/** Receives each change once, in the order of its shard; null means that any record may have changed. */
export type Watcher = (change: CommittedChange | null) => void;

/** The position of this server in the change log. */
export class ChangeLog {
  #instance = '';
  #versions: bigint[] = Array.from({ length: shards }, () => -1n);
  readonly #read: (key: null) => Promise<void>;
  readonly #watchers: Watcher[] = [];

  constructor(db: Database) {
    this.#read = createLoader(
      async () => {
        this.#apply(await listChanges(db, { instance: this.#instance, versions: this.#versions }));
        return [undefined];
      },
      { keyOf: () => '' },
    );
  }

  /** Reads all changes that were committed before the call. The watchers have received them when it resolves. */
  catchUp(): Promise<void> {
    return this.#read(null);
  }

  watch(watcher: Watcher): void {
    this.#watchers.push(watcher);
  }

  #apply(rows: ChangeRow[]): void {
    const [first] = rows;
    if (first && first.instance !== this.#instance) {
      this.#instance = first.instance;
      for (const { shard, latest } of rows) this.#versions[shard] = BigInt(latest);
      this.#notify(null);
      return;
    }
    for (const row of rows) {
      const known = this.#versions[row.shard] ?? -1n;
      const version = row.version === null ? null : BigInt(row.version);
      // A concurrent read may have applied this version already. A version that is not the next one means a gap.
      if (version !== null && version <= known) continue;
      if (version === known + 1n) this.#notify(toChange(row));
      else if (BigInt(row.latest) !== known) this.#notify(null);
      this.#versions[row.shard] = version ?? BigInt(row.latest);
    }
  }

  #notify(change: CommittedChange | null): void {
    for (const watcher of this.#watchers) watcher(change);
  }
}

const toChange = ({ records, cells, days }: ChangeRow): CommittedChange => ({
  changeKeys: records,
  listingKeys: cells.map((cell, i) => ({ cell, day: days[i] as number })),
});
