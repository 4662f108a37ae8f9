import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  type EventStream,
  openEventStream,
  type StreamMessage,
  stateOf,
} from '../../test/event-stream-client.ts';
import { each, quantile } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent } from '../factories.ts';
import type { Program } from '../program.ts';

/** An event, its one item, and when each write on it was acknowledged. */
type Scene = { event: string; item: string; rsvps: number[]; claims: number[] };
/** `isRestless`: now and then leaves one server, and goes on at the other. */
type Guest = {
  scene: Scene;
  person: Person;
  isRestless: boolean;
  at: number;
  heard: StreamMessage[];
  now: EventStream;
};

const eventCount = 5;

export const live: Program = {
  name: 'live',
  promise:
    '500 people listen on two servers while others write: told within 500 ms of the answer at p99, nobody misses the last state, and streams hold up no stop',
  quick: true,
  async run({ size, open, progress }) {
    const [crowd, writes] = [size(500, 100), size(250, 20)];
    const environment = await open();
    const people = await environment.people(Math.max(crowd, writes));
    const owner = people[0] as Person;
    const scenes = await each(eventCount, 1, () => aScene(environment, owner));
    const guests = await each(crowd, 50, (i) =>
      join(environment, scenes[i % eventCount] as Scene, people[i] as Person, i),
    );
    const state = { isOver: false };
    const moving = moveAbout(environment, guests, state);
    await Promise.all(scenes.map((scene) => write(environment, scene, people.slice(0, writes), progress)));
    state.isOver = true;
    const moves = await moving;
    await sleep(1_000);
    const missed = await countMissed(environment, scenes, guests);
    const delays = guests.filter(({ isRestless }) => !isRestless).flatMap(delaysOf);
    const p99 = quantile(delays, 0.99);
    const stopped = await stopAll(environment, guests);
    return {
      figure:
        `${delays.length.toLocaleString('en')} times told, median ${Math.round(quantile(delays, 0.5))} ms, p99 ${Math.round(p99)} ms, ` +
        `at most ${Math.round(quantile(delays, 1))} ms after the answer; ${missed} of ${crowd} without the last state, ` +
        `${moves} moves to the other server; gone ${Math.round(stopped.ms)} ms after SIGTERM, exit ${stopped.codes.join(', ')}`,
      ok:
        delays.length > 0 &&
        p99 <= 500 &&
        missed === 0 &&
        stopped.ms < 5_000 &&
        stopped.codes.every((code) => code === 0),
    };
  },
};

async function aScene(environment: Environment, owner: Person): Promise<Scene> {
  const event = await createEvent(environment, owner);
  const { token } = owner;
  const body = { title: 'Plates', kind: 'bring', quantityNeeded: 10_000 };
  const item = await environment.client.ask('POST', `/v1/events/${event}/items`, { token, body });
  return { event, item: item.body.id, rsvps: [], claims: [] };
}

const streamOf = ({ servers }: Environment, { event }: Scene, at: number): string =>
  `${servers[at % servers.length]?.url}/v1/events/${event}/live`;

async function join(environment: Environment, scene: Scene, person: Person, i: number): Promise<Guest> {
  const at = Math.floor(i / eventCount);
  const now = await openEventStream(streamOf(environment, scene, at), { token: person.token });
  await now.until(({ event }) => event === 'snapshot');
  return { scene, person, isRestless: i % 10 === 9, at, heard: [], now };
}

/** One answers and claims after the other, so that counts only grow, and by one. */
async function write(
  environment: Environment,
  scene: Scene,
  people: Person[],
  progress: (text: string) => void,
) {
  const ask = async (path: string, { token }: Person, body: unknown, done: number[]) => {
    const { status } = await environment.client.ask('POST', path, { token, body });
    if (status > 201) throw new Error(`${path} was answered ${status}`);
    done.push(performance.now());
    await sleep(20 + Math.random() * 60);
  };
  for (const person of people) {
    await ask(`/v1/events/${scene.event}/rsvp`, person, { status: 'going' }, scene.rsvps);
    await ask(`/v1/items/${scene.item}/claim`, person, { quantity: 1 }, scene.claims);
    progress(`${scene.claims.length} of ${people.length} people on each event`);
  }
}

/** @returns how many times somebody went on at the other server, from where they were */
async function moveAbout(
  environment: Environment,
  guests: Guest[],
  state: { isOver: boolean },
): Promise<number> {
  const restless = guests.filter(({ isRestless }) => isRestless);
  let moves = 0;
  while (!state.isOver) {
    const guest = restless[moves++ % restless.length] as Guest;
    guest.now.close();
    guest.heard.push(...guest.now.messages);
    const { token } = guest.person;
    const address = streamOf(environment, guest.scene, ++guest.at);
    guest.now = await openEventStream(address, { token, lastId: guest.now.lastId() });
    await sleep(30);
  }
  return moves;
}

async function countMissed({ client }: Environment, scenes: Scene[], guests: Guest[]): Promise<number> {
  const truths = new Map<Scene, unknown>();
  for (const scene of scenes) {
    const { body: record } = await client.ask('GET', `/v1/events/${scene.event}`);
    const { body: items } = await client.ask('GET', `/v1/events/${scene.event}/items`);
    const { rsvpCount, goingCount, bookedCount } = record;
    truths.set(scene, { counts: { rsvpCount, goingCount, bookedCount }, items: items.data });
  }
  return guests.filter(({ scene, heard, now }) => {
    const { counts, items } = stateOf([...heard, ...now.messages]);
    return !now.isOpen() || !isDeepStrictEqual({ counts, items }, truths.get(scene));
  }).length;
}

/** For each write, the ms from its answer until this guest had a state with it; what came before the answer is 0. */
function delaysOf({ scene, now: { messages } }: Guest): number[] {
  const numberIn = (message: StreamMessage, kind: 'rsvps' | 'claims'): number => {
    if (kind === 'rsvps') return message.event === 'counts' ? message.data.rsvpCount : 0;
    return message.event === 'item' ? message.data.quantityClaimed : 0;
  };
  return (['rsvps', 'claims'] as const).flatMap((kind) => {
    let next = 0;
    return scene[kind].map((acknowledged, i) => {
      while (next < messages.length && numberIn(messages[next] as StreamMessage, kind) <= i) next++;
      const at = messages[next]?.at ?? Number.POSITIVE_INFINITY;
      return Math.max(0, at - acknowledged);
    });
  });
}

/** Servers end their streams and go, at once. */
async function stopAll({ servers }: Environment, guests: Guest[]) {
  const since = performance.now();
  const stopping = servers.splice(0);
  for (const { child } of stopping) child.kill('SIGTERM');
  const codes = await Promise.all(stopping.map(({ ended }) => ended));
  await Promise.all(guests.map(({ now }) => now.ended));
  return { codes, ms: performance.now() - since };
}
