import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Server } from '../../test/processes.ts';
import type { LoadResult } from '../background-load.ts';
import { quantile } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent } from '../factories.ts';
import type { Program } from '../program.ts';

const run = promisify(execFile);
const program = path.join(import.meta.dirname, '..', 'background-load.ts');

async function runBackgroundLoad(
  server: Server,
  person: Person,
  clients: number,
  ms: number,
): Promise<LoadResult> {
  const args = [program, server.url, person.token, `${clients}`, `${ms}`];
  return JSON.parse((await run(process.execPath, args)).stdout);
}

/** Requests /healthz ten times a second. @returns a function that stops and returns the statuses and times */
function watchHealth({ client }: Environment, server: Server) {
  const result = { statuses: new Set<number>(), slowest: 0, times: 0 };
  let isOver = false;
  const done = (async () => {
    while (!isOver) {
      const response = await client.send('GET', '/healthz', { server }).catch(() => ({ status: 0, ms: 0 }));
      result.statuses.add(response.status);
      result.slowest = Math.max(result.slowest, response.ms);
      result.times++;
      await sleep(100);
    }
  })();
  return async () => {
    isOver = true;
    await done;
    return result;
  };
}

/** The median response time of sequential requests, in ms. */
async function measureMedian({ client }: Environment, server: Server, person: Person): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 100; i++) {
    times.push((await client.send('GET', '/v1/events?limit=20', { server, token: person.token })).ms);
  }
  return quantile(times, 0.5);
}

export const saturation: Program = {
  name: 'saturation',
  expectation:
    '2,000 clients at once: a 503 arrives within 1 s at p99, /healthz is always 200, full speed again ' +
    'within 2 s',
  async run({ size, startEnvironment }) {
    const [clients, ms] = [size(2_000, 1_000), size(20_000, 2_000)];
    const environment = await startEnvironment({ servers: 1 });
    const [person] = await environment.people(1);
    const [server] = environment.servers;
    if (!person || !server) throw new Error('no people were created');
    for (let i = 0; i < 20; i++) await createEvent(environment, person);
    await measureMedian(environment, server, person);
    const before = await measureMedian(environment, server, person);
    const health = watchHealth(environment, server);
    const result = await runBackgroundLoad(server, person, clients, ms);
    const healthResult = await health();
    await sleep(2_000);
    const after = await measureMedian(environment, server, person);
    const otherStatuses = Object.keys(result.statuses).filter((status) => !['200', '503'].includes(status));
    return {
      result:
        `${result.statuses[200] ?? 0} responses with 200, ${result.statuses[503] ?? 0} with 503, these within ` +
        `${Math.round(result.refusedP99)} ms at p99 (all: ${Math.round(result.p99)} ms), others: ${otherStatuses.join(', ') || 'none'}; ` +
        `healthz ${[...healthResult.statuses].join(', ')} ${healthResult.times} times, the slowest ${Math.round(healthResult.slowest)} ms; ` +
        `median ${before.toFixed(1)} ms before, ${after.toFixed(1)} ms two seconds after`,
      ok:
        otherStatuses.length === 0 &&
        (result.statuses[200] ?? 0) > 0 &&
        result.refusedP99 < 1_000 &&
        healthResult.statuses.size === 1 &&
        healthResult.statuses.has(200) &&
        after < before * 1.5 + 1,
    };
  },
};
