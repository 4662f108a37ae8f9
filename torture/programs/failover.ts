import { setTimeout as sleep } from 'node:timers/promises';
import { assertCounters } from '../../test/invariants.ts';
import { type CrashWriters, countBroken, startCrashWriters } from '../crash-writers.ts';
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
type Measured = { name: string; outageMs: number; writeMs: number; stale: number };

/** @returns the time without a primary, and the time from the promotion to the first write on every server */
async function failOver(
  cluster: Cluster,
  environment: Environment,
  person: Person,
  { name, begin, end }: Fault,
): Promise<Measured> {
  const primary = await cluster.waitUntilHealthy();
  await sleep(2_000);
  const since = performance.now();
  const begun = begin(cluster, primary);
  const promotedAt = await cluster.waitForPromotion(primary);
  const writes = environment.servers.map((server) => waitForRecovery(environment, person, server));
  await Promise.all(writes);
  const writeMs = performance.now() - promotedAt;
  const stale = await countStaleReads(environment, person, 20);
  await begun;
  end(primary);
  return { name, outageMs: promotedAt - since, writeMs, stale };
}

async function lostOf(environment: Environment, { promised }: CrashWriters): Promise<number> {
  const broken = await countBroken(environment, promised);
  return Object.values(broken).reduce((sum, each) => sum + each, 0);
}

const describe = (name: string, measured: Measured[]): string => {
  const own = measured.filter((each) => each.name === name);
  const seconds = (pick: (each: Measured) => number) => (Math.max(...own.map(pick)) / 1_000).toFixed(1);
  return `${name} ${own.length} ×: promotion after ${seconds(({ outageMs }) => outageMs)} s at most, a write on each server ${seconds(({ writeMs }) => writeMs)} s later at most`;
};

export const failover: Program = {
  name: 'failover',
  expectation:
    'the primary of three PostgreSQL with Patroni killed, cut off and switched over, three times each, during ' +
    'writes of eight kinds: with synchronous replication no acknowledged write is lost, counters are exact, ' +
    'each server writes within 2 s of the promotion; with asynchronous replication, no server shows what was lost; no read after a write is stale',
  async run({ size, startEnvironment, progress, addCleanup }) {
    const [rounds, asynchronousRounds] = [size(3, 1), size(3, 1)];
    const cluster = await openCluster();
    addCleanup(() => cluster.close());
    const environment = await startEnvironment({
      env: { DATABASE_URL: cluster.url, MESSAGES_PER_MINUTE: '0' },
      target: cluster.directUrl,
    });
    const people = await environment.people(24);
    const [person] = people;
    if (!person) throw new Error('no people were created');

    const writers = startCrashWriters(environment, people, 8);
    const reader = startLatestReader(environment, writers.promised.events);
    const measured: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const fault of faults) {
        progress(`${fault.name}, ${round + 1} of ${rounds}`);
        measured.push(await failOver(cluster, environment, person, fault));
      }
    }
    await cluster.waitUntilHealthy();
    await writers.stop();
    const lost = await lostOf(environment, writers);
    const wrong = await countWrongEvents(environment, writers.promised.events);
    const unexpected = [...writers.statuses].filter(([status]) => status >= 300 && status !== 503);
    const kinds = Object.entries(writers.promised).filter(([, rows]) => rows.length === 0);
    const counters = await assertCounters(environment.sql).then(
      () => null,
      (error: Error) => error.message.slice(0, 300),
    );
    await reader.stop();

    await cluster.setSynchronous(false);
    const lossy = startCrashWriters(environment, people, 8);
    const lossyReader = startLatestReader(environment, lossy.promised.events);
    const [kill] = faults;
    if (!kill) throw new Error('there is no fault');
    const asynchronous: Measured[] = [];
    for (let round = 0; round < asynchronousRounds; round++) {
      progress(`asynchronous, ${round + 1} of ${asynchronousRounds}`);
      (await cluster.waitUntilHealthy()).delayReplication(replicationDelayMs);
      asynchronous.push(await failOver(cluster, environment, person, kill));
    }
    await cluster.waitUntilHealthy();
    await lossy.stop();
    await lossyReader.stop();
    const lossyLost = await lostOf(environment, lossy);
    const lossyWrong = await countWrongEvents(environment, lossy.promised.events);

    const all = [...measured, ...asynchronous];
    const stale = all.reduce((sum, each) => sum + each.stale, 0);
    return {
      result:
        `synchronous: ${lost} of ${writers.writes()} acknowledged writes lost, ${counters ?? 'counters are exact'}, ` +
        `${faults.map(({ name }) => describe(name, measured)).join('; ')}; unexpected statuses: ` +
        `${unexpected.map(([status, number]) => `${number} × ${status}`).join(', ') || 'none'}` +
        `${kinds.length > 0 ? `; no ${kinds.map(([kind]) => kind).join(', ')}` : ''}. Asynchronous, ${replicationDelayMs} ms behind: ` +
        `${lossyLost} of ${lossy.writes()} acknowledged writes lost, ${describe(kill.name, asynchronous)}. ` +
        `${stale} stale reads after a failover; ${wrong + lossyWrong} of ` +
        `${writers.promised.events.length + lossy.promised.events.length} events shown otherwise than stored`,
      ok:
        lost + unexpected.length + kinds.length + stale + wrong + lossyWrong === 0 &&
        counters === null &&
        // Otherwise nothing shows that no server shows what is lost.
        lossyLost > 0 &&
        all.every(({ writeMs }) => writeMs <= maxWriteMs),
    };
  },
};
