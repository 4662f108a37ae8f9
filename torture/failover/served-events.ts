/** Compares the events that servers show with those that the database has. */
import { eventBody } from '../../test/support/factories.ts';
import { runConcurrently } from '../client.ts';
import type { Environment, Person } from '../environment.ts';

/**
 * Changes an event on one server and reads it on all servers right afterwards.
 * @returns the number of reads that do not show the change, or that fail
 */
export async function countStaleReads(
  { client, servers, sql }: Environment,
  { token }: Person,
  times: number,
): Promise<number> {
  const { body: event } = await client.send('POST', '/v1/events', { token, body: eventBody() });
  const path = `/v1/events/${event.id}`;
  let stale = 0;
  for (let n = 0; n < times; n++) {
    const title = `Change ${n}`;
    const server = servers[n % servers.length];
    const changed = await client.send('PATCH', path, { token, body: { title }, ...(server && { server }) });
    const reads = await Promise.all(servers.map((each) => client.send('GET', path, { server: each })));
    const [stored] = await sql<{ title: string }[]>`select title from events where id = ${event.id}`;
    const isShown = changed.status === 200 && stored?.title === title;
    stale += isShown ? reads.filter(({ body }) => body.title !== title).length : reads.length;
  }
  return stale;
}

/** The number of events that a server shows although the database lacks them, or does not show as they are stored. */
export async function countWrongEvents(
  { client, servers, sql }: Environment,
  events: { id: string }[],
): Promise<number> {
  const ids = events.map(({ id }) => id);
  const rows = await sql<{ id: string; title: string }[]>`
    select id, title from events where id = any(${ids}::uuid[])`;
  const titles = new Map(rows.map(({ id, title }) => [id, title]));
  const wrong = await runConcurrently(ids.length, 8, async (i) => {
    const id = ids[i] ?? '';
    const reads = await Promise.all(
      servers.map((server) => client.send('GET', `/v1/events/${id}`, { server })),
    );
    const title = titles.get(id);
    return reads.some(({ status, body }) =>
      title === undefined ? status !== 404 : status !== 200 || body.title !== title,
    );
  });
  return wrong.filter(Boolean).length;
}
