import { setTimeout as sleep } from 'node:timers/promises';
import { assertCounters } from '../../test/support/invariants.ts';
import { countBroken, countBrokenImages, type PromisedRows, startCrashWriters } from '../crash-writers.ts';
import type { Environment, Person } from '../environment.ts';
import { waitForRecovery } from '../load.ts';
import type { Program } from '../program.ts';

/** Kills a server and starts another. @returns the ms until the new server works */
async function killServer(environment: Environment, person: Person, index: number): Promise<number> {
  const since = performance.now();
  await waitForRecovery(environment, person, await environment.replace(index));
  return performance.now() - since;
}

/** Kills PostgreSQL, which a server then restarts. @returns the ms until all servers work again */
async function killDatabase(environment: Environment, person: Person): Promise<number> {
  const since = performance.now();
  process.kill(await environment.postmaster(), 'SIGKILL');
  // Responses that were on their way may still arrive.
  await sleep(50);
  await Promise.all(environment.servers.map((server) => waitForRecovery(environment, person, server)));
  return performance.now() - since;
}

export const crash: Program = {
  name: 'crash',
  expectation:
    'a server killed 20 times and PostgreSQL killed 20 times during writes of events, RSVPs, items, claims, ' +
    'bookings, messages and uploads: no acknowledged write is lost, every counter is exact, recovery within 5 s',
  async run({ size, startEnvironment, progress }) {
    const times = size(20, 1);
    const environment = await startEnvironment({ env: { MESSAGES_PER_MINUTE: '0' } });
    const people = await environment.people(24);
    const [person] = people;
    if (!person) throw new Error('no people were created');
    const writers = startCrashWriters(environment, people, 16);
    const recovery = { server: [] as number[], database: [] as number[] };
    for (let round = 0; round < times; round++) {
      progress(`${round} of ${times}`);
      await sleep(1_000);
      recovery.server.push(await killServer(environment, person, round % 2));
      await sleep(1_000);
      recovery.database.push(await killDatabase(environment, person));
    }
    await writers.stop();
    const { promised, statuses } = writers;
    const broken = await countBroken(environment, promised);
    const images = await countBrokenImages(environment, promised);
    const counters = await assertCounters(environment.sql).then(
      () => null,
      (error: Error) => error.message.slice(0, 300),
    );
    const kinds = Object.entries(promised) as [keyof PromisedRows, unknown[]][];
    const lost = Object.values(broken).reduce((sum, each) => sum + each, images);
    const rare = kinds.filter(([, rows]) => rows.length < times * 5).map(([kind]) => kind);
    const [server, database] = [Math.max(...recovery.server), Math.max(...recovery.database)];
    const unexpected = [...statuses].filter(([status]) => status >= 300 && status !== 503);
    return {
      result:
        `lost: ${kinds.map(([kind, rows]) => `${broken[kind]} of ${rows.length} ${kind}`).join(', ')}, ${images} images, ` +
        `after ${writers.writes()} acknowledged writes; ${counters ?? 'counters are exact'}; a new server works after ` +
        `${Math.round(server)} ms at most, a new database after ${Math.round(database)} ms; unexpected statuses: ` +
        `${unexpected.map(([status, number]) => `${number} × ${status}`).join(', ') || 'none'}` +
        `${rare.length > 0 ? `; too few ${rare.join(', ')}` : ''}`,
      ok:
        lost + rare.length + unexpected.length === 0 &&
        counters === null &&
        server < 5_000 &&
        database < 5_000,
    };
  },
};
