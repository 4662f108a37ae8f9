import { setTimeout as sleep } from 'node:timers/promises';
import { each } from '../client.ts';
import { count } from '../counts.ts';
import type { Program } from '../program.ts';

const most = 600;

export const limit: Program = {
  name: 'limit',
  promise: `thousands of requests in a minute to two servers with RATE_LIMIT=${most}: at most ${most * 1.1} pass, a twentieth a server above it`,
  async run({ size, open }) {
    const environment = await open({
      env: { RATE_LIMIT: `${most}`, TRUST_PROXY: 'loopback', DEV_CODES: 'on' },
    });
    // All of it within one minute of the clock.
    const left = 60_000 - (Date.now() % 60_000);
    if (left < size(20_000, 4_000)) await sleep(left + 50);
    const addresses = size(10, 2);
    const passed = await each(addresses, addresses, async (i) => {
      const answers = await each(size(3_000, 1_000), 64, () =>
        environment.client.ask('GET', '/v1/categories', { headers: { 'x-forwarded-for': `203.0.113.${i}` } }),
      );
      return count(answers.map(({ status }) => status));
    });
    const through = passed.map((tally) => tally[200] ?? 0);
    const strange = passed.some((tally) =>
      Object.keys(tally).some((status) => !['200', '429'].includes(status)),
    );
    return {
      figure: `${Math.min(...through)} to ${Math.max(...through)} of ${size(3_000, 1_000)} passed, from ${addresses} addresses`,
      ok: !strange && through.every((number) => number >= most && number <= most * 1.1),
    };
  },
};
