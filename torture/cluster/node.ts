/** A PostgreSQL with Citus, on the loopback address. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { untilRecovered } from '#pg';
import { openSql } from '../../test/support/sql-tag.ts';
import { findFreePort } from '../failover/free-port.ts';

const run = promisify(execFile);

export type Node = {
  port: number;
  dataDir: string;
  url(database: string): string;
  /** Ends PostgreSQL at once, as `pg_ctl stop -m fast` does. */
  stop(): Promise<void>;
};

export type NodeOptions = {
  /** The parent of the data directory. */
  directory: string;
  name: string;
  /** The directory of PostgreSQL's programs. */
  binaries: string;
  settings: Record<string, string>;
};

// PostgreSQL refuses to run as root.
export const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Creates a directory that PostgreSQL may write to. */
export async function createDataDir(parent: string, name: string): Promise<string> {
  const directory = path.join(parent, name);
  await mkdir(directory, { mode: 0o700 });
  if (identity.uid !== undefined) await chown(directory, identity.uid, identity.gid);
  return directory;
}

/** Creates a cluster in the sense of `initdb` and starts it. */
export async function createNode(options: NodeOptions): Promise<Node> {
  const dataDir = await createDataDir(options.directory, options.name);
  const args = ['-D', dataDir, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'];
  await run(path.join(options.binaries, 'initdb'), [...args, '--no-sync'], { cwd: '/', ...identity });
  return startNode(options, dataDir, await findFreePort());
}

/** Starts PostgreSQL on an existing data directory. */
export async function startNode(
  { binaries, settings }: Pick<NodeOptions, 'binaries' | 'settings'>,
  dataDir: string,
  port: number,
): Promise<Node> {
  const all = {
    port: `${port}`,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_preload_libraries: 'citus',
    max_connections: '200',
    max_prepared_transactions: '200',
    max_worker_processes: '20',
    // So that the proxies can read the messages.
    'citus.node_conninfo': 'sslmode=disable',
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(path.join(binaries, 'postgres'), ['-D', dataDir, ...options], {
    cwd: '/',
    stdio: 'ignore',
    ...identity,
  });
  const ended = once(child, 'exit');
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const codes = ['57P03', 'ECONNREFUSED'];
  // A node that recovers to a restore point is a standby until then.
  const connect = () => openSql(`${url('postgres')}?target_session_attrs=any`);
  await (await untilRecovered(connect, { codes })).end();
  return {
    port,
    dataDir,
    url,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT');
      await ended;
    },
  };
}
