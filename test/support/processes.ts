/** Starts, signals and finds Potluck processes. */
import assert from 'node:assert/strict';
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOptions, startVariables } from './start-variables.ts';

export type ChildRun = {
  child: ChildProcess;
  /** Standard output and standard error so far. */
  output: { out: string; err: string };
  /** Resolves with the exit code, or with the signal that ended the process. */
  ended: Promise<number | NodeJS.Signals | null>;
};
export type RunOptions = {
  /** The program; default: bin/potluck.js of this version. */
  program?: string | undefined;
  env?: Record<string, string | undefined>;
  cwd?: string;
  identity?: { uid: number; gid: number };
  /** An octal number. */
  umask?: string;
  /** How many descriptors the process may open; default: as many as this one. */
  descriptors?: number;
};

const root = path.join(import.meta.dirname, '..', '..');
const main = path.join(root, 'bin', 'potluck.js');
const runs: ChildRun[] = [];
/** The leaders of process groups, each with `npm` and its child processes. */
const groups: ChildProcess[] = [];
const tempDirs: string[] = [];
/** A process that was killed may still create a file while its directory is removed. */
const removal = { recursive: true, force: true, maxRetries: 20 };
const dataDirs = new Set<string>();

/** After the tests of the file, kills the remaining processes and deletes the temporary directories. */
export function cleanUpAfterTests(): void {
  after(async () => {
    for (const { child } of runs) child.kill('SIGKILL');
    for (const { pid = 0 } of groups) kill(-pid);
    for (const dataDir of dataDirs) {
      for (const pid of await postgresUnder(dataDir)) kill(pid);
      const clusterPath = await readlink(path.join(dataDir, 'postgres')).catch(() => '');
      if (clusterPath) await rm(path.dirname(clusterPath), removal);
    }
    for (const directory of tempDirs) await rm(directory, removal);
  });
}

/**
 * Creates an empty directory that every user may enter, if the parent directory allows it.
 * @param parent defaults to the system's directory for temporary files
 */
export async function createTempDir(parent = os.tmpdir()): Promise<string> {
  const directory = await mkdtemp(path.join(parent, 'potluck-process-'));
  await chmod(directory, 0o755);
  tempDirs.push(directory);
  return directory;
}

/**
 * Runs `node bin/potluck.js` with the options of `bin/potluck`; its environment contains only PATH, the variables of
 * `bin/potluck` and the given ones.
 */
export function potluck(
  args: string[],
  { program = main, env = {}, cwd, identity, umask = '022', descriptors }: RunOptions,
): ChildRun {
  if (env.DATA_DIR) dataDirs.add(path.resolve(cwd ?? '/', env.DATA_DIR));
  const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors}; `;
  const child = spawn(
    '/bin/sh',
    ['-c', `umask ${umask}; ${limit}exec "$0" "$@"`, process.execPath, ...startOptions, program, ...args],
    {
      cwd: cwd ?? '/',
      env: { PATH: process.env.PATH, ...startVariables, ...env },
      stdio,
      ...identity,
    },
  );
  return watch(child);
}

const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];

/** Collects the output of a process. `ended` resolves when no child process holds the output open. */
function watch(child: ChildProcessByStdio<null, Readable, Readable>): ChildRun {
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  const run = { child, output, ended };
  runs.push(run);
  return run;
}

export type Server = ChildRun & { url: string };

/** Runs `npm start` as a service manager does: `child` is the npm process, which alone gets signals. */
export async function npmStart(env: Record<string, string> & { DATA_DIR: string }): Promise<Server> {
  dataDirs.add(env.DATA_DIR);
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DEMO: 'off', ...env },
    stdio,
    // A separate process group, so that cleanup after a failed test can kill the children of npm.
    detached: true,
  });
  groups.push(child);
  const run = watch(child);
  return { ...run, url: await addressOf(run) };
}

/** @param pid of a process, or the negative one of a group. It may have ended already; 0 is no process. */
function kill(pid: number): void {
  try {
    if (pid !== 0) process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Runs `serve` on a free port and waits until the server is open. */
export async function serve(options: RunOptions): Promise<Server> {
  // A server checks its image storage at the start, and would create the default directory.
  const directory = options.env?.DATABASE_URL !== undefined && { DATA_DIR: await createTempDir() };
  const env = { PORT: '0', DEMO: 'off', ...directory, ...options.env };
  const run = potluck(['serve'], { ...options, env });
  return { ...run, url: await addressOf(run) };
}

async function addressOf({ output, ended }: ChildRun): Promise<string> {
  const state = { hasEnded: false };
  void ended.then(() => {
    state.hasEnded = true;
  });
  for (let waited = 0; waited < 60_000 && !state.hasEnded; waited += 20) {
    const [, address] = /listening at (http:\/\/[\w.:[\]-]+)/.exec(output.out) ?? [];
    if (address && output.out.includes('Potluck is open')) return address;
    await sleep(20);
  }
  assert.fail(`the server did not start: ${output.out}${output.err}`);
}

/** Sends the signal and returns the exit code; fails if the process still runs after ten seconds. */
export async function stop(run: ChildRun, signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
  run.child.kill(signal);
  const outcome = await Promise.race([run.ended, sleep(10_000, 'too late' as const, { ref: false })]);
  assert.notEqual(
    outcome,
    'too late',
    `still running 10 s after ${signal}: ${run.output.out}${run.output.err}`,
  );
  return outcome as number | NodeJS.Signals | null;
}

/** Reads the process id of the postmaster from the directory of its cluster. */
export const readPostmaster = async (clusterDir: string): Promise<number> =>
  Number.parseInt(await readFile(path.join(clusterDir, 'postmaster.pid'), 'utf8'), 10);

/** Reads the process id of the embedded database's postmaster. */
export const postmasterOf = (dataDir: string): Promise<number> =>
  readPostmaster(path.join(dataDir, 'postgres'));

/** Returns the ids of the PostgreSQL processes whose files are in this data directory. */
export async function postgresUnder(dataDir: string): Promise<number[]> {
  const cluster = path.join(dataDir, 'postgres');
  const names = [cluster, await realpath(cluster).catch(() => cluster)];
  const pids: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const cwd = await realpath(`/proc/${name}/cwd`).catch(() => '');
    const [program = '', ...args] = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split(
      '\0',
    );
    // The child processes of PostgreSQL have other command lines; their working directory is the cluster.
    const isServer = path.basename(program) === 'postgres' && args.some((arg) => arg.startsWith(dataDir));
    if (isServer || names.includes(cwd)) pids.push(Number(name));
  }
  return pids;
}

export type Json = Record<string, string> & { user: Record<string, string> };

/** Sends a request to a server process. */
export async function sendRequest(
  { url }: Pick<Server, 'url'>,
  method: string,
  route: string,
  token?: string,
  body?: unknown,
): Promise<{ status: number; body: Json }> {
  const response = await fetch(url + route, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

export async function signIn(server: Pick<Server, 'url'>, phone = '+14155550123'): Promise<string> {
  const { body: sent } = await sendRequest(server, 'POST', '/v1/auth/otp/request', undefined, { phone });
  const { body } = await sendRequest(server, 'POST', '/v1/auth/otp/verify', undefined, {
    phone,
    code: sent.devCode,
  });
  assert.ok(body.accessToken, JSON.stringify(body));
  return body.accessToken;
}

/** Signs in as a browser. Returns the value of the header `Cookie` of its requests. */
export async function signInBrowser(server: Server, phone = '+14155550123'): Promise<string> {
  const { body: sent } = await sendRequest(server, 'POST', '/v1/auth/otp/request', undefined, { phone });
  const response = await fetch(`${server.url}/v1/auth/browser-session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ phone, code: sent.devCode }),
  });
  const cookie = response.headers.get('set-cookie')?.split(';', 1)[0];
  assert.ok(cookie, await response.text());
  return cookie;
}

/** The children of a PostgreSQL that had to be killed end by themselves, once they notice; a slow disk delays them. */
export async function expectNoPostgres(dataDir: string): Promise<void> {
  let pids = await postgresUnder(dataDir);
  for (let waited = 0; waited < 5_000 && pids.length > 0; waited += 100) {
    await sleep(100);
    pids = await postgresUnder(dataDir);
  }
  assert.deepEqual(pids, [], 'a PostgreSQL process still runs');
}
