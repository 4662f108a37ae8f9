/**
 * The change log: writes record the keys and versions of the cached records that they change, in their own transactions.
 * A server reads the log before each request uses its caches, so a cache is never older than the request. One statement
 * reads the log for all requests that wait at the same time. The versions tell a reader whether the database has shown it
 * the change already (recent-versions.ts).
 */

import { hash } from 'node:crypto';
import {
  createLoader,
  type Database,
  join,
  type Queryable,
  type Statement,
  sql,
  type Transaction,
  update,
} from '#pg';
import { type ChangeRow, listChanges, type Position, shardCount } from './list-changes.ts';
import {
  deletedVersion,
  RecentVersions,
  type RecordKind,
  taggedVersion,
  versionFor,
} from './recent-versions.ts';

/** A place in the lists of events: a cell number, and the number of the day on which an event begins. */
export type ListingKey = { cell: number; day: number };

/** The key that names a record in the log. It is a hash, because log rows outlive deleted records. */
export const changeKeyOf = (id: string): string => hash('sha256', id, 'base64url').slice(0, 16);

/**
 * Changed records of one kind. `versions`: the statement that reads (id, version, listing) of those that exist: the id as
 * in `ids`, the version of the record, and a version of what lists show of it, or null. The version of a
 * record never decreases and increases with every change.
 */
export type ChangedRecords = { kind: RecordKind; ids: string[]; versions: Statement };

/**
 * `listingKeys`: the places of listed events, before and after the change. `unversioned`: ids of what is not cached as
 * records, and is read again after each change.
 */
export type Change = { records: ChangedRecords[]; listingKeys?: ListingKey[]; unversioned?: string[] };

const noVersions = sql`select null::text as id, null::bigint as version, null::bigint as listing where false`;

/**
 * The statement that records a change. It must be the last statement of its transaction, because it locks a shard of
 * the log until the commit. The shard's row assigns revisions in the order of commits and without gaps: a server that
 * has read revision n has read all revisions before n. The statement sees the rows that the transaction has written, so
 * it reads the versions of the changed records itself.
 */
export function changeStatement({ records, listingKeys = [], unversioned = [] }: Change) {
  const shard = Math.floor(Math.random() * shardCount);
  const ids = [...records.flatMap((each) => each.ids), ...unversioned];
  const versions = records
    .filter((each) => each.ids.length > 0)
    .map(
      (each) => sql`
        select v.id, ${taggedVersion(each.kind, sql`v.version`)} as version, v.listing from (${each.versions}) v`,
    );
  return sql`
    with found as materialized (
      ${versions.length > 0 ? join(versions, ' union all ') : noVersions}
    ), noted as materialized (
      select array_agg(f.version order by k.n) as versions,
        ${listingKeys.length > 0 ? sql`array_agg(f.listing order by k.n)` : sql`null::bigint[]`} as listings
      from unnest(${ids}::text[]) with ordinality k (id, n) left join found f on f.id = k.id
    ), raised as (
      ${update('change_shards')} where shard = ${shard} returning shard, version
    )
    insert into changes (shard, version, records, versions, listings, cells, days, at)
    select r.shard, r.version, ${ids.map(changeKeyOf)}::text[], n.versions, n.listings,
      ${listingKeys.map(({ cell }) => cell)}::int[], ${listingKeys.map(({ day }) => day)}::int[], now()
    from raised r, noted n`;
}

/** Records a change as the last statement of a transaction. */
export async function recordChange(tx: Transaction, change: Change): Promise<void> {
  await tx.execute(changeStatement(change));
}

/** Deletes log rows older than 5 minutes. A server that has not read them by then empties its caches. */
export async function deleteExpiredChanges(db: Queryable): Promise<void> {
  await db.query(sql`delete from changes where at < now() - interval '5 minutes'`);
}

/**
 * A change that another server, or this one, has committed. `changeKeys` name the changed records. `listings`: for the
 * changes of events in lists, the `listingVersion` of each record; null for other changes.
 */
export type CommittedChange = {
  changeKeys: string[];
  listingKeys: ListingKey[];
  listings: number[] | null;
};

/** Receives each change once, in the order of its shard; null means that any record may have changed. */
export type Watcher = (change: CommittedChange | null) => void;

/** The position of this server in the change log. */
export class ChangeLog {
  #instance = '';
  #revisions: bigint[] = Array.from({ length: shardCount }, () => -1n);
  /** The revisions after which all versions are remembered, and those at which the newer half of the versions begins. */
  #remembered: bigint[] = [];
  #newerHalf: bigint[] = [];
  readonly #versions = new RecentVersions(() => {
    this.#remembered = this.#newerHalf;
    this.#newerHalf = [...this.#revisions];
  });
  readonly #listings = new RecentVersions();
  readonly #read: (key: null) => Promise<void>;
  readonly #watchers: Watcher[] = [];

  constructor(db: Database) {
    this.#read = createLoader(
      async () => {
        this.#apply(await listChanges(db, { instance: this.#instance, revisions: this.#revisions }));
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

  /** The version that the log has named last for a record, for `isCurrent`. */
  versionOf(kind: RecordKind, changeKey: string): number | undefined {
    return versionFor(kind, this.#versions.get(changeKey));
  }

  /** The position after which all changes are among the remembered versions. */
  get remembered(): Position {
    return { instance: this.#instance, revisions: this.#remembered };
  }

  /** The versions of recently changed records of a kind. */
  *recentVersions(kind: RecordKind): IterableIterator<[changeKey: string, version: number]> {
    for (const [key, tagged] of this.#versions) {
      const version = versionFor(kind, tagged);
      if (version !== undefined) yield [key, version];
    }
  }

  /** The listing version that the log has named last for an event (CommittedChange). */
  listingOf(changeKey: string): number | undefined {
    return this.#listings.get(changeKey);
  }

  #apply(rows: ChangeRow[]): void {
    const [first] = rows;
    if (first && first.instance !== this.#instance) {
      this.#instance = first.instance;
      this.#versions.clear();
      this.#listings.clear();
      for (const { shard, latest } of rows) this.#revisions[shard] = BigInt(latest);
      this.#remembered = [...this.#revisions];
      this.#newerHalf = this.#remembered;
      this.#notify(null);
      for (const row of rows) if (row.revision !== null) this.#note(row);
      return;
    }
    for (const row of rows) {
      const known = this.#revisions[row.shard] ?? -1n;
      const revision = row.revision === null ? null : BigInt(row.revision);
      // A concurrent read may have applied this revision already. One that is not the next one means a gap.
      if (revision !== null && revision <= known) continue;
      const isGap = revision !== known + 1n && BigInt(row.latest) !== known;
      if (isGap) this.#notify(null);
      if (revision !== null) this.#note(row);
      this.#revisions[row.shard] = revision ?? BigInt(row.latest);
      if (isGap) this.#remembered = this.#newerHalf = [...this.#revisions];
    }
  }

  #note({ records, versions, listings, cells, days }: ChangeRow): void {
    const change: CommittedChange = {
      changeKeys: records,
      listingKeys: cells.map((cell, i) => ({ cell, day: days[i] as number })),
      listings: cells.length > 0 ? records.map((_, i) => versionAt(listings, i)) : null,
    };
    for (const [i, key] of records.entries()) {
      this.#versions.set(key, versionAt(versions, i));
      if (change.listings) this.#listings.set(key, change.listings[i] as number);
    }
    this.#notify(change);
  }

  #notify(change: CommittedChange | null): void {
    for (const watcher of this.#watchers) watcher(change);
  }
}

const versionAt = (versions: (number | null)[] | null, i: number): number => versions?.[i] ?? deletedVersion;
