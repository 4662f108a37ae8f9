import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  type EventStream,
  openEventStream,
  type StreamMessage,
  stateOf,
} from '../../test/event-stream-client.ts';
import { quantile, runConcurrently } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent } from '../factories.ts';
import type { Program } from '../program.ts';

/** An event, its only item, and the time of each acknowledged write on it. */
type LiveEvent = { id: string; item: string; rsvps: number[]; claims: number[] };
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
    "500 clients listen on two servers while others write: updates arrive within 500 ms of the write's " +
    'response at p99, every client gets the last state, and streams do not delay a stop',
  quick: true,
  async run({ size, startEnvironment, progress }) {
    const [listenerCount, writerCount] = [size(500, 100), size(250, 20)];
    const environment = await startEnvironment();
    const people = await environment.people(Math.max(listenerCount, writerCount));
    const owner = people[0] as Person;
    const events = await runConcurrently(eventCount, 1, () => createLiveEvent(environment, owner));
    const listeners = await runConcurrently(listenerCount, 50, (i) =>
      join(environment, events[i % eventCount] as LiveEvent, people[i] as Person, i),
    );
    const state = { isOver: false };
    const movement = moveListeners(environment, listeners, state);
    await Promise.all(
      events.map((event) => write(environment, event, people.slice(0, writerCount), progress)),
    );
    state.isOver = true;
    const moves = await movement;
    await sleep(1_000);
    const withoutLastState = await countWithoutLastState(environment, events, listeners);
    const delays = listeners.filter(({ isMoving }) => !isMoving).flatMap(measureDelays);
    const p99 = quantile(delays, 0.99);
    const stopped = await stopAll(environment, listeners);
    return {
      result:
        `${delays.length.toLocaleString('en')} updates received, median ${Math.round(quantile(delays, 0.5))} ms, p99 ${Math.round(p99)} ms, ` +
        `at most ${Math.round(quantile(delays, 1))} ms after the response; ${withoutLastState} of ${listenerCount} clients without the last state, ` +
        `${moves} moves to the other server; servers stopped ${Math.round(stopped.ms)} ms after SIGTERM, exit ${stopped.codes.join(', ')}`,
      ok:
        delays.length > 0 &&
        p99 <= 500 &&
        withoutLastState === 0 &&
        stopped.ms < 5_000 &&
        stopped.codes.every((code) => code === 0),
    };
  },
};

async function createLiveEvent(environment: Environment, owner: Person): Promise<LiveEvent> {
  const event = await createEvent(environment, owner);
  const { token } = owner;
  const body = { title: 'Plates', kind: 'bring', quantityNeeded: 10_000 };
  const item = await environment.client.send('POST', `/v1/events/${event}/items`, { token, body });
  return { id: event, item: item.body.id, rsvps: [], claims: [] };
}

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

/** RSVPs and claims in sequence, so that each write increases a counter by one. */
async function write(
  environment: Environment,
  event: LiveEvent,
  people: Person[],
  progress: (text: string) => void,
) {
  const send = async (path: string, { token }: Person, body: unknown, acknowledged: number[]) => {
    const { status } = await environment.client.send('POST', path, { token, body });
    if (status > 201) throw new Error(`${path} got the status ${status}`);
    acknowledged.push(performance.now());
    await sleep(20 + Math.random() * 60);
  };
  for (const person of people) {
    await send(`/v1/events/${event.id}/rsvp`, person, { status: 'going' }, event.rsvps);
    await send(`/v1/items/${event.item}/claim`, person, { quantity: 1 }, event.claims);
    progress(`${event.claims.length} of ${people.length} people with an RSVP and a claim`);
  }
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

async function countWithoutLastState(
  { client }: Environment,
  events: LiveEvent[],
  listeners: Listener[],
): Promise<number> {
  const expected = new Map<LiveEvent, unknown>();
  for (const event of events) {
    const { body: record } = await client.send('GET', `/v1/events/${event.id}`);
    const { body: items } = await client.send('GET', `/v1/events/${event.id}/items`);
    const { rsvpCount, goingCount, bookedCount } = record;
    expected.set(event, { counts: { rsvpCount, goingCount, bookedCount }, items: items.data });
  }
  return listeners.filter(({ event, received, stream }) => {
    const { counts, items } = stateOf([...received, ...stream.messages]);
    return !stream.isOpen() || !isDeepStrictEqual({ counts, items }, expected.get(event));
  }).length;
}

/** For each write, the ms from its response until its update arrived; 0 if the update arrived first. */
function measureDelays({ event, stream: { messages } }: Listener): number[] {
  const countIn = (message: StreamMessage, kind: 'rsvps' | 'claims'): number => {
    if (kind === 'rsvps') return message.event === 'counts' ? message.data.rsvpCount : 0;
    return message.event === 'item' ? message.data.quantityClaimed : 0;
  };
  return (['rsvps', 'claims'] as const).flatMap((kind) => {
    let next = 0;
    return event[kind].map((acknowledged, i) => {
      while (next < messages.length && countIn(messages[next] as StreamMessage, kind) <= i) next++;
      const receivedAt = messages[next]?.at ?? Number.POSITIVE_INFINITY;
      return Math.max(0, receivedAt - acknowledged);
    });
  });
}

/** Sends SIGTERM to all servers, and waits until they and all streams have ended. */
async function stopAll({ servers }: Environment, listeners: Listener[]) {
  const since = performance.now();
  const stopping = servers.splice(0);
  for (const { child } of stopping) child.kill('SIGTERM');
  const codes = await Promise.all(stopping.map(({ ended }) => ended));
  await Promise.all(listeners.map(({ stream }) => stream.ended));
  return { codes, ms: performance.now() - since };
}
