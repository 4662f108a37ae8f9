/** Writes on one server, whose effect the next list of another server must show. */
import type { Server } from '../../test/support/processes.ts';
import type { ClientResponse } from '../client.ts';
import type { Person } from '../environment.ts';
import { addOrganizers, fault, randomFields, send, type Traffic } from './traffic.ts';
import { hourMs } from './vocabulary.ts';

/** The write has failed because a server or the database is down, so its effect is unknown. */
class UnknownOutcome extends Error {}

/** An event that only its observer changes. `word` is in the titles of all its events and in no other text. */
type Observed = { traffic: Traffic; organizer: Person; word: string };

let words = 0;

/** Repeats the writes on new events until `isOver`. */
export async function observeWrites(traffic: Traffic, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    try {
      const [organizer] = await addOrganizers(traffic, 1);
      if (organizer) await observeOnce({ traffic, organizer, word: `observed${words++}x` });
    } catch (error) {
      if (!(error instanceof UnknownOutcome)) throw error;
    }
  }
}

async function observeOnce(observed: Observed): Promise<void> {
  const { traffic, organizer, word } = observed;
  const { random, admin, viewers } = traffic;
  const viewer = random.pick(viewers);
  const { location, ...fields } = { ...randomFields(random), visibility: 'public', title: `${word} at home` };
  const first = await write(observed, 201, 'POST', '/v1/events', organizer, { ...fields, location });
  const id: string = first.body.id;
  await expectLists(observed, { ...fields, ...location, id }, true);
  const path = `/v1/events/${id}`;
  const moved = randomFields(random);
  const change = { startAt: moved.startAt, endAt: moved.endAt, location: moved.location };
  await write(observed, 200, 'PATCH', path, organizer, change);
  await expectLists(observed, { ...fields, ...change, ...moved.location, id }, true);
  const changed = { ...fields, ...change, ...moved.location, id };
  const hide = random.pick([{ visibility: 'unlisted' }, { visibility: 'private' }, { status: 'cancelled' }]);
  await write(observed, 200, 'PATCH', path, organizer, hide);
  await expectLists(observed, changed, false);
  await write(observed, 200, 'PATCH', path, organizer, { visibility: 'public', status: 'scheduled' });
  await expectLists(observed, changed, true);
  await write(observed, 200, 'POST', `/v1/users/${organizer.id}/block`, viewer);
  await expectLists(observed, changed, false, viewer);
  await write(observed, 200, 'DELETE', `/v1/users/${organizer.id}/block`, viewer);
  await expectLists(observed, changed, true, viewer);
  const suspension = `/v1/admin/users/${organizer.id}/suspend`;
  const isSuspended = random.next() < 0.5;
  if (isSuspended) {
    await write(observed, 200, 'POST', suspension, admin, {});
    await expectLists(observed, changed, false);
    await write(observed, 200, 'DELETE', suspension, admin);
    await expectLists(observed, changed, true);
  }
  if (isSuspended) await write(observed, 200, 'DELETE', path, admin);
  else if (random.next() < 0.5) await write(observed, 200, 'DELETE', path, organizer);
  else {
    const { body } = await write(observed, 202, 'POST', '/v1/me/delete-code', organizer);
    await write(observed, 200, 'DELETE', '/v1/me', organizer, { confirmCode: body.devCode });
  }
  await expectLists(observed, changed, false);
}

async function write(
  { traffic }: Observed,
  expected: number,
  method: string,
  path: string,
  { token }: Person,
  body?: unknown,
): Promise<ClientResponse> {
  const server = traffic.random.pick(traffic.environment.servers);
  const response = await send(traffic, method, path, { server, token, ...(body !== undefined && { body }) });
  if (!response) throw new UnknownOutcome();
  if (response.status === expected) return response;
  fault(
    traffic,
    `${method} ${path}: ${response.status} instead of ${expected}: ${JSON.stringify(response.body)}`,
  );
  throw new UnknownOutcome();
}

type ObservedEvent = {
  id: string;
  lat: number;
  lng: number;
  startAt: string;
  endAt: string;
  category: string;
};

/** Compares the next lists of all servers, at once, with the event alone or with no event. */
async function expectLists(
  { traffic, word }: Observed,
  { id, lat, lng, startAt, endAt, category }: ObservedEvent,
  isListed: boolean,
  viewer?: Person,
): Promise<void> {
  const { random, environment } = traffic;
  const dateFrom = new Date(Date.parse(endAt) - 1).toISOString();
  const fields = random.pick([
    { q: word, dateFrom },
    { q: word.slice(0, -1), dateTo: startAt },
    { q: word, dateFrom, dateTo: new Date(Date.parse(startAt) + hourMs / 4).toISOString(), category },
    { q: word, lat, lng, radius: 1, dateFrom: startAt },
    ...(Date.parse(endAt) > Date.now() ? [{ q: word, search: true }] : []),
  ]);
  const { search, ...filters } = { search: false, ...fields };
  const isOrdered =
    !('dateTo' in filters && 'dateFrom' in filters) || `${filters.dateFrom}` <= `${filters.dateTo}`;
  if (!isOrdered) delete (filters as { dateTo?: string }).dateTo;
  const pairs = Object.entries(filters).map(([name, value]): [string, string] => [name, `${value}`]);
  const path = `/v1/events${search ? '/search' : ''}?${new URLSearchParams(pairs)}`;
  const check = async (server: Server) => {
    const response = await send(traffic, 'GET', path, { server, ...(viewer && { token: viewer.token }) });
    if (!response) return;
    traffic.counts.observed++;
    const ids: string[] | undefined = response.body.data?.map((event: { id: string }) => event.id);
    const isExpected = JSON.stringify(ids) === JSON.stringify(isListed ? [id] : []);
    if (!isExpected || response.body.meta.total !== Number(isListed))
      fault(
        traffic,
        `GET ${path} after the event was ${isListed ? 'listed' : 'hidden'}: ${JSON.stringify(response.body)}`,
      );
  };
  await Promise.all(environment.servers.map(check));
}
