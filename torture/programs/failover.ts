import { setTimeout as sleep } from 'node:timers/promises';
import { assertCounters } from '../../test/support/invariants.ts';
import { countBroken, startCrashWriters } from '../crash-writers.ts';
import type { Environment, Person } from '../environment.ts';
import { type Cluster, openCluster } from '../failover/cluster.ts';
import { startLatestReader } from '../failover/latest-reader.ts';
import type { Node } from '../failover/node.ts';
import { countStaleReads, countWrongEvents } from '../failover/served-events.ts';
import { waitForRecovery } from '../load.ts';
import type { Program } from '../program.ts';

const maxWriteMs = 2_000;
/** What an asynchronous standby is behind when the primary is killed. */
const replicationDelayMs = 300;

/** Each begins with a primary that has two standbys, and makes Patroni promote one of them. */
const faults: {
  name: string;
  begin(cluster: Cluster, primary: Node): Promise<unknown>;
  end(primary: Node): void;
}[] = [
  {
    name: 'kill -9',
    begin: (_, primary) => primary.kill(),
    end: (primary) => {
      primary.heal();
      primary.start();
    },
  },
  { name: 'network cut', begin: async (_, primary) => primary.cut(), end: (primary) => primary.heal() },
  { name: 'switch-over', begin: (cluster) => cluster.switchOver(), end: () => {} },
];

type Fault = (typeof faults)[number];
type Failover = { name: string; outageMs: number; writeMs: number; stale: number };
type World = { cluster: Cluster; environment: Environment; people: Person[]; progress(text: string): void };

/** @returns the time without a primary, and the time from the promotion to the first write on every server */
async function failOver(
  { cluster, environment, people }: World,
  { name, begin, end }: Fault,
): Promise<Failover> {
  const [person] = people;
  if (!person) throw new Error('no people were created');
  const primary = await cluster.waitUntilHealthy();
  await sleep(2_000);
  const since = performance.now();
  const begun = begin(cluster, primary);
  // A rejection is awaited below, when the servers have been measured.
  begun.catch(() => {});
  const promotedAt = await cluster.waitForPromotion(primary);
  await Promise.all(environment.servers.map((server) => waitForRecovery(environment, person, server)));
  const writeMs = performance.now() - promotedAt;
  const stale = await countStaleReads(environment, person, 20);
  await begun;
  end(primary);
  return { name, outageMs: promotedAt - since, writeMs, stale };
}

type Phase = {
  failovers: Failover[];
  writes: number;
  lost: number;
  events: number;
  /** Events that a server shows otherwise than the database has them. */
  wrong: number;
  /** Statuses other than 2xx and 503, and kinds of writes that did not occur. */
  unexpected: string[];
};

/** Runs each fault while people write, and compares what was acknowledged and what is served with the database. */
async function runPhase(world: World, chosen: Fault[], prepare: () => Promise<void>): Promise<Phase> {
  const { cluster, environment, people, progress } = world;
  const writers = startCrashWriters(environment, people, 8);
  const { promised } = writers;
  const reader = startLatestReader(environment, promised.events);
  const failovers: Failover[] = [];
  for (const [i, fault] of chosen.entries()) {
    progress(`${fault.name}, ${i + 1} of ${chosen.length}`);
    await prepare();
    failovers.push(await failOver(world, fault));
  }
  await cluster.waitUntilHealthy();
  await Promise.all([writers.stop(), reader.stop()]);
  const broken = await countBroken(environment, promised);
  const statuses = [...writers.statuses].filter(([status]) => status >= 300 && status !== 503);
  const missing = Object.entries(promised).filter(([, rows]) => rows.length === 0);
  return {
    failovers,
    writes: writers.writes(),
    lost: Object.values(broken).reduce((sum, each) => sum + each, 0),
    events: promised.events.length,
    wrong: await countWrongEvents(environment, promised.events),
    unexpected: [
      ...statuses.map(([status, number]) => `${number} × ${status}`),
      ...missing.map(([kind]) => `no ${kind}`),
    ],
  };
}

function describe({ failovers }: Phase): string {
  const names = [...new Set(failovers.map(({ name }) => name))];
  const texts = names.map((name) => {
    const own = failovers.filter((each) => each.name === name);
    const longest = (times: number[]) => (Math.max(...times) / 1_000).toFixed(1);
    const outage = longest(own.map(({ outageMs }) => outageMs));
    const write = longest(own.map(({ writeMs }) => writeMs));
    return `${name} ${own.length} ×, promotion after ${outage} s at most, a write on each server ${write} s later at most`;
  });
  return texts.join('; ');
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

export const failover: Program = {
  name: 'failover',
  expectation:
    'the primary of three PostgreSQL with Patroni killed, cut off and switched over, three times each, during ' +
    'writes of eight kinds: with synchronous replication no acknowledged write is lost, counters are exact, ' +
    'each server writes within 2 s of the promotion; with asynchronous replication, no server shows what was lost; no read after a write is stale',
  async run({ size, startEnvironment, progress, addCleanup }) {
    const rounds = Array.from({ length: size(3, 1) });
    const cluster = await openCluster();
    addCleanup(() => cluster.close());
    const environment = await startEnvironment({
      env: { DATABASE_URL: cluster.url, MESSAGES_PER_MINUTE: '0' },
      target: cluster.directUrl,
    });
    const world = { cluster, environment, people: await environment.people(24), progress };
    const synchronous = await runPhase(
      world,
      rounds.flatMap(() => faults),
      async () => {},
    );
    const counters = await assertCounters(environment.sql).then(
      () => null,
      (error: Error) => error.message.slice(0, 300),
    );
    await cluster.setSynchronous(false);
    // In the order of `faults`, the first one kills.
    const asynchronous = await runPhase(
      world,
      rounds.flatMap(() => faults.slice(0, 1)),
      async () => {
        (await cluster.waitUntilHealthy()).delayReplication(replicationDelayMs);
      },
    );
    const phases = [synchronous, asynchronous];
    const failovers = phases.flatMap((phase) => phase.failovers);
    const stale = sum(failovers.map((each) => each.stale));
    const wrong = sum(phases.map((phase) => phase.wrong));
    return {
      result:
        `synchronous: ${synchronous.lost} of ${synchronous.writes} acknowledged writes lost, ` +
        `${counters ?? 'counters are exact'}, unexpected: ${synchronous.unexpected.join(', ') || 'nothing'}; ${describe(synchronous)}. ` +
        `Asynchronous, ${replicationDelayMs} ms behind: ${asynchronous.lost} of ${asynchronous.writes} lost; ${describe(asynchronous)}. ` +
        `${stale} stale reads after a failover; ${wrong} of ${sum(phases.map(({ events }) => events))} events shown otherwise than stored`,
      ok:
        synchronous.lost + synchronous.unexpected.length + stale + wrong === 0 &&
        counters === null &&
        // Otherwise nothing shows that no server shows what is lost.
        asynchronous.lost > 0 &&
        failovers.every(({ writeMs }) => writeMs <= maxWriteMs),
    };
  },
};
