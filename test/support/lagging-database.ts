/**
 * A database whose reads of cached records return an older snapshot, as a replica that is behind does. All other
 * statements, and all transactions, run on the current database.
 */
import type { Target } from '#pg';
import { connectSql, openSql, type SqlDatabase } from './sql-tag.ts';

/** The statements that read records for caches: they read versions. The change log has `versions`. */
export const readsRecords = /\bversion\)?::float8/;

export type LaggingDatabase = {
  sql: SqlDatabase;
  /** Runs `work` while records are read from the snapshot of now. */
  freeze<T>(work: () => Promise<T>): Promise<T>;
};

export function openLaggingDatabase(target: Target): LaggingDatabase {
  const current = connectSql(target);
  let frozen: SqlDatabase['query'] | null = null;
  const query: SqlDatabase['query'] = (statement) =>
    frozen && readsRecords.test(statement.text) ? frozen(statement) : current.query(statement);
  const sql = Object.assign((...args: Parameters<SqlDatabase>) => current(...args), current, {
    query,
  }) as SqlDatabase;
  return {
    sql,
    async freeze(work) {
      const connection = await openSql(target, 'snapshot');
      try {
        return await connection.begin(async (tx) => {
          await tx`select 1`;
          let last: Promise<unknown> = Promise.resolve();
          // One statement after the other: the connection is not pipelined.
          frozen = (statement) => {
            const rows = last.then(() => tx.query(statement));
            last = rows.catch(() => {});
            return rows as never;
          };
          try {
            return await work();
          } finally {
            frozen = null;
            await last;
          }
        }, 'isolation level repeatable read read only');
      } finally {
        await connection.end();
      }
    },
  };
}
