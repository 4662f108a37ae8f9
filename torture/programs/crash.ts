import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment, Person } from '../environment.ts';
import { lostOf, startLoad, untilBack } from '../load.ts';
import type { Program } from '../program.ts';

/** Kills a server, starts another in its place, and gives the ms until that one works. */
async function killServer(environment: Environment, person: Person, which: number): Promise<number> {
  const since = performance.now();
  await untilBack(environment, person, await environment.replace(which));
  return performance.now() - since;
}

/** Kills PostgreSQL, and gives the ms until all servers work with the one that is started in its place. */
async function killDatabase(environment: Environment, person: Person): Promise<number> {
  const since = performance.now();
  process.kill(await environment.postmaster(), 'SIGKILL');
  // What was on its way when it died may still be answered.
  await sleep(50);
  await Promise.all(environment.servers.map((server) => untilBack(environment, person, server)));
  return performance.now() - since;
}

export const crash: Program = {
  name: 'crash',
  promise:
    'a server killed 20 times and PostgreSQL 20 times under writes: nothing acknowledged is lost, back in 5 s',
  async run({ size, open, progress }) {
    const times = size(20, 1);
    const environment = await open();
    const people = await environment.people(24);
    const [person] = people;
    if (!person) throw new Error('nobody came');
    const load = startLoad(environment, people, { writers: 16, readers: 4 });
    const back = { server: [] as number[], database: [] as number[] };
    for (let round = 0; round < times; round++) {
      progress(`${round} of ${times}`);
      await sleep(500);
      back.server.push(await killServer(environment, person, round % 2));
      await sleep(500);
      back.database.push(await killDatabase(environment, person));
    }
    await load.stop();
    const lost = await lostOf(environment, load);
    const [server, database] = [Math.max(...back.server), Math.max(...back.database)];
    const writes = load.events.length + load.rsvps.length;
    const wrong = load.answered.filter(({ status }) => status >= 500 && status !== 503).length;
    return {
      figure:
        `${lost} of ${writes} acknowledged writes lost; a new server works after ${Math.round(server)} ms at most, ` +
        `a new database after ${Math.round(database)} ms; ${wrong} answers of 500`,
      ok: lost === 0 && writes > times * 10 && server < 5_000 && database < 5_000 && wrong === 0,
    };
  },
};
