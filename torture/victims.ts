/** Clients whose requests are watched while another client attacks the server. */
import { setTimeout as sleep } from 'node:timers/promises';
import { onePixelPng } from '../test/support/factories.ts';
import type { Server } from '../test/support/processes.ts';
import { openClient, quantile } from './client.ts';
import type { Environment, Person } from './environment.ts';
import { createEvent, createItem } from './factories.ts';

/** `p99`: the time of their requests but uploads, in ms. `failures`: statuses other than 200, and than 201 of uploads. */
export type Watched = { p99: number; failures: number[] };

export type Victim = { person: Person; reads: string[]; event: string };

/** Creates people who each have an event with an item. */
export async function createVictims(environment: Environment, count: number): Promise<Victim[]> {
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

/** One image each second: people may upload 100 a day, and a program gives them the quota of the day again. */
const uploadEveryMs = 1_000;

/**
 * Each victim reads and writes ten times a second, from its own address, until `end` resolves, and uploads images meanwhile.
 * @param firstAddress the IPv4 address of the first victim; the others have the next ones
 */
export async function watchVictims(
  server: Server,
  victims: Victim[],
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
  const repeat = async ({ person: { token }, reads, event }: Victim, i: number) => {
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
  const repeatUpload = async ({ person: { token } }: Victim, i: number) => {
    const client = openClient(() => [server], `${first}${Number(last) + i}`);
    const image = { token, raw: onePixelPng, headers: { 'content-type': 'image/png' } };
    while (!state.isOver) {
      const at = performance.now();
      const response = await client.send('POST', '/v1/uploads', image).catch(() => null);
      if (response?.status !== 201) failures.push(response?.status ?? 0);
      await sleep(Math.max(at + uploadEveryMs - performance.now(), 0));
    }
    client.close();
  };
  await Promise.all([over, ...victims.map(repeat), ...victims.map(repeatUpload)]);
  return { p99: quantile(times, 0.99), failures };
}
