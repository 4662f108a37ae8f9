/**
 * The reading side of the change log: a server reads it before each request uses its caches, so a cache is never older than
 * the request. One statement reads the log for all requests that wait at the same time. The versions tell a reader whether the
 * database has shown it the change already (recent-versions.ts).
 */
import { createLoader, type Database, sql } from '#pg';
import { deletedVersion, RecentVersions, type RecordKind, versionFor } from './recent-versions.ts';
import { type ListingKey, shardCount } from './record-change.ts';

type ChangeRow = {
  instance: string;
  shard: number;
  latest: string;
  revision: string | null;
  records: string[];
  versions: (number | null)[] | null;
  listings: (number | null)[] | null;
  cells: number[];
  days: number[];
};

/**
 * Rows of one shard that are read at most. A server that is further behind, or that reads this instance for the first
 * time, empties its caches and reads the newest rows: the database may not show all of their changes yet.
 */
const maxRead = 1_000;

/**
 * The start time of the PostgreSQL that responds. It names the instance: revisions and versions of two instances cannot
 * be compared. After a failover or a restored backup, PostgreSQL may have lost commits, and then assigns their
 * revisions again. It may also have lost a commit that this server has not read in the log, but has read in a
 * record. In both cases the log shows no difference. The system identifier and the timeline differ after some
 * of these events, and the start time after all of them: a restored copy that ends its recovery without a
 * promotion keeps the other two.
 */
export const instance = sql`(select pg_postmaster_start_time()::text)`;

/** The position of a server in the log: the last revision of each shard that it has read. */
export type Position = { instance: string; revisions: bigint[] };

/**
 * Lists the changes after the known revisions, by shard and revision. A shard without rows to read gives one row without
 * a revision. If the instance is another one, all shards have rows. Table statistics are unreliable because the table is
 * constantly emptied and refilled; the LIMIT makes the planner choose the index.
 */
async function listChanges(db: Database, known: Position): Promise<ChangeRow[]> {
  const revisions = known.revisions.map(String);
  return await db.query<ChangeRow>(sql`
    select ${instance} as instance, s.shard, s.version as latest, c.version as revision, c.records,
      c.versions::float8[] as versions, c.listings::float8[] as listings, c.cells, c.days
    from (select shard, version, (${revisions}::bigint[])[shard + 1] as known from change_shards) s
    left join lateral (
      select * from changes c
      where c.shard = s.shard and c.version <= s.version and c.version > case
        when ${known.instance} = ${instance} and s.version - s.known <= ${maxRead} then s.known
        else s.version - ${maxRead} end
      order by c.version limit ${maxRead}
    ) c on true
    where s.version <> s.known or ${known.instance} <> ${instance}
    order by s.shard, c.version`);
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
