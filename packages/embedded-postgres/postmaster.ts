/**
 * Starts, detects and stops the process of the embedded PostgreSQL.
 *
 * The process is started without a shell, so no path needs quoting, and in its own session: Ctrl-C in a
 * terminal reaches only Potluck, which stops PostgreSQL after its own shutdown.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, open, readFile, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EmbeddedError } from './embedded-error.ts';
import type { Placement } from './placement.ts';

/** Part of the socket's file name. The server listens on no TCP port. */
export const port = 5432;

const mib = 1024 ** 2;

/** The size of the shared buffers in MiB: an eighth of the memory, between 128 and 1,024. */
const bufferSize = (): number => {
  const memory = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, os.totalmem());
  return Math.min(Math.max(Math.floor(memory / 8 / mib), 128), 1024);
};

const settings = {
  port: `${port}`,
  listen_addresses: '',
  max_connections: '120',
  jit: 'off',
  shared_buffers: `${bufferSize()}MB`,
  // The first change of a page after a checkpoint writes the whole page, 8 KB, to the WAL: frequent
  // checkpoints are costly.
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  // Statements and their parameters, which include phone numbers, are not logged.
  log_min_messages: 'fatal',
  log_min_error_statement: 'panic',
};

/** Includes recovery after a crash. */
const startTimeoutMs = 120_000;
/** How long the backends of a killed server may continue to run their statements. */
const orphanTimeoutMs = 15_000;
const pollMs = 20;

const lockFileOf = (clusterDir: string) => path.join(clusterDir, 'postmaster.pid');
const run = promisify(execFile);

/**
 * Starts the server unless it is running, and waits until it accepts connections.
 * @param extra additional settings, which override the default ones
 * @param signal cancels; a server that this call started is stopped
 * @returns true if this call started the server
 * @throws EmbeddedError with the last lines of the server's log; the signal's reason
 */
export async function startServer(
  placement: Placement,
  extra: Record<string, string>,
  signal?: AbortSignal,
): Promise<boolean> {
  if (await isRunning(placement, signal)) return false;
  const deadline = performance.now() + orphanTimeoutMs;
  for (;;) {
    const failure = await launch(placement, extra, signal);
    if (failure === null) return true;
    const hasOrphans = /shared memory block \(key \d+, ID \d+\) is still in use/.test(failure);
    if (!hasOrphans || performance.now() > deadline) {
      throw new EmbeddedError(`The embedded PostgreSQL did not start.\n${failure}`.trim());
    }
    await sleep(200, undefined, { signal });
  }
}

/** Returns null, or the last lines of the log if the server did not start. */
async function launch(
  { postgres, clusterDir, socketDir, identity }: Placement,
  extra: Record<string, string>,
  signal?: AbortSignal,
): Promise<string | null> {
  signal?.throwIfAborted();
  const file = path.join(clusterDir, 'server.log');
  const log = await open(file, 'a', 0o600);
  try {
    if (identity) await chown(file, identity.uid, identity.gid);
    const { size } = await log.stat();
    // The setting is a list. Double quotes make commas and spaces part of the path.
    const directories = `"${socketDir.replaceAll('"', '""')}"`;
    const all = { ...settings, unix_socket_directories: directories, ...extra };
    const server = spawn(
      postgres,
      ['-D', clusterDir, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { cwd: '/', env: cleanEnv(), detached: true, stdio: ['ignore', log.fd, log.fd], ...identity },
    );
    server.unref();
    if (await waitUntilReady(server, clusterDir, signal)) return null;
    // Read by path, because the server shares the file's position and has moved it to the end.
    return lastLines((await readFile(file)).subarray(size).toString());
  } finally {
    await log.close();
  }
}

/** Returns false if the process ended before it accepted connections. */
async function waitUntilReady(
  server: ChildProcess,
  clusterDir: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const state = { hasEnded: false };
  server.once('exit', () => {
    state.hasEnded = true;
  });
  server.once('error', () => {
    state.hasEnded = true;
  });
  try {
    for (let waited = 0; waited < startTimeoutMs && !state.hasEnded; waited += pollMs) {
      const lock = await readLockFile(clusterDir);
      if (lock?.pid === server.pid && lock?.isReady) return true;
      await sleep(pollMs, undefined, { signal });
    }
  } catch (error) {
    // The start was cancelled. The next start resumes an interrupted recovery.
    if (!state.hasEnded && server.kill('SIGQUIT')) await Promise.race([once(server, 'exit'), sleep(1_000)]);
    throw error;
  }
  if (!state.hasEnded)
    throw new EmbeddedError('The embedded PostgreSQL is still recovering. Start again later.');
  return false;
}

const lastLines = (text: string) => text.trim().split('\n').slice(-5).join('\n');

/** LC_ALL=C makes the log English. No PG… variable of Potluck's environment reaches the server. */
export const cleanEnv = (): Record<string, string> => ({ PATH: process.env.PATH ?? '', LC_ALL: 'C' });

/**
 * Returns true if the server of this cluster runs. Waits until a server that is starting accepts connections.
 */
async function isRunning({ clusterDir, socketDir }: Placement, signal?: AbortSignal): Promise<boolean> {
  const socket = `${socketDir}/.s.PGSQL.${port}`;
  for (let waited = 0; waited < startTimeoutMs; waited += pollMs) {
    const lock = await readLockFile(clusterDir);
    if (!lock) return false;
    if (!(await isServer(lock.pid, clusterDir))) {
      // A server in another container has a process id of that container, but its socket accepts connections.
      if (await acceptsConnections(socket)) return true;
      // After a reboot another process may have this id, and PostgreSQL would refuse to start. The lock file
      // of the socket has the same effect after the server was killed.
      for (const file of [lockFileOf(clusterDir), `${socket}.lock`, socket]) await rm(file, { force: true });
      return false;
    }
    if (lock.isReady) return true;
    await sleep(pollMs, undefined, { signal });
  }
  throw new EmbeddedError('The embedded PostgreSQL is running but does not accept connections.');
}

/** Reads the server's lock file: its process id, and whether it accepts connections. */
async function readLockFile(clusterDir: string): Promise<{ pid: number; isReady: boolean } | null> {
  const text = await readFile(lockFileOf(clusterDir), 'utf8').catch(() => null);
  if (text === null) return null;
  return { pid: Number(text.split('\n', 1)[0]), isReady: text.trimEnd().endsWith('ready') };
}

/** Returns true if the process is the server of this cluster. */
async function isServer(pid: number, clusterDir: string): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  if (os.platform() === 'linux') {
    const [program = '', ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split(
      '\0',
    );
    return path.basename(program) === 'postgres' && args.includes(clusterDir);
  }
  const { stdout } = await run('ps', ['-p', `${pid}`, '-o', 'command=']).catch(() => ({ stdout: '' }));
  return stdout.includes('postgres') && stdout.includes(` ${clusterDir} `);
}

async function acceptsConnections(socket: string): Promise<boolean> {
  if (!(await stat(socket).catch(() => null))) return false;
  const client = connect(socket);
  try {
    await once(client, 'connect', { signal: AbortSignal.timeout(1_000) });
    return true;
  } catch {
    return false;
  } finally {
    client.destroy();
  }
}

/**
 * The signals to stop the server, and how long to wait after each: fast shutdown, immediate shutdown, kill.
 */
const shutdownSteps = [
  { signal: 'SIGINT', ms: 2_000 },
  { signal: 'SIGQUIT', ms: 500 },
  { signal: 'SIGKILL', ms: 500 },
] as const;

/**
 * Stops the server within three seconds. After an immediate shutdown the next start recovers; no commit is
 * lost.
 */
export async function stopServer({ clusterDir }: Placement): Promise<void> {
  const pid = (await readLockFile(clusterDir))?.pid ?? 0;
  for (const { signal, ms } of shutdownSteps) {
    if (!(await isServer(pid, clusterDir))) return;
    kill(pid, signal);
    for (let waited = 0; waited < ms && (await isServer(pid, clusterDir)); waited += pollMs)
      await sleep(pollMs);
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
