/** Whom the visitor meets soon: the organizers of the next events to which they go, and the guests of their own next event. */
import {
  type Client,
  type FoundUser,
  getEvent,
  type ListedEvent,
  listGuests,
  listMyEvents,
  ProblemError,
} from '@potluck/client';

export type PersonSoon = { person: Pick<FoundUser, 'id' | 'name' | 'avatar'>; event: ListedEvent };

const maxEvents = 4;
const maxGuests = 8;

/** Each person once, with the first event at which they meet. */
export async function listPeopleSoon(client: Client, meId: string): Promise<PersonSoon[]> {
  try {
    const [hosts, guests] = await Promise.all([listHosts(client), listOwnGuests(client)]);
    const all = [...hosts, ...guests].toSorted(
      (a, b) => Date.parse(a.event.startAt) - Date.parse(b.event.startAt),
    );
    const byPerson = Map.groupBy(all, ({ person }) => person.id);
    return [...byPerson.values()].flatMap(([first]) => (first && first.person.id !== meId ? [first] : []));
  } catch (error) {
    // The messages are as useful without them.
    if (error instanceof ProblemError) return [];
    throw error;
  }
}

async function listHosts(client: Client): Promise<PersonSoon[]> {
  const events = await listNext(client, 'going');
  return await Promise.all(
    events.map(async (event) => {
      const { data: record } = await getEvent({ client, path: { id: event.id } });
      // The record can have an exact place, which others do not see.
      return { person: record.organizer, event };
    }),
  );
}

async function listOwnGuests(client: Client): Promise<PersonSoon[]> {
  const event = (await listNext(client, 'organizing')).find(({ rsvpCount }) => rsvpCount > 0);
  if (!event) return [];
  const { data } = await listGuests({ client, path: { id: event.id }, query: { limit: maxGuests } });
  return data.data.map(({ user }) => ({ person: user, event }));
}

async function listNext(client: Client, relation: 'going' | 'organizing'): Promise<ListedEvent[]> {
  const query = { relation, when: 'upcoming', limit: maxEvents } as const;
  const { data } = await listMyEvents({ client, query });
  return data.data.filter(({ status }) => status === 'scheduled');
}
