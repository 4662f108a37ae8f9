import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../client.ts';
import { openDatabase } from '../database.ts';
import { countLostWrites, startLoad, waitForRecovery } from '../load.ts';
import type { Program } from '../program.ts';
import { type DatabaseProxy, openProxy } from '../proxy.ts';

const maxResponseMs = 5_000;

/** The largest number of connection attempts within one second. */
function maxConnectionsPerSecond(times: number[]): number {
  return Math.max(0, ...times.map((since) => times.filter((at) => at >= since && at < since + 1_000).length));
}

/** The name of each fault, the function that starts it, and its duration in ms. */
const faults = (proxy: DatabaseProxy, ms: number): [string, () => void, number][] => [
  ['latency', () => proxy.setFault({ delayMs: 100 }), ms],
  ['reset', () => proxy.reset(), 1_000],
  ['black hole', () => proxy.setFault({ isBlackHole: true }), ms * 2],
  [
    'FIN at start-up',
    () => {
      proxy.setFault({ closesNewConnections: true });
      proxy.reset();
    },
    ms,
  ],
];

export const network: Program = {
  name: 'network',
  expectation:
    'latency, resets, a black hole and FIN at start-up between server and database: every request gets a ' +
    'response within 5 s, at most 20 reconnects a second',
  async run({ size, startEnvironment, progress }) {
    const [rounds, ms] = [size(3, 1), size(6_000, 2_000)];
    const database = await openDatabase();
    const { socketDir, port } = database.target;
    const proxy = await openProxy(`${socketDir}/.s.PGSQL.${port}`);
    try {
      // One server, because the limit of reconnects is per server.
      const url = database.url(proxy.port);
      const environment = await startEnvironment({
        servers: 1,
        env: { DATABASE_URL: url },
        target: database.target,
      });
      const people = await environment.people(24);
      const [person] = people;
      const [server] = environment.servers;
      if (!person || !server) throw new Error('no people were created');
      const load = startLoad(environment, people, { writers: 12, readers: 8 });
      const recoveryMs: number[] = [];
      for (const [name, start, durationMs] of Array.from({ length: rounds }, () =>
        faults(proxy, ms),
      ).flat()) {
        progress(name);
        await sleep(1_500);
        start();
        await sleep(durationMs);
        proxy.setFault({});
        recoveryMs.push(await waitForRecovery(environment, person, server));
      }
      await load.stop();
      const lost = await countLostWrites(environment, load);
      const slowest = quantile(
        load.responses.map(({ ms }) => ms),
        1,
      );
      const rate = maxConnectionsPerSecond(proxy.connections);
      const otherStatuses = load.responses
        .map(({ status }) => status)
        .filter((status) => ![200, 201, 503].includes(status));
      return {
        result:
          `${load.responses.length} requests, the slowest response after ${Math.round(slowest)} ms, ${otherStatuses.length} with ` +
          `a status other than 200, 201 and 503${otherStatuses.length > 0 ? ` (${[...new Set(otherStatuses)].join(', ')})` : ''}; at most ${rate} connections in a second; ` +
          `recovery after ${Math.round(Math.max(...recoveryMs))} ms at most; ${lost} writes lost`,
        ok:
          slowest < maxResponseMs &&
          rate <= 20 &&
          otherStatuses.length === 0 &&
          lost === 0 &&
          Math.max(...recoveryMs) < 10_000,
      };
    } finally {
      proxy.close();
      await database.close();
    }
  },
};
