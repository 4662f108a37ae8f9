/** A database that returns the rows of a statement late: the statement sees what was committed when it began. */
import type { Target } from '#pg';
import { readsRecords } from './lagging-database.ts';
import { connectSql, type SqlDatabase } from './sql-tag.ts';

export type GatedDatabase = {
  sql: SqlDatabase;
  /**
   * Holds back the rows of the next statement that matches the pattern; default: of the next read of cached records.
   * @returns `isRead` resolves when the database has read the rows; `open` passes them on
   */
  holdNextRead(pattern?: RegExp): { isRead: Promise<void>; open(): void };
};

export function openGatedDatabase(target: Target): GatedDatabase {
  const current = connectSql(target);
  let held: { pattern: RegExp; read: PromiseWithResolvers<void>; gate: PromiseWithResolvers<void> } | null =
    null;
  const query = async (statement: Parameters<SqlDatabase['query']>[0]) => {
    const hold = held?.pattern.test(statement.text) ? held : null;
    if (hold) held = null;
    const rows = await current.query(statement);
    hold?.read.resolve();
    await hold?.gate.promise;
    return rows;
  };
  const sql = Object.assign((...args: Parameters<SqlDatabase>) => current(...args), current, {
    query,
  }) as SqlDatabase;
  return {
    sql,
    holdNextRead(pattern = readsRecords) {
      const hold = { pattern, read: Promise.withResolvers<void>(), gate: Promise.withResolvers<void>() };
      held = hold;
      return { isRead: hold.read.promise, open: hold.gate.resolve };
    },
  };
}
