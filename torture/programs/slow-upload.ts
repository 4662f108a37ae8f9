import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { onePixelPng } from '../../test/support/factories.ts';
import { quantile } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Environment, Person } from '../environment.ts';
import type { Program } from '../program.ts';

const MiB = 1024 ** 2;
/** Below this, a doubled p99 is the noise of a busy machine. */
const floorMs = 100;
/** A person may upload 100 images a day. */
const uploadsPerPerson = 90;

const largeBody = Buffer.alloc(9 * MiB);

/** How an attacker sends: slowly from the start, or most of the largest body at once and then slowly. */
type Kind = 'drip' | 'stall';

const uploadHeaders = (person: Person, address: string) => ({
  authorization: `Bearer ${person.token}`,
  'content-type': 'image/png',
  'x-forwarded-for': address,
});

/**
 * Sends an upload that never ends, until the server responds or `signal` is aborted. @returns the status, or 0
 */
async function uploadSlowly(
  url: string,
  person: Person,
  address: string,
  kind: Kind,
  signal: AbortSignal,
): Promise<number> {
  const sent = request(`${url}/v1/uploads`, {
    method: 'POST',
    agent: false,
    headers: { ...uploadHeaders(person, address), 'content-length': 10 * MiB },
    signal,
  });
  const drip = setInterval(() => sent.write('a'), 500);
  sent.on('error', () => {});
  sent.write(onePixelPng);
  // A refused upload gets its response before this.
  const stall = setTimeout(() => kind === 'stall' && sent.write(largeBody), 500);
  try {
    const [response] = await once(sent, 'response', { signal });
    return response.statusCode ?? 0;
  } catch {
    return 0;
  } finally {
    clearInterval(drip);
    clearTimeout(stall);
    sent.destroy();
  }
}

/**
 * Keeps as many slow uploads open as the server allows. @returns a function that stops and returns their statuses
 */
function attack(url: string, attackers: Person[], perPerson: number, address: string) {
  const over = new AbortController();
  const statuses: number[] = [];
  const repeat = async (person: Person, kind: Kind) => {
    while (!over.signal.aborted) {
      statuses.push(await uploadSlowly(url, person, address, kind, over.signal));
      await sleep(2_000);
    }
  };
  const done = Promise.all(
    attackers.flatMap((person) =>
      Array.from({ length: perPerson }, (_, i) => repeat(person, i % 2 ? 'stall' : 'drip')),
    ),
  );
  return async () => {
    over.abort();
    await done;
    return countValues(statuses.filter((status) => status !== 0));
  };
}

/** Uploads images one after the other. @returns the statuses, and the response times in ms */
async function uploadRepeatedly({ client }: Environment, people: Person[], address: string, ms: number) {
  const statuses: number[] = [];
  const times: number[] = [];
  const until = performance.now() + ms;
  while (performance.now() < until) {
    const person = people[Math.floor(statuses.length / uploadsPerPerson)];
    if (!person) throw new Error('more uploads than the people may send');
    const response = await client
      .send('POST', '/v1/uploads', { raw: onePixelPng, headers: uploadHeaders(person, address) })
      .catch(() => ({ status: 0, ms }));
    statuses.push(response.status);
    times.push(response.ms);
    await sleep(20);
  }
  return { statuses: countValues(statuses), times, uploads: times.length };
}

export const slowUpload: Program = {
  name: 'slow-upload',
  expectation:
    'eight accounts at one address keep as many slow uploads open as they can, some of them with 9 MiB sent: every ' +
    'upload from another address gets a 201, and its p99 at most doubles or stays below 100 ms',
  async run({ size, startEnvironment }) {
    const ms = size(65_000, 8_000);
    const environment = await startEnvironment({
      servers: 1,
      env: { TRUST_PROXY: 'loopback' },
    });
    const [server] = environment.servers;
    if (!server) throw new Error('no server was started');
    const attackers = await environment.people(8);
    const victimsOf = () => environment.people(Math.ceil(ms / 20 / uploadsPerPerson) + 1);
    await uploadRepeatedly(environment, await victimsOf(), '198.51.100.1', 1_000);
    const before = await uploadRepeatedly(
      environment,
      await victimsOf(),
      '198.51.100.1',
      size(20_000, 4_000),
    );
    const stop = attack(server.url, attackers, 10, '203.0.113.5');
    await sleep(2_000);
    const during = await uploadRepeatedly(environment, await victimsOf(), '198.51.100.1', ms);
    const attackStatuses = await stop();
    // Of the hundred uploads of --quick, a p99 would be the slowest one: any pause of the machine decides.
    const tail = size(99, 90);
    const ofBoth = (p: number) => [quantile(before.times, p), quantile(during.times, p)] as const;
    const [medianBefore, medianDuring] = ofBoth(0.5);
    const [tailBefore, tailDuring] = ofBoth(tail / 100);
    const refused = during.uploads - (during.statuses[201] ?? 0);
    return {
      result:
        `${refused} of ${during.uploads} uploads refused (${JSON.stringify(during.statuses)}); ` +
        `median ${medianBefore.toFixed(1)} ms before, ${medianDuring.toFixed(1)} ms during; ` +
        `p${tail} ${tailBefore.toFixed(1)} ms before, ${tailDuring.toFixed(1)} ms during; slow uploads ended with ${JSON.stringify(attackStatuses)}`,
      ok: refused === 0 && tailDuring <= Math.max(tailBefore * 2, floorMs),
    };
  },
};
