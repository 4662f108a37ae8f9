/** What a database says of itself as the coordinator of a cluster with Citus. */
import type { Queryable } from './query.ts';
import { sql } from './sql.ts';

/** True if tables of this database are distributed. */
export async function isDistributed(db: Queryable): Promise<boolean> {
  return (await hasCitus(db)) && (await listDistributedTables(db)).size > 0;
}

/** True if the database has the extension. Without it, the catalogue of Citus cannot be queried. */
export async function hasCitus(db: Queryable): Promise<boolean> {
  const [row] = await db.query(sql`select to_regclass('pg_catalog.pg_dist_partition') as name`);
  return row?.name != null;
}

/** The names of the distributed tables, of a database that has the extension. */
export async function listDistributedTables(db: Queryable): Promise<Set<string>> {
  const rows = await db.query<{ name: string }>(sql`
    select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where c.relnamespace = current_schema()::regnamespace and p.partmethod = 'h'`);
  return new Set(rows.map(({ name }) => name));
}
