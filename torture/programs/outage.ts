import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../client.ts';
import { openDatabase } from '../database.ts';
import { countLostWrites, type LoadResponse, startLoad, waitForRecovery } from '../load.ts';
import type { Program } from '../program.ts';

const maxResponseMs = 5_000;

const isRefusal = ({ status, hasRetryAfter }: LoadResponse) => status === 503 && hasRetryAfter;
const isExpected = (response: LoadResponse) => [200, 201].includes(response.status) || isRefusal(response);

export const outage: Program = {
  name: 'outage',
  expectation:
    'the database restarted at once, and stopped for 20 s: only 503 with Retry-After during the outage, ' +
    'recovery within 1 s, no request above 5 s',
  async run({ size, startEnvironment, progress }) {
    const [restarts, outageMs] = [size(5, 1), size(20_000, 2_000)];
    const database = await openDatabase();
    try {
      const environment = await startEnvironment({
        env: { DATABASE_URL: database.url() },
        target: database.target,
      });
      const people = await environment.people(24);
      const [person] = people;
      if (!person) throw new Error('no people were created');
      const load = startLoad(environment, people, { writers: 16, readers: 8 });
      const recoveryMs: number[] = [];
      for (const ms of [...Array.from({ length: restarts }, () => 0), outageMs]) {
        progress(`outage of ${ms} ms`);
        await sleep(1_000);
        await database.stop();
        await sleep(ms);
        await database.start();
        recoveryMs.push(
          ...(await Promise.all(
            environment.servers.map((server) => waitForRecovery(environment, person, server)),
          )),
        );
      }
      await sleep(1_000);
      await load.stop();
      const lost = await countLostWrites(environment, load);
      const others = load.responses.filter((response) => !isExpected(response)).map(({ status }) => status);
      const refused = load.responses.filter(isRefusal).length;
      const slowest = quantile(
        load.responses.map(({ ms }) => ms),
        1,
      );
      return {
        result:
          `${load.responses.length} responses, ${refused} of them 503 with Retry-After, ${others.length} unexpected` +
          `${others.length > 0 ? ` (${[...new Set(others)].join(', ')})` : ''}; recovery after ` +
          `${Math.round(Math.max(...recoveryMs))} ms at most; the slowest response after ${Math.round(slowest)} ms; ${lost} writes lost`,
        ok:
          others.length === 0 &&
          refused > 0 &&
          Math.max(...recoveryMs) < 1_000 &&
          slowest < maxResponseMs &&
          lost === 0,
      };
    } finally {
      await database.close();
    }
  },
};
