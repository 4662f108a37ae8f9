/** Renders statements for one PostgreSQL or for a cluster before they run. */
import { lazily } from '#base';
import { isDistributed } from './citus.ts';
import type { Queryable, Result } from './query.ts';
import type { RenderedStatement, Statement } from './sql.ts';

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
