import { setTimeout as sleep } from 'node:timers/promises';
import { onePixelPng } from '../../test/support/factories.ts';
import { postgresUnder } from '../../test/support/processes.ts';
import { runConcurrently } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import { type FileSystem, openFileSystem } from '../file-system.ts';
import { countLostWrites, type Load, startLoad } from '../load.ts';
import type { Outcome, Program, ProgramContext } from '../program.ts';

const megabytes = 1_536;
const uploaders = 2;
/** With fewer, the number of losses shows nothing. */
const [minWrites, minImages] = [100, 10];

export const power: Program = {
  name: 'power',
  expectation:
    'power cut 20 times during writes, the first time right after the first start, on a file system that forgets ' +
    'everything that was not synchronized: no acknowledged write or image is lost; with fsync=off, writes are lost',
  quick: true,
  async run(context) {
    const cuts = context.size(20, 3);
    const safe = await cutRepeatedly(context, { cuts, fsync: true });
    const unsafe = await cutRepeatedly(context, { cuts: 1, fsync: false });
    return describe(safe, unsafe);
  },
};

const writesOf = ({ events, rsvps }: Load) => events.length + rsvps.length;

type Losses = { writes: number; lostWrites: number; images: number; lostImages: number; failures: string[] };

function describe(safe: Losses, unsafe: Losses): Outcome {
  const { writes, lostWrites, images, lostImages, failures } = safe;
  return {
    result:
      `${lostWrites} of ${writes} acknowledged writes and ${lostImages} of ${images} images lost; ` +
      `with fsync=off ${unsafe.lostWrites} of ${unsafe.writes} writes lost` +
      [...failures, ...unsafe.failures].map((line) => `\n    ${line}`).join(''),
    ok:
      lostWrites + lostImages + failures.length === 0 &&
      writes > minWrites &&
      images > minImages &&
      unsafe.lostWrites > 0 &&
      unsafe.writes > minWrites,
  };
}

/** Cuts the power during writes, restarts everything, and counts what is lost. */
async function cutRepeatedly(
  context: ProgramContext,
  { cuts, fsync }: { cuts: number; fsync: boolean },
): Promise<Losses> {
  const losses: Losses = { writes: 0, lostWrites: 0, images: 0, lostImages: 0, failures: [] };
  const fileSystem = await openFileSystem(context, megabytes);
  const environment = await context.startEnvironment({
    parentDir: fileSystem.directory,
    leavesDatabaseToServers: true,
  });
  // The people are not acknowledged over HTTP, but their transactions are as durable as those of the servers.
  const people = await environment.people(24);
  if (!fsync) await turnFsyncOff(environment, fileSystem);
  for (let round = 0; round < cuts; round++) {
    context.progress(`${round} of ${cuts} power cuts${fsync ? '' : ' with fsync=off'}`);
    const load = startLoad(environment, people, { writers: 12, readers: 2 });
    const uploads = startUploads(environment, people);
    // Some power cuts come within the first second, others after a checkpoint.
    const isEarly = round === 0 && fsync;
    await sleep(isEarly ? 700 : 500 + Math.random() * 3_000);
    // Also on a machine that writes few in a second, there is something to lose.
    const isEnough = () => writesOf(load) > minWrites && uploads.urls.length > minImages;
    while (!isEarly && !isEnough()) await sleep(100);
    if (round % 3 === 2) await environment.sql`checkpoint`;
    await cutPower(environment, fileSystem);
    await Promise.all([load.stop(), uploads.stop()]);
    await fileSystem.remount();
    losses.writes += writesOf(load);
    losses.images += uploads.urls.length;
    const failure = await restart(environment).catch((error: Error) => error);
    if (failure) {
      // The database cannot be opened, so everything is lost.
      losses.lostWrites += writesOf(load);
      losses.lostImages += uploads.urls.length;
      if (fsync) losses.failures.push(`no start after power cut ${round + 1}: ${failure.message.trim()}`);
      break;
    }
    losses.lostWrites += await countLostWrites(environment, load);
    losses.lostImages += await countLostImages(environment, uploads.urls);
  }
  return losses;
}

async function turnFsyncOff({ sql }: Environment, fileSystem: FileSystem): Promise<void> {
  await sql`alter system set fsync = off`;
  await sql`select pg_reload_conf()`;
  while ((await sql<[{ fsync: string }]>`show fsync`)[0].fsync !== 'off') await sleep(20);
  // Everything until now is durable: only writes from now on can be lost.
  await fileSystem.sync();
}

/** Nothing reaches the device any more; then every process that uses it dies. */
async function cutPower(environment: Environment, fileSystem: FileSystem): Promise<void> {
  const postgres = await postgresUnder(environment.dataDir);
  await fileSystem.cutPower();
  const servers = environment.servers.splice(0);
  for (const { child } of servers) child.kill('SIGKILL');
  for (const pid of postgres) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  await Promise.all(servers.map(({ ended }) => ended));
}

async function restart(environment: Environment): Promise<void> {
  await environment.start();
  await environment.start();
}

type Uploads = { urls: string[]; stop(): Promise<void> };

/** Uploads images, at most 100 a day for each person. */
function startUploads({ client }: Environment, people: Person[]): Uploads {
  const state = { isOver: false, turn: 0 };
  const urls: string[] = [];
  const uploadRepeatedly = async () => {
    while (!state.isOver) {
      const person = people[state.turn++ % people.length];
      const response = await client
        .send('POST', '/v1/uploads', {
          token: person?.token ?? '',
          raw: onePixelPng,
          headers: { 'content-type': 'image/png' },
        })
        .catch(() => null);
      if (response?.status === 201) urls.push(new URL(response.body.url).pathname);
      await sleep(20);
    }
  };
  const done = Promise.all(Array.from({ length: uploaders }, uploadRepeatedly));
  return {
    urls,
    async stop() {
      state.isOver = true;
      await done;
    },
  };
}

/** The number of images that the servers do not return. */
async function countLostImages({ client }: Environment, urls: string[]): Promise<number> {
  const statuses = await runConcurrently(urls.length, 8, async (i) => {
    const { status } = await client.send('GET', urls[i] ?? '');
    return status;
  });
  return statuses.filter((status) => status !== 200).length;
}
