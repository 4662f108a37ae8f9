/** People who write and read without a pause, and all that was answered to them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../test/factories.ts';
import type { Server } from '../test/processes.ts';
import type { ClientResponse } from './client.ts';
import type { Environment, Person } from './environment.ts';

export type Answered = {
  /** When it was asked, in ms of `performance.now`. */
  at: number;
  ms: number;
  /** 0: the connection broke before an answer came. */
  status: number;
  retryAfter: boolean;
};
export type Load = {
  answered: Answered[];
  /** Writes that were acknowledged. */
  events: string[];
  rsvps: { event: string; person: string }[];
  /** Lets everybody finish. */
  stop(): Promise<void>;
};

/** Each of `writers` makes an event and answers it, again and again; each of `readers` looks at themselves. */
export function startLoad(
  { client }: Environment,
  people: Person[],
  { writers, readers, pause = 0 }: { writers: number; readers: number; pause?: number },
): Load {
  const load: Load = {
    answered: [],
    events: [],
    rsvps: [],
    stop: async () => {
      isOver = true;
      await done;
    },
  };
  let isOver = false;
  const ask = async (
    method: string,
    path: string,
    person: Person,
    body?: unknown,
  ): Promise<ClientResponse | null> => {
    const at = performance.now();
    const answer = await client.ask(method, path, { token: person.token, body }).catch(() => null);
    const retryAfter = answer?.headers['retry-after'] !== undefined;
    load.answered.push({ at, ms: performance.now() - at, status: answer?.status ?? 0, retryAfter });
    // Whoever is refused waits a moment, as clients do.
    await sleep(answer && answer.status < 500 ? pause : 20);
    return answer;
  };
  const write = async (person: Person) => {
    const made = await ask('POST', '/v1/events', person, eventBody());
    if (made?.status !== 201) return;
    const event = made.body.id;
    load.events.push(event);
    const rsvp = await ask('POST', `/v1/events/${event}/rsvp`, person, { status: 'going' });
    if (rsvp?.status === 200) load.rsvps.push({ event, person: person.id });
  };
  const read = (person: Person) => ask('GET', '/v1/auth/me', person);
  const repeat = async (work: (person: Person) => Promise<unknown>, i: number) => {
    const person = people[i % people.length];
    if (!person) throw new Error('nobody came');
    while (!isOver) await work(person);
  };
  const done = Promise.all([
    ...Array.from({ length: writers }, (_, i) => repeat(write, i)),
    ...Array.from({ length: readers }, (_, i) => repeat(read, i)),
  ]);
  return load;
}

/** Acknowledged writes that are not in the database. */
export async function lostOf({ sql }: Environment, { events, rsvps }: Load): Promise<number> {
  const [row] = await sql<[{ events: number; rsvps: number }]>`
    select (select count(*)::int from events where id = any(${events}::uuid[])) as events,
      (select count(*)::int from unnest(${rsvps.map(({ event }) => event)}::uuid[],
        ${rsvps.map(({ person }) => person)}::uuid[]) a (event_id, user_id)
        join rsvps using (event_id, user_id)) as rsvps`;
  return events.length - row.events + (rsvps.length - row.rsvps);
}

/** Ms until the server reads from and writes to the database again; gives up after `most`. */
export async function untilBack(
  { client }: Environment,
  person: Person,
  server: Pick<Server, 'url'>,
  most = 20_000,
): Promise<number> {
  const since = performance.now();
  const { token } = person;
  while (performance.now() - since < most) {
    const read = await client.ask('GET', '/v1/auth/me', { token, server }).catch(() => null);
    const written =
      read?.status === 200 &&
      (await client.ask('POST', '/v1/events', { token, server, body: eventBody() }).catch(() => null));
    if (written && written.status === 201) return performance.now() - since;
    await sleep(10);
  }
  return Number.POSITIVE_INFINITY;
}
