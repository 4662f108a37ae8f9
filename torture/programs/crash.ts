import { setTimeout as sleep } from 'node:timers/promises';
import { lostOf, startLoad, untilBack } from '../load.ts';
import type { Program } from '../program.ts';
import type { Person, World } from '../world.ts';

/** Kills a server, starts another in its place, and gives the ms until that one works. */
async function killServer(world: World, person: Person, which: number): Promise<number> {
  const since = performance.now();
  await untilBack(world, person, await world.replace(which));
  return performance.now() - since;
}

/** Kills PostgreSQL, and gives the ms until all servers work with the one that is started in its place. */
async function killDatabase(world: World, person: Person): Promise<number> {
  const since = performance.now();
  process.kill(await world.postmaster(), 'SIGKILL');
  // What was on its way when it died may still be answered.
  await sleep(50);
  await Promise.all(world.servers.map((server) => untilBack(world, person, server)));
  return performance.now() - since;
}

export const crash: Program = {
  name: 'crash',
  promise:
    'a server killed 20 times and PostgreSQL 20 times under writes: nothing acknowledged is lost, back in 5 s',
  async run({ size, open, progress }) {
    const times = size(20, 1);
    const world = await open();
    const people = await world.people(24);
    const [person] = people;
    if (!person) throw new Error('nobody came');
    const load = startLoad(world, people, { writers: 16, readers: 4 });
    const back = { server: [] as number[], database: [] as number[] };
    for (let round = 0; round < times; round++) {
      progress(`${round} of ${times}`);
      await sleep(500);
      back.server.push(await killServer(world, person, round % 2));
      await sleep(500);
      back.database.push(await killDatabase(world, person));
    }
    await load.stop();
    const lost = await lostOf(world, load);
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
