import type { Environment } from '../environment.ts';
import { phoneOf, requestDeleteCode, type SignedIn, signIn } from '../phones.ts';
import type { CitusCluster } from './citus.ts';
import { type Deleted, hasRows, type SharedEvent } from './late-writers.ts';

const everyCommit = { minDelayMs: 0, maxDelayMs: 0, longShare: 0, longDelayMs: 0, lostShare: 1 };

/**
 * Deletes an account after an RSVP whose commit is lost, and then lets Citus recover the commit: the deletion cannot
 * see the row, so a sweep alone can delete it.
 * @throws Error if the row does not become visible
 */
export async function deleteBeforeLostRsvp(
  citus: CitusCluster,
  environment: Environment,
  { id: eventId }: SharedEvent,
): Promise<Deleted> {
  const { client, sql } = environment;
  const eventPort = await nodeOf(environment, 'events', eventId);
  const person = await signUpBeside(environment, eventPort);
  const { phone, token, id } = person;
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await client.send(method, path, { token, body });
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status}`);
    return response.body;
  };
  const { username } = await send('GET', '/v1/auth/me');
  const confirmCode = await requestDeleteCode(environment, person);

  const proxy = citus.proxies.find(({ port }) => port === eventPort);
  proxy?.setFault(everyCommit);
  await send('POST', `/v1/events/${eventId}/rsvp`, { status: 'interested' });
  proxy?.setFault(null);
  await send('DELETE', '/v1/me', { confirmCode });
  await sql`select recover_prepared_transactions()`;
  if (!(await hasRows(environment, id)))
    throw new Error('the RSVP did not become visible after the deletion of its author');
  return { id, phone, username, events: [] };
}

/** An account on another node: on the node of the event, the prepared transaction would also lock the account. */
async function signUpBeside(
  environment: Environment,
  eventPort: number,
): Promise<SignedIn & { phone: string }> {
  for (let n = 0; ; n++) {
    const phone = phoneOf(n, '+1212');
    const person = await signIn(environment, phone);
    if ((await nodeOf(environment, 'users', person.id)) !== eventPort) return { ...person, phone };
  }
}

/** The port at which the coordinator reaches the node of a row. */
async function nodeOf({ sql }: Environment, table: string, id: string): Promise<number> {
  const [shard] = await sql<{ port: number }[]>`
    select nodeport as port from pg_dist_shard_placement
    where shardid = get_shard_id_for_distribution_column(${table}::text::regclass, ${id}::uuid)`;
  if (!shard) throw new Error(`the table ${table} is not distributed`);
  return shard.port;
}
