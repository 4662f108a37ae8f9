/** Distributes the tables of a database over the nodes of a cluster with Citus. */
import { listDistributedTables, type Queryable, sql } from '#pg';
import { distributedTables } from './distribution.ts';

/** A table to distribute, by `column`, beside `beside` or alone if it is the first of its group. */
type TableToDistribute = { name: string; column: string; beside: string };

/** Returns the declared tables that are not distributed yet, in the order in which they can be. */
export async function listTablesToDistribute(db: Queryable): Promise<TableToDistribute[]> {
  const distributed = await listDistributedTables(db);
  return distributedTables.flatMap((group) => {
    const [beside = ''] = Object.keys(group);
    return Object.entries(group)
      .filter(([name]) => !distributed.has(name))
      .map(([name, { key }]) => ({ name, column: key, beside }));
  });
}

/**
 * Distributes the tables, in the transaction of the connection. Their rows move from the coordinator to the nodes, and
 * writes wait until the transaction ends.
 * @param onTable is called before each table
 */
export async function distributeTables(
  db: Queryable,
  tables: TableToDistribute[],
  onTable: (table: TableToDistribute) => void = () => {},
): Promise<void> {
  await distributeFunctions(db);
  for (const table of tables) {
    onTable(table);
    const { name, column, beside } = table;
    await db.query(sql`
      select create_distributed_table(${name}::regclass, ${column},
        colocate_with => ${name === beside ? 'none' : beside})`);
  }
  // The coordinator keeps its copy of the rows until it is told. A table can be truncated only together with those that
  // reference it, so all must be distributed.
  for (const { name } of tables)
    await db.query(sql`select truncate_local_data_after_distributing_table(${name}::regclass)`);
}

/** Nodes that joined, or an extension that was installed, after the migration do not have the functions yet. */
async function distributeFunctions(db: Queryable): Promise<void> {
  const functions = await db.query<{ signature: string }>(sql`
    select p.oid::regprocedure::text as signature from pg_proc p
    where p.pronamespace = current_schema()::regnamespace
      and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')`);
  for (const { signature } of functions)
    await db.query(sql`select create_distributed_function(${signature}::regprocedure)`);
}
