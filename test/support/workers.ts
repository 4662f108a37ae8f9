/** The processes of a server with SERVERS above 1. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from './http-client.ts';
import type { Server } from './processes.ts';

/** The process ids of a server's workers; none with SERVERS=1. */
export async function workersOf({ child: { pid } }: Pick<Server, 'child'>): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const found: number[] = [];
  for (const id of children.split(' ').filter(Boolean)) {
    const line = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
    if (line.includes('worker.ts')) found.push(Number(id));
  }
  return found;
}

/** The metrics of a server, from any of its processes. */
export const readMetrics = async ({ url }: Pick<Server, 'url'>): Promise<string> =>
  (await request(`${url}/metrics`)).bytes.toString();

/** The numbers of the workers whose samples of a metric are in the text. */
export function workersIn(text: string, metric: string): string[] {
  const samples = text.matchAll(new RegExp(`^${metric}\\{.*?\\bworker="(\\d)".*$`, 'gm'));
  return [...new Set([...samples].map(([, worker = '']) => worker))].sort();
}

/** Resolves when all workers answer requests: one that does not is missing in the metrics. */
export const untilReady = (server: Server, count: number): Promise<void> =>
  until(`${count} workers`, async () => {
    const text = await readMetrics(server).catch(() => '');
    return workersIn(text, 'potluck_build_info').length === count;
  });

export async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await isTrue())) {
    assert.ok(performance.now() < deadline, `waited too long for ${what}`);
    await sleep(20);
  }
}

export const isRunning = (pid: number): Promise<boolean> =>
  // A process that has ended and that its parent has not collected has no command line.
  readFile(`/proc/${pid}/cmdline`).then(
    (line) => line.length > 0,
    () => false,
  );

/** Kills a process. Resolves when it has ended. */
export async function killProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await until('the end of a killed process', async () => !(await isRunning(pid)));
}

/** Repeats each task until `stop`, one run after the other. Resolves with the number of runs of each. */
export function runRepeatedly(tasks: (() => Promise<unknown>)[]): { stop(): Promise<number[]> } {
  const state = { isStopped: false };
  const counts = tasks.map(async (task) => {
    let count = 0;
    for (; !state.isStopped; count++) await task();
    return count;
  });
  const all = Promise.all(counts);
  // A failure is reported by `stop`.
  all.catch(() => {});
  return {
    stop: () => {
      state.isStopped = true;
      return all;
    },
  };
}
