/**
 * What runs statements. It renders them for one PostgreSQL or for the coordinator of a cluster with Citus, and knows how to ask
 * which of both a database is.
 */
import { lazily } from '#base';
import { type RenderedStatement, type Statement, sql } from './sql.ts';

export type Row = Record<string, unknown>;

/** Runs statements: a database, a transaction or a single connection. */
export type Queryable = {
  /**
   * Column names in the returned rows are in camelCase.
   * @throws pg.DatabaseError for an error that PostgreSQL reports; ConnectionLostError
   */
  query<R extends object = Row>(statement: Statement): Promise<R[]>;
  /**
   * Runs a statement that returns no rows. Returns the number of rows that it affected. @throws as `query`
   */
  execute(statement: Statement): Promise<number>;
};

/** `affected`: the number of rows. `command`: the command tag without numbers, such as `COMMIT`. */
export type Result<R extends object = Row> = { rows: R[]; affected: number; command: string };

type Run = (statement: RenderedStatement) => Promise<Result<object>>;

/** Runs statements on a connection to a database whose tables are distributed or not. */
export const queryable = (isDistributed: boolean, run: Run): Queryable => ({
  query: async <R extends object>(statement: Statement) =>
    (await run(statement.render(isDistributed))).rows as R[],
  execute: async (statement) => (await run(statement.render(isDistributed))).affected,
});

/**
 * Runs statements on a database that is asked whether its tables are distributed, once, before the first statement that
 * depends on it.
 */
export function askingQueryable(run: Run): Queryable & { isDistributed(): Promise<boolean> } {
  const ask = lazily(() => isDistributed(queryable(false, run)));
  const runForm = async (statement: Statement) => run(statement.render(statement.hasForms && (await ask())));
  return {
    query: async <R extends object>(statement: Statement) => (await runForm(statement)).rows as R[],
    execute: async (statement) => (await runForm(statement)).affected,
    isDistributed: ask,
  };
}

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

/** Rows in the order of what they were selected for: row `nth`, which counts from 1, or undefined. */
export function byPosition<R extends { nth: number }>(rows: R[], length: number): (R | undefined)[] {
  const found = Array<R | undefined>(length).fill(undefined);
  for (const row of rows) found[row.nth - 1] = row;
  return found;
}

/** The only row of a result. @throws Error if there is none or more than one */
export function one<R>(rows: R[]): R {
  const [row, ...others] = rows;
  if (row === undefined || others.length > 0) throw new Error(`expected one row, got ${rows.length}`);
  return row;
}
