/** Creates events and items through the API, and thousands of RSVPs and claims by SQL. */
import { eventBody } from '../test/support/factories.ts';
import type { Environment, Person } from './environment.ts';

/** @returns the new event's id */
export async function createEvent(
  { client }: Environment,
  organizer: Person,
  overrides: Record<string, unknown> = {},
): Promise<string> {
  const { status, body } = await client.send('POST', '/v1/events', {
    token: organizer.token,
    body: eventBody(overrides),
  });
  if (status !== 201) throw new Error(`the event was not created: ${JSON.stringify(body)}`);
  return body.id;
}

/** @returns the new item's id */
export async function createItem(
  { client }: Environment,
  organizer: Person,
  event: string,
  quantityNeeded: number,
): Promise<string> {
  const { status, body } = await client.send('POST', `/v1/events/${event}/items`, {
    token: organizer.token,
    body: { kind: 'bring', title: 'Plates', quantityNeeded },
  });
  if (status !== 201) throw new Error(`the item was not created: ${JSON.stringify(body)}`);
  return body.id;
}

/** Inserts an RSVP of `going` for each person by SQL. */
export async function insertGoingRsvps({ sql }: Environment, event: string, people: Person[]): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`
      insert into rsvps (event_id, user_id, status, created_at)
      select ${event}, id, 'going', now() from unnest(${people.map(({ id }) => id)}::uuid[]) r (id)`;
    await tx`
      update event_counters set rsvp_count = rsvp_count + ${people.length}, going_count = going_count + ${people.length}
      where event_id = ${event}`;
  });
}

/** Inserts claims of one each by SQL, as many on each item of an event, until there are `count`. */
export async function insertClaims(
  { sql }: Environment,
  event: string,
  people: Person[],
  count: number,
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`
      insert into claims (event_id, n, user_id, id, quantity, created_at)
      select i.event_id, i.n, u.id, gen_random_uuid(), 1, now()
      from unnest(${people.map(({ id }) => id)}::uuid[]) with ordinality u (id, k)
      cross join items i where i.event_id = ${event} order by u.k, i.n limit ${count}`;
    await tx`
      update item_stock s set claimed = c.count
      from (select n, count(*)::int as count from claims where event_id = ${event} group by n) c
      where s.event_id = ${event} and s.n = c.n`;
  });
}
