import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '../../test/processes.ts';
import { type ClientResponse, each } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent, createItem, insertGoingRsvps } from '../factories.ts';
import { askForFarewell, givePhones, phoneOf, type SignedIn, signIn } from '../phones.ts';
import type { Program } from '../program.ts';

const ways = ['logout', 'device', 'deletion', 'suspension'] as const;
type Place = { event: string; item: string; admin: Person };
/** What was seen of one person: requests begun after the end, and those of them that were not refused. */
type Seen = { after: number; accepted: string[] };

/** Requests in a token's name at the same time. */
const hammers = 6;
/** Each goes on until it was refused so many times. */
const enough = 3;
/** Every so many times the other server stands still while the session ends, and has to find out once it goes on. */
const frozenEach = 25;
/** In ms. */
const longestFrost = 1_000;

export const revocation: Program = {
  name: 'revocation',
  promise:
    'logout, the end of a device, deletion, suspension on one server while the other is hammered, 1,000 times: ' +
    'nothing that began after the answer is accepted',
  quick: true,
  async run({ size, open, progress }) {
    const times = size(1_000, 24);
    const environment = await open();
    const [host, admin, ...people] = await environment.people(times + 2);
    if (!host || !admin) throw new Error('nobody came');
    await environment.sql`update users set role = 'admin' where id = ${admin.id}`;
    await givePhones(environment, people);
    const event = await createEvent(environment, host);
    const place = { event, item: await createItem(environment, host, event, 10_000), admin };
    await insertGoingRsvps(environment, event, people);
    const noise = new AbortController();
    const noisy = makeNoise(environment, event, noise.signal);
    let done = 0;
    const seen = await each(times, 6, async (i) => {
      progress(`${++done} of ${times}`);
      return endAndLook(environment, place, people[i] as Person, i);
    }).finally(async () => {
      noise.abort();
      await noisy;
    });
    const after = seen.reduce((sum, each) => sum + each.after, 0);
    const accepted = seen.flatMap((each) => each.accepted);
    const left = await leftovers(environment, people);
    return {
      figure:
        `${times} sessions ended (${ways.join(', ')} in turn): ${accepted.length} of ${after} requests begun after ` +
        `the answer were accepted, ${left} rows of deleted people are left` +
        (accepted.length > 0 ? `: ${[...new Set(accepted)].join(', ')}` : ''),
      ok: accepted.length === 0 && left === 0 && after > times,
    };
  },
};

/** Ends one session on one server while its token is used on the other; then uses it on both. */
async function endAndLook(environment: Environment, place: Place, someone: Person, i: number): Promise<Seen> {
  const here = environment.servers[i % 2];
  const there = environment.servers[(i + 1) % 2];
  const way = ways[i % ways.length];
  if (!here || !there || !way) throw new Error('two servers are needed');
  const end = await preparedEnd(environment, place, way, someone, here);
  const state = { isOver: false };
  const seen: Seen = { after: 0, accepted: [] };
  const hammering = Array.from({ length: hammers }, (_, n) => {
    const server = n === 0 ? here : there;
    return hammer(environment, place, someone, { server, state, seen, way, from: i + n });
  });
  await sleep(Math.random() * 20);
  const isFrozen = i % frozenEach === frozenEach - 1;
  if (isFrozen) there.child.kill('SIGSTOP');
  // It may hold the very lock that the end waits for.
  const thaw = setTimeout(() => there.child.kill('SIGCONT'), longestFrost);
  try {
    await end();
  } finally {
    state.isOver = true;
    // At this very moment, and all kinds at once.
    const probes = kinds.map((_, n) =>
      tryOnce(environment, place, someone, { server: there, state, seen, way, from: n }),
    );
    clearTimeout(thaw);
    there.child.kill('SIGCONT');
    await Promise.all([...hammering, ...probes]);
  }
  return seen;
}

/** All that is needed to end the session but the one request that does. */
async function preparedEnd(
  environment: Environment,
  { admin }: Place,
  way: (typeof ways)[number],
  someone: Person,
  server: Server,
): Promise<() => Promise<void>> {
  const { client, sql } = environment;
  const { token } = someone;
  if (way === 'logout')
    return () => untilDone(way, () => client.ask('POST', '/v1/auth/logout', { token, server }));
  if (way === 'deletion') {
    const body = { confirmCode: await askForFarewell(environment, someone) };
    return () => untilDone(way, () => client.ask('DELETE', '/v1/me', { token, body, server }));
  }
  if (way === 'suspension') {
    const path = `/v1/admin/users/${someone.id}/suspend`;
    return () => untilDone(way, () => client.ask('POST', path, { token: admin.token, body: {}, server }));
  }
  const [row] = await sql<[{ id: string; phone: string }]>`
    select s.id, u.phone from sessions s join users u on u.id = s.user_id where u.id = ${someone.id}`;
  const other = await signIn(environment, row.phone);
  const path = `/v1/auth/sessions/${row.id}`;
  return () => untilDone(way, () => client.ask('DELETE', path, { token: other.token, server }));
}

/** A 503 leaves open whether it was done: then it is asked for again, and 401 or 404 say that it was. */
async function untilDone(way: string, ask: () => Promise<ClientResponse>): Promise<void> {
  for (let isOpen = false, tries = 0; tries < 10; tries++) {
    const { status } = await ask();
    if (status === 200 || (isOpen && (status === 401 || status === 404))) return;
    if (status !== 503) throw new Error(`${way} was answered with ${status}`);
    isOpen = true;
  }
  throw new Error(`${way} was never done`);
}

type Use = { server: Server; state: { isOver: boolean }; seen: Seen; way: string; from: number };
type Request = [method: string, path: (place: Place) => string, body?: unknown];

/** Reads that only the look-up of the session protects, writes in batches, and writes on their own. */
const kinds: Request[] = [
  ['GET', () => '/v1/auth/me'],
  ['POST', ({ event }) => `/v1/events/${event}/rsvp`, { status: 'going' }],
  ['GET', ({ event }) => `/v1/events/${event}`],
  ['POST', ({ item }) => `/v1/items/${item}/claim`, { quantity: 1 }],
  ['PATCH', ({ item }) => `/v1/items/${item}/claim`, { quantity: 1 }],
  ['GET', ({ event }) => `/v1/events/${event}/items`],
  ['DELETE', ({ item }) => `/v1/items/${item}/claim`],
  ['POST', ({ event }) => `/v1/events/${event}/save`, { saved: true }],
  ['GET', () => '/v1/events?limit=1'],
  ['PATCH', () => '/v1/me', { bio: 'still here' }],
  ['GET', () => '/v1/auth/sessions'],
  ['POST', ({ event }) => `/v1/events/${event}/rsvp`, { status: null }],
];

async function hammer(environment: Environment, place: Place, someone: Person, use: Use): Promise<void> {
  for (let n = 0, refused = 0; refused < enough; n++) {
    const wasOver = await tryOnce(environment, place, someone, { ...use, from: use.from + n });
    if (wasOver) refused++;
  }
}

/** @returns whether the session had ended when the request began */
async function tryOnce(
  { client }: Environment,
  place: Place,
  { token }: Person,
  { server, state, seen, way, from }: Use,
): Promise<boolean> {
  const [method, path, body] = kinds[from % kinds.length] as Request;
  const wasOver = state.isOver;
  const { status } = await client.ask(method, path(place), {
    token,
    server,
    ...(body !== undefined && { body }),
  });
  if (!wasOver) return false;
  seen.after++;
  if (status !== 401) seen.accepted.push(`${method} ${path(place)} after ${way}: ${status}`);
  return true;
}

/** Others answer and sign in all the while, so that servers have changes to learn of and batches to put people in. */
async function makeNoise(environment: Environment, event: string, signal: AbortSignal): Promise<void> {
  const crowd = await environment.people(24);
  const guests: SignedIn[] = [];
  await Promise.all(
    crowd.map(async ({ token }, i) => {
      for (let n = 0; !signal.aborted; n++) {
        const status = ['going', 'interested', null][n % 3];
        await environment.client.ask('POST', `/v1/events/${event}/rsvp`, { token, body: { status } });
        if (i === 0 && n % 10 === 0) guests.push(await signIn(environment, phoneOf(5_000_000 + n)));
      }
    }),
  );
}

/** Whatever tables hold of people who are no more. */
async function leftovers({ sql }: Environment, people: Person[]): Promise<number> {
  const [row] = await sql<[{ left: number }]>`
    with gone as (select p.id from unnest(${people.map(({ id }) => id)}::uuid[]) p (id)
      where p.id not in (select id from users))
    select ((select count(*) from rsvps where user_id in (select id from gone))
      + (select count(*) from claims where user_id in (select id from gone))
      + (select count(*) from saves where user_id in (select id from gone))
      + (select count(*) from sessions where user_id in (select id from gone)))::int as left`;
  return row.left;
}
