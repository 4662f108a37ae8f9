/** Two PostgreSQL, of which one follows the other. */
import { execFile } from 'node:child_process';
import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { allowStandby } from '#base';
import { openEmbedded } from '#embedded-postgres';
import type { Target } from '#pg';
import { type Placement, place } from '../../packages/embedded-postgres/placement.ts';
import { startServer, stopServer } from '../../packages/embedded-postgres/postmaster.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { createTempDir, readPostmaster } from './processes.ts';
import { openSql } from './sql-tag.ts';

const run = promisify(execFile);

/** A primary, and a replica that can be stopped, killed and paused. */
export async function openReplicated() {
  const dataDir = await createTempDir();
  const embedded = await openEmbedded(dataDir);
  const target = embedded.target as Exclude<Target, string>;
  await migrate(target);
  await embedded.close();
  const primary = await place(dataDir);
  const clusterDir = `${primary.clusterDir}-replica`;
  const replica: Placement = { ...primary, clusterDir, socketDir: `${primary.socketDir}r` };
  await mkdir(replica.socketDir, { mode: 0o700 });
  if (primary.identity) await chown(replica.socketDir, primary.identity.uid, primary.identity.gid);
  await run('cp', ['-a', primary.clusterDir, clusterDir]);
  await writeFile(path.join(clusterDir, 'standby.signal'), '');
  await startServer(primary, {});
  const source = `host='${primary.socketDir}' user='${target.user}' password='${target.password}'`;
  const startReplica = async () => void (await startServer(replica, { primary_conninfo: source }));
  await startReplica();
  const password = encodeURIComponent(target.password);
  const url = `postgres://${target.user}:${password}@localhost/${target.database}?host=${replica.socketDir}`;
  const admin = await openSql(allowStandby(url), 'test');
  return {
    target,
    url,
    pause: () => admin`select pg_wal_replay_pause()`,
    resume: () => admin`select pg_wal_replay_resume()`,
    /** As `kill -9` of all its processes. */
    async kill() {
      admin.destroy();
      const pid = await readPostmaster(clusterDir);
      await run('pkill', ['-9', '-P', `${pid}`]).catch(() => {});
      process.kill(pid, 'SIGKILL');
    },
    startReplica,
    async close() {
      admin.destroy();
      await stopServer(replica);
      await stopServer(primary);
      for (const directory of [clusterDir, replica.socketDir])
        await rm(directory, { recursive: true, force: true });
    },
  };
}
