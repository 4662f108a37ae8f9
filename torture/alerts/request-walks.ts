/** Servers that end, and responses that fail or are slow. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../../test/support/factories.ts';
import { killProcess, untilReady, workersOf } from '../../test/support/workers.ts';
import { openDatabase } from '../database.ts';
import { openProxy } from '../proxy.ts';
import { firstOf, keepBusy, startOnOwnDatabase } from './faults.ts';
import type { Walk } from './lab.ts';

const withoutSystemd = 'the server is no unit of systemd';

export const requestWalks: Walk[] = [
  {
    alert: 'PotluckDown',
    fault: 'PostgreSQL is stopped and the server killed, so that it does not start',
    isQuick: true,
    async run(lab) {
      const { database, environment } = await startOnOwnDatabase(lab);
      const server = firstOf(environment.servers);
      await lab.fires(async () => {
        await database.stop();
        server.child.kill('SIGKILL');
        await server.ended;
      });
      for (const command of ['systemctl', 'journalctl']) lab.leaveOut(command, withoutSystemd);
      const findings = await lab.command('bin/potluck doctor', environment);
      assert.match(findings, /✗ database .*\n +Next: Start PostgreSQL/);
      await lab.ends(async () => {
        await database.start();
        await environment.start();
      });
    },
  },
  {
    alert: 'PotluckUnavailable',
    fault: 'PostgreSQL is stopped under requests',
    async run(lab) {
      const { database, environment } = await startOnOwnDatabase(lab);
      await keepBusy(lab, environment, { writers: 0, readers: 4, pause: 50 });
      await lab.fires(database.stop);
      await lab.query('sum by (route)');
      await lab.ends(database.start);
    },
  },
  {
    alert: 'PotluckErrors',
    fault: 'a column is renamed by hand, so that one request gets a 500',
    isQuick: true,
    async run(lab) {
      const environment = await lab.start();
      const { sql, client } = environment;
      const { token } = firstOf(await environment.people(1));
      const createEvent = async () =>
        (await client.send('POST', '/v1/events', { token, body: eventBody() })).status;
      await lab.fires(async () => {
        await sql`alter table events rename column description to former_description`;
        assert.equal(await createEvent(), 500);
      });
      await lab.readLog(firstOf(environment.servers), 'unexpected error');
      await lab.ends(async () => {
        await sql`alter table events rename column former_description to description`;
        assert.equal(await createEvent(), 201);
      });
    },
  },
  {
    alert: 'PotluckSlow',
    fault: 'each message between server and database takes 0.3 s',
    async run(lab) {
      const database = await openDatabase();
      const { socketDir, port } = database.target;
      const proxy = await openProxy(`${socketDir}/.s.PGSQL.${port}`);
      lab.context.addCleanup(database.close);
      lab.context.addCleanup(async () => proxy.close());
      const env = { DATABASE_URL: database.url(proxy.port) };
      const environment = await lab.start({ env, target: database.target });
      // Each window of the rule has responses, although each takes seconds.
      await keepBusy(lab, environment, { writers: 20, readers: 0 });
      await lab.fires(async () => proxy.setFault({ delayMs: 300 }));
      await lab.query('histogram_quantile');
      await lab.ends(async () => proxy.setFault({}));
    },
  },
  {
    alert: 'PotluckRestarts',
    fault: 'a process of the server is killed three times',
    async run(lab) {
      const environment = await lab.start({ env: { SERVERS: '2' } });
      const server = firstOf(environment.servers);
      await untilReady(server, 2);
      await lab.fires(async () => {
        for (let kill = 0; kill < 3; kill++) {
          await killProcess(firstOf(await workersOf(server)));
          await untilReady(server, 2);
          // Each start is seen.
          await sleep(2_500);
        }
      });
      await lab.readLog(server, 'a server process ended');
      lab.leaveOut('journalctl -k', withoutSystemd);
      // An hour without further restarts.
      await lab.ends(async () => {});
    },
  },
];
