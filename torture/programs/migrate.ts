import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNewerVersion } from '../../test/support/newer-version.ts';
import { quantile } from '../client.ts';
import { startLoad } from '../load.ts';
import type { Program } from '../program.ts';

export const migrate: Program = {
  name: 'migrate',
  expectation:
    'a migration under load that adds columns and a table: no 5xx, and no request waits for more than 1 s',
  async run({ startEnvironment, size, progress }) {
    const environment = await startEnvironment();
    const people = await environment.people(16);
    const home = path.join(environment.dataDir, 'newer');
    await createNewerVersion(home);
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
