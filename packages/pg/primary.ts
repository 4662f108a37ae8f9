/**
 * Connects to the primary of a cluster. A standby is refused: it cannot store anything, and it may be behind, so that
 * lists and caches would be older than the request. `torture -- failover` needs the search among several hosts.
 */
import pg from 'pg';
import { readParameter, type SessionAttributes, singleFlight } from '#base';
import { addressOf, redirect, watchSettings } from '#patches';
import { runStatement } from './run-statement.ts';
import { clientConfigs, type Target } from './target.ts';

/**
 * How long to wait for a host during a search. It is short because a host that does not answer must not delay the next
 * search, which may find that another host has become the primary.
 */
const searchTimeoutMs = 1_000;

/** PostgreSQL accepts the connection, but is not the primary. */
class StandbyError extends Error {
  readonly code = 'STANDBY';

  constructor() {
    super('PostgreSQL is a standby or read-only');
  }
}

/** Connects a client of the target by `connect`. @throws StandbyError; the error of `connect` */
export type ConnectToPrimary = (client: pg.Client, connect: () => Promise<unknown>) => Promise<void>;

/** Simultaneous calls of the returned function share a search. */
export function createPrimaryFinder(target: Target): ConnectToPrimary {
  const configs = clientConfigs(target);
  const wanted = wantedOf(target);
  const find = singleFlight(() =>
    Promise.any(configs.map((config) => probe(config, wanted))).catch(throwCause),
  );
  return async (client, connect) => {
    const check = watchRole(client, wanted);
    if (configs.length > 1) redirect(client, await find());
    await connect();
    // The role may have changed since the search.
    await check();
  };
}

const wantedOf = (target: Target): SessionAttributes =>
  ((typeof target === 'string' && readParameter(target, 'target_session_attrs')) ||
    'primary') as SessionAttributes;

/** Returns the address of a host that accepts connections and has the wanted role; rejects otherwise. */
async function probe(config: pg.ClientConfig, wanted: SessionAttributes) {
  const client = new pg.Client({
    ...config,
    application_name: 'potluck search',
    connectionTimeoutMillis: searchTimeoutMs,
  });
  client.on('error', () => {});
  const check = watchRole(client, wanted);
  try {
    await client.connect();
    await check();
    return addressOf(client);
  } finally {
    void client.end().catch(() => {});
  }
}

/** That there is a standby says more than that another host is away. */
function throwCause({ errors }: AggregateError): never {
  throw errors.find((error) => error instanceof StandbyError) ?? errors[0];
}

/**
 * Collects what PostgreSQL says about its role while the client connects. The returned function is to be called when
 * the client is connected; it throws StandbyError unless the role is the wanted one.
 */
function watchRole(client: pg.Client, wanted: SessionAttributes): () => Promise<void> {
  const reported = new Map<string, string>();
  if (wanted === 'any') return async () => {};
  const unwatch = watchSettings(client, (name, value) => reported.set(name, value));
  return async () => {
    unwatch();
    const isStandby = reported.get('in_hot_standby') ?? (await askForRole(client));
    const isReadOnly = wanted === 'read-write' && reported.get('default_transaction_read_only') === 'on';
    if (isStandby === 'on' || isReadOnly) throw new StandbyError();
  };
}

/** A pooler may not report the parameters of PostgreSQL. */
async function askForRole(client: pg.Client): Promise<string | undefined> {
  const { rows } = await runStatement<{ inHotStandby: string }>(client, {
    text: 'show in_hot_standby',
    values: [],
  });
  return rows[0]?.inHotStandby;
}
