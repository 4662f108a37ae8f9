import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Server } from '../../test/support/processes.ts';
import type { LoadPlan, LoadResult, LoadRoute } from '../background-load.ts';
import { quantile } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent, createItem } from '../factories.ts';
import type { Program } from '../program.ts';

const run = promisify(execFile);
const program = path.join(import.meta.dirname, '..', 'background-load.ts');

async function runBackgroundLoad(plan: LoadPlan): Promise<LoadResult> {
  const running = run(process.execPath, [program]);
  running.child.stdin?.end(JSON.stringify(plan));
  return JSON.parse((await running).stdout);
}

/** Cheap and expensive reads, images, and writes. */
const routesOf = (event: string, user: string): LoadRoute[] => [
  { name: 'list', method: 'GET', path: '/v1/events?limit=20' },
  { name: 'list by place', method: 'GET', path: '/v1/events?lat=59.9&lng=10.7&radius=20' },
  { name: 'search', method: 'GET', path: '/v1/events/search?q=harbour' },
  { name: 'record', method: 'GET', path: `/v1/events/${event}` },
  { name: 'items', method: 'GET', path: `/v1/events/${event}/items` },
  { name: 'cover', method: 'GET', path: `/v1/events/${event}/cover.svg` },
  { name: 'calendar', method: 'GET', path: `/v1/events/${event}/calendar.ics` },
  { name: 'profile', method: 'GET', path: `/v1/users/${user}` },
  { name: 'user search', method: 'GET', path: '/v1/users/search?q=pa' },
  { name: 'feed', method: 'GET', path: '/v1/feed' },
  { name: 'own profile', method: 'GET', path: '/v1/auth/me' },
  { name: 'rsvp', method: 'POST', path: `/v1/events/${event}/rsvp`, body: { status: 'going' } },
  { name: 'save', method: 'POST', path: `/v1/events/${event}/save`, body: { saved: true } },
];

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
    '2,000 clients at once on 13 routes: every route serves and refuses, each other status fails; a 503 with ' +
    'Retry-After arrives within 1 s at p99, /healthz is always 200, full speed again within 2 s',
  async run({ size, startEnvironment }) {
    const clients = 2_000;
    const ms = size(20_000, 3_000);
    // Each client is a person at an address of its own, so that no limit of one of them hides that of the server.
    const environment = await startEnvironment({
      servers: 1,
      env: { TRUST_PROXY: 'loopback', DEV_CODES: 'on' },
    });
    const people = await environment.people(clients);
    const [person] = people;
    const [server] = environment.servers;
    if (!person || !server) throw new Error('no people were created');
    const events: string[] = [];
    for (let i = 0; i < 20; i++) events.push(await createEvent(environment, person));
    const event = events[0] ?? '';
    for (let i = 0; i < 20; i++) await createItem(environment, person, event, 10);
    await measureMedian(environment, server, person);
    const before = await measureMedian(environment, server, person);
    const health = watchHealth(environment, server);
    const { statuses, p99, refusedP99, refusedP99OnOpen, withoutRetryAfter } = await runBackgroundLoad({
      url: server.url,
      tokens: people.map(({ token }) => token),
      routes: routesOf(event, person.id),
      clients,
      ms,
    });
    const healthResult = await health();
    await sleep(2_000);
    const after = await measureMedian(environment, server, person);
    const routes = Object.entries(statuses);
    const total = (status: number) => routes.reduce((sum, [, counts]) => sum + (counts[status] ?? 0), 0);
    const neverServed = routes.filter(([, counts]) => !counts[200]).map(([name]) => name);
    const neverRefused = routes.filter(([, counts]) => !counts[503]).map(([name]) => name);
    const others = routes.flatMap(([name, counts]) =>
      Object.keys(counts)
        .filter((status) => !['200', '503'].includes(status))
        .map((status) => `${name} ${status}`),
    );
    const namesOf = (names: string[]) => names.join(', ') || 'none';
    return {
      result:
        `${total(200)} responses with 200, ${total(503)} with 503, these within ${Math.round(refusedP99)} ms at p99 ` +
        `(${Math.round(refusedP99OnOpen)} ms on open connections; all responses: ${Math.round(p99)} ms) and ${withoutRetryAfter} without Retry-After; others: ${namesOf(others)}; of ` +
        `${routes.length} routes never served: ${namesOf(neverServed)}, never refused: ${namesOf(neverRefused)}; ` +
        `healthz ${[...healthResult.statuses].join(', ')} ${healthResult.times} times, the slowest ${Math.round(healthResult.slowest)} ms; ` +
        `median ${before.toFixed(1)} ms before, ${after.toFixed(1)} ms two seconds after`,
      ok:
        others.length + neverServed.length + neverRefused.length + withoutRetryAfter === 0 &&
        refusedP99 < 1_000 &&
        healthResult.statuses.size === 1 &&
        healthResult.statuses.has(200) &&
        after < before * 1.5 + 1,
    };
  },
};
