/** The guests of other events of an organizer, who may be invited again. */
import { type Client, type Guest, listGuests, listMyEvents } from '@potluck/client';
import { load as read } from '#lib/server/problems.ts';

export type PastGuest = Pick<Guest['user'], 'id' | 'name' | 'avatar'>;

const maxEvents = 5;
const maxPeople = 24;

/**
 * Of the last and the next events, those who come to most of them first.
 * @param eventId whose guests are left out
 * @param invited ids of people who are left out
 */
export async function findPastGuests(
  client: Client,
  eventId: string,
  invited: ReadonlySet<string>,
): Promise<PastGuest[]> {
  const own = await Promise.all((['past', 'upcoming'] as const).map((when) => ownEvents(client, when)));
  const others = own.flat().filter((id) => id !== eventId);
  const [guests, ...lists] = await Promise.all(
    [eventId, ...others.slice(0, maxEvents)].map((id) => firstGuests(client, id)),
  );
  const left = new Set([...invited, ...(guests ?? []).map(({ user }) => user.id)]);
  const came = lists.flat().filter(({ user, status }) => status === 'going' && user.hasAccount);
  const byPerson = Map.groupBy(
    came.filter(({ user }) => !left.has(user.id)),
    ({ user }) => user.id,
  );
  return [...byPerson.values()]
    .sort((a, b) => b.length - a.length)
    .slice(0, maxPeople)
    .flatMap(([first]) => (first ? [first.user] : []))
    .map(({ id, name, avatar }) => ({ id, name, avatar }));
}

async function ownEvents(client: Client, when: 'past' | 'upcoming'): Promise<string[]> {
  const query = { relation: 'organizing', when, limit: maxEvents } as const;
  return (await read(listMyEvents({ client, query }))).data.map(({ id }) => id);
}

const firstGuests = async (client: Client, id: string): Promise<Guest[]> =>
  (await read(listGuests({ client, path: { id }, query: { limit: 50 } }))).data;
