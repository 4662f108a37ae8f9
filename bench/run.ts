/**
 * `npm run bench`: compares the speed of Potluck with the limits of the database and of Node. See README.md.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EmbeddedError } from '#embedded-postgres';
import { postmasterOf } from '../test/support/processes.ts';
import { openSql } from '../test/support/sql-tag.ts';
import { createEnvironment, type WorkItem } from './run/environment.ts';
import { workItems } from './run/items/all.ts';
import { Failure } from './run/load.ts';
import {
  type Bench,
  measure,
  type PreparedItem,
  prepare,
  prepareCold,
  type Round,
  removeScratch,
  resetAll,
  warmUp,
} from './run/measure.ts';
import { BenchError, help, type Options, readOptions } from './run/options.ts';
import { exists, rssMb, startApp } from './run/processes.ts';
import { describeMachine, formatTable, type Result, summarize } from './run/report.ts';
import { Stopped, stopSignal } from './run/stop.ts';
import { type Dataset, DatasetError, openDataset } from './seed.ts';

async function main(signal: AbortSignal): Promise<void> {
  const options = readOptions(process.argv.slice(2), [...new Set(workItems.map(({ item }) => item))]);
  if (!options) return void process.stdout.write(help);
  if (!(await exists('wrk')))
    throw new BenchError('The load generator wrk is missing: apt-get install wrk (or brew install wrk).');
  const dataset = await openDataset(options.events, signal);
  try {
    await runBench(dataset, options, signal);
  } finally {
    await dataset.close();
  }
}

async function runBench(dataset: Dataset, options: Options, signal: AbortSignal): Promise<void> {
  const sql = await openSql(dataset.target, 'bench');
  const environment = createEnvironment(dataset, sql, options.seconds);
  const items = workItems.filter(({ item }) => options.only?.includes(item) ?? true);
  const scratch = await mkdtemp(path.join(dataset.dir, 'bench-'));
  const hasPgbench = await exists('pgbench');
  const notes = hasPgbench
    ? []
    : ['pgbench is missing (apt-get install postgresql-contrib): the SQL limit is not measured.'];
  try {
    await resetAll(environment, items);
    const app = await startApp(dataset, signal, { discovery: options.discovery });
    const postmaster = await postmasterOf(dataset.dir);
    const bench: Bench = { environment, options, app, postmaster, hasPgbench, scratch, signal, notes };
    try {
      const atStart = await rssMb(app.pid);
      const results = await measureAll(bench, items);
      const memory = `The server's RSS: ${atStart ?? '?'} MB at the start, ${(await rssMb(bench.app.pid)) ?? '?'} MB at the end.`;
      const [row] = await sql<[{ version: string }]>`select current_setting('server_version') as version`;
      const seeds = `Varied requests: seeds from ${firstSeed + 1}.`;
      await report(options, results, [seeds, memory, ...notes, describeMachine(row.version)]);
    } finally {
      await bench.app.stop();
    }
  } finally {
    await removeScratch(scratch);
    if (signal.aborted) await resetAll(environment, items).catch(() => {});
    await sql.end();
  }
}

/**
 * Measures all items in each round, so that a temporary disturbance of the machine affects all items alike.
 */
async function measureAll(bench: Bench, items: WorkItem[]): Promise<Result[]> {
  const preparedItems = new Map<WorkItem, PreparedItem>();
  const rounds = new Map<WorkItem, Round[]>(items.map((work) => [work, []]));
  const failed = new Set<WorkItem>();
  for (let round = 1; round <= bench.options.rounds; round++) {
    for (const work of items) {
      if (failed.has(work)) continue;
      process.stderr.write(`round ${round}/${bench.options.rounds}: ${work.item} ${work.variant}\n`);
      try {
        const existing = preparedItems.get(work);
        // The writes of other items invalidated the caches of the app, but not those of the database.
        if (existing && !existing.prepared.writes && !work.isCold) await warmUp(bench, existing);
        const preparedItem = existing ?? (await prepare(bench, work));
        preparedItems.set(work, preparedItem);
        if (work.isCold) await prepareCold(bench, preparedItem, firstSeed + round);
        rounds.get(work)?.push(await measure(bench, preparedItem));
      } catch (error) {
        bench.signal.throwIfAborted();
        if (!(error instanceof Failure)) throw error;
        failed.add(work);
        fail(bench, work, error);
      }
    }
  }
  return items.map((work) =>
    summarize(work, failed.has(work) ? [] : (rounds.get(work) ?? []), bench.options.events),
  );
}

function fail({ notes }: Bench, { item, variant }: WorkItem, { message }: Failure): void {
  const text = `FAILED: ${item} ${variant}: ${message}`;
  process.stderr.write(`${text}\n`);
  notes.push(text);
  process.exitCode = 1;
}

/** Of the requests of the first round; each round has the next seed. */
const firstSeed = Math.floor(Date.now() / 1_000) % 1_000_000;

async function report(
  { json, events, rounds, seconds, connections }: Options,
  results: Result[],
  notes: string[],
) {
  const unmeasured = results.filter(
    ({ app, limits }) => !app || limits.pgbench === null || limits.bareNode === null,
  );
  const names = unmeasured.map(({ item, variant }) => `${item} ${variant}`).join('; ');
  if (names) notes.push(`Not fully measured: ${names}.`);
  const parameters = `${events.toLocaleString('en')} events, ${connections} connections, ${rounds} × ${seconds} s`;
  console.log(['', formatTable(results), '', parameters, ...notes].join('\n'));
  if (json) await writeFile(json, `${JSON.stringify(results, null, 2)}\n`);
}

const signal = stopSignal();
const expectedErrors = [BenchError, DatasetError, EmbeddedError, Failure, Stopped];

await main(signal).catch((thrown: Error) => {
  const error = signal.aborted ? (signal.reason as Error) : thrown;
  console.error(expectedErrors.some((type) => error instanceof type) ? error.message : error);
  process.exitCode = error instanceof Stopped ? 130 : 1;
});
