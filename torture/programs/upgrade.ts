import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { releases } from '../../release/releases.ts';
import { assertCounters } from '../../test/support/invariants.ts';
import { createTempDir, stop } from '../../test/support/processes.ts';
import { type Contention, startContention } from '../contention.ts';
import { type CrashWriters, countBroken, countBrokenImages, startCrashWriters } from '../crash-writers.ts';
import { openDatabase } from '../database.ts';
import type { Environment } from '../environment.ts';
import type { Program } from '../program.ts';
import { unpackRelease } from '../release-files.ts';

const serverCount = 2;

export const upgrade: Program = {
  name: 'upgrade',
  expectation:
    'two servers of the last release are replaced by two of this version under load, with all four at work for a while: ' +
    'every request succeeds, except claims of what others have; nothing is claimed or booked twice, all servers show ' +
    'each change of an event, and the same answer of a guest who gives two at once; no acknowledged write is lost',
  quick: true,
  async run({ size, startEnvironment, addCleanup, progress }) {
    const release = releases.at(-1);
    if (!release) throw new Error('there is no release');
    progress(`unpacking ${release.version}`);
    const program = await unpackRelease(release, path.join(await createTempDir(), 'release'));
    const database = await openDatabase();
    addCleanup(() => database.close());
    const env = { DATABASE_URL: database.url(), MESSAGES_PER_MINUTE: '0' };
    const environment = await startEnvironment({
      servers: serverCount,
      program,
      target: database.target,
      env,
    });
    const people = await environment.people(14);
    const writers = startCrashWriters(environment, people.slice(0, 4), 4);
    const contention = await startContention(environment, people.slice(4));
    const phase = async (name: string) => {
      progress(name);
      await sleep(size(15_000, 2_000));
    };
    await phase('the release alone');
    for (let i = 0; i < serverCount; i++) await environment.start();
    await phase('both versions');
    const codes = await stopOldest(environment);
    await phase('this version alone');
    await Promise.all([writers.stop(), contention.stop()]);

    const faults = [...describeFailures(writers, contention), ...(await findDamage(environment, writers))];
    const requests = sumOf(writers.statuses) + sumOf(contention.statuses);
    const refused = contention.statuses.get(422) ?? 0;
    return {
      result:
        `from ${release.version}: ${requests} requests, ${writers.writes()} acknowledged writes, ${refused} refused claims; ` +
        `${faults.length} faults${faults
          .slice(0, 5)
          .map((fault) => `; ${fault}`)
          .join('')}; ` +
        `exit ${codes.join(', ')} of the old servers`,
      ok: faults.length === 0 && refused > 0 && codes.every((code) => code === 0),
    };
  },
};

const sumOf = (counts: Map<number, number>) => counts.values().reduce((sum, count) => sum + count, 0);

/** One entry for each kind of failed request, and for each wrong response. */
function describeFailures({ statuses }: CrashWriters, { wrong }: Contention): string[] {
  const failed = [...statuses].filter(([status]) => status === 0 || status >= 300);
  return [...failed.map(([status, count]) => `${count} × ${status}`), ...wrong];
}

/** One entry for each kind of lost rows, and for inexact counters. */
async function findDamage(environment: Environment, { promised }: CrashWriters): Promise<string[]> {
  const broken = await countBroken(environment, promised);
  const lost = { ...broken, images: await countBrokenImages(environment, promised) };
  const drift = await assertCounters(environment.sql).then(
    () => [],
    (error: Error) => [error.message.slice(0, 300)],
  );
  return [
    ...Object.entries(lost).flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind} lost`] : [])),
    ...drift,
  ];
}

/** Gives them no further request, then stops them: they complete those that they have. @returns their exit codes */
async function stopOldest({ servers }: Environment): Promise<(number | string | null)[]> {
  const old = servers.splice(0, serverCount);
  return Promise.all(old.map((server) => stop(server, 'SIGTERM')));
}
