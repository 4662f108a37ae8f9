/**
 * `npm run bench:compare -- --with ../before`: compares this checkout with another one of Potluck, in rounds in which
 * both are measured one after the other, in random order. `--processes 2` compares so many processes with one. See
 * README.md.
 */
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { postmasterOf } from '../test/support/processes.ts';
import { openSql, type SqlConnection } from '../test/support/sql-tag.ts';
import { quantile } from '../torture/client.ts';
import type { Environment, Prepared, WorkItem } from './run/environment.ts';
import { measureApp, removeScratch, resetAll, writeRequests } from './run/measure.ts';
import { BenchError, integer } from './run/options.ts';
import type { Server } from './run/processes.ts';
import { stopSignal } from './run/stop.ts';

/** A checkout with its dataset, its server and its requests: schemas and requests may differ. */
type Side = {
  name: 'old' | 'new';
  environment: Environment;
  sql: SqlConnection;
  scratch: string;
  postmaster: number;
  items: Map<string, WorkItem>;
  /** The requests of items that have the same in each round. */
  prepared: Map<WorkItem, Prepared>;
  options: { connections: number; seconds: number };
  start(): Promise<Server>;
};

/** Of one round; CPU in seconds for each request. */
type Sample = { rps: number; server: number; database: number };

const { values } = parseArgs({
  options: {
    with: { type: 'string' },
    processes: { type: 'string', default: '1' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '2' },
    events: { type: 'string', default: '200000' },
  },
});
const connections = 64;

type Scale = { events: number; seconds: number; processes?: number };

async function openSide(
  name: Side['name'],
  checkout: string,
  { events, seconds, processes = 1 }: Scale,
  signal: AbortSignal,
): Promise<Side> {
  const load = <Module>(file: string) =>
    import(pathToFileURL(path.join(checkout, 'bench', file)).href) as Promise<Module>;
  const { openDataset } = await load<typeof import('./seed.ts')>('seed.ts');
  const { createEnvironment } = await load<typeof import('./run/environment.ts')>('run/environment.ts');
  const { workItems } = await load<typeof import('./run/items/all.ts')>('run/items/all.ts');
  const { startApp } = await load<typeof import('./run/processes.ts')>('run/processes.ts');
  const dataset = await openDataset(events, signal);
  const sql = await openSql(dataset.target, 'bench');
  const only = values.only?.toUpperCase().split(',');
  // The second server of items beside writes would take the processor from what is compared.
  const items = workItems.filter(
    ({ item, isBesideWrites }) => !isBesideWrites && (only?.includes(item) ?? true),
  );
  const environment = createEnvironment(dataset, sql, seconds);
  await resetAll(environment, items);
  return {
    name,
    environment,
    sql,
    scratch: await mkdtemp(path.join(dataset.dir, 'bench-')),
    postmaster: await postmasterOf(dataset.dir),
    items: new Map(items.map((work) => [`${work.item} ${work.variant}`, work])),
    prepared: new Map(),
    options: { connections, seconds },
    start: () => startApp(dataset, signal, { processes }),
  };
}

async function closeSide({ environment, sql, scratch, items }: Side): Promise<void> {
  await removeScratch(scratch);
  await resetAll(environment, [...items.values()]);
  await sql.end();
  await environment.dataset.close();
}

async function measure(
  side: Side,
  app: Server,
  work: WorkItem,
  seed: number,
  signal: AbortSignal,
): Promise<Sample> {
  const { environment, postmaster, options } = side;
  const prepared =
    side.prepared.get(work) ?? (await work.prepare(environment, work.isCold ? seed : undefined));
  if (!work.isCold) side.prepared.set(work, prepared);
  const requestsFile = path.join(side.scratch, 'requests');
  await writeRequests(requestsFile, prepared);
  const bench = { environment, app, postmaster, signal, options };
  const round = await measureApp(bench, { work, prepared, requestsFile });
  const { rps } = round.app;
  const ofRequest = (cores: number | null) => (cores ?? Number.NaN) / rps;
  return { rps, server: ofRequest(round.cpu.server), database: ofRequest(round.cpu.database) };
}

/** @returns the ratios new to old of each item */
async function runRound(sides: Side[], seed: number, signal: AbortSignal): Promise<Map<string, Sample>> {
  const servers = new Map<Side, Server>();
  const ratios = new Map<string, Sample>();
  try {
    for (const side of sides) servers.set(side, await side.start());
    const [first, second] = sides.map(({ items }) => items);
    for (const name of first?.keys() ?? []) {
      if (!second?.has(name)) continue;
      const samples: Partial<Record<Side['name'], Sample>> = {};
      for (const side of Math.random() < 0.5 ? sides : sides.toReversed()) {
        const [work, server] = [side.items.get(name), servers.get(side)];
        if (!work || !server) continue;
        process.stderr.write(`${name}, ${side.name}: `);
        const sample = await measure(side, server, work, seed, signal);
        process.stderr.write(`${sample.rps.toFixed(0)}/s\n`);
        samples[side.name] = sample;
      }
      const { old: before, new: after } = samples;
      if (before && after)
        ratios.set(name, {
          rps: after.rps / before.rps,
          server: after.server / before.server,
          database: after.database / before.database,
        });
    }
    return ratios;
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

/** The median with the quartiles. */
function spreadOf(ratios: number[]): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(2));
  return `${middle} (${low}–${high})`;
}

async function main(signal: AbortSignal): Promise<void> {
  const here = path.join(import.meta.dirname, '..');
  const processes = integer('processes', values.processes, 1, 8);
  if (!values.with && processes === 1)
    throw new BenchError('--with names the directory of the other checkout, installed and built.');
  const rounds = integer('rounds', values.rounds, 1, 100);
  const scale = {
    events: integer('events', values.events, 1_000, 10_000_000),
    seconds: integer('seconds', values.seconds, 1, 600),
  };
  const sides = [
    await openSide('old', path.resolve(values.with ?? here), scale, signal),
    await openSide('new', here, { ...scale, processes }, signal),
  ];
  const all = new Map<string, Sample[]>();
  try {
    for (let round = 0; round < rounds; round++) {
      process.stderr.write(`round ${round + 1}/${rounds}\n`);
      for (const [name, sample] of await runRound(sides, (Date.now() % 1_000_000) + round, signal))
        all.set(name, [...(all.get(name) ?? []), sample]);
    }
  } finally {
    for (const side of sides) await closeSide(side);
  }
  console.log('| item | requests a second | CPU of the server | CPU of PostgreSQL |\n|---|---|---|---|');
  for (const [name, samples] of all) {
    const columns = (['rps', 'server', 'database'] as const).map((column) =>
      spreadOf(samples.map((sample) => sample[column])),
    );
    console.log(`| ${[name, ...columns].join(' | ')} |`);
  }
}

const signal = stopSignal();
await main(signal).catch((error: Error) => {
  const expected = signal.aborted ? (signal.reason as Error) : error;
  console.error(signal.aborted || error instanceof BenchError ? expected.message : error);
  process.exitCode = 1;
});
