/** `npm run bench`: how fast the app is, beside what the database and Node could do at most. See README.md. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EmbeddedError } from '../src/db/embedded/placement.ts';
import { openSql } from '../test/sql-tag.ts';
import { createEnvironment, type WorkItem } from './run/environment.ts';
import { workItems } from './run/items/all.ts';
import { Failure } from './run/load.ts';
import {
  type Bench,
  measure,
  type Prepping,
  prepare,
  prepareCold,
  type Round,
  removeScratch,
  takeBackAll,
  warmUp,
} from './run/measure.ts';
import { BenchError, help, type Options, readOptions } from './run/options.ts';
import { exists, rssMb, startApp } from './run/processes.ts';
import { machine, type Result, summarize, tableOf } from './run/report.ts';
import { type Dataset, DatasetError, openDataset } from './seed.ts';

class Stopped extends Error {}

function stopSignal(): AbortSignal {
  const controller = new AbortController();
  // Further signals change nothing: npm passes on the Ctrl-C that the terminal sends to both.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => controller.abort(new Stopped('Stopped.')));
  }
  return controller.signal;
}

async function main(signal: AbortSignal): Promise<void> {
  const options = readOptions(process.argv.slice(2), [...new Set(workItems.map(({ item }) => item))]);
  if (!options) return void process.stdout.write(help);
  if (!(await exists('wrk')))
    throw new BenchError('wrk is missing, the load generator: apt-get install wrk (or brew install wrk).');
  const dataset = await openDataset(options.events, signal);
  try {
    await benchOn(dataset, options, signal);
  } finally {
    await dataset.close();
  }
}

async function benchOn(dataset: Dataset, options: Options, signal: AbortSignal): Promise<void> {
  const sql = await openSql(dataset.target, 'bench');
  const environment = createEnvironment(dataset, sql, options.seconds);
  const chosen = workItems.filter(({ item }) => options.only?.includes(item) ?? true);
  const scratch = await mkdtemp(path.join(dataset.dir, 'bench-'));
  const hasPgbench = await exists('pgbench');
  const notes = hasPgbench
    ? []
    : ['pgbench is missing (apt-get install postgresql-contrib): no limit by SQL alone.'];
  try {
    await takeBackAll(environment, chosen);
    const app = await startApp(dataset, signal);
    const postmaster = await postmasterOf(dataset);
    const bench: Bench = { environment, options, app, postmaster, hasPgbench, scratch, signal, notes };
    try {
      const atStart = await rssMb(app.pid);
      const results = await measureAll(bench, chosen);
      const memory = `The server's RSS: ${atStart ?? '?'} MB at the start, ${(await rssMb(bench.app.pid)) ?? '?'} MB at the end.`;
      const [row] = await sql<[{ version: string }]>`select current_setting('server_version') as version`;
      const seeds = `Varied requests: seeds from ${firstSeed + 1}.`;
      await tell(options, results, [seeds, memory, ...notes, machine(row.version)]);
    } finally {
      await bench.app.stop();
    }
  } finally {
    await removeScratch(scratch);
    if (signal.aborted) await takeBackAll(environment, chosen).catch(() => {});
    await sql.end();
  }
}

async function postmasterOf({ dir }: Dataset): Promise<number> {
  const text = await readFile(path.join(dir, 'postgres', 'postmaster.pid'), 'utf8');
  return Number(text.split('\n', 1)[0]);
}

/** Round by round over all items, so that what disturbs the machine for a while disturbs no item alone. */
async function measureAll(bench: Bench, chosen: WorkItem[]): Promise<Result[]> {
  const preppings = new Map<WorkItem, Prepping>();
  const rounds = new Map<WorkItem, Round[]>(chosen.map((work) => [work, []]));
  const failed = new Set<WorkItem>();
  for (let round = 1; round <= bench.options.rounds; round++) {
    for (const work of chosen) {
      if (failed.has(work)) continue;
      process.stderr.write(`round ${round}/${bench.options.rounds}: ${work.item} ${work.variant}\n`);
      try {
        const known = preppings.get(work);
        // What others wrote meanwhile was forgotten by the app and not by the database.
        if (known && !known.prepared.writes && !work.isCold) await warmUp(bench, known);
        const prepping = known ?? (await prepare(bench, work));
        preppings.set(work, prepping);
        if (work.isCold) await prepareCold(bench, prepping, firstSeed + round);
        rounds.get(work)?.push(await measure(bench, prepping));
      } catch (error) {
        bench.signal.throwIfAborted();
        if (!(error instanceof Failure)) throw error;
        failed.add(work);
        fail(bench, work, error);
      }
    }
  }
  return chosen.map((work) =>
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

async function tell(
  { json, events, rounds, seconds, connections }: Options,
  results: Result[],
  notes: string[],
) {
  const unmeasured = results.filter(
    ({ app, limits }) => !app || limits.pgbench === null || limits.bareNode === null,
  );
  const names = unmeasured.map(({ item, variant }) => `${item} ${variant}`).join('; ');
  if (names) notes.push(`Not measured in full: ${names}.`);
  const how = `${events.toLocaleString('en')} events, ${connections} connections, ${rounds} × ${seconds} s`;
  console.log(['', tableOf(results), '', how, ...notes].join('\n'));
  if (json) await writeFile(json, `${JSON.stringify(results, null, 2)}\n`);
}

const signal = stopSignal();
const foreseen = [BenchError, DatasetError, EmbeddedError, Failure, Stopped];

await main(signal).catch((thrown: Error) => {
  const error = signal.aborted ? (signal.reason as Error) : thrown;
  console.error(foreseen.some((kind) => error instanceof kind) ? error.message : error);
  process.exitCode = error instanceof Stopped ? 130 : 1;
});
