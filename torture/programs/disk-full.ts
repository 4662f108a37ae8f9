import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freeBytesOf } from '#base';
import { countValues } from '../counts.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent } from '../factories.ts';
import { type FileSystem, openFileSystem } from '../file-system.ts';
import { countLostWrites, type LoadResponse, startLoad, waitForRecovery } from '../load.ts';
import type { Program } from '../program.ts';

const run = promisify(execFile);
const megabytes = 512;
/** What the users fill: more than PostgreSQL writes before it needs another segment of its log. */
const megabytesLeft = 64;
const [maxResponseMs, maxRecoveryMs] = [5_000, 10_000];

const isRefusal = ({ status, hasRetryAfter }: LoadResponse) => status === 503 && hasRetryAfter;

export const diskFull: Program = {
  name: 'disk-full',
  expectation:
    'the disk of database and images filled by the users and by another process, full for 60 s each, four times: writes get a 503 with Retry-After, reads ' +
    'succeed, no acknowledged write is lost, writes succeed again within 10 s after space is free',
  async run(context) {
    const { size, startEnvironment, progress } = context;
    const [times, fullMs] = [size(4, 2), size(60_000, 15_000)];
    const fileSystem = await openFileSystem(context, megabytes);
    const environment = await startEnvironment({
      parentDir: fileSystem.directory,
      leavesDatabaseToServers: true,
    });
    const people = await environment.people(24);
    const [person] = people;
    if (!person) throw new Error('no people were created');
    const event = await createEvent(environment, person);
    const load = startLoad(environment, people, { writers: 12, readers: 0 });
    const reads = startReads(environment, person, [
      '/v1/auth/me',
      '/v1/events?limit=20',
      `/v1/events/${event}`,
    ]);
    const largeWrites = startLargeWrites(environment, people);
    const recoveryMs: number[] = [];
    for (let round = 0; round < times; round++) {
      progress(`disk full ${round + 1} of ${times}`);
      await sleep(1_000);
      // Either another process takes all space at once, or the writes of the users do.
      const filler = await fillDisk(fileSystem, round % 2 === 0 ? megabytesLeft : 0);
      await sleep(fullMs);
      await rm(filler);
      const { servers } = environment;
      recoveryMs.push(
        ...(await Promise.all(servers.map((server) => waitForRecovery(environment, person, server)))),
      );
    }
    await sleep(1_000);
    await Promise.all([load.stop(), reads.stop(), largeWrites.stop()]);
    const lost = await countLostWrites(environment, load);
    const written = load.events.length + load.rsvps.length;
    const refused = load.responses.filter(isRefusal).length;
    const others = load.responses.filter((r) => ![200, 201].includes(r.status) && !isRefusal(r));
    const failedReads = reads.responses.filter(({ status }) => status !== 200);
    const slowest = Math.max(...[...load.responses, ...reads.responses].map(({ ms }) => ms));
    const latestRecovery = Math.max(...recoveryMs);
    const list = (responses: LoadResponse[]) =>
      responses.length > 0 ? ` (${JSON.stringify(countValues(responses.map(({ status }) => status)))})` : '';
    return {
      result:
        `${refused} writes refused with 503 and Retry-After, ${others.length} with other errors${list(others)}; ` +
        `${failedReads.length} of ${reads.responses.length} reads failed${list(failedReads)}; ` +
        `${lost} of ${written} acknowledged writes lost; writes succeed ${Math.round(latestRecovery)} ms after ` +
        `space is free at most; the slowest response after ${Math.round(slowest)} ms`,
      ok:
        refused > 0 &&
        others.length + failedReads.length + lost === 0 &&
        written > 100 &&
        latestRecovery < maxRecoveryMs &&
        slowest < maxResponseMs,
    };
  },
};

/** Takes all free blocks but the given space. @returns the file to remove */
async function fillDisk({ directory }: FileSystem, megabytesFree: number): Promise<string> {
  const filler = path.join(directory, 'filler');
  const free = await freeBytesOf(directory);
  // The file system keeps a few blocks for itself, so that an exact size may not fit.
  for (let size = free - megabytesFree * 1024 ** 2; size > 0; size -= 256 * 1024) {
    const isFull = await run('fallocate', ['-l', `${size}`, filler]).then(
      () => true,
      () => false,
    );
    if (isFull) break;
  }
  return filler;
}

/** Creates and deletes events with long texts, which fill the write-ahead log more than the tables. */
function startLargeWrites(environment: Environment, people: Person[]) {
  const state = { isOver: false };
  const writeRepeatedly = async (person: Person) => {
    while (!state.isOver) {
      const description = randomBytes(7_000).toString('base64');
      const event = await createEvent(environment, person, { description }).catch(() => null);
      if (event) {
        const { token } = person;
        await environment.client.send('DELETE', `/v1/events/${event}`, { token }).catch(() => null);
      } else await sleep(20);
    }
  };
  const done = Promise.all(people.slice(0, 6).map(writeRepeatedly));
  return {
    async stop() {
      state.isOver = true;
      await done;
    },
  };
}

function startReads({ client }: Environment, { token }: Person, paths: string[]) {
  const responses: LoadResponse[] = [];
  const state = { isOver: false };
  const readRepeatedly = async (route: string) => {
    while (!state.isOver) {
      const at = performance.now();
      const response = await client.send('GET', route, { token }).catch(() => null);
      const hasRetryAfter = response?.headers['retry-after'] !== undefined;
      responses.push({ at, ms: performance.now() - at, status: response?.status ?? 0, hasRetryAfter });
      await sleep(20);
    }
  };
  const done = Promise.all(paths.map(readRepeatedly));
  return {
    responses,
    async stop() {
      state.isOver = true;
      await done;
    },
  };
}
