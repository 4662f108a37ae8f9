/** Random requests of many people to many events, of which each server and each shard gets its part. */

import { runConcurrently } from '../../torture/client.ts';
import type { Environment, Person } from '../../torture/environment.ts';
import { createEvent, createItem } from '../../torture/factories.ts';

export type World = { people: Person[]; events: { id: string; item: string }[] };
export type Request = { method: string; path: string; token?: string; body?: unknown };
export type Mix = { name: string; next(world: World): Request };

const amounts = { people: 500, events: 400 };

/** @returns the people, and their events with one item each */
export async function createWorld(environment: Environment): Promise<World> {
  const people = await environment.people(amounts.people);
  const events: World['events'] = [];
  await runConcurrently(amounts.events, 16, async (n) => {
    const organizer = people[n % people.length] as Person;
    const location = { address: 'A place', lat: 45 + 10 * Math.random(), lng: 20 * Math.random() };
    const id = await createEvent(environment, organizer, { location });
    events.push({ id, item: await createItem(environment, organizer, id, 10) });
  });
  return { people, events };
}

const oneOf = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T;

export const mixes: Mix[] = [
  {
    name: 'reads',
    next: ({ people, events }) => {
      const { token } = oneOf(people);
      const { id } = oneOf(events);
      const place = `lat=${(45 + 10 * Math.random()).toFixed(3)}&lng=${(20 * Math.random()).toFixed(3)}`;
      const path = oneOf([
        `/v1/events/${id}`,
        `/v1/events/${id}/items`,
        `/v1/events?${place}&radius=50`,
        '/v1/feed',
        `/v1/users/search?q=p${Math.floor(Math.random() * 256).toString(16)}`,
      ]);
      return { method: 'GET', path, token };
    },
  },
  {
    name: 'writes',
    next: ({ people, events }) => {
      const { id: person, token } = oneOf(people);
      const others = people.filter(({ id }) => id !== person);
      const { id } = oneOf(events);
      return oneOf<Request>([
        {
          method: 'POST',
          path: `/v1/events/${id}/rsvp`,
          token,
          body: { status: oneOf(['going', 'interested']) },
        },
        { method: 'POST', path: `/v1/events/${id}/save`, token, body: { saved: true } },
        { method: 'POST', path: `/v1/users/${oneOf(others).id}/follow`, token, body: {} },
      ]);
    },
  },
];
