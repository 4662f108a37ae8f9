/**
 * Users who claim, RSVP and create events on both servers during a backup, and a log of acknowledged writes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlTag } from '../test/support/sql-tag.ts';
import type { Environment, Person } from './environment.ts';
import { createEvent, createItem, insertGoingRsvps } from './factories.ts';

/** A write that got a 2xx response: a claim on the event's only item, an RSVP, or a new event. */
export type AcknowledgedWrite = { kind: 'claim' | 'rsvp' | 'event'; event: string; user: string };

export type Writers = {
  people: Person[];
  /** In the order of the responses. */
  log: AcknowledgedWrite[];
  waitForWrites(count: number): Promise<void>;
  stop(): Promise<void>;
};

const eventCount = 8;
const concurrency = 24;

export async function startWriting(environment: Environment, number: number): Promise<Writers> {
  const [organizer, ...people] = await environment.people(number + 1);
  if (!organizer) throw new Error('no people were created');
  const events = await Promise.all(
    Array.from({ length: eventCount }, () => createEvent(environment, organizer)),
  );
  const items = await Promise.all(events.map((event) => createItem(environment, organizer, event, 10_000)));
  for (const event of events.slice(0, eventCount / 2)) await insertGoingRsvps(environment, event, people);
  const log: AcknowledgedWrite[] = [];
  const state = { turn: 0, isStopped: false };
  const step = async () => {
    const n = state.turn++;
    const person = people[n % people.length] ?? organizer;
    const at = Math.floor(n / people.length) % eventCount;
    const written = await write(environment, person, {
      n,
      at,
      event: events[at] ?? '',
      item: items[at] ?? '',
    });
    if (written) log.push(written);
  };
  const work = Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (!state.isStopped) await step();
    }),
  );
  return {
    people,
    log,
    async waitForWrites(count) {
      while (log.length < count) await Promise.race([work, sleep(20)]);
    },
    async stop() {
      state.isStopped = true;
      await work;
    },
  };
}

type Step = { n: number; at: number; event: string; item: string };

/** Writes are never undone, so every acknowledged write must stay in the database. */
async function write(
  environment: Environment,
  person: Person,
  { n, at, event, item }: Step,
): Promise<AcknowledgedWrite | null> {
  const { id: user, token } = person;
  if (n % 50 === 0) return { kind: 'event', event: await createEvent(environment, person), user };
  const isClaim = at < eventCount / 2;
  const { status } = await environment.client.send(
    'POST',
    isClaim ? `/v1/items/${item}/claim` : `/v1/events/${event}/rsvp`,
    { token, body: isClaim ? { quantity: 1 } : { status: 'going' } },
  );
  return status < 300 ? { kind: isClaim ? 'claim' : 'rsvp', event, user } : null;
}

/** The number of writes that the database does not contain. */
export async function countMissing(sql: SqlTag, written: AcknowledgedWrite[]): Promise<number> {
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
