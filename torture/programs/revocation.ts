import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '../../test/support/processes.ts';
import { type ClientResponse, runConcurrently } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent, createItem, insertGoingRsvps } from '../factories.ts';
import { assignPhones, phoneOf, requestDeleteCode, type SignedIn, signIn } from '../phones.ts';
import type { Program } from '../program.ts';

const ways = ['logout', 'device', 'deletion', 'suspension'] as const;
type Targets = { event: string; item: string; admin: Person };
/** The number of requests begun after the end of a session, and those of them that were accepted. */
type Result = { after: number; accepted: string[] };

/** The number of concurrent requests with one token. */
const concurrency = 6;
/** Each loop stops after this many refusals. */
const refusalsPerLoop = 3;
/**
 * In every n-th round, the other server is frozen while the session ends, and must learn of it when it
 * resumes.
 */
const freezeEveryN = 25;
const maxFreezeMs = 1_000;

export const revocation: Program = {
  name: 'revocation',
  expectation:
    'logout, end of a session on another device, account deletion and suspension on one server under load ' +
    'on the other, 1,000 times: no request that began after the response is accepted',
  quick: true,
  async run({ size, startEnvironment, progress }) {
    const times = size(1_000, 24);
    const environment = await startEnvironment();
    const [host, admin, ...people] = await environment.people(times + 2);
    if (!host || !admin) throw new Error('no people were created');
    await environment.sql`update users set role = 'admin' where id = ${admin.id}`;
    await assignPhones(environment, people);
    const event = await createEvent(environment, host);
    const targets = { event, item: await createItem(environment, host, event, 10_000), admin };
    await insertGoingRsvps(environment, event, people);
    const traffic = new AbortController();
    const trafficDone = runOtherTraffic(environment, event, traffic.signal);
    let done = 0;
    const results = await runConcurrently(times, 6, async (i) => {
      progress(`${++done} of ${times}`);
      return endSessionUnderLoad(environment, targets, people[i] as Person, i);
    }).finally(async () => {
      traffic.abort();
      await trafficDone;
    });
    const after = results.reduce((sum, each) => sum + each.after, 0);
    const accepted = results.flatMap((each) => each.accepted);
    const left = await countLeftoverRows(environment, people);
    return {
      result:
        `${times} sessions ended (${ways.join(', ')} in turn): ${accepted.length} of ${after} requests begun after ` +
        `the response were accepted, ${left} rows of deleted accounts are left` +
        (accepted.length > 0 ? `: ${[...new Set(accepted)].join(', ')}` : ''),
      ok: accepted.length === 0 && left === 0 && after > times,
    };
  },
};

/**
 * Ends a session on one server while its token is used on both, and continues to use it after the response.
 */
async function endSessionUnderLoad(
  environment: Environment,
  targets: Targets,
  person: Person,
  i: number,
): Promise<Result> {
  const here = environment.servers[i % 2];
  const there = environment.servers[(i + 1) % 2];
  const way = ways[i % ways.length];
  if (!here || !there || !way) throw new Error('two servers are needed');
  const end = await prepareEnd(environment, targets, way, person, here);
  const state = { isOver: false };
  const result: Result = { after: 0, accepted: [] };
  const loops = Array.from({ length: concurrency }, (_, n) => {
    const server = n === 0 ? here : there;
    return useTokenRepeatedly(environment, targets, person, { server, state, result, way, from: i + n });
  });
  await sleep(Math.random() * 20);
  const isFrozen = i % freezeEveryN === freezeEveryN - 1;
  if (isFrozen) there.child.kill('SIGSTOP');
  // The frozen server may hold a lock that the end of the session waits for.
  const unfreezeTimer = setTimeout(() => there.child.kill('SIGCONT'), maxFreezeMs);
  try {
    await end();
  } finally {
    state.isOver = true;
    // One request of each kind, immediately after the response.
    const probes = kinds.map((_, n) =>
      useTokenOnce(environment, targets, person, { server: there, state, result, way, from: n }),
    );
    clearTimeout(unfreezeTimer);
    there.child.kill('SIGCONT');
    await Promise.all([...loops, ...probes]);
  }
  return result;
}

/** Prepares the end of a session. @returns a function that sends the request that ends it */
async function prepareEnd(
  environment: Environment,
  { admin }: Targets,
  way: (typeof ways)[number],
  person: Person,
  server: Server,
): Promise<() => Promise<void>> {
  const { client, sql } = environment;
  const { token } = person;
  if (way === 'logout')
    return () => untilDone(way, () => client.send('POST', '/v1/auth/logout', { token, server }));
  if (way === 'deletion') {
    const body = { confirmCode: await requestDeleteCode(environment, person) };
    return () => untilDone(way, () => client.send('DELETE', '/v1/me', { token, body, server }));
  }
  if (way === 'suspension') {
    const path = `/v1/admin/users/${person.id}/suspend`;
    return () => untilDone(way, () => client.send('POST', path, { token: admin.token, body: {}, server }));
  }
  const [row] = await sql<[{ id: string; phone: string }]>`
    select s.id, u.phone from sessions s join users u on u.id = s.user_id where u.id = ${person.id}`;
  const other = await signIn(environment, row.phone);
  const path = `/v1/auth/sessions/${row.id}`;
  return () => untilDone(way, () => client.send('DELETE', path, { token: other.token, server }));
}

/**
 * After a 503 the outcome is unknown: the request is repeated, and a 401 or 404 means that the session had
 * ended.
 */
async function untilDone(way: string, send: () => Promise<ClientResponse>): Promise<void> {
  for (let isUnknown = false, tries = 0; tries < 10; tries++) {
    const { status } = await send();
    if (status === 200 || (isUnknown && (status === 401 || status === 404))) return;
    if (status !== 503) throw new Error(`${way} got the status ${status}`);
    isUnknown = true;
  }
  throw new Error(`${way} got only 503s`);
}

type UseOptions = { server: Server; state: { isOver: boolean }; result: Result; way: string; from: number };
type Request = [method: string, path: (targets: Targets) => string, body?: unknown];

/** Reads that only the session lookup protects, batched writes, and individual writes. */
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

async function useTokenRepeatedly(
  environment: Environment,
  targets: Targets,
  person: Person,
  options: UseOptions,
): Promise<void> {
  for (let n = 0, refused = 0; refused < refusalsPerLoop; n++) {
    const wasOver = await useTokenOnce(environment, targets, person, { ...options, from: options.from + n });
    if (wasOver) refused++;
  }
}

/** @returns whether the session had ended when the request began */
async function useTokenOnce(
  { client }: Environment,
  targets: Targets,
  { token }: Person,
  { server, state, result, way, from }: UseOptions,
): Promise<boolean> {
  const [method, path, body] = kinds[from % kinds.length] as Request;
  const wasOver = state.isOver;
  const { status } = await client.send(method, path(targets), {
    token,
    server,
    ...(body !== undefined && { body }),
  });
  if (!wasOver) return false;
  result.after++;
  if (status !== 401) result.accepted.push(`${method} ${path(targets)} after ${way}: ${status}`);
  return true;
}

/** Other people RSVP and sign in, so that the servers receive changes and batch writes. */
async function runOtherTraffic(environment: Environment, event: string, signal: AbortSignal): Promise<void> {
  const people = await environment.people(24);
  const signedIn: SignedIn[] = [];
  await Promise.all(
    people.map(async ({ token }, i) => {
      for (let n = 0; !signal.aborted; n++) {
        const status = ['going', 'interested', null][n % 3];
        await environment.client.send('POST', `/v1/events/${event}/rsvp`, { token, body: { status } });
        if (i === 0 && n % 10 === 0) signedIn.push(await signIn(environment, phoneOf(5_000_000 + n)));
      }
    }),
  );
}

/** The number of rows that belong to deleted accounts. */
async function countLeftoverRows({ sql }: Environment, people: Person[]): Promise<number> {
  const [row] = await sql<[{ left: number }]>`
    with deleted as (select p.id from unnest(${people.map(({ id }) => id)}::uuid[]) p (id)
      where p.id not in (select id from users))
    select ((select count(*) from rsvps where user_id in (select id from deleted))
      + (select count(*) from claims where user_id in (select id from deleted))
      + (select count(*) from saves where user_id in (select id from deleted))
      + (select count(*) from sessions where user_id in (select id from deleted)))::int as left`;
  return row.left;
}
