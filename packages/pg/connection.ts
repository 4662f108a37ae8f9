/** Connections without time limits: for migrations, backups and the care of the database itself. */
import { Socket } from 'node:net';
import pg from 'pg';
import { createPrimaryFinder } from './primary.ts';
import type { Queryable } from './queryable.ts';
import { askingQueryable } from './queryable.ts';
import { ConnectionLostError, runStatement, trackLoss } from './run-statement.ts';
import { sessionLimits } from './session-settings.ts';
import { raw, sql } from './sql.ts';
import { clientConfigs, type Target } from './target.ts';

export type Connection = Queryable & {
  /** The driver's client, for COPY and for libraries that take one. */
  client: pg.Client;
  /** Waits for running statements. */
  end(): Promise<void>;
  /** Closes the socket at once. */
  destroy(): void;
};

/** The role may have time limits: behind PgBouncer, it has those of the servers (docs/operating.md). */
const liftLimits = (scope: 'session' | 'local') =>
  Object.keys(sessionLimits)
    .map((limit) => `set ${scope} ${limit} = 0`)
    .join('; ');

/**
 * Opens a connection. It never reconnects, so a lock that it holds is either held or lost with it.
 * @param purpose becomes part of `application_name`
 * @param onClose called when the connection closes, for whatever reason
 * @throws ConnectionLostError; pg.DatabaseError if PostgreSQL refuses the connection
 */
export async function openConnection(
  target: Target,
  purpose: string,
  onClose = () => {},
): Promise<Connection> {
  const socket = new Socket();
  const client = new pg.Client({
    ...clientConfigs(target)[0],
    application_name: `potluck ${purpose}`,
    connectionTimeoutMillis: 10_000,
    stream: () => socket,
  });
  trackLoss(client);
  const connectToPrimary = createPrimaryFinder(target);
  try {
    await connectToPrimary(client, () => client.connect());
    await client.query(liftLimits('session'));
  } catch (error) {
    socket.destroy();
    throw error instanceof pg.DatabaseError ? error : new ConnectionLostError(error);
  }
  client.once('end', onClose);
  const { query, execute } = askingQueryable((statement) => runStatement(client, statement));
  return {
    client,
    query,
    execute,
    end: () => client.end(),
    destroy: () => void socket.destroy(),
  };
}

/**
 * Runs `work` in a transaction on `connection`.
 * @param mode of the transaction, such as `isolation level repeatable read read only`
 */
export async function transactionOn<T>(
  connection: Connection,
  work: () => Promise<T>,
  mode = '',
): Promise<T> {
  await connection.query(raw(`begin ${mode}`));
  try {
    // Citus gives the nodes the settings of a transaction, and none of a session.
    await connection.query(sql`set local citus.propagate_set_commands = 'local'`);
    await connection.query(raw(liftLimits('local')));
    const result = await work();
    await connection.query(sql`commit`);
    return result;
  } catch (error) {
    // If the connection is lost, so is the transaction.
    await connection.query(sql`rollback`).catch(() => {});
    throw error;
  }
}
