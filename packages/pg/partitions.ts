/**
 * Tables that are partitioned by the time in their ids (docs/decisions/0052-partitions.md).
 *
 * The partitions of a table leave no gap: `TABLE_before` has all earlier ids and `TABLE_after` all later ones,
 * so PostgreSQL refuses no row, and reads partitions in the order of their ids without sorting. With a default
 * partition it could not: any id could be in it.
 */
import { dayMs, timeOfId } from '#base';
import type { Database } from './client.ts';
import { type Connection, openConnection, transactionOn } from './connection.ts';
import type { Queryable } from './queryable.ts';
import { raw, sql } from './sql.ts';

export type PartitionedTable = {
  name: string;
  /** The table that its foreign key references: locked first. */
  references?: string;
  /** The first column of its primary key. */
  key: string;
  /** The length of a partition. */
  months: 1 | 3 | 12;
};

/** The key of an advisory lock that is held while the partitions of a table change. */
const partitionsLock = 7_305_119;

/** A partition has the ids from `from` to below `to`; null: no bound. */
type Partition = { name: string; from: string | null; to: string | null };

/** The first id of a time: the ids of earlier rows are lower. No id is from before 1970. */
const firstIdAt = (at: Date): string => {
  const time = Math.max(at.getTime(), 0).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
};

/** The start of the period after the one that contains `at`, in UTC. */
function nextStart({ months }: PartitionedTable, at: Date): Date {
  const period = Math.floor(at.getUTCMonth() / months) + 1;
  return new Date(Date.UTC(at.getUTCFullYear(), period * months));
}

const boundPattern = /FROM \((?:MINVALUE|'(.+?)')\) TO \((?:MAXVALUE|'(.+?)')\)/;

/** Reads the partitions from the catalogue, those with the lowest ids first. */
async function listPartitions(db: Queryable, { name }: PartitionedTable): Promise<Partition[]> {
  const rows = await db.query<{ name: string; bound: string }>(sql`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ${name}::regclass`);
  const partitions = rows.map(({ name, bound }) => {
    const [, from = null, to = null] = boundPattern.exec(bound) ?? [];
    return { name, from, to };
  });
  return partitions.sort((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1));
}

/**
 * Creates the partitions of the present period and the next one, if they are missing. Ten servers may do it at
 * the same time: each looks again under a lock. Where no server does it, rows are stored in `TABLE_after`.
 * @throws pg.DatabaseError if the table stays locked; the next run tries again
 */
export async function createPartitions(db: Database, table: PartitionedTable, now: Date): Promise<void> {
  const until = nextStart(table, nextStart(table, now));
  if (startOfLast(await listPartitions(db, table)) >= until) return;
  await withLockedTable(db, table, async (tx) => {
    for (let from = startOfLast(await listPartitions(tx, table)); from < until; ) {
      const to = nextStart(table, from);
      for (const statement of divideLast(table, from, to)) await tx.execute(raw(statement));
      from = to;
    }
  });
}

const startOfLast = (partitions: Partition[]): Date => timeOfId(partitions.at(-1)?.from ?? '');

/**
 * The statements that divide `TABLE_after` at `to`. It is usually empty, because its time has not begun. Rows
 * below `to` are those of clocks that were ahead, or of months in which no server ran this.
 */
function divideLast({ name }: PartitionedTable, from: Date, to: Date): string[] {
  const id = firstIdAt(to);
  const month = from.toISOString().slice(0, 7).replace('-', '_');
  return [
    `alter table ${name} detach partition ${name}_after`,
    `create table ${name}_${month} partition of ${name} for values from ('${firstIdAt(from)}') to ('${id}')`,
    `insert into ${name} select * from ${name}_after where id < '${id}'`,
    `delete from ${name}_after where id < '${id}'`,
    `alter table ${name} attach partition ${name}_after for values from ('${id}') to (maxvalue)`,
  ];
}

/**
 * Deletes rows that are older than a number of days: drops the partitions that end before, and deletes the rows of
 * `TABLE_before` one by one: those of the first month of the database, and those of a restored backup. A row may
 * therefore stay for the length of one partition longer.
 * @returns the first id that may still exist; it changes at most once a day
 */
export async function deleteOlderThan(
  db: Database,
  table: PartitionedTable,
  now: Date,
  days: number,
): Promise<string> {
  const today = Math.floor(now.getTime() / dayMs);
  const firstId = firstIdAt(new Date((today - days) * dayMs));
  const isExpired = ({ from, to }: Partition) => from !== null && to !== null && to <= firstId;
  if ((await listPartitions(db, table)).some(isExpired)) {
    await withLockedTable(db, table, async (tx) => {
      const expired = (await listPartitions(tx, table)).filter(isExpired);
      for (const statement of dropFirst(table, expired)) await tx.execute(raw(statement));
    });
  }
  const bound = (await listPartitions(db, table))[0]?.to ?? firstId;
  const end = bound < firstId ? bound : firstId;
  const deleted = deletedUntil.get(db) ?? new Map<string, string>();
  if (deleted.get(table.name) !== end) {
    await deleteFromFirst(db, table, end);
    deletedUntil.set(db, deleted.set(table.name, end));
  }
  return end;
}

/** The bound up to which this process has deleted the rows of the first partition, by the name of the table. */
const deletedUntil = new WeakMap<Database, Map<string, string>>();

/** The number of rows that one statement reads. */
const atOnce = 10_000;

/**
 * Deletes the rows of `TABLE_before` below `end`. No index begins with the id, so the whole primary key is read, in parts:
 * a single statement would hold the locks of all rows. Does nothing while another server does it.
 */
async function deleteFromFirst(db: Database, { name, key }: PartitionedTable, end: string): Promise<void> {
  const [table, column] = [raw(`${name}_before`), raw(key)];
  await withConnection(db, async (connection) => {
    const [lock] = await connection.query<{ isMine: boolean }>(sql`
      select pg_try_advisory_lock(${partitionsLock}) as is_mine`);
    if (!lock?.isMine) return;
    let after = sql`true`;
    for (;;) {
      const [last] = await connection.query<{ key: unknown }>(sql`
        select ${column} as key from ${table} where ${after} order by 1 offset ${atOnce} limit 1`);
      const until = last ? sql`${column} <= ${last.key}` : sql`true`;
      await connection.execute(sql`delete from ${table} where id < ${end} and ${after} and ${until}`);
      if (!last) return;
      after = sql`${column} > ${last.key}`;
    }
  });
}

/** The statements that drop partitions and move the bound of `TABLE_before`, all rows of which are older. */
function dropFirst({ name }: PartitionedTable, expired: Partition[]): string[] {
  const bound = expired.at(-1)?.to;
  if (!bound) return [];
  return [
    `truncate ${name}_before`,
    `alter table ${name} detach partition ${name}_before`,
    ...expired.map((partition) => `drop table ${partition.name}`),
    `alter table ${name} attach partition ${name}_before for values from (minvalue) to ('${bound}')`,
  ];
}

/**
 * Runs `work` in a transaction in which no other one uses the table, or not at all if another server does this
 * now. Waits for each table for 1.5 s at most: reads and writes of the table wait meanwhile. PostgreSQL stops a vacuum that
 * is in the way after a second (`deadlock_timeout`).
 */
async function withLockedTable(
  db: Database,
  { name, references }: PartitionedTable,
  work: (tx: Queryable) => Promise<void>,
): Promise<void> {
  await withConnection(db, (connection) =>
    transactionOn(connection, async () => {
      const [lock] = await connection.query<{ isMine: boolean }>(sql`
        select pg_try_advisory_xact_lock(${partitionsLock}) as is_mine`);
      if (!lock?.isMine) return;
      await connection.query(sql`set local lock_timeout = '1500ms'`);
      // Exclusively too: a transaction that has read both tables would wait for the first one, and this for the second.
      for (const locked of references ? [references, name] : [name])
        await connection.query(raw(`lock table ${locked} in access exclusive mode`));
      await work(connection);
    }),
  );
}

/** Statements on the connections of requests have a time limit, and these may need longer. */
async function withConnection<T>(db: Database, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await openConnection(db.target, 'maintenance');
  try {
    return await work(connection);
  } finally {
    await connection.end();
  }
}
