/** Reads the change log. */
import { type Database, sql } from '#pg';

/** The number of shards of the log, which spread its writers. */
export const shardCount = 16;

export type ChangeRow = {
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
export async function listChanges(db: Database, known: Position): Promise<ChangeRow[]> {
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
