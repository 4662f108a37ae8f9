/** The one way to reach PostgreSQL. */
import postgres from 'postgres';
import { openLanes } from './lanes.ts';
import { type Dial, lostSocket, openDial } from './sockets.ts';

export type Sql = postgres.Sql;
/** A connection inside a transaction; queries take either. */
export type Tx = postgres.ReservedSql | postgres.TransactionSql;
export type Db = Sql | Tx;

/** An address, or the socket directory and password of the embedded database. */
export type Target =
  | string
  | { socketDir: string; port: number; user: string; password: string; database: string };

/**
 * A pool, and as many connections for transactions beside it. Under contention few connections beat many, so both are
 * small.
 * @param max connections
 */
export function connect(target: Target, max = 8): Sql {
  const dial = openDial();
  const pool = open(target, { ...usual(dial), max });
  const lanes = openLanes(
    (onLost) => open(target, { ...usual(once(dial)), ...laneOptions(onLost) }),
    Math.min(max, 6),
  );
  return Object.assign(tidied(pool, max), {
    reserve: () => lanes.take(),
    async end(options?: { timeout?: number }) {
      await pool.end(options);
      await lanes.end();
    },
  });
}

/** Queries between two tidyings: the driver's list is then 40 KB at most, and searched in a microsecond or two. */
const tidyEvery = 5_000;

/**
 * The driver lists its idle connections in an array that grows by one with every query, and is searched with every
 * query, until all connections are taken at once and it starts anew: after a million queries each takes a third of a
 * millisecond more. So now and then all are taken.
 */
function tidied(pool: Sql, max: number): Sql {
  let queries = 0;
  const tidy = () => {
    for (let i = 0; i < max; i++) pool`select 1`.catch(() => {});
  };
  const ask = (...query: Parameters<typeof pool>) => {
    if (++queries % tidyEvery === 0) tidy();
    return pool(...query);
  };
  return Object.assign(ask as unknown as Sql, pool);
}

const laneOptions = (onLost: () => void) => ({
  max: 1,
  max_lifetime: null,
  backoff: () => 0,
  onclose: onLost,
});

/** A lane that was lost stays lost: what is left in its queue must not run on another connection. */
function once(dial: Dial): Dial {
  let isUsed = false;
  return async (wanted) => {
    if (isUsed) return lostSocket();
    isUsed = true;
    return dial(wanted, true);
  };
}

function usual(dial: Dial) {
  return {
    connect_timeout: 3,
    socket: dial,
    // Seconds between attempts to reconnect. How many there are in a second is the dial's to bound.
    backoff: () => 0.05,
    // Result columns become camelCase; nothing else is renamed.
    transform: { column: { from: postgres.toCamel } },
    connection: {
      application_name: 'potluck',
      TimeZone: 'UTC',
      statement_timeout: 5_000,
      lock_timeout: 4_000,
      idle_in_transaction_session_timeout: 10_000,
      // Compiling a plan takes longer than anything here runs.
      jit: 'off',
    },
    onnotice: () => {},
  };
}

/**
 * One connection without time-outs, columns as they are named: for migrations and the care of the database itself.
 * It is kept until it is ended: locks that belong to it must not go with a change of connection.
 * @param onClose called whenever it closes
 */
export function connectOne(target: Target, purpose: string, onClose = () => {}): Sql {
  return open(target, {
    max: 1,
    connect_timeout: 10,
    max_lifetime: null,
    onnotice: () => {},
    onclose: onClose,
    connection: { application_name: `potluck ${purpose}` },
  });
}

function open(target: Target, options: postgres.Options<Record<string, never>>): Sql {
  if (typeof target === 'string') return openUrl(new URL(target), options);
  const { socketDir, port, user, password, database } = target;
  return postgres({ ...options, path: `${socketDir}/.s.PGSQL.${port}`, user, password, database });
}

/** Takes what libpq takes for a socket, which the driver does not: `postgres:///name?host=/var/run/postgresql`. */
function openUrl(url: URL, options: postgres.Options<Record<string, never>>): Sql {
  const socketDir = url.searchParams.get('host');
  if (!socketDir?.startsWith('/')) return postgres(url.href, options);
  url.searchParams.delete('host');
  return postgres(url.href, { ...options, path: `${socketDir}/.s.PGSQL.${url.port || 5432}` });
}
