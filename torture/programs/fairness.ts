import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '../../test/processes.ts';
import { createRouteRequests, type RouteRequest } from '../all-routes.ts';
import { openClient, quantile } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent, createItem } from '../factories.ts';
import type { Program } from '../program.ts';
import type { RepeatedRequest } from '../repeat-request.ts';

const rateLimit = 600;
/** Routes with a higher median are attacked. */
const expensiveMs = 5;
const connections = 32;
/** Every p99 up to this limit passes: on two cores, attacker, victims, server and database delay each other. */
const grantedMs = 25;
const victims = 8;
const program = path.join(import.meta.dirname, '..', 'repeat-request.ts');

/** Every attack and every victim has its own address, so that each attack starts with a full limit. */
const addressOf = (network: number, n: number) => `127.${network}.${Math.floor(n / 250)}.${1 + (n % 250)}`;

export const fairness: Program = {
  name: 'fairness',
  expectation:
    'one address with 32 connections attacks each route that costs more than 5 ms, with RATE_LIMIT=600: the p99 of ' +
    'eight other addresses at most doubles or stays below 25 ms, and none of them gets a 5xx',
  async run({ size, startEnvironment, progress }) {
    const ms = size(8_000, 3_000);
    // The first server has no limit and prepares the data.
    const environment = await startEnvironment({ servers: 1 });
    progress('creating data');
    const requests = await createRouteRequests(environment, {
      events: size(2_000, 200),
      items: size(499, 199),
      guests: size(2_000, 500),
    });
    const server = await environment.start({ RATE_LIMIT: `${rateLimit}` });
    const routes = await createVictimRoutes(environment, victims);
    const expensive: (RouteRequest & { costMs: number })[] = [];
    for (const [n, request] of requests.entries()) {
      progress(`measuring ${request.name}`);
      const costMs = await measureCost(server, request, addressOf(1, n));
      if (costMs > expensiveMs) expensive.push({ ...request, costMs });
    }
    // The victims do not exceed the rate limit either.
    let window = 0;
    const watch = (end: Promise<unknown>) => watchVictims(server, routes, addressOf(2, window++ * 10), end);
    await watch(sleep(2_000));
    const before = await watch(sleep(ms));
    const allowedMs = Math.max(2 * before.p99, grantedMs);
    const attacks: { name: string; costMs: number; p99: number; failures: number[]; statuses: string }[] = [];
    for (const [n, { costMs, ...request }] of expensive.entries()) {
      progress(`attacking ${request.name}`);
      const attack = runAttack(server, request, addressOf(3, n), ms);
      const { p99, failures } = await watch(attack);
      attacks.push({ name: request.name, costMs, p99, failures, statuses: JSON.stringify(await attack) });
      await sleep(500);
    }
    const unfair = attacks.filter(({ p99, failures }) => p99 > allowedMs || failures.length > 0);
    const worst = Math.max(...attacks.map(({ p99 }) => p99));
    return {
      result:
        `${attacks.length} of ${requests.length} routes and queries cost more than ${expensiveMs} ms; p99 of other ` +
        `addresses ${before.p99.toFixed(1)} ms before, at most ${worst.toFixed(1)} ms during an attack; ` +
        `${unfair.length} attacks were unfair` +
        unfair
          .map(
            ({ name, costMs, p99, failures, statuses }) =>
              `\n    ${name} (${costMs.toFixed(0)} ms each): p99 ${p99.toFixed(0)} ms, ` +
              `failures ${JSON.stringify(countValues(failures))}; attacker ${statuses}`,
          )
          .join(''),
      ok: attacks.length > 0 && unfair.length === 0 && before.failures.length === 0,
    };
  },
};

/** The median time of sequential requests without other load. */
async function measureCost(server: Server, request: RouteRequest, localAddress: string): Promise<number> {
  const { method, path: route, headers, raw } = request;
  const client = openClient(() => [server], localAddress);
  const times: number[] = [];
  for (let i = 0; i < 6; i++) {
    const response = await client.send(method, route, { headers, ...(raw && { raw }) }).catch(() => null);
    if (response && i > 0) times.push(response.ms);
  }
  client.close();
  return quantile(times, 0.5);
}

type VictimRoute = { person: Person; reads: string[]; event: string };

async function createVictimRoutes(environment: Environment, count: number): Promise<VictimRoute[]> {
  const people = await environment.people(count);
  return Promise.all(
    people.map(async (person) => {
      const event = await createEvent(environment, person);
      await createItem(environment, person, event, 10);
      const reads = [
        '/v1/events?limit=20',
        `/v1/events/${event}`,
        `/v1/events/${event}/items`,
        '/v1/auth/me',
      ];
      return { person, reads, event };
    }),
  );
}

/** Each victim reads and writes ten times a second, from its own address, until `end` resolves. */
async function watchVictims(
  server: Server,
  routes: VictimRoute[],
  firstAddress: string,
  end: Promise<unknown>,
): Promise<{ p99: number; failures: number[] }> {
  const state = { isOver: false };
  const over = end.finally(() => {
    state.isOver = true;
  });
  const times: number[] = [];
  const failures: number[] = [];
  const [first = '', last = ''] = [firstAddress.replace(/\d+$/, ''), firstAddress.replace(/^.*\./, '')];
  const repeat = async ({ person: { token }, reads, event }: VictimRoute, i: number) => {
    const client = openClient(() => [server], `${first}${Number(last) + i}`);
    await sleep(i * 12);
    for (let n = 0; !state.isOver; n++) {
      const at = performance.now();
      const read = reads[n % (reads.length + 1)];
      const response = await (read
        ? client.send('GET', read, { token })
        : client.send('POST', `/v1/events/${event}/rsvp`, {
            token,
            body: { status: n % 2 ? 'going' : 'interested' },
          })
      ).catch(() => null);
      times.push(performance.now() - at);
      if (response?.status !== 200) failures.push(response?.status ?? 0);
      await sleep(Math.max(at + 100 - performance.now(), 0));
    }
    client.close();
  };
  await Promise.all([over, ...routes.map(repeat)]);
  return { p99: quantile(times, 0.99), failures };
}

/** @returns the number of responses to the attacker by status */
async function runAttack(
  { url }: Server,
  { method, path: route, headers, raw }: RouteRequest,
  localAddress: string,
  ms: number,
): Promise<Record<string, number>> {
  const attack: RepeatedRequest = {
    url,
    localAddress,
    method,
    path: route,
    headers,
    connections,
    ms,
    ...(raw && { body: raw.toString('base64') }),
  };
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(attack));
  return JSON.parse(await text(child.stdout));
}
