/** The two load generators: wrk against a server, pgbench against the database. */
import path from 'node:path';
import type { Dataset } from '../seed.ts';
import { runTool } from './processes.ts';

export type Measured = {
  requests: number;
  rps: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** The number of responses by status; empty unless counting was requested. */
  statuses: Record<string, number>;
};

type WrkResult = {
  requests: number;
  durationUs: number;
  p50Us: number;
  p99Us: number;
  maxUs: number;
  statuses: Record<string, number>;
  errors: Record<string, number>;
};

/** A measurement with wrong responses or wrong data, whose figure would be meaningless. */
export class Failure extends Error {}

const script = path.join(import.meta.dirname, '..', 'requests.lua');

export type WrkOptions = {
  port: number;
  requestsFile: string;
  seconds: number;
  connections: number;
  /** Expected statuses besides 2xx. */
  alsoExpected: number[];
  /** Stops early after the last request, because a repeated request would fail. */
  once?: boolean;
};

/** @throws Failure that lists all errors */
export async function wrk(options: WrkOptions, signal: AbortSignal): Promise<Measured> {
  const { port, requestsFile, seconds, connections, alsoExpected, once } = options;
  const scriptArgs = [...(alsoExpected.length > 0 ? ['statuses'] : []), ...(once ? ['once'] : [])];
  const scale = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '5s'];
  const address = `http://127.0.0.1:${port}`;
  const printed = await runTool(
    'wrk',
    [...scale, '-s', script, address, requestsFile, ...scriptArgs],
    signal,
  );
  const line = /^RESULT (.*)$/m.exec(printed)?.[1];
  if (line === undefined) throw new Failure(`wrk printed no result: ${printed.trim()}`);
  const result = JSON.parse(line) as WrkResult;
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

function refuseErrors({ requests, errors, statuses }: WrkResult, alsoExpected: number[]): void {
  const counts = { ...errors };
  for (const status of alsoExpected) counts.status = (counts.status ?? 0) - (statuses[status] ?? 0);
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  if (found.length > 0) {
    const list = found.map(([kind, count]) => `${count} × ${kind === 'status' ? 'a wrong status' : kind}`);
    throw new Failure(`errors in ${requests} requests: ${list.join(', ')}`);
  }
  if (requests === 0) throw new Failure('no request got a response');
}

export type PgbenchOptions = { scripts: string[]; seconds: number; clients: number };

/**
 * Measures the transaction rate of scripts. With several scripts, the first second, in which they are
 * planned, does not count. Plans are generic: no statement here benefits from a plan for each value, and
 * planning takes time.
 */
export async function pgbench(
  dataset: Dataset,
  { scripts, seconds, clients }: PgbenchOptions,
  signal: AbortSignal,
): Promise<number> {
  const { socketDir, port, user, password, database } = dataset.target;
  const where = ['-h', socketDir, '-p', `${port}`, '-U', user];
  const warmUpSeconds = scripts.length > 1 ? 1 : 0;
  const time = ['-T', `${seconds + warmUpSeconds}`, '-P', '1'];
  const scale = ['-c', `${clients}`, '-j', '1', ...time, '-D', `clients=${clients}`, '-D', 'i=0'];
  const files = scripts.flatMap((file) => ['-f', file]);
  const printed = await runTool(
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
  const rates = printed
    .matchAll(/^progress: [\d.]+ s, ([\d.]+) tps/gm)
    .toArray()
    .slice(warmUpSeconds);
  if (warmUpSeconds === 0 || rates.length === 0) return Number(rate);
  return rates.reduce((sum, [, tps]) => sum + Number(tps), 0) / rates.length;
}
