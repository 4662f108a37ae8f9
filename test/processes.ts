/** Potluck as it really runs: processes of its own, started, signalled and looked for. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

export type Run = {
  child: ChildProcess;
  /** What it has printed so far. */
  output: { out: string; err: string };
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
  endedAfterMs(): number;
};
export type RunOptions = {
  env?: Record<string, string | undefined>;
  cwd?: string;
  identity?: { uid: number; gid: number };
  main?: string;
};

const main = path.join(import.meta.dirname, '..', 'src', 'main.ts');
const runs: Run[] = [];
const places: string[] = [];

/** Whatever a failed test left running or lying about goes after the file's tests. */
export function cleanUp(): void {
  after(async () => {
    for (const { child } of runs) child.kill('SIGKILL');
    for (const place of places) {
      for (const pid of await postgresUnder(place)) process.kill(pid, 'SIGKILL');
      const elsewhere = await realpath(path.join(place, 'postgres')).catch(() => '');
      if (elsewhere.startsWith('/var/lib/potluck/'))
        await rm(path.dirname(elsewhere), { recursive: true, force: true });
      await rm(place, { recursive: true, force: true });
    }
  });
}

/** An empty directory that does not exist in a moment. @param parent default: the system's for temporary files */
export async function aPlace(parent = os.tmpdir()): Promise<string> {
  const place = await mkdtemp(path.join(parent, 'potluck-process-'));
  places.push(place);
  return place;
}

/** `node src/main.ts …` with an environment of its own, in which nothing is set but what is given. */
export function potluck(args: string[], { env = {}, cwd, identity, main: script = main }: RunOptions): Run {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: cwd ?? '/',
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...identity,
  });
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text;
  });
  const startedAt = performance.now();
  let endedAt = 0;
  const ended = once(child, 'close').then(([code, signal]) => {
    endedAt = performance.now();
    return code ?? signal;
  });
  const run = { child, output, ended, endedAfterMs: () => endedAt - startedAt };
  runs.push(run);
  return run;
}

export type Server = Run & { url: string };

/** `serve` on a free port, once it says that it is open. */
export async function serve(options: RunOptions): Promise<Server> {
  const env = { PORT: '0', DEMO: 'off', ...options.env };
  const run = potluck(['serve'], { ...options, env });
  return { ...run, url: await addressOf(run) };
}

async function addressOf({ output, ended }: Run): Promise<string> {
  const over = { yet: false };
  void ended.then(() => {
    over.yet = true;
  });
  for (let waited = 0; waited < 30_000 && !over.yet; waited += 20) {
    const [, address] = /Potluck is open.*?(http:\/\/[\w.:[\]-]+)/s.exec(output.out) ?? [];
    const listening = /listening at/.test(output.out);
    if (address && listening) return address;
    await sleep(20);
  }
  assert.fail(`the server did not start: ${output.out}${output.err}`);
}

/** Sends the signal and gives the exit code, which must come within ten seconds. */
export async function stop(run: Run, signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
  run.child.kill(signal);
  const outcome = await Promise.race([run.ended, sleep(10_000, 'too late' as const, { ref: false })]);
  assert.notEqual(
    outcome,
    'too late',
    `still running 10 s after ${signal}: ${run.output.out}${run.output.err}`,
  );
  return outcome as number | NodeJS.Signals | null;
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
