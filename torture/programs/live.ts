import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EventStream,
  openEventStream,
  type StreamMessage,
} from '../../test/support/event-stream-client.ts';
import { quantile, runConcurrently } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent, createItem } from '../factories.ts';
import { LiveHistory } from '../live-history.ts';
import type { Program } from '../program.ts';

/** An event, its items at the beginning, and all its states. */
type LiveEvent = { id: string; items: string[]; history: LiveHistory };
type Listener = {
  event: LiveEvent;
  person: Person;
  /** Whether the listener reconnects to the other server from time to time. */
  isMoving: boolean;
  serverIndex: number;
  /** The messages of earlier streams. */
  received: StreamMessage[];
  stream: EventStream;
};

const eventCount = 5;

export const live: Program = {
  name: 'live',
  expectation:
    '500 clients listen to events with 100 items on two servers while others write: every state that a client ' +
    "gets is the state after one of the writes, in order; updates arrive within 500 ms of the write's response " +
    'at p99, every client gets the last state, and streams do not delay a stop',
  quick: true,
  async run({ size, startEnvironment, progress }) {
    const [listenerCount, writerCount, itemCount] = [size(500, 100), size(200, 16), size(100, 25)];
    const environment = await startEnvironment();
    const people = await environment.people(Math.max(listenerCount, writerCount));
    const owner = people[0] as Person;
    const events = await runConcurrently(eventCount, 1, () => createLiveEvent(environment, owner, itemCount));
    const listeners = await runConcurrently(listenerCount, 50, (i) =>
      join(environment, events[i % eventCount] as LiveEvent, people[i] as Person, i),
    );
    const state = { isOver: false };
    const movement = moveListeners(environment, listeners, state);
    await Promise.all(
      events.map((event) => write(environment, event, owner, people.slice(0, writerCount), progress)),
    );
    state.isOver = true;
    const moves = await movement;
    await sleep(1_000);
    const followed = listeners.map(({ event, received, stream, isMoving }) => ({
      ...event.history.follow([...received, ...stream.messages]),
      writes: event.history.writes,
      isOpen: stream.isOpen(),
      isMoving,
    }));
    const withoutLastState = followed.filter(
      ({ last, writes, isOpen }) => !isOpen || last !== writes.length,
    ).length;
    const states = followed.reduce((sum, each) => sum + each.states, 0);
    const faults = followed.flatMap((each) => each.faults);
    const faultTexts = Object.entries(countValues(faults)).map(([fault, times]) => `, ${times} × ${fault}`);
    // A listener that moves has no stream for some time.
    const delays = followed.filter(({ isMoving }) => !isMoving).flatMap(delaysOf);
    const p99 = quantile(delays, 0.99);
    const stopped = await stopAll(environment, listeners);
    return {
      result:
        `${states.toLocaleString('en')} states of events with ${itemCount} items checked, ` +
        `${faults.length} wrong${faultTexts.join('')}; ` +
        `${delays.length.toLocaleString('en')} updates received, median ${Math.round(quantile(delays, 0.5))} ms, p99 ${Math.round(p99)} ms, ` +
        `at most ${Math.round(quantile(delays, 1))} ms after the response; ${withoutLastState} of ${listenerCount} clients without the last state, ` +
        `${moves} moves to the other server; servers stopped ${Math.round(stopped.ms)} ms after SIGTERM, exit ${stopped.codes.join(', ')}`,
      ok:
        delays.length > 0 &&
        faults.length === 0 &&
        p99 <= 500 &&
        withoutLastState === 0 &&
        stopped.ms < 5_000 &&
        stopped.codes.every((code) => code === 0),
    };
  },
};

async function createLiveEvent(
  environment: Environment,
  owner: Person,
  itemCount: number,
): Promise<LiveEvent> {
  const { client } = environment;
  const id = await createEvent(environment, owner);
  for (let i = 0; i < itemCount; i++) await createItem(environment, owner, id, 10_000);
  const { body: record } = await client.send('GET', `/v1/events/${id}`);
  const { body: items } = await client.send('GET', `/v1/events/${id}/items`);
  const { rsvpCount, goingCount, partyCount, bookedCount } = record;
  const history = new LiveHistory(
    eventPart(record),
    { rsvpCount, goingCount, partyCount, bookedCount, commentsVersion: 0 },
    items.data as { id: string }[],
  );
  return { id, items: items.data.map((item: { id: string }) => item.id), history };
}

const eventFields = [
  'id',
  'title',
  'startAt',
  'endAt',
  'allDay',
  'timezone',
  'capacity',
  'status',
  'updatedAt',
];

/** The fields of an event that a live stream shows. */
const eventPart = (record: Record<string, unknown>): object =>
  Object.fromEntries(eventFields.map((name) => [name, record[name]]));

const streamUrl = ({ servers }: Environment, { id }: LiveEvent, serverIndex: number): string =>
  `${servers[serverIndex % servers.length]?.url}/v1/events/${id}/live`;

async function join(
  environment: Environment,
  event: LiveEvent,
  person: Person,
  i: number,
): Promise<Listener> {
  const serverIndex = Math.floor(i / eventCount);
  const stream = await openEventStream(streamUrl(environment, event, serverIndex), { token: person.token });
  await stream.until((message) => message.event === 'snapshot');
  return { event, person, isMoving: i % 10 === 9, serverIndex, received: [], stream };
}

/** All kinds of writes in sequence, so that the state after each of them is known. */
async function write(
  environment: Environment,
  event: LiveEvent,
  owner: Person,
  people: Person[],
  progress: (text: string) => void,
) {
  for (const [i, person] of people.entries()) {
    for (const step of stepsOf(event, owner, i)) {
      const requestedAt = performance.now();
      const { method, path, body, by = person } = step;
      const response = await environment.client.send(method, path, { token: by.token, body });
      if (response.status > 201) throw new Error(`${method} ${path} got the status ${response.status}`);
      const acknowledgedAt = performance.now();
      event.history.add({ requestedAt, acknowledgedAt }, step.changes(response.body));
      await sleep(10 + Math.random() * 40);
    }
    progress(`${i + 1} of ${people.length} people have written`);
  }
}

type Counts = { rsvpCount: number; goingCount: number; partyCount: number; bookedCount: number };
type ListedItem = { id: string; quantityClaimed: number };
type Step = {
  method: string;
  path: string;
  body?: unknown;
  /** Default: the person whose turn it is. */
  by?: Person;
  /** The parts of the event's state that the write changes, with their new values. */
  // biome-ignore lint/suspicious/noExplicitAny: the type of the body depends on the route
  changes: (response: any) => Record<string, object | null>;
};

/** The writes of one person and of the owner. A title that no other state has makes every state unique. */
function* stepsOf({ id, items, history }: LiveEvent, owner: Person, n: number): Generator<Step> {
  const itemAt = (offset: number) => items[(n * 3 + offset) % items.length] ?? '';
  const counted = (by: Partial<Counts>) => () => {
    const counts = { ...history.part<Counts>('counts') };
    for (const [name, change] of Object.entries(by)) counts[name as keyof Counts] += change;
    return { counts };
  };
  const claimed = (item: string, by: number) => () => {
    const { quantityClaimed, ...others } = history.part<ListedItem>(item);
    return { [item]: { ...others, quantityClaimed: quantityClaimed + by } };
  };
  const claim = (method: string, item: string, quantity: number, by: number): Step => ({
    method,
    path: `/v1/items/${item}/claim`,
    body: method === 'DELETE' ? undefined : { quantity },
    changes: claimed(item, by),
  });
  const [first, second] = [itemAt(0), itemAt(1)];
  const title = `Plates ${n}`;
  const going = counted({ rsvpCount: 1, goingCount: 1, partyCount: 1 });
  yield { method: 'POST', path: `/v1/events/${id}/rsvp`, body: { status: 'going' }, changes: going };
  yield claim('POST', first, 1, 1);
  yield claim('POST', second, 2, 2);
  const renamed = { method: 'PATCH', path: `/v1/items/${itemAt(2)}`, body: { title }, by: owner };
  yield { ...renamed, changes: () => ({ [itemAt(2)]: { ...history.part(itemAt(2)), title } }) };
  yield claim('PATCH', second, 5, 3);
  yield claim('DELETE', first, 0, -1);
  const booked = counted({ bookedCount: 2 });
  yield { method: 'POST', path: `/v1/events/${id}/booking`, body: { seats: 2 }, changes: booked };
  if (n % 4 === 0) yield* addAndDelete(id, owner, n);
  if (n % 5 === 0) {
    const body = { title: `Harbour potluck ${n}` };
    const changes = (record: Record<string, unknown>) => ({ event: eventPart(record) });
    yield { method: 'PATCH', path: `/v1/events/${id}`, body, by: owner, changes };
  }
}

/** Adds two items, and deletes one of them. */
function* addAndDelete(event: string, owner: Person, n: number): Generator<Step> {
  const path = `/v1/events/${event}/items`;
  const added: string[] = [];
  for (const title of [`Forks ${n}`, `Knives ${n}`]) {
    const body = { title, kind: 'wish', quantityNeeded: 3, emoji: '🍴' };
    const changes = ({ id }: { id: string }) => {
      added.push(id);
      return { [id]: { ...body, id, quantityClaimed: 0, imageUrl: null, link: null } };
    };
    yield { method: 'POST', path, body, by: owner, changes };
  }
  const [removed = ''] = added;
  yield { method: 'DELETE', path: `/v1/items/${removed}`, by: owner, changes: () => ({ [removed]: null }) };
}

/** Reconnects listeners to the other server with the last event id. @returns the number of reconnections */
async function moveListeners(
  environment: Environment,
  listeners: Listener[],
  state: { isOver: boolean },
): Promise<number> {
  const moving = listeners.filter(({ isMoving }) => isMoving);
  let moves = 0;
  while (!state.isOver) {
    const listener = moving[moves++ % moving.length] as Listener;
    listener.stream.close();
    listener.received.push(...listener.stream.messages);
    const { token } = listener.person;
    const url = streamUrl(environment, listener.event, ++listener.serverIndex);
    listener.stream = await openEventStream(url, { token, lastId: listener.stream.lastId() });
    await sleep(30);
  }
  return moves;
}

/** For each write, the ms from its response until its state arrived; 0 if the state arrived first. */
const delaysOf = ({ writes, arrivals }: { writes: { acknowledgedAt: number }[]; arrivals: number[] }) =>
  writes.map(({ acknowledgedAt }, i) =>
    Math.max(0, (arrivals[i + 1] ?? Number.POSITIVE_INFINITY) - acknowledgedAt),
  );

/** Sends SIGTERM to all servers, and waits until they and all streams have ended. */
async function stopAll({ servers }: Environment, listeners: Listener[]) {
  const since = performance.now();
  const stopping = servers.splice(0);
  for (const { child } of stopping) child.kill('SIGTERM');
  const codes = await Promise.all(stopping.map(({ ended }) => ended));
  await Promise.all(listeners.map(({ stream }) => stream.ended));
  return { codes, ms: performance.now() - since };
}
