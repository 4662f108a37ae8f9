import { setTimeout as sleep } from 'node:timers/promises';
import { runConcurrently } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Program } from '../program.ts';

const requestsPerMinute = 600;

export const limit: Program = {
  name: 'limit',
  expectation:
    `thousands of requests in a minute to two servers with RATE_LIMIT=${requestsPerMinute}: at most ` +
    `${requestsPerMinute * 1.1} pass, which is 5 % per server above the limit`,
  async run({ size, startEnvironment }) {
    const environment = await startEnvironment({
      env: { RATE_LIMIT: `${requestsPerMinute}`, TRUST_PROXY: 'loopback', DEV_CODES: 'on' },
    });
    // All requests must fall into one clock minute.
    const remainingMs = 60_000 - (Date.now() % 60_000);
    if (remainingMs < size(20_000, 4_000)) await sleep(remainingMs + 50);
    const addresses = size(10, 2);
    const tallies = await runConcurrently(addresses, addresses, async (i) => {
      const responses = await runConcurrently(size(3_000, 1_000), 64, () =>
        environment.client.send('GET', '/v1/categories', {
          headers: { 'x-forwarded-for': `203.0.113.${i}` },
        }),
      );
      return countValues(responses.map(({ status }) => status));
    });
    const passed = tallies.map((tally) => tally[200] ?? 0);
    const hasOtherStatus = tallies.some((tally) =>
      Object.keys(tally).some((status) => !['200', '429'].includes(status)),
    );
    return {
      result: `${Math.min(...passed)} to ${Math.max(...passed)} of ${size(3_000, 1_000)} passed, from ${addresses} addresses`,
      ok:
        !hasOtherStatus &&
        passed.every((number) => number >= requestsPerMinute && number <= requestsPerMinute * 1.1),
    };
  },
};
