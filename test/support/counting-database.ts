/** A database that records its statements outside of transactions, with the rows that they return. */
import { type Statement, sql, type Target } from '#pg';
import { connectSql, type SqlDatabase } from './sql-tag.ts';

export type CountedStatement = { text: string; rows: number; statement: Statement };
export type CountingDatabase = {
  sql: SqlDatabase;
  /** Records the statements that end while `work` runs. */
  count(work: () => Promise<unknown>): Promise<CountedStatement[]>;
};

export function openCountingDatabase(target: Target): CountingDatabase {
  const current = connectSql(target);
  let counted: CountedStatement[] = [];
  const query = async (statement: Parameters<SqlDatabase['query']>[0]) => {
    const rows = await current.query(statement);
    counted.push({ text: statement.text, rows: rows.length, statement });
    return rows;
  };
  const counting = Object.assign((...args: Parameters<SqlDatabase>) => current(...args), current, {
    query,
  }) as SqlDatabase;
  return {
    sql: counting,
    async count(work) {
      counted = [];
      await work();
      return counted;
    },
  };
}

type PlanNode = { 'Node Type': string; 'Relation Name'?: string; Plans?: PlanNode[] } & Record<
  string,
  number
>;

/** How many rows of a table a statement reads: those that it returns, and those that a condition removes. */
export async function countReadRows(db: SqlDatabase, statement: Statement, table: string): Promise<number> {
  const [row] = await db.query<Record<string, [{ Plan: PlanNode }]>>(sql`
    explain (analyze, format json) ${statement}`);
  const plan = Object.values(row ?? {})[0]?.[0].Plan;
  return plan ? readRowsOf(plan, table) : 0;
}

function readRowsOf(node: PlanNode, table: string): number {
  const inner = (node.Plans ?? []).reduce((sum, each) => sum + readRowsOf(each, table), 0);
  if (node['Relation Name'] !== table) return inner;
  const rows = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck'].reduce(
    (sum, name) => sum + (node[name] ?? 0),
    0,
  );
  return inner + rows * (node['Actual Loops'] ?? 1);
}
