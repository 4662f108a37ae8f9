import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../database.ts';
import { type Answered, lostOf, startLoad, untilBack } from '../load.ts';
import type { Program } from '../program.ts';

/** In ms. */
const longest = 5_000;

const isRefusal = ({ status, retryAfter }: Answered) => status === 503 && retryAfter;
const isAnswer = (answered: Answered) => [200, 201].includes(answered.status) || isRefusal(answered);

export const outage: Program = {
  name: 'outage',
  promise:
    'the database restarted at once, and away for 20 s: only 503 with Retry-After meanwhile, back in 1 s, no request above 5 s',
  async run({ size, open, progress }) {
    const [restarts, away] = [size(5, 1), size(20_000, 2_000)];
    const database = await openDatabase();
    try {
      const environment = await open({ env: { DATABASE_URL: database.url() }, target: database.target });
      const people = await environment.people(24);
      const [person] = people;
      if (!person) throw new Error('nobody came');
      const load = startLoad(environment, people, { writers: 16, readers: 8 });
      const back: number[] = [];
      for (const ms of [...Array.from({ length: restarts }, () => 0), away]) {
        progress(`away for ${ms} ms`);
        await sleep(1_000);
        await database.stop();
        await sleep(ms);
        await database.start();
        back.push(
          ...(await Promise.all(environment.servers.map((server) => untilBack(environment, person, server)))),
        );
      }
      await sleep(1_000);
      await load.stop();
      const lost = await lostOf(environment, load);
      const others = load.answered.filter((answered) => !isAnswer(answered)).map(({ status }) => status);
      const refused = load.answered.filter(isRefusal).length;
      const slowest = Math.max(...load.answered.map(({ ms }) => ms));
      return {
        figure:
          `${load.answered.length} answers, ${refused} of them 503 with Retry-After, ${others.length} of another kind` +
          `${others.length > 0 ? ` (${[...new Set(others)].join(', ')})` : ''}; back after ` +
          `${Math.round(Math.max(...back))} ms at most; the slowest answer ${Math.round(slowest)} ms; ${lost} writes lost`,
        ok:
          others.length === 0 && refused > 0 && Math.max(...back) < 1_000 && slowest < longest && lost === 0,
      };
    } finally {
      await database.close();
    }
  },
};
