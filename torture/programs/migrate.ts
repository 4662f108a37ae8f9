import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../client.ts';
import type { Environment } from '../environment.ts';
import { startLoad } from '../load.ts';
import type { Program } from '../program.ts';

const root = path.join(import.meta.dirname, '..', '..');

/** Copies Potluck and adds a migration to the copy. @returns its directory */
async function createNewerVersion({ dataDir }: Environment): Promise<string> {
  const home = path.join(dataDir, 'newer');
  await mkdir(home);
  for (const name of ['src', 'package.json'])
    await cp(path.join(root, name), path.join(home, name), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(home, 'node_modules'));
  const directory = path.join(home, 'src', 'db', 'migrations');
  const lastMigration = (await readdir(directory)).sort().at(-1) ?? '';
  const number = String(Number.parseInt(lastMigration, 10) + 1).padStart(4, '0');
  await writeFile(
    path.join(directory, `${number}.do.further.sql`),
    `alter table events add column further text not null default '';
    alter table rsvps add column further integer;
    create table further (event_id uuid not null, n integer not null, primary key (event_id, n));
    create index further_n on further (event_id, n);`,
  );
  return home;
}

export const migrate: Program = {
  name: 'migrate',
  expectation:
    'a migration under load that adds columns and a table: no 5xx, and no request waits for more than 1 s',
  async run({ startEnvironment, size, progress }) {
    const environment = await startEnvironment();
    const people = await environment.people(16);
    const home = await createNewerVersion(environment);
    const load = startLoad(environment, people, { writers: 10, readers: 6 });
    await sleep(size(10_000, 2_000));
    progress('migrating');
    const child = spawn(process.execPath, [path.join(home, 'src', 'main.ts'), 'migrate'], {
      cwd: home,
      env: { PATH: process.env.PATH, ...environment.env },
    });
    const [code] = await once(child, 'close');
    await sleep(size(10_000, 2_000));
    await load.stop();
    await rm(home, { recursive: true });
    const [row] = await environment.sql<
      [{ done: boolean }]
    >`select to_regclass('further') is not null as done`;
    const failed = load.responses.filter(({ status }) => status === 0 || status >= 500).length;
    const slowest = quantile(
      load.responses.map(({ ms }) => ms),
      1,
    );
    return {
      result: `${load.responses.length} requests, ${failed} of them with a 5xx, the slowest ${Math.round(slowest)} ms`,
      ok: code === 0 && row.done && failed === 0 && slowest < 1_000,
    };
  },
};
