import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { transaction } from '#pg';
import type { EventFields } from '../../src/modules/events/event-fields.ts';
import { withDefaults } from '../../src/modules/events/event-rules.ts';
import { insertEvent } from '../../src/modules/events/insert-events.ts';
import type { Server } from '../../test/support/processes.ts';
import { type Random, randomOf } from '../../test/support/random.ts';
import { readMetrics } from '../../test/support/workers.ts';
import { quantile } from '../client.ts';
import { countValues } from '../counts.ts';
import { isIndexed } from '../discovery/queries.ts';
import type { Environment, Person } from '../environment.ts';
import { measureExport } from '../large-export.ts';
import type { Attack, AttackResult } from '../memory-attack.ts';
import { readPeakMb } from '../peak-memory.ts';
import type { Program } from '../program.ts';

const cacheMb = 64;
/** The memory of a server besides its caches. */
const otherMb = 400;
const requestsPerSecond = 350;
/** Outside V8's heap, for a person whose session is in memory. */
const maxKeptKb = 2;
/** Every p99 up to this limit passes. */
const grantedMs = 25;
const program = path.join(import.meta.dirname, '..', 'memory-attack.ts');

export const memory: Program = {
  name: 'memory',
  expectation:
    '200,000 expensive requests in 10 minutes, most of them different, to a server with CACHE_MB=64, over events ' +
    'with long texts in all years: its memory stays below 464 MB, no valid request fails, and the p99 of another ' +
    'client at most doubles or stays below 25 ms. Before it, 5,000 people read their account and lists: the server keeps ' +
    'at most 2 kB outside the heap for each. After it, another server sends an export of 300 MB with less than 464 MB',
  async run({ size, startEnvironment, progress }) {
    const [events, ms] = [size(5_000, 1_000), size(600_000, 20_000)];
    const environment = await startEnvironment({ servers: 1, env: { CACHE_MB: `${cacheMb}` } });
    const [server] = environment.servers;
    const [attacker, ...organizers] = await environment.people(20);
    if (!server || !attacker) throw new Error('no people were created');
    progress('inserting events');
    const eventIds = await insertEvents(environment, [attacker, ...organizers], events);
    await untilIndexed(environment, server);
    progress('showing the site to many people');
    const visitors = await environment.people(5_000);
    const externalBefore = await readExternalKb(server);
    const refusedVisits = await visitAll(environment, visitors);
    const keptKb = ((await readExternalKb(server)) - externalBefore) / visitors.length;
    await watch(environment, server, eventIds, sleep(size(5_000, 2_000)));
    const before = await watch(environment, server, eventIds, sleep(size(20_000, 4_000)));
    const tick = setInterval(async () => progress(`${await readPeakMb(server)} MB`), 1_000);
    const userIds = [attacker, ...organizers].map(({ id }) => id);
    const { url } = server;
    const attack = runAttack({
      url,
      token: attacker.token,
      eventIds,
      userIds,
      characters,
      requestsPerSecond,
      ms,
    });
    const during = await watch(environment, server, eventIds, attack).finally(() => clearInterval(tick));
    const { requests, distinct, failures } = await attack;
    const peakMb = await readPeakMb(server);
    const [p99Before, p99During] = [quantile(before.times, 0.99), quantile(during.times, 0.99)];
    const isIndexedStill = await isIndexed(environment.client, server);
    const failed = [
      ...failures.map(({ status }) => status),
      ...refusedVisits,
      ...before.failures,
      ...during.failures,
    ];
    progress('exporting');
    const exported = await measureExport(environment, size(300_000_000, 150_000_000));
    const number = (n: number) => n.toLocaleString('en');
    return {
      result:
        `at most ${number(peakMb)} MB after ${number(requests)} requests, ${number(distinct)} of them different; ` +
        `${failed.length} failed${failed.length > 0 ? ` (${JSON.stringify(countValues(failed))}, such as ${failures[0]?.request})` : ''}; ` +
        `p99 of another client ${p99Before.toFixed(1)} ms before, ${p99During.toFixed(1)} ms during; ` +
        `${keptKb.toFixed(1)} kB kept for each visitor; ` +
        `an export of ${number(Math.round(exported.bytes / 1e6))} MB with at most ${number(exported.peakMb)} MB` +
        `${isIndexedStill ? '' : '; the index is not loaded'}`,
      ok:
        keptKb <= maxKeptKb &&
        peakMb <= cacheMb + otherMb &&
        exported.isComplete &&
        exported.peakMb <= cacheMb + otherMb &&
        failed.length === 0 &&
        isIndexedStill &&
        p99During <= Math.max(2 * p99Before, grantedMs),
    };
  },
};

/** Common Chinese characters, kana and Latin letters. */
const characters = [
  ...Array.from({ length: 3_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)),
  ...Array.from({ length: 80 }, (_, i) => String.fromCodePoint(0x3042 + i)),
  ...'abcdefghijklmnopqrstuvwxyz',
];

/** @returns the ids of the events of the first person, who organizes half of them */
async function insertEvents({ sql }: Environment, people: Person[], number: number): Promise<string[]> {
  const random = randomOf(20_261_122);
  const eventIds: string[] = [];
  const [first] = people;
  while (number > 0) {
    await transaction(sql, async (tx) => {
      for (let i = 0; i < 50; i++, number--) {
        const person = random.next() < 0.5 ? first : random.pick(people);
        if (!person) throw new Error('no people were created');
        const id = await insertEvent(tx, person.id, randomFields(random), new Date());
        if (person === first) eventIds.push(id);
      }
    });
  }
  return eventIds;
}

function randomFields(random: Random): EventFields {
  const text = (length: number) => Array.from({ length }, () => random.pick(characters)).join('');
  const startAt = new Date(Date.UTC(1900 + random.below(8_098), random.below(12), 1 + random.below(28)));
  return withDefaults({
    title: text(20),
    description: text(random.pick([0, 100, 100, 500, 500, 500, 1_000, 1_000, 2_000, 10_000])),
    startAt: startAt.toISOString(),
    endAt: new Date(startAt.getTime() + 3_600_000 * random.pick([1, 5, 24 * 365])).toISOString(),
    timezone: 'UTC',
    location: { address: text(10), lat: random.next() * 180 - 90, lng: random.next() * 360 - 180 },
    category: 'other',
  });
}

/** Waits until the server has read the events and computes lists from its index. */
async function untilIndexed({ client }: Environment, server: Server): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 100) {
    await client.send('GET', '/v1/events', { server });
    if (waited > 1_000 && (await isIndexed(client, server))) return;
    await sleep(100);
  }
  throw new Error('the server has not loaded its index');
}

/**
 * Each person reads their account, which keeps a session in memory, and lists, which need memory for a short time: what is
 * kept must not hold what was allocated beside it.
 * @returns the statuses other than 200
 */
async function visitAll({ client }: Environment, people: Person[]): Promise<number[]> {
  const failures: number[] = [];
  const visitors = people.values();
  const visit = async () => {
    for (const { token } of visitors) {
      for (const route of ['/v1/auth/me', ...Array(4).fill('/v1/events?limit=8')]) {
        const { status } = await client.send('GET', route, { token });
        if (status !== 200) failures.push(status);
      }
    }
  };
  await Promise.all(Array.from({ length: 4 }, visit));
  return failures;
}

type Watched = { times: number[]; failures: number[] };

/** Reads the list and an event in turn, one request at a time, until `end` resolves. */
async function watch(
  { client }: Environment,
  server: Server,
  eventIds: string[],
  end: Promise<unknown>,
): Promise<Watched> {
  const watched: Watched = { times: [], failures: [] };
  const state = { isOver: false };
  const over = end.finally(() => {
    state.isOver = true;
  });
  for (let i = 0; !state.isOver; i++) {
    const route = i % 2 === 0 ? '/v1/events?limit=20' : `/v1/events/${eventIds[0]}`;
    const { status, ms } = await client.send('GET', route, { server });
    watched.times.push(ms);
    if (status !== 200) watched.failures.push(status);
    await sleep(5);
  }
  await over;
  return watched;
}

async function runAttack(attack: Attack): Promise<AttackResult> {
  const child = fork(program);
  child.send(attack);
  const [result] = (await once(child, 'message')) as [AttackResult];
  return result;
}

/** The memory of the server outside V8's heap. */
async function readExternalKb(server: Server): Promise<number> {
  const metrics = await readMetrics(server);
  return Number(/^nodejs_external_memory_bytes (\d+)/m.exec(metrics)?.[1]) / 1024;
}
