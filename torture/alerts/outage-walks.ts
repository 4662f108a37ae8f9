/** The kinds of outages. */
import { rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { onePixelPng } from '../../test/support/factories.ts';
import { openFileSystem } from '../file-system.ts';
import { fill, firstOf, keepBusy, openClock, overload, startOnOwnDatabase } from './faults.ts';
import type { Walk } from './lab.ts';

const megabytes = 8;

export const outageWalks: Walk[] = [
  {
    alert: 'PotluckOutage',
    labels: { kind: 'database' },
    fault: 'PostgreSQL is stopped',
    isQuick: true,
    async run(lab) {
      const { database, environment } = await startOnOwnDatabase(lab);
      await keepBusy(lab, environment, { writers: 0, readers: 2, pause: 100 });
      await lab.fires(database.stop);
      await lab.readLog(firstOf(environment.servers), 'outage of database began');
      await lab.ends(database.start);
    },
  },
  {
    alert: 'PotluckOutage',
    labels: { kind: 'database writes' },
    fault: 'PostgreSQL is made read-only',
    async run(lab) {
      const environment = await lab.start();
      await keepBusy(lab, environment, { writers: 2, readers: 0, pause: 100 });
      const { sql } = environment;
      const setReadOnly = async (value: 'on' | 'off') => {
        await sql.text(`alter system set default_transaction_read_only = ${value}`);
        await sql`select pg_reload_conf()`;
      };
      await lab.fires(() => setReadOnly('on'));
      lab.follow('database writes');
      await lab.ends(() => setReadOnly('off'));
    },
  },
  {
    alert: 'PotluckOutage',
    labels: { kind: 'image storage' },
    fault: 'the disk of the images is filled',
    async run(lab) {
      const disk = await openFileSystem(lab.context, megabytes);
      const environment = await lab.start();
      const uploads = path.join(environment.dataDir, 'uploads');
      await rename(uploads, `${uploads}-before`).catch(() => {});
      await symlink(disk.directory, uploads);
      lab.context.addCleanup(() => rm(uploads, { force: true }));
      const { token } = firstOf(await environment.people(1));
      let free = async () => {};
      await lab.fires(async () => {
        free = await fill(disk);
        const headers = { 'content-type': 'image/png' };
        await environment.client.send('POST', '/v1/uploads', { token, raw: onePixelPng, headers });
      });
      lab.follow('image storage');
      await lab.ends(() => free());
    },
  },
  {
    alert: 'PotluckOutage',
    labels: { kind: 'clock' },
    fault: 'the clock of the server is set forward by 70 s',
    async run(lab) {
      const clock = await openClock(lab);
      await lab.start({ env: clock.env });
      await lab.fires(() => clock.set(70));
      await lab.ends(() => clock.set(0));
    },
  },
  {
    alert: 'PotluckOutage',
    labels: { kind: 'overload' },
    fault: '1,000 clients send requests all the time',
    async run(lab) {
      const environment = await lab.start({ env: { TRUST_PROXY: 'loopback' } });
      let stop = () => {};
      await lab.fires(async () => {
        stop = await overload(environment, firstOf(environment.servers), 1_000);
      });
      await lab.ends(async () => stop());
    },
  },
];
