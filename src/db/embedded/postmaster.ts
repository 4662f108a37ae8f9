/**
 * The process of the embedded PostgreSQL: started, recognised and stopped.
 *
 * It is started without a shell (no path needs quoting) and in a session of its own: a Ctrl-C in the terminal reaches
 * the app alone, which ends the database when it is done with it.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, open, readFile, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EmbeddedError, type Placement } from './placement.ts';

/** Part of the socket's name; the server listens on nothing else. */
export const port = 5432;

const mib = 1024 ** 2;

/** An eighth of the memory, in MiB: Potluck and the system's own cache live beside it. */
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
  // After each checkpoint the first change of a page writes the whole of it: 8 KB for an answer of 100 bytes.
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  // Statements and values, phones among them, stay out of the log.
  log_min_messages: 'fatal',
  log_min_error_statement: 'panic',
};

/** Recovery after a crash may take its time. */
const startMs = 120_000;
/** How long the backends of a killed server may go on with their statements. */
const orphansMs = 15_000;
const pollMs = 20;

const lockFileOf = (clusterDir: string) => path.join(clusterDir, 'postmaster.pid');
const run = promisify(execFile);

/**
 * Starts the server unless it is running, and waits until it takes connections.
 * @param extra settings beside or over ours
 * @returns whether it was this call that started it
 * @throws EmbeddedError with the end of the server's log; the signal's reason, with a server it started ended
 */
export async function startServer(
  placement: Placement,
  extra: Record<string, string>,
  signal?: AbortSignal,
): Promise<boolean> {
  if (await isRunning(placement, signal)) return false;
  const deadline = performance.now() + orphansMs;
  for (;;) {
    const trouble = await launch(placement, extra, signal);
    if (trouble === null) return true;
    const orphaned = /shared memory block .* is still in use/.test(trouble);
    if (!orphaned || performance.now() > deadline) {
      throw new EmbeddedError(`The embedded PostgreSQL did not start.\n${trouble}`.trim());
    }
    await sleep(200, undefined, { signal });
  }
}

/** Null, or why it did not start. */
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
    // The setting is a list; in double quotes a comma or a space belongs to the path.
    const directories = `"${socketDir.replaceAll('"', '""')}"`;
    const all = { ...settings, unix_socket_directories: directories, ...extra };
    const server = spawn(
      postgres,
      ['-D', clusterDir, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { cwd: '/', env: cleanEnv(), detached: true, stdio: ['ignore', log.fd, log.fd], ...identity },
    );
    server.unref();
    if (await untilReady(server, clusterDir, signal)) return null;
    // By its path: the server has moved the position of the open file to its end.
    return lastLines((await readFile(file)).subarray(size).toString());
  } finally {
    await log.close();
  }
}

/** False when the process ended first. */
async function untilReady(server: ChildProcess, clusterDir: string, signal?: AbortSignal): Promise<boolean> {
  const ended = { yet: false };
  server.once('exit', () => {
    ended.yet = true;
  });
  server.once('error', () => {
    ended.yet = true;
  });
  try {
    for (let waited = 0; waited < startMs && !ended.yet; waited += pollMs) {
      const lock = await readLockFile(clusterDir);
      if (lock?.pid === server.pid && lock?.isReady) return true;
      await sleep(pollMs, undefined, { signal });
    }
  } catch (error) {
    // Nobody waits for it any more. Recovery takes up again where it was cut off.
    if (!ended.yet && server.kill('SIGQUIT')) await Promise.race([once(server, 'exit'), sleep(1_000)]);
    throw error;
  }
  if (!ended.yet) throw new EmbeddedError('The embedded PostgreSQL is still recovering. Start again later.');
  return false;
}

const lastLines = (text: string) => text.trim().split('\n').slice(-5).join('\n');

/** LC_ALL=C: the log then speaks one language. No PG… variable of ours may change what the server does. */
export const cleanEnv = (): Record<string, string> => ({ PATH: process.env.PATH ?? '', LC_ALL: 'C' });

/** Whether the server of this very directory lives and, if it is only starting, waits until it takes connections. */
async function isRunning({ clusterDir, socketDir }: Placement, signal?: AbortSignal): Promise<boolean> {
  for (let waited = 0; waited < startMs; waited += pollMs) {
    const lock = await readLockFile(clusterDir);
    if (!lock) return false;
    if (!(await isServer(lock.pid, clusterDir))) {
      // In another container, where the same number means another process, it is reached all the same.
      if (await answers(`${socketDir}/.s.PGSQL.${port}`)) return true;
      // After a reboot the number may be anybody's, and PostgreSQL would refuse to start beside that process.
      // The socket has a lock file of its own, which counts while a killed server is not yet cleared away.
      const socket = `${socketDir}/.s.PGSQL.${port}`;
      for (const file of [lockFileOf(clusterDir), `${socket}.lock`, socket]) await rm(file, { force: true });
      return false;
    }
    if (lock.isReady) return true;
    await sleep(pollMs, undefined, { signal });
  }
  throw new EmbeddedError('The embedded PostgreSQL is running but does not take connections.');
}

/** What the server wrote about itself: its process, and whether it takes connections. */
async function readLockFile(clusterDir: string): Promise<{ pid: number; isReady: boolean } | null> {
  const text = await readFile(lockFileOf(clusterDir), 'utf8').catch(() => null);
  if (text === null) return null;
  return { pid: Number(text.split('\n', 1)[0]), isReady: text.trimEnd().endsWith('ready') };
}

/** Whether that process is the server of that directory. */
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

async function answers(socket: string): Promise<boolean> {
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

/** How the server is asked to end, and for how long each: in order, without a checkpoint, at once. */
const ways = [
  { signal: 'SIGINT', ms: 2_000 },
  { signal: 'SIGQUIT', ms: 500 },
  { signal: 'SIGKILL', ms: 500 },
] as const;

/** Ends the server within three seconds. Cut short, it has something to recover at its next start, and loses nothing. */
export async function stopServer({ clusterDir }: Placement): Promise<void> {
  const pid = (await readLockFile(clusterDir))?.pid ?? 0;
  for (const { signal, ms } of ways) {
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
