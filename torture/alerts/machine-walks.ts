/** Backups, the database, clocks, and limits of a server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { potluck, type Server, serve } from '../../test/support/processes.ts';
import { openReplicated } from '../../test/support/replicated-database.ts';
import { toUrl } from '../../test/support/test-database.ts';
import { runConcurrently } from '../client.ts';
import type { Environment } from '../environment.ts';
import { createEvent } from '../factories.ts';
import { findFreePort } from '../failover/free-port.ts';
import { openFileSystem } from '../file-system.ts';
import { startFlood } from '../flood.ts';
import { requireFakeTime } from '../requirements.ts';
import { fill, firstOf, forgetTransaction, keepBusy, openClock, overload, runPsql } from './faults.ts';
import type { Lab, Walk } from './lab.ts';

/** Streams that an address may open without a token. */
const streamsOfAddress = 200;

/** Opens live streams of visitors at different addresses. */
async function openStreams({ url }: Server, event: string, count: number): Promise<Socket[]> {
  const port = Number(new URL(url).port);
  return runConcurrently(count, 50, async (i) => {
    const address = `10.2.0.${Math.floor(i / streamsOfAddress)}`;
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(`GET /v1/events/${event}/live HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${address}\r\n\r\n`);
    const [head] = (await once(socket, 'data')) as [Buffer];
    assert.match(`${head}`, /^HTTP\/1\.1 200 /);
    socket.resume();
    return socket;
  });
}

/** Starts a server that may open this many descriptors, in place of the one before. */
async function replaceServer(lab: Lab, environment: Environment, env: object, descriptors: number) {
  for (const { child, ended } of environment.servers.splice(0)) {
    child.kill();
    await ended;
  }
  environment.servers.push(await serve({ env: { ...environment.env, ...env }, descriptors }));
  await lab.watch(environment.servers);
  return firstOf(environment.servers);
}

export const machineWalks: Walk[] = [
  {
    alert: 'PotluckBackupOld',
    fault: 'the newest backup is 27 hours old, and the disk is full',
    async run(lab) {
      const disk = await openFileSystem(lab.context, 16);
      const environment = await lab.start();
      const env = { ...environment.env, ...requireFakeTime(), FAKETIME: '-27h' };
      const yesterday = potluck(['backup', disk.directory], { env });
      assert.equal(await yesterday.ended, 0, yesterday.output.err);
      const free = await fill(disk);
      await lab.fires(async () => {
        await environment.start({ BACKUP_DIR: disk.directory });
        await lab.watch(environment.servers);
      });
      const server = environment.servers.at(-1);
      assert.ok(server);
      await lab.readLog(server, 'the backup was not made');
      await lab.ends(async () => {
        await free();
        const output = await lab.command('bin/potluck backup', environment, { DIRECTORY: disk.directory });
        assert.match(output, /potluck-\S+\.tar: \d+ rows/);
      });
    },
  },
  {
    alert: 'PotluckWaitsForConnections',
    fault: 'a forgotten transaction locks the table of the events',
    async run(lab) {
      const environment = await lab.start();
      await keepBusy(lab, environment, { writers: 30, readers: 0 });
      let forgotten = () => {};
      await lab.fires(async () => {
        forgotten = await forgetTransaction(environment, 'lock table events in share mode');
      });
      lab.context.addCleanup(async () => forgotten());
      const psql = lab.follow('PGPASSWORD');
      const lines = await runPsql(psql, environment, lab.follow('select pid'));
      const blocking = lines.map((line) => line.split('|')[1]).find((pids) => /^\{\d+\}$/.test(pids ?? ''));
      const pid = blocking?.slice(1, -1) ?? '';
      assert.ok(lines.some((line) => line.startsWith(`${pid}|`) && line.includes('lock table events')));
      await lab.ends(() => runPsql(psql, environment, lab.follow('select pg_terminate').replace('PID', pid)));
    },
  },
  {
    alert: 'PotluckReplicaUnused',
    fault: 'the replica is killed',
    async run(lab) {
      const database = await openReplicated();
      lab.context.addCleanup(database.close);
      const environment = await lab.start({
        env: { DATABASE_URL: toUrl(database.target), DATABASE_REPLICA_URLS: database.url },
        target: database.target,
      });
      await lab.fires(database.kill);
      await lab.readLog(firstOf(environment.servers), 'the replica is not in use');
      await lab.ends(database.startReplica);
    },
  },
  {
    alert: 'PotluckClock',
    fault: 'the clock of the server is set forward by 3 s',
    async run(lab) {
      const clock = await openClock(lab);
      await lab.start({ env: clock.env });
      await lab.fires(() => clock.set(3));
      lab.leaveOut('timedatectl', 'the clock is that of libfaketime');
      await lab.ends(() => clock.set(0));
    },
  },
  {
    alert: 'PotluckEventLoop',
    fault: '600 clients send requests all the time',
    async run(lab) {
      const environment = await lab.start({ env: { TRUST_PROXY: 'loopback' } });
      let stop = () => {};
      await lab.fires(async () => {
        stop = await overload(environment, firstOf(environment.servers), 600);
      });
      await lab.ends(async () => stop());
    },
  },
  {
    alert: 'PotluckLiveStreams',
    fault: '4,100 streams of visitors at 21 addresses',
    async run(lab) {
      const environment = await lab.start({ env: { TRUST_PROXY: 'loopback' } });
      const event = await createEvent(environment, firstOf(await environment.people(1)));
      const first = firstOf(environment.servers);
      let streams: Socket[] = [];
      await lab.fires(async () => {
        streams = await openStreams(first, event, 4_100);
      });
      await lab.ends(async () => {
        const another = await environment.start();
        await lab.watch(environment.servers);
        // What the proxy does with new connections.
        for (const socket of streams.splice(0, streamsOfAddress)) socket.destroy();
        streams.push(...(await openStreams(another, event, streamsOfAddress)));
      });
      for (const socket of streams) socket.destroy();
    },
  },
  {
    alert: 'PotluckDescriptors',
    fault: '300 connections to a server that may open 200 descriptors',
    async run(lab) {
      const environment = await lab.start({ servers: 0 });
      const env = { PORT: `${await findFreePort()}` };
      const server = await replaceServer(lab, environment, env, 200);
      let flood = { stop: () => {} };
      await lab.fires(async () => {
        flood = startFlood(server, 300);
      });
      await lab.ends(() => replaceServer(lab, environment, env, 2_000));
      flood.stop();
    },
  },
];
