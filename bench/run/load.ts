/** The two load generators: wrk against a server, pgbench against the database. */
import path from 'node:path';
import type { Dataset } from '../seed.ts';
import { output } from './processes.ts';

export type Measured = {
  requests: number;
  rps: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Answers by status; empty unless they were asked for. */
  statuses: Record<string, number>;
};

type Result = {
  requests: number;
  durationUs: number;
  p50Us: number;
  p99Us: number;
  maxUs: number;
  statuses: Record<string, number>;
  errors: Record<string, number>;
};

/** Something that was measured is not what it should be: the figure would mean nothing. */
export class Failure extends Error {}

const script = path.join(import.meta.dirname, '..', 'requests.lua');

export type Wrk = {
  port: number;
  requestsFile: string;
  seconds: number;
  connections: number;
  /** Statuses that are right beside 2xx. */
  alsoExpected: number[];
  /** Stops early when every request was sent: sent twice, a request would fail. */
  once?: boolean;
};

/** @throws Failure with every kind of error that there was */
export async function wrk(load: Wrk, signal: AbortSignal): Promise<Measured> {
  const { port, requestsFile, seconds, connections, alsoExpected, once } = load;
  const counting = [...(alsoExpected.length > 0 ? ['statuses'] : []), ...(once ? ['once'] : [])];
  const scale = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '5s'];
  const address = `http://127.0.0.1:${port}`;
  const printed = await output('wrk', [...scale, '-s', script, address, requestsFile, ...counting], signal);
  const line = /^RESULT (.*)$/m.exec(printed)?.[1];
  if (line === undefined) throw new Failure(`wrk gave no result: ${printed.trim()}`);
  const result = JSON.parse(line) as Result;
  refuseErrors(result, alsoExpected);
  return {
    requests: result.requests,
    rps: result.requests / (result.durationUs / 1e6),
    p50Ms: result.p50Us / 1e3,
    p99Ms: result.p99Us / 1e3,
    maxMs: result.maxUs / 1e3,
    statuses: result.statuses,
  };
}

function refuseErrors({ requests, errors, statuses }: Result, alsoExpected: number[]): void {
  const counts = { ...errors };
  for (const status of alsoExpected) counts.status = (counts.status ?? 0) - (statuses[status] ?? 0);
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  if (found.length > 0) {
    const list = found.map(([kind, count]) => `${count} × ${kind === 'status' ? 'a wrong status' : kind}`);
    throw new Failure(`errors in ${requests} requests: ${list.join(', ')}`);
  }
  if (requests === 0) throw new Failure('no request was answered');
}

export type Pgbench = { scripts: string[]; seconds: number; clients: number };

/**
 * Statements a second. Where there are many scripts a first second goes by uncounted, in which they are planned. Plans are
 * generic: nothing here gains by a plan for each value, and planning takes time.
 */
export async function pgbench(
  dataset: Dataset,
  { scripts, seconds, clients }: Pgbench,
  signal: AbortSignal,
): Promise<number> {
  const { socketDir, port, user, password, database } = dataset.target;
  const where = ['-h', socketDir, '-p', `${port}`, '-U', user];
  const uncounted = scripts.length > 1 ? 1 : 0;
  const time = ['-T', `${seconds + uncounted}`, '-P', '1'];
  const scale = ['-c', `${clients}`, '-j', '1', ...time, '-D', `clients=${clients}`, '-D', 'i=0'];
  const files = scripts.flatMap((file) => ['-f', file]);
  const printed = await output(
    'pgbench',
    ['-n', '-M', 'prepared', ...where, ...scale, ...files, database],
    signal,
    {
      PGPASSWORD: password,
      PGOPTIONS: '-c plan_cache_mode=force_generic_plan -c TimeZone=UTC',
    },
  );
  const rate = /^tps = ([\d.]+)/m.exec(printed)?.[1];
  const failed = /^number of failed transactions: (\d+)/m.exec(printed)?.[1];
  if (rate === undefined || (failed !== undefined && failed !== '0'))
    throw new Error(`pgbench: ${printed.trim()}`);
  const counted = printed
    .matchAll(/^progress: [\d.]+ s, ([\d.]+) tps/gm)
    .toArray()
    .slice(uncounted);
  if (uncounted === 0 || counted.length === 0) return Number(rate);
  return counted.reduce((sum, [, tps]) => sum + Number(tps), 0) / counted.length;
}
