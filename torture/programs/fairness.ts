import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '../../test/support/processes.ts';
import { createRouteRequests } from '../all-routes.ts';
import { openClient, quantile } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Environment } from '../environment.ts';
import type { Program } from '../program.ts';
import type { RepeatedResult } from '../repeat-request.ts';
import { repeatRequests } from '../repeat-requests.ts';
import type { RouteRequest } from '../route-request.ts';
import { createVictims, watchVictims } from '../victims.ts';

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
/** An attack that looks unfair is repeated, because other work on the machine may have delayed the victims. */
const repetitions = 4;
const programs = path.join(import.meta.dirname, '..');

/** Every attack and every victim has its own address, so that each attack starts with a full limit. */
const addressOf = (network: number, n: number) => `127.${network}.${Math.floor(n / 250)}.${1 + (n % 250)}`;

/**
 * The p99 of the victims in ms: before an attack, during it, and beside a process that uses as much of the processor as
 * the attacker, which is measured if the attack looks unfair without it.
 */
type Round = {
  before: number;
  during: number;
  control: number;
  failures: number[];
  attacker: RepeatedResult;
};
type Attack = { name: string; costMs: number; rounds: Round[] };

/** Above 1, the victims waited for longer than they may. */
const excessOf = ({ before, during, control }: Round): number =>
  during / Math.max(2 * before, grantedMs, 2 * control);

const isFair = ({ rounds }: Attack): boolean =>
  quantile(rounds.map(excessOf), 0.5) <= 1 && rounds.every(({ failures }) => failures.length === 0);

export const fairness: Program = {
  name: 'fairness',
  expectation:
    'one address with 32 connections attacks each route and each page that costs more than 5 ms, with RATE_LIMIT=600 and QUOTAS=on ' +
    'as in production: the p99 of eight other addresses at most doubles, stays below 25 ms, or is at most twice that ' +
    'beside a process that is as busy as the attacker and sends nothing; none of them gets a 5xx, also for an image each second. An attack that ' +
    'misses this is repeated four times, and the median decides',
  async run({ size, only, startEnvironment, progress }) {
    const ms = size(8_000, 1_500);
    // The first server has no limit and prepares the data.
    // Cookies of the first are those of the second: they have one address of pages.
    const environment = await startEnvironment({ servers: 1, env: { PUBLIC_URL: 'http://127.0.0.1:3000' } });
    progress('creating data');
    const requests = await createRouteRequests(environment, {
      events: size(2_000, 200),
      items: size(499, 199),
      guests: size(2_000, 500),
      claims: size(30_000, 3_000),
      variants: size(200, 60),
    });
    const server = await environment.start({ RATE_LIMIT: `${rateLimit}`, QUOTAS: 'on' });
    const watched = await createVictims(environment, victims);
    const expensive: (RouteRequest & { costMs: number })[] = [];
    for (const [n, request] of requests.entries()) {
      if (!request.name.includes(only)) continue;
      progress(`measuring ${request.name}`);
      const costMs = await measureCost(server, request, addressOf(1, n));
      if (costMs > expensiveMs) expensive.push({ ...request, costMs });
    }
    // The victims do not exceed the rate limit either.
    let window = 0;
    const watch = (end: Promise<unknown>) => watchVictims(server, watched, addressOf(2, window++ * 10), end);
    const attackOnce = async (request: RouteRequest): Promise<Round> => {
      await restoreQuotas(environment);
      const before = await watch(sleep(ms));
      const attack = runAttack(server, request, addressOf(3, window), ms);
      const during = await watch(attack);
      const attacker = await attack;
      await sleep(500);
      const round = {
        before: before.p99,
        during: during.p99,
        control: 0,
        failures: during.failures,
        attacker,
      };
      if (excessOf(round) <= 1) return round;
      return { ...round, control: (await watch(runBusyProcess(attacker.cpuShare, ms))).p99 };
    };
    await watch(sleep(2_000));
    const attacks: Attack[] = [];
    for (const { costMs, ...request } of expensive) {
      progress(`attacking ${request.name}`);
      const attack = { name: request.name, costMs, rounds: [await attackOnce(request)] };
      for (let i = 0; i < repetitions && (i > 0 || !isFair(attack)); i++)
        attack.rounds.push(await attackOnce(request));
      attacks.push(attack);
    }
    const unfair = attacks.filter((attack) => !isFair(attack));
    return {
      result:
        `${attacks.length} of ${requests.length} routes and queries cost more than ${expensiveMs} ms; ` +
        `${unfair.length} attacks were unfair` +
        attacks.map(describe).join(''),
      ok: attacks.length > 0 && unfair.length === 0,
    };
  },
};

const describe = ({ name, costMs, rounds }: Attack) => {
  const median = (of: (round: Round) => number) => quantile(rounds.map(of), 0.5).toFixed(1);
  const statuses = rounds.map(({ attacker }) => JSON.stringify(attacker.statuses)).join(' ');
  const failures = rounds.flatMap((round) => round.failures);
  return (
    `\n    ${name} (${costMs.toFixed(0)} ms each): p99 ${median(({ before }) => before)} ms before, ` +
    `${median(({ during }) => during)} ms during the attack, excess ${rounds.map((round) => excessOf(round).toFixed(2)).join(' ')}; ` +
    `failures ${JSON.stringify(countValues(failures))}; attacker ${statuses}`
  );
};

/** Gives the attacker the whole quotas of a day again. */
async function restoreQuotas({ sql }: Environment): Promise<void> {
  await sql`delete from daily_counts`;
  await sql`update upload_usage set day = day - 1`;
}

/** The median time of sequential requests without other load. */
async function measureCost(server: Server, request: RouteRequest, localAddress: string): Promise<number> {
  const { method, paths, headers, raw } = request;
  const client = openClient(() => [server], localAddress);
  const times: number[] = [];
  for (let i = 0; i < 6; i++) {
    const response = await client
      .send(method, paths[i] ?? paths[0] ?? '', { headers, ...(raw && { raw }) })
      .catch(() => null);
    if (response && i > 0) times.push(response.ms);
  }
  client.close();
  return quantile(times, 0.5);
}

const runAttack = (
  { url }: Server,
  { method, paths, headers, raw }: RouteRequest,
  localAddress: string,
  ms: number,
): Promise<RepeatedResult> =>
  repeatRequests({
    ...{ url, localAddresses: [localAddress], method, paths, headers, connections, ms },
    ...(raw && { bodies: [raw.toString('base64')] }),
  });

/** Runs a process that uses a share of one core. */
async function runBusyProcess(share: number, ms: number): Promise<void> {
  const busyProcess = path.join(programs, 'busy-process.ts');
  await once(spawn(process.execPath, [busyProcess, `${Math.min(share, 1)}`, `${ms}`]), 'exit');
}
