/**
 * A node of the cluster: Patroni and its PostgreSQL. All others reach the node, and the node reaches etcd, through
 * proxies, which can cut it off.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { postgresUnder } from '../../test/support/processes.ts';
import { type DatabaseProxy, openProxy } from '../proxy.ts';
import { findFreePort } from './free-port.ts';

export type Identity = { uid?: number; gid?: number };

export type NodeOptions = {
  name: string;
  directory: string;
  /** The directory of PostgreSQL's programs. */
  binaries: string;
  etcdPort: number;
  identity: Identity;
  superuserPassword: string;
};

export type Node = {
  name: string;
  /** The port of PostgreSQL itself; faults do not concern it. */
  port: number;
  /** The port of PostgreSQL for Potluck. */
  clientPort: number;
  /** The port of Patroni's REST API. */
  restPort: number;
  configFile: string;
  start(): void;
  /** The newest lines of Patroni's log. */
  readLog(): Promise<string>;
  /** Kills Patroni and PostgreSQL with all child processes, as a power cut does. */
  kill(): Promise<void>;
  /** Drops everything between this node and all others, without closing a connection. */
  cut(): void;
  /** Delays what the node sends to its standbys. */
  delayReplication(ms: number): void;
  /** Ends a cut or a delay. */
  heal(): void;
  close(): Promise<void>;
};

export async function openNode(options: NodeOptions): Promise<Node> {
  const { name, identity } = options;
  const directory = path.join(options.directory, name);
  await mkdir(directory, { mode: 0o700 });
  const [port, restPort] = [await findFreePort(), await findFreePort()];
  const [clients, replication, rest, etcd] = (await Promise.all(
    [port, port, restPort, options.etcdPort].map((address) => openProxy(address)),
  )) as [DatabaseProxy, DatabaseProxy, DatabaseProxy, DatabaseProxy];
  const proxies = [clients, replication, rest, etcd];
  const configFile = path.join(directory, 'patroni.json');
  const ports = { port, restPort, replication: replication.port, rest: rest.port, etcd: etcd.port };
  await writeFile(configFile, JSON.stringify(patroniConfig(options, directory, ports)));
  if (identity.uid !== undefined && identity.gid !== undefined) {
    await chown(directory, identity.uid, identity.gid);
    await chown(configFile, identity.uid, identity.gid);
  }
  let patroni: ChildProcess | undefined;
  const kill = async () => {
    if (patroni && patroni.exitCode === null && patroni.signalCode === null) {
      patroni.kill('SIGKILL');
      await once(patroni, 'exit');
    }
    for (const pid of await postgresUnder(directory)) killProcess(pid);
  };
  return {
    name,
    port,
    clientPort: clients.port,
    restPort,
    configFile,
    start() {
      patroni = spawn('patroni', [configFile], { cwd: '/', stdio: 'ignore', ...identity });
    },
    kill,
    readLog: async () =>
      (await readFile(path.join(directory, 'patroni.log'), 'utf8').catch(() => '')).slice(-500),
    cut() {
      for (const proxy of proxies) proxy.setFault({ isBlackHole: true });
    },
    delayReplication: (ms) => replication.setFault({ delayMs: ms }),
    heal() {
      for (const proxy of proxies) {
        proxy.setFault({});
        proxy.reset();
      }
    },
    async close() {
      await kill();
      for (const proxy of proxies) proxy.close();
    },
  };
}

/** The children of a PostgreSQL that was killed may have ended already. */
function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

type Ports = { port: number; restPort: number; replication: number; rest: number; etcd: number };

/** The configuration of docs/operating.md; JSON is YAML. */
function patroniConfig(
  { name, binaries, superuserPassword }: NodeOptions,
  directory: string,
  ports: Ports,
): object {
  const at = (port: number) => `127.0.0.1:${port}`;
  return {
    scope: 'potluck',
    name,
    log: { dir: directory },
    restapi: { listen: at(ports.restPort), connect_address: at(ports.rest) },
    // Without `use_proxies`, Patroni asks etcd for its address and goes around the proxy.
    etcd3: { hosts: [at(ports.etcd)], use_proxies: true },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 5,
        // A standby whose replication is delayed may be promoted.
        maximum_lag_on_failover: 64 * 1024 * 1024,
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 100 } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: at(ports.port),
      connect_address: at(ports.replication),
      data_dir: path.join(directory, 'postgres'),
      bin_dir: binaries,
      pgpass: path.join(directory, 'pgpass'),
      parameters: { unix_socket_directories: directory },
      pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'],
      authentication: {
        superuser: { username: 'postgres', password: superuserPassword },
        replication: { username: 'replicator', password: superuserPassword },
      },
    },
  };
}
