/** People who claim, answer and organize on both servers while a backup is made, and what they were told of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlTag } from '../test/sql-tag.ts';
import type { Environment, Person } from './environment.ts';
import { createEvent, createItem, insertGoingRsvps } from './factories.ts';

/** What a client has had a 2xx for: a claim on the event's only item, an RSVP, or an event of their own. */
export type Written = { kind: 'claim' | 'rsvp' | 'event'; event: string; user: string };

export type Writers = {
  people: Person[];
  /** In the order in which it was acknowledged. */
  log: Written[];
  until(count: number): Promise<void>;
  stop(): Promise<void>;
};

const places = 8;
const atOnce = 24;

export async function startWriting(environment: Environment, crowd: number): Promise<Writers> {
  const [organizer, ...people] = await environment.people(crowd + 1);
  if (!organizer) throw new Error('nobody came');
  const events = await Promise.all(Array.from({ length: places }, () => createEvent(environment, organizer)));
  const items = await Promise.all(events.map((event) => createItem(environment, organizer, event, 10_000)));
  for (const event of events.slice(0, places / 2)) await insertGoingRsvps(environment, event, people);
  const log: Written[] = [];
  const state = { turn: 0, isStopped: false };
  const step = async () => {
    const n = state.turn++;
    const person = people[n % people.length] ?? organizer;
    const at = Math.floor(n / people.length) % places;
    const written = await write(environment, person, {
      n,
      at,
      event: events[at] ?? '',
      item: items[at] ?? '',
    });
    if (written) log.push(written);
  };
  const work = Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (!state.isStopped) await step();
    }),
  );
  return {
    people,
    log,
    async until(count) {
      while (log.length < count) await Promise.race([work, sleep(20)]);
    },
    async stop() {
      state.isStopped = true;
      await work;
    },
  };
}

type Step = { n: number; at: number; event: string; item: string };

/** Nobody ever takes anything back: what was acknowledged once must be there for ever. */
async function write(
  environment: Environment,
  person: Person,
  { n, at, event, item }: Step,
): Promise<Written | null> {
  const { id: user, token } = person;
  if (n % 50 === 0) return { kind: 'event', event: await createEvent(environment, person), user };
  const isClaim = at < places / 2;
  const { status } = await environment.client.ask(
    'POST',
    isClaim ? `/v1/items/${item}/claim` : `/v1/events/${event}/rsvp`,
    { token, body: isClaim ? { quantity: 1 } : { status: 'going' } },
  );
  return status < 300 ? { kind: isClaim ? 'claim' : 'rsvp', event, user } : null;
}

/** How many of them a database does not hold. */
export async function countMissing(sql: SqlTag, written: Written[]): Promise<number> {
  const [row] = await sql<[{ missing: number }]>`
    select count(*)::int as missing from unnest(
      ${written.map(({ kind }) => kind)}::text[], ${written.map(({ event }) => event)}::uuid[],
      ${written.map(({ user }) => user)}::uuid[]
    ) w (kind, event_id, user_id)
    where not case kind
      when 'claim' then exists (select from claims c where c.event_id = w.event_id and c.user_id = w.user_id)
      when 'rsvp' then exists (select from rsvps r where r.event_id = w.event_id and r.user_id = w.user_id)
      else exists (select from events e where e.id = w.event_id and e.organizer_id = w.user_id)
    end`;
  return row.missing;
}
