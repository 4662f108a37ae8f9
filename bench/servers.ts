/**
 * Compares configurations of servers, replicas and nodes side by side: the same random requests, in rounds, with the
 * configurations of a round in random order. All of them share this machine, so the CPU time of each request says more
 * than the rate. See README.md.
 */
import { parseArgs } from 'node:util';
import type { Server } from '../test/support/processes.ts';
import { quantile } from '../torture/client.ts';
import { type Environment, openEnvironment } from '../torture/environment.ts';
import { cpuSecondsOfAll } from './run/processes.ts';
import { createWorld, type Mix, mixes, type World } from './servers/mixes.ts';
import { nodesOf, postmasterAt } from './servers/nodes.ts';

const { values: options } = parseArgs({
  options: {
    /** NAME=URL; can be repeated. The first one is what the others are compared with. */
    database: { type: 'string', multiple: true, default: [] },
    /** NAME=URL,URL: replicas of the database NAME. */
    replicas: { type: 'string', multiple: true, default: [] },
    servers: { type: 'string', default: '1,2,3' },
    rounds: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '48' },
    discovery: { type: 'string', default: 'memory' },
  },
});

/** A number of servers on a database, with a number of its replicas. `postmasters`: the primary or coordinator is first. */
type Configuration = { name: string; environment: Environment; world: World; postmasters: number[] };
/** CPU time for each request: of the servers, of all databases, and of the first of these. */
type Round = { rate: number; serverMs: number; databaseMs: number; firstDatabaseMs: number };

const pairOf = (text: string): [string, string] => {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
};

async function open(name: string, url: string, replicas: string[], servers: number): Promise<Configuration> {
  const env = {
    DATABASE_URL: url,
    ...(replicas.length > 0 && { DATABASE_REPLICA_URLS: replicas.join(',') }),
    RATE_LIMIT: '0',
    DISCOVERY: options.discovery,
  };
  const environment = await openEnvironment({ servers, target: url, env });
  const nodes = [...(await nodesOf(url)), ...replicas];
  return {
    name: `${name}, ${servers} server${servers > 1 ? 's' : ''}${replicas.length > 0 ? `, ${replicas.length} replicas` : ''}`,
    environment,
    world: await createWorld(environment),
    postmasters: await Promise.all(nodes.map(postmasterAt)),
  };
}

const sum = (values: number[]): number => values.reduce((total, each) => total + each, 0);

async function measure({ environment, world, postmasters }: Configuration, mix: Mix): Promise<Round> {
  const serverPids = environment.servers.map(({ child }: Server) => child.pid ?? 0);
  const readCpuSeconds = () => Promise.all([...serverPids, ...postmasters].map(cpuSecondsOfAll));
  const before = await readCpuSeconds();
  const since = performance.now();
  const until = since + Number(options.seconds) * 1_000;
  let count = 0;
  const client = async () => {
    while (performance.now() < until) {
      const { method, path, ...call } = mix.next(world);
      const { status, body } = await environment.client.send(method, path, call);
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
      count++;
    }
  };
  await Promise.all(Array.from({ length: Number(options.connections) }, client));
  const seconds = (performance.now() - since) / 1_000;
  const used = (await readCpuSeconds()).map(
    (after, i) => (1_000 * ((after ?? Number.NaN) - (before[i] ?? Number.NaN))) / count,
  );
  const [ofServers, ofDatabases] = [used.slice(0, serverPids.length), used.slice(serverPids.length)];
  return {
    rate: count / seconds,
    serverMs: sum(ofServers),
    databaseMs: sum(ofDatabases),
    firstDatabaseMs: sum(ofDatabases.slice(0, 1)),
  };
}

function describe(rounds: Round[], base: Round[]): string {
  const ratios = rounds.map(({ rate }, i) => rate / (base[i]?.rate ?? Number.NaN));
  const median = (pick: (round: Round) => number) => quantile(rounds.map(pick), 0.5);
  const [low, middle, high] = [0.25, 0.5, 0.75].map((q) => quantile(ratios, q).toFixed(2));
  return [
    `${middle} (${low}–${high})`,
    median(({ rate }) => rate).toFixed(0),
    median(({ serverMs }) => serverMs).toFixed(2),
    median(({ databaseMs }) => databaseMs).toFixed(2),
    median(({ firstDatabaseMs }) => firstDatabaseMs).toFixed(2),
  ].join(' | ');
}

const shuffled = <T>(values: readonly T[]): T[] =>
  values
    .map((value) => ({ value, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);

const configurations: Configuration[] = [];
try {
  const replicas = new Map(options.replicas.map(pairOf));
  for (const [name, url] of options.database.map(pairOf)) {
    const urls = replicas.get(name)?.split(',') ?? [];
    for (const servers of options.servers.split(',').map(Number)) {
      configurations.push(await open(name, url, urls, servers));
    }
  }
  console.log(
    '| requests | configuration | ratio | requests/s | ms of servers | ms of databases | of it the first |',
  );
  console.log('|---|---|---|---|---|---|---|');
  for (const mix of mixes) {
    const rounds = new Map<Configuration, Round[]>(configurations.map((each) => [each, []]));
    // The first round warms up.
    for (let round = 0; round <= Number(options.rounds); round++) {
      for (const configuration of shuffled(configurations)) {
        const measured = await measure(configuration, mix);
        if (round > 0) rounds.get(configuration)?.push(measured);
      }
    }
    const [base] = configurations;
    for (const [{ name }, measured] of rounds) {
      console.log(`| ${mix.name} | ${name} | ${describe(measured, (base && rounds.get(base)) ?? [])} |`);
    }
  }
} finally {
  for (const { environment } of configurations) await environment.close();
}
