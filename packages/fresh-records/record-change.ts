/**
 * The writing side of the change log: a write records the keys and versions of the cached records that it changes, in its own
 * transaction (change-log.ts).
 */
import { hash } from 'node:crypto';
import { join, type Queryable, type Statement, sql, type Transaction, update } from '#pg';
import { type RecordKind, taggedVersion } from './recent-versions.ts';

/** The number of shards of the log, which spread its writers. */
export const shardCount = 16;

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
