import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { onePixelPng } from '../../test/support/factories.ts';
import type { Server } from '../../test/support/processes.ts';
import { runConcurrently } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Environment } from '../environment.ts';
import { createEvent } from '../factories.ts';
import { startFlood } from '../flood.ts';
import type { Program } from '../program.ts';
import { requireCommands } from '../requirements.ts';

const run = promisify(execFile);
/** The descriptors that the server may open besides those that it has open when it is idle. */
const spare = 60;
const maxRecoveryMs = 2_000;
/** Of the requests, of which two fifths are reads. */
const maxFailedReads = 0.004;
const hostCount = 60;

export const descriptors: Program = {
  name: 'descriptors',
  expectation:
    'a server that may open 60 more descriptors, under 1,000 connections for 30 s, three times: it does not end, clients ' +
    'that are connected get their responses, at most 1 % of the reads a 503, and 2 s after the connections close all requests succeed',
  quick: true,
  async run({ size, startEnvironment, progress }) {
    await requireCommands({ prlimit: 'util-linux' });
    const [times, ms] = [size(3, 1), size(30_000, 6_000)];
    const environment = await startEnvironment({ servers: 1 });
    const [server] = environment.servers;
    if (!server) throw new Error('no server was started');
    const hosts = await createHosts(environment);
    const limit = (await countDescriptors(server)) + spare;
    await run('prlimit', ['--pid', `${server.child.pid}`, `--nofile=${limit}:${limit}`]);
    const statuses: string[] = [];
    let recoveredMs = 0;
    let mostOpen = 0;
    for (let round = 0; round < times; round++) {
      progress(`round ${round + 1} of ${times}`);
      // The connection of this client exists before the others.
      await sendAll(environment, hosts());
      const flood = startFlood(server, size(1_000, 300));
      await sleep(500);
      const until = performance.now() + ms;
      while (performance.now() < until) {
        statuses.push(...(await sendAll(environment, hosts())));
        mostOpen = Math.max(mostOpen, await countDescriptors(server));
      }
      flood.stop();
      recoveredMs = Math.max(recoveredMs, await untilAllSucceed(environment, hosts));
    }
    const counts = countValues(statuses);
    const unexpected = statuses.filter((line) => !/ (200|201|503)$/.test(line));
    const reads = statuses.filter((line) => line.startsWith('GET') && !line.endsWith(' 200'));
    return {
      result:
        `${mostOpen} of ${limit} descriptors open; ${statuses.length} requests: ${JSON.stringify(counts)}; ` +
        `all succeed ${Math.round(recoveredMs)} ms after the connections close; the server ` +
        `${server.child.exitCode === null ? 'runs' : 'ended'}`,
      ok:
        // The limit was reached, or this would test nothing.
        mostOpen >= limit - 2 &&
        unexpected.length === 0 &&
        reads.length <= statuses.length * maxFailedReads &&
        recoveredMs < maxRecoveryMs &&
        server.child.exitCode === null,
    };
  },
};

const countDescriptors = async ({ child }: Server) => (await readdir(`/proc/${child.pid}/fd`)).length;

type Host = { token: string; event: string };

/** @returns a function that returns each of the hosts in turn, so that neither list nor uploads of one become too many */
async function createHosts(environment: Environment): Promise<() => Host> {
  const people = await environment.people(hostCount);
  const hosts: Host[] = [];
  for (const person of people)
    hosts.push({ token: person.token, event: await createEvent(environment, person) });
  let next = 0;
  return () => {
    const host = hosts[next++ % hosts.length];
    if (!host) throw new Error('no people were created');
    return host;
  };
}

/** Sends requests one after another, so that one connection suffices. @returns a line for each with its status */
async function sendAll({ client }: Environment, { token, event }: Host): Promise<string[]> {
  const json = (body: unknown) => ({ token, body });
  const requests = [
    ['GET', '/v1/events?limit=20', { token }],
    ['GET', `/v1/events/${event}`, { token }],
    ['POST', `/v1/events/${event}/rsvp`, json({ status: 'going' })],
    ['POST', `/v1/events/${event}/items`, json({ kind: 'bring', title: 'Plates', quantityNeeded: 1 })],
    ['POST', '/v1/uploads', { token, raw: onePixelPng, headers: { 'content-type': 'image/png' } }],
  ] as const;
  return runConcurrently(requests.length, 1, async (i) => {
    const [method, path, call] = requests[i] ?? requests[0];
    const response = await client.send(method, path, call).catch(() => null);
    return `${method} ${path.split('?')[0]?.replace(event, '{id}')} ${response?.status ?? 'no response'}`;
  });
}

/** @returns the ms until every request succeeds, or infinity */
async function untilAllSucceed(environment: Environment, hosts: () => Host): Promise<number> {
  const since = performance.now();
  while (performance.now() - since < 20_000) {
    const lines = await sendAll(environment, hosts());
    if (lines.every((line) => / (200|201)$/.test(line))) return performance.now() - since;
    await sleep(50);
  }
  return Number.POSITIVE_INFINITY;
}
