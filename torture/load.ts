/** A continuous load of writes and reads, and a record of the responses. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../test/support/factories.ts';
import type { Server } from '../test/support/processes.ts';
import type { ClientResponse } from './client.ts';
import type { Environment, Person } from './environment.ts';

export type LoadResponse = {
  /** The time of the request, by `performance.now`. */
  at: number;
  ms: number;
  /** 0 if the connection broke before the response. */
  status: number;
  hasRetryAfter: boolean;
};
export type Load = {
  responses: LoadResponse[];
  /** Acknowledged writes. */
  events: string[];
  rsvps: { event: string; person: string }[];
  /** Waits for the running requests. */
  stop(): Promise<void>;
};

/** Each writer repeatedly creates an event and an RSVP; each reader repeatedly reads its own profile. */
export function startLoad(
  { client }: Environment,
  people: Person[],
  { writers, readers, pause = 0 }: { writers: number; readers: number; pause?: number },
): Load {
  const load: Load = {
    responses: [],
    events: [],
    rsvps: [],
    stop: async () => {
      isOver = true;
      await done;
    },
  };
  let isOver = false;
  const send = async (
    method: string,
    path: string,
    person: Person,
    body?: unknown,
  ): Promise<ClientResponse | null> => {
    const at = performance.now();
    const response = await client.send(method, path, { token: person.token, body }).catch(() => null);
    const hasRetryAfter = response?.headers['retry-after'] !== undefined;
    load.responses.push({ at, ms: performance.now() - at, status: response?.status ?? 0, hasRetryAfter });
    // After a refusal, clients wait before they retry.
    await sleep(response && response.status < 500 ? pause : 20);
    return response;
  };
  const write = async (person: Person) => {
    const created = await send('POST', '/v1/events', person, eventBody());
    if (created?.status !== 201) return;
    const event = created.body.id;
    load.events.push(event);
    const rsvp = await send('POST', `/v1/events/${event}/rsvp`, person, { status: 'going' });
    if (rsvp?.status === 200) load.rsvps.push({ event, person: person.id });
  };
  const read = (person: Person) => send('GET', '/v1/auth/me', person);
  const repeat = async (work: (person: Person) => Promise<unknown>, i: number) => {
    const person = people[i % people.length];
    if (!person) throw new Error('no people were created');
    while (!isOver) await work(person);
  };
  const done = Promise.all([
    ...Array.from({ length: writers }, (_, i) => repeat(write, i)),
    ...Array.from({ length: readers }, (_, i) => repeat(read, i)),
  ]);
  return load;
}

/** The number of acknowledged writes that the database does not contain. */
export async function countLostWrites({ sql }: Environment, { events, rsvps }: Load): Promise<number> {
  const [row] = await sql<[{ events: number; rsvps: number }]>`
    select (select count(*)::int from events where id = any(${events}::uuid[])) as events,
      (select count(*)::int from unnest(${rsvps.map(({ event }) => event)}::uuid[],
        ${rsvps.map(({ person }) => person)}::uuid[]) a (event_id, user_id)
        join rsvps using (event_id, user_id)) as rsvps`;
  return events.length - row.events + (rsvps.length - row.rsvps);
}

/**
 * @returns the ms until the server reads from and writes to the database again, or infinity after `timeoutMs`
 */
export async function waitForRecovery(
  { client }: Environment,
  person: Person,
  server: Pick<Server, 'url'>,
  timeoutMs = 20_000,
): Promise<number> {
  const since = performance.now();
  const { token } = person;
  while (performance.now() - since < timeoutMs) {
    const read = await client.send('GET', '/v1/auth/me', { token, server }).catch(() => null);
    const written =
      read?.status === 200 &&
      (await client.send('POST', '/v1/events', { token, server, body: eventBody() }).catch(() => null));
    if (written && written.status === 201) return performance.now() - since;
    await sleep(10);
  }
  return Number.POSITIVE_INFINITY;
}
