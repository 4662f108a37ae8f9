/** Potluck as it really runs: processes of its own, started, signalled and looked for. */
import assert from 'node:assert/strict';
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

export type ChildRun = {
  child: ChildProcess;
  /** What it has printed so far. */
  output: { out: string; err: string };
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
};
export type RunOptions = {
  env?: Record<string, string | undefined>;
  cwd?: string;
  identity?: { uid: number; gid: number };
  /** Octal. */
  umask?: string;
};

const root = path.join(import.meta.dirname, '..');
const main = path.join(root, 'src', 'main.ts');
const runs: ChildRun[] = [];
/** The leaders of process groups: `npm` and the processes below it. */
const groups: ChildProcess[] = [];
const places: string[] = [];
const dataDirs = new Set<string>();

/** Whatever a failed test left running or lying about goes after the file's tests. */
export function cleanUpAfterTests(): void {
  after(async () => {
    for (const { child } of runs) child.kill('SIGKILL');
    for (const { pid } of groups) killGroup(pid);
    for (const dataDir of dataDirs) {
      for (const pid of await postgresUnder(dataDir)) process.kill(pid, 'SIGKILL');
      const elsewhere = await readlink(path.join(dataDir, 'postgres')).catch(() => '');
      if (elsewhere) await rm(path.dirname(elsewhere), { recursive: true, force: true });
    }
    for (const place of places) await rm(place, { recursive: true, force: true });
  });
}

/**
 * An empty directory, which every user may enter, as far as its parent goes.
 * @param parent default: the system's for temporary files
 */
export async function createTempDir(parent = os.tmpdir()): Promise<string> {
  const place = await mkdtemp(path.join(parent, 'potluck-process-'));
  await chmod(place, 0o755);
  places.push(place);
  return place;
}

/** `node src/main.ts …` with an environment of its own, in which nothing is set but what is given. */
export function potluck(args: string[], { env = {}, cwd, identity, umask = '022' }: RunOptions): ChildRun {
  if (env.DATA_DIR) dataDirs.add(path.resolve(cwd ?? '/', env.DATA_DIR));
  const child = spawn('/bin/sh', ['-c', `umask ${umask}; exec "$0" "$@"`, process.execPath, main, ...args], {
    cwd: cwd ?? '/',
    env: { PATH: process.env.PATH, ...env },
    stdio,
    ...identity,
  });
  return watch(child);
}

const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];

/** Collects what the process prints. It has ended when no process below it holds its output any more. */
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

/** `npm start` as a service manager runs it: `child` is the npm process, and signals reach that process alone. */
export async function npmStart(env: Record<string, string> & { DATA_DIR: string }): Promise<Server> {
  dataDirs.add(env.DATA_DIR);
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DEMO: 'off', ...env },
    stdio,
    // A process group of its own, so that a failed test can end the processes that npm has left behind.
    detached: true,
  });
  groups.push(child);
  const run = watch(child);
  return { ...run, url: await addressOf(run) };
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** `serve` on a free port, once it says that it is open. */
export async function serve(options: RunOptions): Promise<Server> {
  const env = { PORT: '0', DEMO: 'off', ...options.env };
  const run = potluck(['serve'], { ...options, env });
  return { ...run, url: await addressOf(run) };
}

async function addressOf({ output, ended }: ChildRun): Promise<string> {
  const over = { yet: false };
  void ended.then(() => {
    over.yet = true;
  });
  for (let waited = 0; waited < 30_000 && !over.yet; waited += 20) {
    const [, address] = /listening at (http:\/\/[\w.:[\]-]+)/.exec(output.out) ?? [];
    if (address && output.out.includes('Potluck is open')) return address;
    await sleep(20);
  }
  assert.fail(`the server did not start: ${output.out}${output.err}`);
}

/** Sends the signal and gives the exit code, which must come within ten seconds. */
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

/** The process that a data directory's PostgreSQL has written down as its first. */
export async function postmasterOf(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

/** The processes of PostgreSQL servers whose files lie in this data directory. */
export async function postgresUnder(dataDir: string): Promise<number[]> {
  const cluster = path.join(dataDir, 'postgres');
  const names = [cluster, await realpath(cluster).catch(() => cluster)];
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const cwd = await realpath(`/proc/${name}/cwd`).catch(() => '');
    const [program = '', ...args] = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split(
      '\0',
    );
    // Its helpers have other command lines, and its directory as theirs.
    const isServer = path.basename(program) === 'postgres' && args.some((arg) => arg.startsWith(dataDir));
    if (isServer || names.includes(cwd)) found.push(Number(name));
  }
  return found;
}

export type Json = Record<string, string> & { user: Record<string, string> };

/** A request to a server that runs as a process. */
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

export async function signIn(server: Server, phone = '+14155550123'): Promise<string> {
  const { body: sent } = await sendRequest(server, 'POST', '/v1/auth/otp/request', undefined, { phone });
  const { body } = await sendRequest(server, 'POST', '/v1/auth/otp/verify', undefined, {
    phone,
    code: sent.devCode,
  });
  assert.ok(body.accessToken, JSON.stringify(body));
  return body.accessToken;
}

export async function expectNoPostgres(dataDir: string): Promise<void> {
  assert.deepEqual(await postgresUnder(dataDir), [], 'a PostgreSQL process is left');
}
