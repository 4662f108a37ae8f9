import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment, Person } from '../environment.ts';
import { countLostWrites, startLoad, waitForRecovery } from '../load.ts';
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
    'a server killed 20 times and PostgreSQL killed 20 times during writes: no acknowledged write is ' +
    'lost, recovery within 5 s',
  async run({ size, startEnvironment, progress }) {
    const times = size(20, 1);
    const environment = await startEnvironment();
    const people = await environment.people(24);
    const [person] = people;
    if (!person) throw new Error('no people were created');
    const load = startLoad(environment, people, { writers: 16, readers: 4 });
    const recovery = { server: [] as number[], database: [] as number[] };
    for (let round = 0; round < times; round++) {
      progress(`${round} of ${times}`);
      await sleep(500);
      recovery.server.push(await killServer(environment, person, round % 2));
      await sleep(500);
      recovery.database.push(await killDatabase(environment, person));
    }
    await load.stop();
    const lost = await countLostWrites(environment, load);
    const [server, database] = [Math.max(...recovery.server), Math.max(...recovery.database)];
    const writes = load.events.length + load.rsvps.length;
    const failed = load.responses.filter(({ status }) => status >= 500 && status !== 503).length;
    return {
      result:
        `${lost} of ${writes} acknowledged writes lost; a new server works after ${Math.round(server)} ms at most, ` +
        `a new database after ${Math.round(database)} ms; ${failed} responses with a 500`,
      ok: lost === 0 && writes > times * 10 && server < 5_000 && database < 5_000 && failed === 0,
    };
  },
};
