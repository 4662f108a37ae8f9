import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Server } from '../../test/processes.ts';
import type { CrowdResult } from '../background-load.ts';
import { quantile } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent } from '../factories.ts';
import type { Program } from '../program.ts';

const run = promisify(execFile);
const program = path.join(import.meta.dirname, '..', 'background-load.ts');

async function crowd(server: Server, person: Person, clients: number, ms: number): Promise<CrowdResult> {
  const args = [program, server.url, person.token, `${clients}`, `${ms}`];
  return JSON.parse((await run(process.execPath, args)).stdout);
}

/** Asks /healthz ten times a second until told to stop; gives every status and the longest ms. */
function watchHealth({ client }: Environment, server: Server) {
  const seen = { statuses: new Set<number>(), slowest: 0, times: 0 };
  let isOver = false;
  const done = (async () => {
    while (!isOver) {
      const answer = await client.ask('GET', '/healthz', { server }).catch(() => ({ status: 0, ms: 0 }));
      seen.statuses.add(answer.status);
      seen.slowest = Math.max(seen.slowest, answer.ms);
      seen.times++;
      await sleep(100);
    }
  })();
  return async () => {
    isOver = true;
    await done;
    return seen;
  };
}

/** The median ms of requests one after the other. */
async function pace({ client }: Environment, server: Server, person: Person): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 100; i++) {
    times.push((await client.ask('GET', '/v1/events?limit=20', { server, token: person.token })).ms);
  }
  return quantile(times, 0.5);
}

export const saturation: Program = {
  name: 'saturation',
  promise:
    '2,000 clients at once: a 503 comes in 1 s at p99, healthz is 200 throughout, full speed again in 2 s',
  async run({ size, open }) {
    const [clients, ms] = [size(2_000, 1_000), size(20_000, 2_000)];
    const environment = await open({ servers: 1 });
    const [person] = await environment.people(1);
    const [server] = environment.servers;
    if (!person || !server) throw new Error('nobody came');
    for (let i = 0; i < 20; i++) await createEvent(environment, person);
    await pace(environment, server, person);
    const before = await pace(environment, server, person);
    const health = watchHealth(environment, server);
    const result = await crowd(server, person, clients, ms);
    const seen = await health();
    await sleep(2_000);
    const after = await pace(environment, server, person);
    const strange = Object.keys(result.statuses).filter((status) => !['200', '503'].includes(status));
    return {
      figure:
        `${result.statuses[200] ?? 0} answers, ${result.statuses[503] ?? 0} of 503, these within ` +
        `${Math.round(result.refusedP99)} ms at p99 (all: ${Math.round(result.p99)} ms), others: ${strange.join(', ') || 'none'}; ` +
        `healthz ${[...seen.statuses].join(', ')} ${seen.times} times, the slowest ${Math.round(seen.slowest)} ms; ` +
        `median ${before.toFixed(1)} ms before, ${after.toFixed(1)} ms two seconds after`,
      ok:
        strange.length === 0 &&
        (result.statuses[200] ?? 0) > 0 &&
        result.refusedP99 < 1_000 &&
        seen.statuses.size === 1 &&
        seen.statuses.has(200) &&
        after < before * 1.5 + 1,
    };
  },
};
