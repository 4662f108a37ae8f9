import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody, onePixelPng } from '../../test/support/factories.ts';
import type { Server } from '../../test/support/processes.ts';
import { quantile } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent, createItem, insertGoingRsvps } from '../factories.ts';
import { phoneOf } from '../phones.ts';
import type { Program } from '../program.ts';

const cacheMb = 64;
/**
 * Flat: the median of the last quarter exceeds the median of the second quarter by at most this. The first quarter
 * fills the caches and compiles the code. At the size of --quick this takes longer than the first quarter.
 */
const maxGrowth = { memory: 0.1, memoryMb: 24, quickMemoryMb: 96, descriptors: 8 };
const streams = 40;

type Sample = { rssMb: number; descriptors: number };

export const soak: Program = {
  name: 'soak',
  expectation:
    'reads, lists, searches, writes, claims, bookings, messages, images, sign-ins, exports and short live streams at once for ' +
    '20 minutes: memory and descriptors of both servers are flat (medians of the last and the second quarter differ by ' +
    'at most 10 % plus 24 MB, and by 8 descriptors), no 5xx',
  async run({ size, startEnvironment, progress }) {
    const ms = size(1_200_000, 60_000);
    const maxGrowthMb = size(maxGrowth.memoryMb, maxGrowth.quickMemoryMb);
    const environment = await startEnvironment({ env: { CACHE_MB: `${cacheMb}` } });
    const traffic = await startTraffic(environment, size(400, 100));
    const samples = new Map<Server, Sample[]>(environment.servers.map((server) => [server, []]));
    const until = performance.now() + ms;
    while (performance.now() < until) {
      await sleep(1_000);
      for (const [server, list] of samples) list.push(await sampleOf(server));
      const latest = [...samples.values()].map((list) => `${list.at(-1)?.rssMb} MB`).join(', ');
      progress(`${Math.round((until - performance.now()) / 1_000)} s left; ${latest}`);
    }
    await traffic.stop();
    const failed = countValues(traffic.failures);
    const results = [...samples.values()].map(growthOf);
    const list = (key: 'rssMb' | 'descriptors') =>
      results
        .map(({ early, late, peak }) => `${early[key]} → ${late[key]} (peak ${peak[key]})`)
        .join(' and ');
    return {
      result:
        `${traffic.requests()} requests, ${traffic.failures.length} failed ${JSON.stringify(failed)}; ` +
        `memory ${list('rssMb')} MB; descriptors ${list('descriptors')}` +
        environment.servers
          .flatMap(({ output }) => errorsIn(output.out))
          .map((line) => `\n${line}`)
          .join(''),
      ok:
        traffic.failures.length === 0 &&
        traffic.requests() > ms / 20 &&
        results.every(
          ({ early, late }) =>
            late.rssMb <= early.rssMb * (1 + maxGrowth.memory) + maxGrowthMb &&
            late.descriptors <= early.descriptors + maxGrowth.descriptors,
        ),
    };
  },
};

async function sampleOf({ child }: Server): Promise<Sample> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return {
    rssMb: Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024),
    descriptors: (await readdir(`/proc/${child.pid}/fd`)).length,
  };
}

/** The first errors of a server's log with the lines of their fields, which explain a failed request. */
function errorsIn(log: string): string[] {
  return [...log.matchAll(/^.*(?:ERROR|FATAL).*(?:\n {4}.*){0,12}/gm)].slice(0, 5).map(([entry]) => entry);
}

function growthOf(samples: Sample[]) {
  const quarter = Math.floor(samples.length / 4);
  const of = (part: Sample[], share: number): Sample => ({
    rssMb: quantile(
      part.map(({ rssMb }) => rssMb),
      share,
    ),
    descriptors: quantile(
      part.map(({ descriptors }) => descriptors),
      share,
    ),
  });
  return {
    early: of(samples.slice(quarter, 2 * quarter), 0.5),
    late: of(samples.slice(-quarter), 0.5),
    peak: of(samples, 1),
  };
}

/** `failures`: method, path with `:id` in place of identifiers, and status of each; 0 is a broken connection. */
type Traffic = { requests(): number; failures: string[]; stop(): Promise<void> };

/** Every kind of request, continuously, each by a few clients. */
async function startTraffic(environment: Environment, count: number): Promise<Traffic> {
  const { client } = environment;
  const people = await environment.people(count);
  const [organizer] = people;
  if (!organizer) throw new Error('no people were created');
  const shared = await createEvent(environment, organizer, {
    capacity: 20,
    enabledModules: ['bringList', 'wishList', 'booking'],
  });
  const item = await createItem(environment, organizer, shared, 50);
  await insertGoingRsvps(environment, shared, people.slice(1));
  const failures: string[] = [];
  let requests = 0;
  const record = (method: string, path: string, status = 0) => {
    requests++;
    if (status > 0 && status < 500) return;
    failures.push(`${method} ${path.replace(/[0-9a-f-]{36}/g, ':id').replace(/\?.*/, '')} ${status}`);
  };
  const state = { isOver: false };
  const events: string[] = [shared];
  const images: string[] = [];
  const personAt = (n: number): Person => people[n % people.length] ?? organizer;
  const random = () => personAt(Math.floor(Math.random() * people.length));
  const eventAt = (n: number) => events[n % events.length] ?? shared;
  const send = async (method: string, path: string, person: Person | null, body?: unknown) => {
    const response = await client
      .send(method, path, { ...(person && { token: person.token }), ...(body !== undefined && { body }) })
      .catch(() => null);
    record(method, path, response?.status);
    return response;
  };
  const word = (n: number) => ['harbour', 'bread', 'picnic', 'garden', 'music'][n % 5] ?? '';
  const activities: ((n: number) => Promise<unknown>)[] = [
    (n) => send('GET', `/v1/events?limit=${1 + (n % 50)}&page=${1 + (n % 4)}`, n % 2 ? random() : null),
    (n) => send('GET', `/v1/events/search?q=${word(n)}${n % 100}`, null),
    (n) => send('GET', `/v1/events?lat=${n % 80}&lng=${n % 170}&radius=${1 + (n % 20_000)}`, random()),
    (n) => send('GET', `/v1/events/${eventAt(n)}`, random()),
    () => send('GET', `/v1/events/${shared}/items`, random()),
    () => send('GET', '/v1/feed', random()),
    () => send('GET', '/v1/me/export', random()),
    () => send('GET', '/v1/events.ics', null),
    async (n) => {
      const created = await send('POST', '/v1/events', personAt(n), eventBody({ title: `${word(n)} ${n}` }));
      if (created?.status !== 201) return;
      events[n % 500] = created.body.id;
      await send('PATCH', `/v1/events/${created.body.id}`, personAt(n), { title: `${word(n + 1)} ${n}` });
      if (n % 2) await send('DELETE', `/v1/events/${created.body.id}`, personAt(n));
    },
    (n) =>
      send('POST', `/v1/events/${eventAt(n)}/rsvp`, random(), { status: n % 2 ? 'going' : 'interested' }),
    async (n) => {
      const person = personAt(1 + n);
      await send('POST', `/v1/items/${item}/claim`, person, { quantity: 1 });
      await send('DELETE', `/v1/items/${item}/claim`, person);
    },
    async (n) => {
      const person = personAt(1 + n);
      await send('POST', `/v1/events/${shared}/booking`, person, { seats: 1 });
      if (n % 3) await send('DELETE', `/v1/events/${shared}/booking`, person);
    },
    async (n) => {
      await send('POST', `/v1/users/${personAt(n + 1).id}/messages`, personAt(n), { text: `Message ${n}` });
      await send('GET', `/v1/users/${personAt(n + 1).id}/messages`, personAt(n));
      await send('GET', '/v1/conversations', personAt(n));
    },
    async (n) => {
      const response = await client
        .send('POST', '/v1/uploads', {
          token: personAt(n).token,
          raw: onePixelPng,
          headers: { 'content-type': 'image/png' },
        })
        .catch(() => null);
      record('POST', '/v1/uploads', response?.status);
      if (response?.status === 201) images[n % 100] = new URL(response.body.url).pathname;
      await send('GET', images[Math.floor(Math.random() * images.length)] ?? '/v1/categories', null);
    },
    async (n) => {
      const phone = phoneOf(n % 5_000_000);
      const sent = await send('POST', '/v1/auth/otp/request', null, { phone });
      // The day's messages are used up after a while.
      if (sent?.status !== 202) return;
      await send('POST', '/v1/auth/otp/verify', null, { phone, code: sent.body.devCode });
    },
  ];
  const repeat = async (activity: (n: number) => Promise<unknown>, pauseMs: number) => {
    for (let n = Math.floor(Math.random() * 1_000); !state.isOver; n++) {
      await activity(n);
      await sleep(pauseMs);
    }
  };
  // A live stream that ends after its first message, and is opened again: `client.send` reads no further.
  const listen = async () => {
    while (!state.isOver) {
      await send('GET', `/v1/events/${shared}/live`, random());
      await sleep(2_000 + Math.random() * 2_000);
    }
  };
  const done = Promise.all([
    ...activities.flatMap((activity) => [repeat(activity, 20), repeat(activity, 60)]),
    ...Array.from({ length: streams }, listen),
  ]);
  return {
    requests: () => requests,
    failures,
    async stop() {
      state.isOver = true;
      await done;
    },
  };
}
