/** Random writes and reads of lists on several servers at once, some of which fail meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { randomTraits } from '../../test/operations/event-traits.ts';
import type { Server } from '../../test/support/processes.ts';
import type { Random } from '../../test/support/random.ts';
import type { Call, ClientResponse } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import { assignPhones } from '../phones.ts';
import type { Oracle } from './oracle.ts';
import { pathOf, randomQuery } from './queries.ts';
import { categories, randomEnd, randomPlace, randomStart, randomText } from './vocabulary.ts';

/** `person`: changes the event, as its organizer or, after the organizer's suspension, as an admin. */
type WrittenEvent = { id: string; organizerId: string; person: Person };

export type Traffic = {
  environment: Environment;
  random: Random;
  admin: Person;
  /** Callers who block organizers. */
  viewers: Person[];
  organizers: Person[];
  events: WrittenEvent[];
  /** The number of failures of servers or the database that are under way, and of those that have begun. */
  failures: { running: number; begun: number };
  faults: string[];
  counts: { writes: number; reads: number; observed: number };
  /** The number of phone numbers in use. */
  phones: number;
};

/** Waits after a refusal before the next request. */
const refusalMs = 20;

export function fault({ faults }: Traffic, text: string): void {
  faults.push(text.slice(0, 1_500));
}

/**
 * Sends a request. While a server or the database is down, it may fail.
 * @returns null if it has failed, and so may have had an effect or not
 */
export async function send(
  traffic: Traffic,
  method: string,
  path: string,
  call: Call,
): Promise<ClientResponse | null> {
  const { failures, environment } = traffic;
  const { running, begun } = failures;
  const response = await environment.client.send(method, path, call).catch((error: Error) => error);
  if (!(response instanceof Error) && response.status < 500) return response;
  const hasFailed = running > 0 || failures.begun > begun;
  const outcome = response instanceof Error ? response.message : `${response.status}`;
  if (!hasFailed || (!(response instanceof Error) && response.status !== 503))
    fault(traffic, `${method} ${path}: ${outcome} instead of a response`);
  await sleep(refusalMs);
  return null;
}

export function randomFields(random: Random) {
  const start = randomStart(random);
  return {
    title: randomText(random, 1, 4).slice(0, 140).toWellFormed(),
    description: randomText(random, 0, 12),
    startAt: new Date(start).toISOString(),
    endAt: new Date(randomEnd(random, start)).toISOString(),
    location: { address: randomText(random, 1, 3), ...randomPlace(random) },
    category: random.pick(categories),
    ...randomTraits(random),
    visibility: random.pick(['public', 'public', 'public', 'public', 'unlisted', 'private']),
  };
}

/**
 * Adds organizers with valid phone numbers, who can thus delete their accounts.
 * @returns none while the database is down
 */
export async function addOrganizers(traffic: Traffic, count: number): Promise<Person[]> {
  try {
    const added = await traffic.environment.people(count);
    traffic.phones += count;
    await assignPhones(traffic.environment, added, traffic.phones - count);
    return added;
  } catch (error) {
    if (traffic.failures.begun === 0) throw error;
    await sleep(refusalMs);
    return [];
  }
}

/** Sends random writes to random servers until `isOver`. */
export async function writeRandomly(traffic: Traffic, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await writeOnce(traffic);
    traffic.counts.writes++;
  }
}

async function writeOnce(traffic: Traffic): Promise<void> {
  const { random, organizers, events, environment, viewers } = traffic;
  const server = random.pick(environment.servers);
  const kind = random.next();
  if (kind < 0.004) return suspendAndRestore(traffic, server);
  if (kind < 0.008) return deleteAccount(traffic, server);
  if (kind < 0.03) {
    const path = `/v1/users/${random.pick(organizers).id}/block`;
    await send(traffic, random.pick(['POST', 'DELETE']), path, { server, token: random.pick(viewers).token });
  } else if (kind < 0.4 || events.length === 0) {
    const person = random.pick(organizers);
    const call = { server, token: person.token, body: randomFields(random) };
    const created = await send(traffic, 'POST', '/v1/events', call);
    if (created?.status === 201) events.push({ id: created.body.id, organizerId: person.id, person });
  } else await changeOnce(traffic, server, random.pick(events));
}

async function changeOnce(traffic: Traffic, server: Server, { id, person }: WrittenEvent): Promise<void> {
  const { random, events, viewers } = traffic;
  const kind = random.next();
  if (kind < 0.2) {
    const body = { status: random.pick(['going', 'interested', null]) };
    await send(traffic, 'POST', `/v1/events/${id}/rsvp`, { server, token: random.pick(viewers).token, body });
  } else if (kind < 0.3) {
    const at = events.findIndex((event) => event.id === id);
    if (at >= 0) events.splice(at, 1);
    await send(traffic, 'DELETE', `/v1/events/${id}`, { server, token: person.token });
  } else {
    const { title, startAt, endAt, location, category, visibility } = randomFields(random);
    const status = random.pick(['scheduled', 'scheduled', 'cancelled']);
    const body = random.pick([
      { title },
      { startAt, endAt },
      { location },
      { category },
      { visibility },
      { status },
      randomTraits(random),
    ]);
    await send(traffic, 'PATCH', `/v1/events/${id}`, { server, token: person.token, body });
  }
}

/** Takes an organizer out of the list, so that no other step uses the person. */
function takeOrganizer({ random, organizers }: Traffic): Person | null {
  return organizers.length > 4 ? (organizers.splice(random.below(organizers.length), 1)[0] ?? null) : null;
}

/** Suspends an organizer, and restores the account later or never. An admin changes the events from now on. */
async function suspendAndRestore(traffic: Traffic, server: Server): Promise<void> {
  const { admin, random, events } = traffic;
  const organizer = takeOrganizer(traffic);
  if (!organizer) return;
  for (const event of events) if (event.organizerId === organizer.id) event.person = admin;
  const path = `/v1/admin/users/${organizer.id}/suspend`;
  await send(traffic, 'POST', path, { server, token: admin.token, body: {} });
  if (random.next() < 0.7) {
    await sleep(random.below(300));
    const other = random.pick(traffic.environment.servers);
    await send(traffic, 'DELETE', path, { server: other, token: admin.token });
  }
  traffic.organizers.push(...(await addOrganizers(traffic, 1)));
}

async function deleteAccount(traffic: Traffic, server: Server): Promise<void> {
  const organizer = takeOrganizer(traffic);
  if (!organizer) return;
  const { token } = organizer;
  const sent = await send(traffic, 'POST', '/v1/me/delete-code', { server, token });
  if (sent?.status === 202)
    await send(traffic, 'DELETE', '/v1/me', { server, token, body: { confirmCode: sent.body.devCode } });
  traffic.organizers.push(...(await addOrganizers(traffic, 1)));
}

/** Sends random queries to random servers until `isOver`. Their responses must be complete, but are not compared. */
export async function readRandomly(traffic: Traffic, oracle: Oracle, isOver: () => boolean): Promise<void> {
  const { random, viewers, environment } = traffic;
  const tokens = new Map(viewers.map(({ id, token }) => [id, token]));
  while (!isOver()) {
    const query = randomQuery(random, oracle, [...tokens.keys()]);
    const token = tokens.get(query.callerId ?? '');
    const path = pathOf(query);
    const response = await send(traffic, 'GET', path, {
      server: random.pick(environment.servers),
      ...(token && { token }),
    });
    traffic.counts.reads++;
    if (response && response.status !== 200) fault(traffic, `GET ${path}: ${response.status}`);
  }
}
