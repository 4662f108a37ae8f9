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

/** A part of the cached lists: a cell number, and the first and last of a range of day numbers. */
export type ListingKey = { cell: number; firstDay: number; lastDay: number };

const shards = 16;

/** The key that names a record in the log. It is a hash, because log rows outlive deleted records. */
export const changeKeyOf = (id: string): string => hash('sha256', id, 'base64url').slice(0, 16);

/**
 * `records`: ids of the changed records. `listingKeys`: the parts of lists that a change affects, from before and
 * after the change.
 */
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
    insert into changes (shard, version, records, cells, first_days, last_days, at)
    select shard, version, ${records.map(changeKeyOf)}::text[], ${listingKeys.map(({ cell }) => cell)}::int[],
      ${listingKeys.map(({ firstDay }) => firstDay)}::int[], ${listingKeys.map(({ lastDay }) => lastDay)}::int[], now()
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
  shard: number;
  latest: string;
  version: string | null;
  records: string[];
  cells: number[];
  firstDays: number[];
  lastDays: number[];
};

/** Rows of one shard that are read at most. A server that is further behind empties its caches instead. */
const maxRead = 1_000;

/**
 * Lists the changes after the known versions, by shard and version. A shard with too many changes gives one row without
 * a version. Table statistics are unreliable because the table is constantly emptied and refilled; the LIMIT makes the
 * planner choose the index.
 */
async function listChanges(db: Database, known: bigint[]): Promise<ChangeRow[]> {
  const versions = known.map(String);
  return await db.query<ChangeRow>(sql`
    select s.shard, s.version as latest, c.version, c.records, c.cells, c.first_days, c.last_days
    from (select shard, version, (${versions}::bigint[])[shard + 1] as known from change_shards) s
    left join lateral (
      select * from changes c where c.shard = s.shard and c.version > s.known and c.version <= s.version
      order by c.version limit ${maxRead}
    ) c on s.version - s.known <= ${maxRead}
    where s.version <> s.known
    order by s.shard, c.version`);
}

/** Receives the change keys of changed records; null means that any record may have changed. */
export type Watcher = (changeKeys: string[] | null) => void;

/** Days. A longer range counts as a change of all days. */
const maxRangeDays = 366;

/**
 * The changes that this server has read. Revisions count the reads that found changes: data that was read at revision n
 * is current as long as no change of it has a later revision.
 */
export class ChangeLog {
  #revision = 1;
  /** Data of an earlier revision is not current. */
  #resetRevision = 1;
  #versions: bigint[] = Array.from({ length: shards }, () => -1n);
  readonly #cells = new Map<number, number>();
  readonly #firstDays = new Map<number, number>();
  readonly #laterDays = new Map<number, number>();
  #allLaterDays = 0;
  readonly #read: (key: null) => Promise<void>;
  readonly #watchers: Watcher[] = [];

  constructor(db: Database) {
    this.#read = createLoader(
      async () => {
        this.#apply(await listChanges(db, this.#versions));
        return [undefined];
      },
      { keyOf: () => '' },
    );
  }

  /** Reads all changes that were committed before the call. */
  catchUp(): Promise<void> {
    return this.#read(null);
  }

  watch(watcher: Watcher): void {
    this.#watchers.push(watcher);
  }

  /** The current revision. Take it before a statement is sent, and cache it with the rows of the statement. */
  get revision(): number {
    return this.#revision;
  }

  /** The revision of the last change of a listing key with this cell. */
  ofCell = (cell: number): number => Math.max(this.#resetRevision, this.#cells.get(cell) ?? 0);

  /** The revision of the last change of a listing key with this first day. */
  ofDay = (day: number): number => Math.max(this.#resetRevision, this.#firstDays.get(day) ?? 0);

  /** The revision of the last change of a listing key that includes this day, and not as its first. */
  intoDay = (day: number): number =>
    Math.max(this.#resetRevision, this.#allLaterDays, this.#laterDays.get(day) ?? 0);

  /** The first days of the listing keys that changed after a revision; null if these can be any days. */
  daysSince(revision: number): number[] | null {
    if (revision < this.#resetRevision) return null;
    return [...this.#firstDays].filter(([, changed]) => changed > revision).map(([day]) => day);
  }

  #apply(rows: ChangeRow[]): void {
    if (rows.length === 0) return;
    this.#revision++;
    for (const row of rows) {
      const known = this.#versions[row.shard] ?? -1n;
      const version = row.version === null ? null : BigInt(row.version);
      // A concurrent read may have applied this version already. A version that is not the next one means a gap.
      if (version !== null && version <= known) continue;
      if (version === known + 1n) this.#applyChange(row);
      else if (BigInt(row.latest) !== known) this.#reset();
      this.#versions[row.shard] = version ?? BigInt(row.latest);
    }
  }

  #reset(): void {
    this.#resetRevision = this.#revision;
    this.#cells.clear();
    this.#firstDays.clear();
    this.#laterDays.clear();
    for (const watcher of this.#watchers) watcher(null);
  }

  #applyChange({ records, cells, firstDays, lastDays }: ChangeRow): void {
    for (const watcher of this.#watchers) watcher(records);
    for (const cell of cells) this.#cells.set(cell, this.#revision);
    for (const [index, first] of firstDays.entries()) {
      const last = lastDays[index] ?? first;
      this.#firstDays.set(first, this.#revision);
      if (last - first > maxRangeDays) this.#allLaterDays = this.#revision;
      else for (let day = first + 1; day <= last; day++) this.#laterDays.set(day, this.#revision);
    }
  }
}
