import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../database.ts';
import { lostOf, startLoad, untilBack } from '../load.ts';
import type { Program } from '../program.ts';
import { type DatabaseProxy, openProxy } from '../proxy.ts';

/** In ms. */
const longest = 5_000;

/** The most connections that were made within any second. */
function busiestSecond(times: number[]): number {
  return Math.max(0, ...times.map((since) => times.filter((at) => at >= since && at < since + 1_000).length));
}

/** What is done to the network, and for how long in ms. */
const faults = (proxy: DatabaseProxy, ms: number): [string, () => void, number][] => [
  ['latency', () => proxy.set({ delay: 100 }), ms],
  ['reset', () => proxy.reset(), 1_000],
  ['black hole', () => proxy.set({ isBlackHole: true }), ms * 2],
  [
    'FIN at start-up',
    () => {
      proxy.set({ hangsUp: true });
      proxy.reset();
    },
    ms,
  ],
];

export const network: Program = {
  name: 'network',
  promise:
    'latency, reset, black hole and FIN at start-up before the database: every request answered in 5 s, at most 20 reconnects a second',
  async run({ size, open, progress }) {
    const [rounds, ms] = [size(3, 1), size(6_000, 2_000)];
    const database = await openDatabase();
    const { socketDir, port } = database.target;
    const proxy = await openProxy(`${socketDir}/.s.PGSQL.${port}`);
    try {
      // One server: the rate is that of each.
      const url = database.url(proxy.port);
      const environment = await open({ servers: 1, env: { DATABASE_URL: url }, target: database.target });
      const people = await environment.people(24);
      const [person] = people;
      const [server] = environment.servers;
      if (!person || !server) throw new Error('nobody came');
      const load = startLoad(environment, people, { writers: 12, readers: 8 });
      const back: number[] = [];
      for (const [name, begin, lasts] of Array.from({ length: rounds }, () => faults(proxy, ms)).flat()) {
        progress(name);
        await sleep(1_500);
        begin();
        await sleep(lasts);
        proxy.set({});
        back.push(await untilBack(environment, person, server));
      }
      await load.stop();
      const lost = await lostOf(environment, load);
      const slowest = Math.max(...load.answered.map((answered) => answered.ms));
      const rate = busiestSecond(proxy.connections);
      const wrong = load.answered
        .map(({ status }) => status)
        .filter((status) => ![200, 201, 503].includes(status));
      return {
        figure:
          `${load.answered.length} requests, the slowest answered after ${Math.round(slowest)} ms, ${wrong.length} with ` +
          `another status than 200, 201 and 503${wrong.length > 0 ? ` (${[...new Set(wrong)].join(', ')})` : ''}; at most ${rate} connections in a second; ` +
          `back after ${Math.round(Math.max(...back))} ms at most; ${lost} writes lost`,
        ok: slowest < longest && rate <= 20 && wrong.length === 0 && lost === 0 && Math.max(...back) < 10_000,
      };
    } finally {
      proxy.close();
      await database.close();
    }
  },
};
