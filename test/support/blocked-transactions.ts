/** Finds transactions that wait for a lock, so that tests can force an order of events in place of hoping for it. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlDatabase, SqlTransaction } from './sql-tag.ts';

/** The process id of the connection of a transaction. */
export async function pidOf(tx: SqlTransaction): Promise<number> {
  const [{ pid }] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`;
  return pid;
}

/**
 * Waits until a transaction waits for a lock that the connection `pid` holds. Does not see locks on the workers of Citus.
 * @param unless ends the wait when it settles: a request that does not wait, although it should
 * @returns the process id of the connection that waits; null if `unless` settled
 */
export async function untilBlockedBy(
  sql: SqlDatabase,
  pid: number,
  unless: Promise<unknown> = new Promise(() => {}),
): Promise<number | null> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  unless.then(settle, settle);
  for (let waited = 0; waited < 10_000 && !isSettled; waited += 5) {
    const [blocked] = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid)) order by pid limit 1`;
    if (blocked) return blocked.pid;
    await sleep(5);
  }
  assert.ok(isSettled, `no transaction waits for a lock of ${pid}`);
  return null;
}

/** Waits until this number of transactions of the database wait for locks, whichever transactions hold them. */
export async function untilWaiting(sql: SqlDatabase, count: number): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 5) {
    const blocked = await sql`
      select pid from pg_stat_activity
      where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`;
    if (blocked.length >= count) return;
    await sleep(5);
  }
  assert.fail(`fewer than ${count} transactions wait for locks`);
}
