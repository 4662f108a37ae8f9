/**
 * The server's access to PostgreSQL: pipelined connections for single statements, a pool for transactions.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { patient, shareOf } from '#base';
import { type ConnectionGuard, createConnectionGuard } from './connection-guard.ts';
import type { Queryable } from './queryable.ts';
import { askingQueryable, queryable } from './queryable.ts';
import { ConnectionLostError, isLost, runStatement } from './run-statement.ts';
import { patientLimits } from './session-settings.ts';
import type { RenderedStatement, Statement } from './sql.ts';
import { clientConfigs, type Target } from './target.ts';

/** A connection that is checked out of the pool. */
export type CheckedOut = Queryable & {
  readonly isDistributed: boolean;
  /** Runs a statement and returns its command tag, such as `COMMIT`. */
  command(statement: Statement): Promise<string>;
  /** Returns the connection to the pool. To be called exactly once. */
  release(): void;
  /** Closes the connection, whose state is unknown, in place of `release`. */
  discard(): void;
};

/** `waiting`: statements or transactions for which no connection is free. */
export type PoolState = { used: number; idle: number; waiting: number };

export type Database = Queryable & {
  /** Where the database is, for connections of worker threads. */
  readonly target: Target;
  /** Whether the tables are on several machines. Asks once. @throws as `query` */
  isDistributed(): Promise<boolean>;
  /** Waits at most three seconds for a connection. @throws ConnectionLostError */
  checkOut(): Promise<CheckedOut>;
  /** The state of the connections, by what they are used for. */
  pools(): Record<string, PoolState>;
  /** Waits for running statements, at most `timeoutMs`; then closes all connections. */
  end(options?: { timeoutMs?: number }): Promise<void>;
};

/**
 * How long to wait for a new connection, and for one of the pool to become free: less than any request has.
 */
const connectTimeoutMs = 3_000;
/** PostgreSQL frees what it has gathered for a connection when the connection closes. */
const maxLifetimeSeconds = 30 * 60;
const endTimeoutMs = 5_000;

const sessionConfig = (): pg.ClientConfig => ({
  application_name: 'potluck',
  ...patientLimits(),
  // Without JIT: compiling a plan takes longer than any statement of the server runs. With the default of 4 MB, a search for
  // a frequent word notes pages in place of rows, and checks the words of all events of these pages. Citus by default lets no two
  // statements that write to several nodes run at the same time, because they might deadlock; the order in which transactions lock rows prevents that.
  // `set local lock_timeout` has an effect on the nodes only if it is propagated. PostgreSQL without Citus ignores both.
  options:
    '-c TimeZone=UTC -c jit=off -c work_mem=32MB -c citus.enable_deadlock_prevention=off -c citus.propagate_set_commands=local',
  connectionTimeoutMillis: patient(connectTimeoutMs),
  keepAlive: true,
  // Statements are sent without waiting for the results of the ones before: one round trip for many of them.
  pipeline: true,
});

/** Connections for single statements of a server, and the fewest of a process. */
const [poolSize, minPoolSize] = [8, 4];
/** For work that needs a connection of its own. */
const ownConnections = 4;
const transactionsOf = (statements: number): number => Math.min(statements, 6);

/**
 * The connections of a server with so many processes. With several, one more process runs during a restart, and the first
 * one has its own.
 */
export function maxConnectionsOf(processes: number): number {
  const statements = Math.max(Math.ceil(poolSize / processes), minPoolSize);
  const each = statements + transactionsOf(statements) + ownConnections;
  return processes === 1 ? each : each * (processes + 1) + ownConnections;
}

/**
 * Opens no connection yet. Under contention few connections are faster than many, so both limits are small.
 * @param max connections for single statements; as many, but at most 6, are used for transactions. Default: the share of
 *   this process
 */
export function connect(target: Target, max = Math.max(shareOf(poolSize), minPoolSize)): Database {
  const guard = createConnectionGuard(target);
  // The guard chooses among several hosts.
  const config = { ...clientConfigs(target)[0], ...sessionConfig() };
  const pipelines = createPipelines(config, guard, max);
  const pool = new pg.Pool({
    ...config,
    Client: guard.Client as pg.PoolConfig['Client'],
    max: transactionsOf(max),
    maxLifetimeSeconds,
    idleTimeoutMillis: 0,
  });
  // The pool removes an idle connection that is lost; the next statement opens another.
  pool.on('error', () => {});
  const statements = askingQueryable(pipelines.run);
  return {
    target,
    ...statements,
    checkOut: async () => checkOut(pool, await statements.isDistributed()),
    pools: () => ({
      statements: pipelines.state(),
      transactions: {
        used: pool.totalCount - pool.idleCount,
        idle: pool.idleCount,
        waiting: pool.waitingCount,
      },
    }),
    async end({ timeoutMs = endTimeoutMs } = {}) {
      const ended = Promise.all([pool.end(), pipelines.end()]);
      await Promise.race([ended, sleep(timeoutMs, undefined, { ref: false })]);
      guard.destroySockets();
      await ended;
    },
  };
}

async function checkOut(pool: pg.Pool, isDistributed: boolean): Promise<CheckedOut> {
  const client = await pool.connect().catch(throwLost);
  // PostgreSQL refuses all statements after one that has failed. They fail with its error, which says why.
  let failure: unknown;
  const run = (statement: RenderedStatement) =>
    runStatement(client, statement).catch((error) => {
      failure ??= error;
      throw failure;
    });
  return {
    ...queryable(isDistributed, run),
    isDistributed,
    command: async (statement) => (await run(statement.render(isDistributed))).command,
    release: () => client.release(isLost(client)),
    discard: () => client.release(true),
  };
}

function throwLost(cause: unknown): never {
  throw new ConnectionLostError(cause);
}

/** `pending`: statements that were sent and have no result yet. */
type Pipeline = { client: Promise<pg.Client>; pending: number };

/**
 * Spreads single statements over connections, each statement to the one with the fewest pending statements.
 */
function createPipelines(config: pg.ClientConfig, { Client }: ConnectionGuard, max: number) {
  const pipelines: (Pipeline | undefined)[] = Array.from({ length: max });
  let isEnded = false;

  const open = (index: number): Pipeline => {
    const client = new Client(config);
    const leave = () => {
      if (pipelines[index] === pipeline) pipelines[index] = undefined;
    };
    client.once('end', leave);
    const pipeline = { client: client.connect().then(() => client), pending: 0 };
    pipelines[index] = pipeline;
    pipeline.client.catch(leave);
    return pipeline;
  };

  const pick = (): Pipeline => {
    let least: Pipeline | undefined;
    let empty = -1;
    for (const [index, pipeline] of pipelines.entries()) {
      if (!pipeline) empty = empty < 0 ? index : empty;
      else if (!least || pipeline.pending < least.pending) least = pipeline;
    }
    return least && (least.pending === 0 || empty < 0) ? least : open(empty);
  };

  return {
    state(): PoolState {
      const open = pipelines.filter((pipeline) => pipeline !== undefined);
      const used = open.filter(({ pending }) => pending > 0).length;
      const pending = open.reduce((sum, pipeline) => sum + pipeline.pending, 0);
      return { used, idle: open.length - used, waiting: pending - used };
    },
    async run(statement: RenderedStatement) {
      // Background work may outlast the server. A connection that it opened would keep the process alive.
      if (isEnded) throwLost(new Error('The connections to the database are closed.'));
      const pipeline = pick();
      pipeline.pending++;
      try {
        const client = await pipeline.client.catch(throwLost);
        return await runStatement(client, statement);
      } finally {
        pipeline.pending--;
      }
    },
    async end(): Promise<void> {
      isEnded = true;
      await Promise.all(
        pipelines.map((pipeline) => pipeline?.client.then((client) => client.end()).catch(() => {})),
      );
    },
  };
}
