/** Runs work in a transaction, and again after a deadlock. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckedOut, Database } from './client.ts';
import { isOutage, isReadOnly, isRetryable } from './errors.ts';
import type { Queryable, Row } from './queryable.ts';
import { type Statement, sql } from './sql.ts';

/** Runs statements inside a transaction. `isDistributed`: of the database. */
export type Transaction = Queryable & { readonly isTransaction: true; readonly isDistributed: boolean };

type Options = {
  /**
   * Runs prepared statements with the plan for any values, where the database is not distributed. PostgreSQL compares that
   * plan, for which it assumes arrays of 10 elements, with a plan for the values at hand, and so plans a statement whose
   * arrays have fewer elements for each batch. Citus must know the values: they decide which nodes a statement needs.
   */
  planOnce?: boolean;
};

const maxAttempts = 5;

/**
 * Runs `work` in a transaction at isolation level READ COMMITTED. If PostgreSQL aborts the transaction
 * because of a deadlock or a serialization failure, it runs again, five times in all. `work` must have no
 * effect outside the database, and must lock rows in an order that all transactions have in common.
 *
 * `work` may pass its last statements to `commit`, which sends them together with COMMIT and so saves a round
 * trip.
 * @throws the error of `work`; pg.DatabaseError; ConnectionLostError, after which the outcome is unknown
 */
export async function transaction<T>(db: Database, work: Work<T>, options: Options = {}): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(db, work, options);
    } catch (error) {
      if (attempt >= maxAttempts || !isRetryable(error)) throw error;
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

/** Sends the last statements of a transaction and its end together. Returns the rows of each statement. */
type Commit = (...last: Statement[]) => Promise<Row[][]>;
type Work<T> = (tx: Transaction, commit: Commit) => Promise<T>;

async function runOnce<T>(db: Database, work: Work<T>, options: Options): Promise<T> {
  const connection = await db.checkOut();
  try {
    const result = await runOn(connection, work, options);
    connection.release();
    return result;
  } catch (error) {
    await abandon(connection, error);
    throw error;
  }
}

const begin = sql`begin isolation level read committed`;
const useSharedPlans = sql`set local plan_cache_mode = force_generic_plan`;

/** BEGIN and the first statements, and the last statements and COMMIT, share a round trip. */
async function runOn<T>(connection: CheckedOut, work: Work<T>, { planOnce }: Options): Promise<T> {
  let committed: Promise<void> | undefined;
  const sendCommit = () => {
    committed ??= connection.command(sql`commit`).then((command) => {
      // PostgreSQL reports ROLLBACK if an earlier statement failed.
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
    });
    return committed;
  };
  const { query, execute, isDistributed } = connection;
  const commit: Commit = async (...last) => {
    const sent = last.map((statement) => query<Row>(statement));
    const end = sendCommit();
    // The failed statement reports the reason; the error of COMMIT that follows from it is ignored.
    end.catch(() => {});
    const results = await Promise.all(sent);
    await end;
    return results;
  };
  const tx: Transaction = { query, execute, isTransaction: true, isDistributed };
  const begun = [begin, ...(planOnce && !isDistributed ? [useSharedPlans] : [])].map(connection.command);
  const [result] = await Promise.all([work(tx, commit), ...begun]);
  await sendCommit();
  return result;
}

async function abandon(connection: CheckedOut, error: unknown): Promise<void> {
  if (isOutage(error) || isReadOnly(error)) return connection.discard();
  await connection.command(sql`rollback`).then(connection.release, connection.discard);
}
