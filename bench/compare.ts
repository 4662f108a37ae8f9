/**
 * `npm run bench:compare -- --with ../before`: compares this checkout with another one of Potluck, in rounds in which
 * both are measured one after the other, in random order. See README.md.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { postmasterOf } from '../test/support/processes.ts';
import { openSql, type SqlConnection } from '../test/support/sql-tag.ts';
import type { Environment, Prepared, WorkItem } from './run/environment.ts';
import { Failure, wrk } from './run/load.ts';
import { lineOf, removeScratch, resetAll, waitUntilIdle } from './run/measure.ts';
import { cpuSeconds, cpuSecondsOfAll, type Server } from './run/processes.ts';
import { stopSignal } from './run/stop.ts';
import type { Dataset } from './seed.ts';

/** A checkout with its dataset, its server and its requests: schemas and requests may differ. */
type Side = {
  name: 'old' | 'new';
  environment: Environment;
  sql: SqlConnection;
  scratch: string;
  postmaster: number;
  items: Map<string, WorkItem>;
  start(): Promise<Server>;
};

/** Of one round; CPU in seconds for each request. */
type Sample = { rps: number; server: number; database: number };

const connections = 64;
const options = parseArgs({
  options: {
    with: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '2' },
    events: { type: 'string', default: '200000' },
  },
}).values;
const [rounds, seconds, events] = [options.rounds, options.seconds, options.events].map(Number) as [
  number,
  number,
  number,
];

async function openSide(name: Side['name'], checkout: string, signal: AbortSignal): Promise<Side> {
  const load = <Module>(file: string) =>
    import(pathToFileURL(path.join(checkout, 'bench', file)).href) as Promise<Module>;
  const { openDataset } = await load<typeof import('./seed.ts')>('seed.ts');
  const { createEnvironment } = await load<typeof import('./run/environment.ts')>('run/environment.ts');
  const { workItems } = await load<typeof import('./run/items/all.ts')>('run/items/all.ts');
  const { startApp } = await load<typeof import('./run/processes.ts')>('run/processes.ts');
  const dataset: Dataset = await openDataset(events, signal);
  const sql = await openSql(dataset.target, 'bench');
  const only = options.only?.toUpperCase().split(',');
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
    start: () => startApp(dataset, signal),
  };
}

async function closeSide({ environment, sql, scratch, items }: Side): Promise<void> {
  await removeScratch(scratch);
  await resetAll(environment, [...items.values()]);
  await sql.end();
  await environment.dataset.close();
}

/** @throws Failure if a response or the written data is wrong */
async function measure(
  side: Side,
  server: Server,
  work: WorkItem,
  prepared: Prepared,
  signal: AbortSignal,
): Promise<Sample> {
  const requestsFile = path.join(side.scratch, 'requests');
  await writeFile(requestsFile, prepared.requests.map(lineOf).join(''));
  await prepared.writes?.reset();
  const readCpu = () => Promise.all([cpuSeconds(server.pid), cpuSecondsOfAll(side.postmaster)]);
  const before = await readCpu();
  const { port } = server;
  const load = { port, requestsFile, connections, seconds, once: work.once ?? false };
  const { requests, rps, statuses } = await wrk({ ...load, alsoExpected: work.alsoExpected ?? [] }, signal);
  const after = await readCpu();
  if (prepared.writes) {
    await waitUntilIdle(side.environment);
    const refused = (work.alsoExpected ?? []).reduce((sum, status) => sum + (statuses[status] ?? 0), 0);
    const wrong = await prepared.writes.verify({ acknowledged: requests - refused, connections });
    await prepared.writes.reset();
    if (wrong) throw new Failure(`${side.name}: ${work.item} ${work.variant}: ${wrong}`);
  }
  const cpu = (i: 0 | 1) => ((after[i] ?? 0) - (before[i] ?? 0)) / requests;
  return { rps, server: cpu(0), database: cpu(1) };
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
        const prepared = await work.prepare(side.environment, work.isCold ? seed : undefined);
        samples[side.name] = await measure(side, server, work, prepared, signal);
      }
      const { old: before, new: after } = samples;
      if (before && after)
        ratios.set(name, {
          rps: after.rps / before.rps,
          server: after.server / before.server,
          database: after.database / before.database,
        });
      process.stderr.write(`${name}: ${before?.rps.toFixed(0)}, ${after?.rps.toFixed(0)}\n`);
    }
    return ratios;
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

/** The median with the quartiles. */
function spreadOf(values: number[]): string {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))]?.toFixed(2) ?? '–';
  return `${at(0.5)} (${at(0.25)}–${at(0.75)})`;
}

async function main(signal: AbortSignal): Promise<void> {
  if (!options.with)
    throw new Error('--with names the directory of the other checkout, installed and built.');
  const sides = [
    await openSide('old', path.resolve(options.with), signal),
    await openSide('new', path.join(import.meta.dirname, '..'), signal),
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
  console.error(signal.aborted ? (signal.reason as Error).message : error);
  process.exitCode = 1;
});
