/** Reads the tables of a backup from the database catalogue, so new tables need no change here. */
import { type Queryable, raw, sql } from '#pg';
import { quoteIdentifier, type TableColumns } from './file-format.ts';

/** Tables that migrations fill. A database with rows only in these tables is empty. */
export const filledByMigrations = new Set(['change_shards']);

export type TableInfo = TableColumns & { estimatedRows: number };

/**
 * Lists the tables in the order of their foreign keys: a table comes after the tables that it references.
 * Leaves out `schema_version`, which only migrations write, and unlogged tables, whose rows a crash can
 * delete.
 */
export async function listTables(connection: Queryable): Promise<TableInfo[]> {
  const rows = await connection.query<{ name: string; columns: string[]; estimate: number }>(sql`
    with recursive ours as (
      select c.oid, c.relname, greatest(c.reltuples, 0)::float8 as estimate from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relpersistence = 'p'
        and c.relname <> 'schema_version'
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    ), placed as (
      select oid, 0 as depth from ours
      union all
      select k.conrelid, p.depth + 1 from placed p
      join pg_constraint k on k.confrelid = p.oid and k.contype = 'f' and k.conrelid <> k.confrelid
      where p.depth < 32
    )
    select o.relname as name, o.estimate, (
      select array_agg(a.attname::text order by a.attnum) from pg_attribute a
      where a.attrelid = o.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    ) as columns
    from ours o join placed p using (oid)
    group by o.oid, o.relname, o.estimate
    order by max(p.depth), o.relname`);
  return rows.map(({ name, columns, estimate }) => ({ name, columns, estimatedRows: estimate }));
}

/** Locks all tables in one statement. */
export async function lockTables(
  connection: Queryable,
  tables: TableColumns[],
  mode: 'access share' | 'exclusive',
): Promise<void> {
  if (tables.length === 0) return;
  await connection.query(
    raw(`lock table ${tables.map(({ name }) => quoteIdentifier(name)).join(', ')} in ${mode} mode`),
  );
}

/** Overrides the settings of the database and the role for this transaction: one text format of rows. */
export async function setBackupSettings(connection: Queryable): Promise<void> {
  await connection.query(
    raw(`
    set local datestyle = 'ISO, YMD';
    set local intervalstyle = 'postgres';
    set local timezone = 'UTC';
    set local extra_float_digits = 1;
    set local bytea_output = 'hex'`),
  );
}
