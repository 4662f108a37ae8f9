/** The one way to reach PostgreSQL. */
import type { Socket } from 'node:net';
import postgres from 'postgres';
import { openLanes } from './lanes.ts';
import { type OpenClient, openPool } from './pool.ts';
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
  const client: OpenClient = (onLost, onSocket) =>
    open(target, { ...single(dial, onSocket), onclose: onLost });
  const pool = openPool(client, max);
  const lanes = openLanes(client, Math.min(max, 6));
  const endPool = pool.end;
  return Object.assign(pool, {
    reserve: () => lanes.take(),
    async end(options?: { timeout?: number }) {
      await endPool(options);
      await lanes.end();
    },
  });
}

/** One connection, once: whatever is left in its queue when it is lost must not run on another. */
function single(dial: Dial, onSocket?: (socket: Socket) => void) {
  let isUsed = false;
  const once: Dial = async (wanted) => {
    if (isUsed) return lostSocket();
    isUsed = true;
    const socket = await dial(wanted);
    onSocket?.(socket);
    return socket;
  };
  return { ...usual(once), max: 1, max_lifetime: null, backoff: () => 0 };
}

function usual(dial: Dial) {
  return {
    connect_timeout: 3,
    socket: dial,
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
