/**
 * People who write in all ways on a cluster whose commits are late, read what they have written on every server, and
 * delete accounts in the middle of their owners' requests.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../../test/support/factories.ts';
import type { Server } from '../../test/support/processes.ts';
import type { ClientResponse } from '../client.ts';
import type { Environment } from '../environment.ts';
import { phoneOf, type SignedIn, signIn } from '../phones.ts';

/** A deleted person, and the events that the person had. */
export type Deleted = { id: string; phone: string; username: string; events: string[] };

/** What all people write to. */
export type SharedEvent = { id: string; item: string };

export type LateWriters = {
  writes: number;
  reads: number;
  /** Reads after an acknowledged write whose record is older. */
  stale: string[];
  /** Reads that were refused with a 503, because the record was not visible for a second. */
  unavailable: number;
  /** States of the reader that have no version, and were older than the write: saves. */
  lateStates: number;
  deleted: Deleted[];
  /** Deletions after which a row of the person became visible. */
  late: number;
  /** The number of responses by status; 0 stands for a broken connection. */
  statuses: Map<number, number>;
  acknowledgedClaims: { item: string; user: string }[];
  stop(): Promise<void>;
};

/** The longest delay of a commit, and some time for the requests that were running. */
const settleMs = 1_000;

export function startLateWriters(
  environment: Environment,
  people: SignedIn[],
  shared: SharedEvent[],
  options: { firstPhone: number; deleters: number },
): LateWriters {
  const { client, servers } = environment;
  const state = { isOver: false, nextPhone: options.firstPhone };
  const hotPaths = new Set<string>();
  const seen: Omit<LateWriters, 'stop'> = {
    writes: 0,
    reads: 0,
    stale: [],
    unavailable: 0,
    lateStates: 0,
    deleted: [],
    late: 0,
    statuses: new Map(),
    acknowledgedClaims: [],
  };

  /** @returns the response if the request succeeded, otherwise null */
  const send = async (
    { token }: { token: string },
    method: string,
    path: string,
    body?: unknown,
    server?: Server,
  ): Promise<ClientResponse | null> => {
    const call = { token, body, ...(server && { server }) };
    const response = await client.send(method, path, call).catch(() => null);
    const status = response?.status ?? 0;
    seen.statuses.set(status, (seen.statuses.get(status) ?? 0) + 1);
    return response && status < 300 ? response : null;
  };

  const write = async (person: SignedIn, method: string, path: string, body?: unknown) => {
    const response = await send(person, method, path, body);
    if (response) seen.writes++;
    return response;
  };

  /** Reads on every server at once. `isCurrent` says whether the body has the write. */
  const readEverywhere = async (
    person: SignedIn,
    path: string,
    // biome-ignore lint/suspicious/noExplicitAny: the body depends on the route
    isCurrent: (body: any) => boolean,
    onOld: (text: string) => void = (text) => void seen.stale.push(text),
  ) => {
    const responses = await Promise.all(
      servers.map((server) => send(person, 'GET', path, undefined, server)),
    );
    for (const response of responses) {
      seen.reads++;
      if (!response) seen.unavailable++;
      else if (!isCurrent(response.body)) onOld(`${path}: ${JSON.stringify(response.body).slice(0, 200)}`);
    }
  };

  /** The person alone writes to this event, so each response is known. */
  const useOwnEvent = async (person: SignedIn, own: { id: string }, n: number) => {
    const path = `/v1/events/${own.id}`;
    const title = `Title ${n}`;
    if (await write(person, 'PATCH', path, { title }))
      await readEverywhere(person, path, (event) => event.title === title);
    const status = n % 2 === 0 ? 'going' : null;
    const rsvp = await write(person, 'POST', `${path}/rsvp`, { status });
    if (rsvp) {
      const isCurrent = (event: { myRsvp: string | null; goingCount: number }) =>
        event.myRsvp === status && event.goingCount === (status ? 1 : 0);
      await readEverywhere(person, path, isCurrent);
    }
    const saved = n % 2 === 0;
    if (await write(person, 'POST', `${path}/save`, { saved })) {
      await readEverywhere(
        person,
        path,
        (event) => event.isSaved === saved,
        () => void seen.lateStates++,
      );
    }
    const name = `Name ${n}`;
    if (await write(person, 'PATCH', '/v1/me', { name }))
      await readEverywhere(person, `/v1/users/${person.id}`, (user) => user.name === name);
  };

  const useShared = async (person: SignedIn, other: SignedIn, n: number) => {
    const { id, item } = shared[n % shared.length] as SharedEvent;
    const going = await write(person, 'POST', `/v1/events/${id}/rsvp`, { status: 'going' });
    if (going) {
      const claimed = await write(person, 'POST', `/v1/items/${item}/claim`, { quantity: 1 });
      if (claimed) seen.acknowledgedClaims.push({ item, user: person.id });
    }
    const booking = `/v1/events/${id}/booking`;
    if (await write(person, 'POST', booking, { seats: 1, waitlist: true }))
      if (n % 3 > 0) await write(person, 'DELETE', booking);
    await write(person, n % 2 === 0 ? 'POST' : 'DELETE', `/v1/users/${other.id}/follow`);
  };

  const repeat = async (person: SignedIn, other: SignedIn) => {
    hotPaths.add(`/v1/users/${person.id}`);
    let own: { id: string } | undefined;
    for (let n = 0; !state.isOver; n++) {
      own ??= (await write(person, 'POST', '/v1/events', eventBody()))?.body;
      if (own) {
        hotPaths.add(`/v1/events/${own.id}`);
        await useOwnEvent(person, own, n);
      }
      await useShared(person, other, n);
    }
  };

  /** Fills the caches of a server as soon as the change log has emptied them, before all nodes have committed. */
  const keepReading = async (server: Server) => {
    while (!state.isOver) {
      for (const path of hotPaths) await client.send('GET', path, { server }).catch(() => null);
      await sleep(1);
    }
  };

  /** Signs up, and deletes the account in the middle of requests of this person and about this person. */
  const comeAndGo = async (other: SignedIn) => {
    const phone = phoneOf(state.nextPhone++);
    const person = await signIn(environment, phone).catch(() => null);
    if (!person) return void (await sleep(50));
    const profile = await send(person, 'GET', '/v1/auth/me');
    const created = await write(person, 'POST', '/v1/events', eventBody());
    const code = await send(person, 'POST', '/v1/me/delete-code');
    if (!profile || !code) return;
    const wait = () => sleep(Math.random() * 15);
    const requests = [
      () => write(person, 'POST', '/v1/events', eventBody()),
      ...shared.map(
        ({ id }) =>
          () =>
            write(person, 'POST', `/v1/events/${id}/save`, { saved: true }),
      ),
      ...shared.map(
        ({ id }) =>
          () =>
            write(person, 'POST', `/v1/events/${id}/rsvp`, { status: 'interested' }),
      ),
      () => write(person, 'POST', `/v1/users/${other.id}/follow`),
      () => write(other, 'POST', `/v1/users/${person.id}/follow`),
      () => write(other, 'POST', `/v1/users/${person.id}/messages`, { text: 'Hello' }),
      () => write(person, 'PATCH', '/v1/me', { name: `Gone ${phone}` }),
    ];
    const running = Promise.all(requests.map((request) => wait().then(request)));
    const deleted = await wait().then(() =>
      send(person, 'DELETE', '/v1/me', { confirmCode: code.body.devCode }),
    );
    const events = [created, (await running)[0]].flatMap((response) => response?.body?.id ?? []);
    if (!deleted) return;
    const { id } = person;
    seen.deleted.push({ id, phone, username: profile.body.username, events });
    await sleep(settleMs);
    if (await hasRows(environment, id)) seen.late++;
  };

  const done = Promise.all([
    ...servers.flatMap((server) => [keepReading(server), keepReading(server)]),
    ...people.map((person, i) => repeat(person, people[(i + 1) % people.length] ?? person)),
    ...Array.from({ length: options.deleters }, async (_, i) => {
      while (!state.isOver) await comeAndGo(people[i % people.length] as SignedIn);
    }),
  ]);
  return Object.assign(seen, {
    async stop() {
      state.isOver = true;
      await done;
    },
  });
}

/** Whether the database shows rows under keys of others that name the person. */
export async function hasRows({ sql }: Environment, id: string): Promise<boolean> {
  const rows = await sql`
    select event_id from saves where user_id = ${id} union all select event_id from rsvps where user_id = ${id}
    union all select id from events where organizer_id = ${id}
    union all select user_id from relations where other_id = ${id}
    union all select user_id from conversations where other_id = ${id}`;
  return rows.length > 0;
}
