/** Starts, observes and stops the measured processes. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startOptions, startVariables } from '../../test/support/start-variables.ts';
import type { Dataset } from '../seed.ts';
import { BenchError } from './options.ts';
import { send } from './response.ts';

export type Server = { port: number; pid: number; stop(): Promise<void> };

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..', '..');
const readyMs = 180_000;

/** @returns stdout and stderr of a tool @throws its error output, or the signal's reason */
export async function runTool(
  tool: string,
  args: string[],
  signal: AbortSignal,
  env: Record<string, string> = {},
): Promise<string> {
  try {
    const options = { env: { ...process.env, ...env }, signal, maxBuffer: 64 * 1024 * 1024 };
    const { stdout, stderr } = await run(tool, args, options);
    return `${stdout}\n${stderr}`;
  } catch (error) {
    signal.throwIfAborted();
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`${tool}: ${stderr?.trim() || message}`);
  }
}

/** Whether the tool is installed. */
export const exists = (tool: string): Promise<boolean> =>
  run(tool, ['--version']).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );

/**
 * Starts the app with production settings, in a directory without a `.env` file, and waits until it has loaded its
 * discovery index and the events of lists.
 */
export async function startApp(
  dataset: Dataset,
  signal: AbortSignal,
  { discovery = 'memory', processes = 1 }: { discovery?: 'memory' | 'sql'; processes?: number } = {},
): Promise<Server> {
  const port = await freePort();
  const env = {
    PATH: process.env.PATH ?? '',
    ...startVariables,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: `${port}`,
    DATA_DIR: dataset.dir,
    SECRET_KEY: dataset.secretKey,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SMS_DRIVER: 'console',
    RATE_LIMIT: '0',
    QUOTAS: 'off',
    DEMO: 'off',
    LOG_LEVEL: 'warn',
    DISCOVERY: discovery,
    SERVERS: `${processes}`,
  };
  const main = path.join(root, 'bin', 'potluck.js');
  const child = spawn(process.execPath, [...startOptions, main, 'serve'], {
    cwd: dataset.dir,
    env,
    stdio: ['ignore', 2, 2],
  });
  const server = { port, pid: child.pid ?? 0, stop: () => end(child) };
  const loaded = new RegExp(`^potluck_preloaded(\\{.*\\})? ${discovery === 'memory' ? 1 : 0}$`, 'gm');
  const deadline = performance.now() + readyMs;
  for (;;) {
    if (signal.aborted || child.exitCode !== null || performance.now() > deadline) {
      await server.stop();
      signal.throwIfAborted();
      throw new BenchError('The app did not start; see its output above.');
    }
    const response = await send(port, { method: 'GET', path: '/metrics' }).catch(() => null);
    if (response?.body.match(loaded)?.length === processes) return server;
    await sleep(50);
  }
}

/** @param responseFile the response that it sends, see bare.ts */
export async function startBare(responseFile: string): Promise<Server> {
  const file = path.join(root, 'bench', 'bare.ts');
  const child = spawn(process.execPath, [file, responseFile], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    return { port: Number(line), pid: child.pid ?? 0, stop: () => end(child) };
  }
  throw new Error('the bare server did not start');
}

/** Sends SIGTERM, then SIGKILL if the process does not end in time. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), 11_000);
  await ended;
  clearTimeout(killTimer);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

// The functions below read /proc, which only Linux has; elsewhere they return null.

const ticksPerSecond = 100;

/** The CPU time of a process and of all its children, including ended ones. */
export async function cpuSecondsOfAll(parent: number): Promise<number | null> {
  const root = await readStat(parent);
  if (!root) return null;
  let ticks = root.own + root.endedChildren;
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) ? await readStat(Number(name)) : null;
    if (stat?.parent === parent) ticks += stat.own;
  }
  return ticks / ticksPerSecond;
}

async function readStat(pid: number): Promise<{ parent: number; own: number; endedChildren: number } | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The name in parentheses may contain spaces and parentheses, so the fields are counted from its end.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0] = fields;
  const [own = 0, system = 0, children = 0, childrenSystem = 0] = fields.slice(11);
  return { parent, own: own + system, endedChildren: children + childrenSystem };
}

export async function rssMb(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(text)?.[1];
  return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024);
}
