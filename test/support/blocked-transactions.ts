/**
 * Finds transactions that wait for a lock, so that tests can force an order of events in place of hoping for it. On Citus,
 * they wait on any node, and the coordinator knows them by numbers of their own.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlDatabase, SqlTransaction } from './sql-tag.ts';
import { isOnCitus } from './test-database.ts';

/** The id of a connection: of its process, and on Citus in the whole cluster. */
type ConnectionId = number | string;

/** The connection of a transaction. */
export async function connectionOf(tx: SqlTransaction): Promise<ConnectionId> {
  const [{ id }] = isOnCitus()
    ? await tx<[{ id: string }]>`select citus_backend_gpid()::text as id`
    : await tx<[{ id: number }]>`select pg_backend_pid() as id`;
  return id;
}

const findBlockedBy = (sql: SqlDatabase, id: ConnectionId) =>
  isOnCitus()
    ? sql<{ id: string }[]>`
        select waiting_gpid::text as id from citus_lock_waits where blocking_gpid = ${id} order by 1 limit 1`
    : sql<{ id: number }[]>`
        select pid as id from pg_stat_activity where ${id} = any(pg_blocking_pids(pid)) order by pid limit 1`;

/**
 * Waits until a transaction waits for a lock that the connection `id` holds.
 * @param unless ends the wait when it settles: a request that does not wait, although it should
 * @returns the connection that waits; null if `unless` settled
 */
export async function untilBlockedBy(
  sql: SqlDatabase,
  id: ConnectionId,
  unless: Promise<unknown> = new Promise(() => {}),
): Promise<ConnectionId | null> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  unless.then(settle, settle);
  for (let waited = 0; waited < 10_000 && !isSettled; waited += 5) {
    const [blocked] = await findBlockedBy(sql, id);
    if (blocked) return blocked.id;
    await sleep(5);
  }
  assert.ok(isSettled, `no transaction waits for a lock of ${id}`);
  return null;
}

/** Waits until this number of transactions of the database wait for locks, whichever transactions hold them. */
export async function untilWaiting(sql: SqlDatabase, count: number): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 5) {
    const blocked = isOnCitus()
      ? await sql`select distinct waiting_gpid from citus_lock_waits`
      : await sql`
          select pid from pg_stat_activity
          where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`;
    if (blocked.length >= count) return;
    await sleep(5);
  }
  assert.fail(`fewer than ${count} transactions wait for locks`);
}
