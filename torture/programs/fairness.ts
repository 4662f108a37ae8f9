import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
import type { RepeatedRequest, RepeatedResult } from '../repeat-request.ts';

const rateLimit = 600;
/** Routes with a higher median are attacked. */
const expensiveMs = 5;
const connections = 32;
/**
 * Every p99 up to this limit passes. Attacker, victims, server and database share the cores of the machine: on two
 * cores, each of the two to four times that a request waits for one takes some ms.
 */
const grantedMs = 25;
const victims = 8;
const programs = path.join(import.meta.dirname, '..');

/** Every attack and every victim has its own address, so that each attack starts with a full limit. */
const addressOf = (network: number, n: number) => `127.${network}.${Math.floor(n / 250)}.${1 + (n % 250)}`;

type Watched = { p99: number; failures: number[] };
/** `control`: beside a process that uses as much of the processor as the attacker. */
type Attack = Watched & { name: string; costMs: number; attacker: RepeatedResult; control: Watched | null };

export const fairness: Program = {
  name: 'fairness',
  expectation:
    'one address with 32 connections attacks each route that costs more than 5 ms, with RATE_LIMIT=600 and QUOTAS=on ' +
    'as in production: the p99 of eight other addresses at most doubles, stays below 25 ms, or is at most twice that beside a process that is as ' +
    'busy as the attacker and sends nothing; none of them gets a 5xx',
  async run({ size, only, startEnvironment, progress }) {
    const ms = size(8_000, 3_000);
    // The first server has no limit and prepares the data.
    const environment = await startEnvironment({ servers: 1 });
    progress('creating data');
    const requests = await createRouteRequests(environment, {
      events: size(2_000, 200),
      items: size(499, 199),
      guests: size(2_000, 500),
    });
    const server = await environment.start({ RATE_LIMIT: `${rateLimit}`, QUOTAS: 'on' });
    const routes = await createVictimRoutes(environment, victims);
    const expensive: (RouteRequest & { costMs: number })[] = [];
    for (const [n, request] of requests.entries()) {
      if (!request.name.includes(only)) continue;
      progress(`measuring ${request.name}`);
      const costMs = await measureCost(server, request, addressOf(1, n));
      if (costMs > expensiveMs) expensive.push({ ...request, costMs });
    }
    // The victims do not exceed the rate limit either.
    let window = 0;
    const watch = (end: Promise<unknown>) => watchVictims(server, routes, addressOf(2, window++ * 10), end);
    await watch(sleep(2_000));
    const before = await watch(sleep(ms));
    const isFair = ({ p99, control }: Pick<Attack, 'p99' | 'control'>) =>
      p99 <= Math.max(2 * before.p99, grantedMs, 2 * (control?.p99 ?? 0));
    const attacks: Attack[] = [];
    for (const [n, { costMs, name, ...request }] of expensive.entries()) {
      progress(`attacking ${name}`);
      const attack = runAttack(server, { name, ...request }, addressOf(3, n), ms);
      const watched = await watch(attack);
      const attacker = await attack;
      await sleep(500);
      const control = isFair({ ...watched, control: null })
        ? null
        : await watch(runBusyProcess(attacker.cpuShare, ms));
      attacks.push({ ...watched, name, costMs, attacker, control });
    }
    const unfair = attacks.filter((attack) => !isFair(attack) || attack.failures.length > 0);
    const worst = Math.max(...attacks.map(({ p99 }) => p99));
    return {
      result:
        `${attacks.length} of ${requests.length} routes and queries cost more than ${expensiveMs} ms; p99 of other ` +
        `addresses ${before.p99.toFixed(1)} ms before, at most ${worst.toFixed(1)} ms during an attack; ` +
        `${unfair.length} attacks were unfair` +
        attacks
          .filter((attack) => attack.control || unfair.includes(attack))
          .map(describe)
          .join(''),
      ok: attacks.length > 0 && unfair.length === 0 && before.failures.length === 0,
    };
  },
};

const describe = ({ name, costMs, p99, failures, attacker, control }: Attack) =>
  `\n    ${name} (${costMs.toFixed(0)} ms each): p99 ${p99.toFixed(1)} ms, control ${control?.p99.toFixed(1) ?? '–'} ms, ` +
  `failures ${JSON.stringify(countValues(failures))}; attacker ${JSON.stringify(attacker.statuses)} with ` +
  `${attacker.cpuShare.toFixed(2)} of a core`;

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
): Promise<Watched> {
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

async function runAttack(
  { url }: Server,
  { method, path: route, headers, raw }: RouteRequest,
  localAddress: string,
  ms: number,
): Promise<RepeatedResult> {
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
  const child = spawn(process.execPath, [path.join(programs, 'repeat-request.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(attack));
  return JSON.parse(await text(child.stdout));
}

/** Runs a process that uses a share of one core. */
async function runBusyProcess(share: number, ms: number): Promise<void> {
  const busyProcess = path.join(programs, 'busy-process.ts');
  await once(spawn(process.execPath, [busyProcess, `${Math.min(share, 1)}`, `${ms}`]), 'exit');
}
