/** A database that records its statements outside of transactions, with the rows that they return. */
import type { Target } from '../../src/db/target.ts';
import { connectSql, type SqlDatabase } from './sql-tag.ts';

export type CountedStatement = { text: string; rows: number };
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
    counted.push({ text: statement.text, rows: rows.length });
    return rows;
  };
  const sql = Object.assign((...args: Parameters<SqlDatabase>) => current(...args), current, {
    query,
  }) as SqlDatabase;
  return {
    sql,
    async count(work) {
      counted = [];
      await work();
      return counted;
    },
  };
}
