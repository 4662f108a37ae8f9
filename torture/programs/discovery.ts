import { setTimeout as sleep } from 'node:timers/promises';
import { type Server, stop } from '../../test/support/processes.ts';
import { randomOf } from '../../test/support/random.ts';
import { runConcurrently } from '../client.ts';
import { observeWrites } from '../discovery/observer.ts';
import { type List, type ListQuery, type Oracle, readOracle, readVersion } from '../discovery/oracle.ts';
import { isIndexed, pathOf, randomQuery } from '../discovery/queries.ts';
import {
  addOrganizers,
  fault,
  randomFields,
  readRandomly,
  type Traffic,
  writeRandomly,
} from '../discovery/traffic.ts';
import type { Environment, Person } from '../environment.ts';
import { waitForRecovery } from '../load.ts';
import type { Program } from '../program.ts';

const seed = 20_261_122;
const [writers, observers, readers] = [8, 3, 3];
/** More changes than the number after which an index is rebuilt. */
const initialEvents = 2_500;
/** Queries of an oracle that become obsolete because a request of the burst takes effect late are repeated. */
const maxOracles = 10;

export const discovery: Program = {
  name: 'discovery',
  expectation:
    'bursts of writes on two servers, while a server or PostgreSQL is killed, a server restarted, or a server too ' +
    'late for the change log: then every list of both servers and of one with DISCOVERY=sql equals a plain ' +
    'computation over all rows, and every acknowledged write is in the next list',
  quick: true,
  async run({ size, startEnvironment, progress }) {
    const [rounds, burstMs, lists] = [size(25, 2), size(4_000, 800), size(400, 100)];
    const environment = await startEnvironment();
    const sqlServer = await environment.start({ DISCOVERY: 'sql' });
    const traffic = await prepare(environment, size(initialEvents, 300));
    let compared = 0;
    for (let round = 0; round < rounds; round++) {
      const failure = failures[round % failures.length] as Failure;
      progress(`round ${round + 1} of ${rounds}: ${failure.name}, ${compared} lists compared`);
      await burst(traffic, sqlServer, failure, burstMs);
      await untilIndexed(environment, sqlServer);
      compared += await compareLists(traffic, lists);
    }
    const { faults, counts } = traffic;
    const number = (n: number) => n.toLocaleString('en');
    return {
      result:
        `${faults.length} differences or errors in ${number(compared)} lists after and ${number(counts.reads)} during ` +
        `${rounds} bursts of ${number(counts.writes)} writes; ${number(counts.observed)} lists right after a write` +
        `${faults.length > 0 ? `; for example ${faults.slice(0, 3).join('\n')}` : ''}`,
      ok: faults.length === 0 && compared === rounds * lists * 3 && counts.observed > rounds * 10,
    };
  },
};

async function prepare(environment: Environment, count: number): Promise<Traffic> {
  const [admin, ...viewers] = await environment.people(4);
  if (!admin) throw new Error('no people were created');
  await environment.sql`update users set role = 'admin' where id = ${admin.id}`;
  const traffic: Traffic = {
    environment,
    random: randomOf(seed),
    admin,
    viewers,
    organizers: [],
    events: [],
    failures: { running: 0, begun: 0 },
    faults: [],
    counts: { writes: 0, reads: 0, observed: 0 },
    phones: 0,
  };
  traffic.organizers.push(...(await addOrganizers(traffic, 40)));
  await runConcurrently(count, 24, async () => {
    const person = traffic.random.pick(traffic.organizers);
    const { status, body } = await environment.client.send('POST', '/v1/events', {
      token: person.token,
      body: randomFields(traffic.random),
    });
    if (status !== 201) throw new Error(`the event was not created: ${JSON.stringify(body)}`);
    traffic.events.push({ id: body.id, organizerId: person.id, person });
  });
  return traffic;
}

/**
 * Something that fails during a burst. It resolves when all servers work again; until then, requests may get a 503 or
 * no response if `isOutage` is set.
 */
type Failure = {
  name: string;
  isOutage: boolean;
  run(environment: Environment, server: Server, admin: Person): Promise<void>;
};

const failures: Failure[] = [
  {
    name: 'PostgreSQL killed',
    isOutage: true,
    run: (environment, _, admin) => killDatabase(environment, admin),
  },
  { name: 'a server too late for the change log', isOutage: false, run: missChanges },
  {
    name: 'a server killed',
    isOutage: true,
    run: (environment, server) => restart(environment, server, 'SIGKILL'),
  },
  { name: 'no failure', isOutage: false, run: async () => {} },
  {
    name: 'a server restarted',
    isOutage: true,
    run: (environment, server) => restart(environment, server, 'SIGTERM'),
  },
];

async function restart(environment: Environment, server: Server, signal: NodeJS.Signals): Promise<void> {
  environment.servers.splice(environment.servers.indexOf(server), 1);
  await stop(server, signal);
  await environment.start();
}

async function killDatabase(environment: Environment, admin: Person): Promise<void> {
  process.kill(await environment.postmaster(), 'SIGKILL');
  await sleep(50);
  const times = await Promise.all(
    environment.servers.map((server) => waitForRecovery(environment, admin, server)),
  );
  if (!times.every(Number.isFinite)) throw new Error('a server has not recovered');
}

/** Suspends the process of a server, and deletes changes that it has not read, as housekeeping does after a while. */
async function missChanges({ sql }: Environment, { child }: Server): Promise<void> {
  // `serve` runs a shell that has become the server, so the signal reaches the server itself.
  child.kill('SIGSTOP');
  try {
    await sleep(400);
    await sql`delete from changes`;
  } finally {
    child.kill('SIGCONT');
  }
}

async function burst(traffic: Traffic, sqlServer: Server, failure: Failure, ms: number): Promise<void> {
  const oracle = await readOracle(traffic.environment);
  const state = { isOver: false };
  const isOver = () => state.isOver;
  const done = Promise.all([
    ...Array.from({ length: writers }, () => writeRandomly(traffic, isOver)),
    ...Array.from({ length: observers }, () => observeWrites(traffic, isOver)),
    ...Array.from({ length: readers }, () => readRandomly(traffic, oracle, isOver)),
  ]);
  try {
    await sleep(ms / 2);
    const server = traffic.random.pick(traffic.environment.servers.filter((each) => each !== sqlServer));
    if (failure.isOutage) {
      traffic.failures.begun++;
      traffic.failures.running++;
    }
    await failure.run(traffic.environment, server, traffic.admin);
    traffic.failures.running = 0;
    await sleep(ms / 2);
  } finally {
    state.isOver = true;
    await done;
  }
}

/** Waits until all servers but the one with DISCOVERY=sql have an index. */
async function untilIndexed({ client, servers }: Environment, sqlServer: Server): Promise<void> {
  for (const server of servers.filter((each) => each !== sqlServer)) {
    for (let waited = 0; !(await isIndexed(client, server)); waited += 20) {
      if (waited > 20_000) throw new Error('a server has not loaded its index');
      await sleep(20);
    }
  }
}

/** Sends queries to all servers. @returns the number of lists that were compared */
async function compareLists(traffic: Traffic, count: number): Promise<number> {
  const { environment, random, viewers } = traffic;
  const callerIds = viewers.map(({ id }) => id);
  for (let attempt = 0; attempt < maxOracles; attempt++) {
    const version = await readVersion(environment);
    const oracle = await readOracle(environment);
    const found: string[] = [];
    const compared = await runConcurrently(count, 6, async () => {
      const { query, expected } = pickQuery(() => randomQuery(random, oracle, callerIds), oracle);
      const differences = await Promise.all(
        environment.servers.map((server) => differenceOf(traffic, server, query, expected)),
      );
      found.push(...differences.flatMap((difference) => difference ?? []));
      return differences.length;
    });
    if ((await readVersion(environment)) !== version) continue;
    for (const difference of found) fault(traffic, difference);
    return compared.reduce((sum, n) => sum + n, 0);
  }
  throw new Error('events changed although no write was under way');
}

function pickQuery(next: () => ListQuery, oracle: Oracle): { query: ListQuery; expected: List } {
  for (;;) {
    const query = next();
    const expected = oracle.list(query);
    if (expected) return { query, expected };
  }
}

async function differenceOf(
  { environment, viewers }: Traffic,
  server: Server,
  query: ListQuery,
  expected: List,
): Promise<string | null> {
  const token = viewers.find(({ id }) => id === query.callerId)?.token;
  const { status, body } = await environment.client.send('GET', pathOf(query), {
    server,
    ...(token && { token }),
  });
  const ids = status === 200 ? body.data.map((event: { id: string }) => event.id) : [];
  const meta = { total: expected.total, page: query.page, limit: query.limit };
  if (status === 200 && `${ids}` === `${expected.ids}` && isEqual(body.meta, meta)) return null;
  const shown = {
    query,
    server: environment.servers.indexOf(server),
    status,
    meta: body.meta,
    ids,
    expected,
  };
  return JSON.stringify(shown);
}

const isEqual = (a: Record<string, number>, b: Record<string, number>): boolean =>
  Object.entries(b).every(([name, value]) => a[name] === value);
