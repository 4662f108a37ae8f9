/** The embedded database of an older major version of PostgreSQL, which here is the installed one. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chown, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openConnection, sql } from '#pg';
import { createDatabase, majorOfBinaries, targetOf } from '../../packages/embedded-postgres/cluster.ts';
import { databaseInUse } from '../../packages/embedded-postgres/embedded.ts';
import { type Placement, place } from '../../packages/embedded-postgres/placement.ts';
import { startServer } from '../../packages/embedded-postgres/postmaster.ts';
import { findPostgres } from '../support/installed-postgres.ts';
import {
  cleanUpAfterTests,
  createTempDir,
  potluck,
  type Server,
  sendRequest,
  serve,
  signIn,
  stop,
} from '../support/processes.ts';
import { skipsEmbedded } from '../support/test-database.ts';

cleanUpAfterTests();

const run = promisify(execFile);
/** In the form of those that Potluck makes. */
const password = 'p'.repeat(43);
const bin = await findPostgres(15);

async function createCluster(DATA_DIR: string, old: Placement): Promise<void> {
  await mkdir(old.clusterDir);
  const passwordFile = path.join(DATA_DIR, 'database-password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  const pwfile = path.join(old.clusterDir, '..', 'pwfile');
  await writeFile(pwfile, password);
  const { uid, gid } = old.identity ?? { uid: -1, gid: -1 };
  for (const file of [old.clusterDir, pwfile]) await chown(file, uid, gid);
  const access = ['--auth=scram-sha-256', '--username=potluck', `--pwfile=${pwfile}`];
  const args = [`--pgdata=${old.clusterDir}`, '--encoding=UTF8', '--locale=C', ...access];
  await run(old.initdb, args, { cwd: '/', ...old.identity });
}

/** Creates and fills a cluster of the installed version, whose server then still runs. @returns the id of the person in it */
async function fillCluster(DATA_DIR: string, old: Placement): Promise<string | undefined> {
  await createCluster(DATA_DIR, old);
  await startServer(old, {});
  const target = targetOf(old, password);
  await createDatabase(target);
  const DATABASE_URL = `postgres://potluck:${password}@/potluck?host=${encodeURIComponent(target.socketDir)}`;
  const server = await serve({ env: { DATABASE_URL, DATA_DIR } });
  const id = await signedIn(server);
  assert.equal(await stop(server, 'SIGTERM'), 0);
  return id;
}

const signedIn = async (server: Server): Promise<string | undefined> =>
  (await sendRequest(server, 'GET', '/v1/auth/me', await signIn(server))).body.id;

test('upgrade-postgres: the database of an older major version is named, and moved by one command; what was interrupted is completed', {
  skip: skipsEmbedded || (bin === null && 'no PostgreSQL is installed'),
}, async (t) => {
  const from = path.join(bin ?? '', '..');
  const DATA_DIR = await createTempDir();
  const old = await place(DATA_DIR, from);
  const [before, after] = [await majorOfBinaries(old), await majorOfBinaries(await place(DATA_DIR))];
  if (before === after) return t.skip('the installed PostgreSQL has the same major version');
  const command = async (...args: string[]) => {
    const { ended, output } = potluck(args, { env: { DATA_DIR, PORT: '0' } });
    return { code: await ended, ...output };
  };
  const upgrade = (directory: string) => command('upgrade-postgres', '--from', directory);
  const id = await fillCluster(DATA_DIR, old);

  const process = await openConnection(targetOf(old, password), 'tests');
  await process.query(sql`select pg_advisory_lock_shared(${databaseInUse})`);
  const early = await upgrade(from);
  assert.deepEqual([early.code, early.err], [1, 'Stop every process of Potluck first.\n']);
  await process.end();
  const refused = await command('serve');
  assert.equal(refused.code, 1);
  assert.equal(
    refused.err,
    `The database in ${old.clusterDir} has PostgreSQL ${before}, and this Potluck has PostgreSQL ${after}: run ` +
      '"bin/potluck upgrade-postgres --from DIRECTORY" with the directory of the former Potluck.\n',
  );
  assert.equal(
    (await upgrade('/nowhere')).err,
    '/nowhere has no PostgreSQL. Name the directory of the former Potluck.\n',
  );
  assert.match(
    (await upgrade(path.join(import.meta.dirname, '..', '..'))).err,
    new RegExp(`has PostgreSQL ${after}, and the database needs ${before}\\.\n$`),
  );

  const done = await upgrade(from);
  assert.deepEqual([done.code, done.err], [0, '']);
  assert.match(
    done.out,
    new RegExp(`are in the new database, and in .+\\.\nThe database has PostgreSQL ${after} now`),
  );
  assert.equal((await upgrade(from)).err, `The database has PostgreSQL ${after} already.\n`);
  // As if the machine had stopped before the last step.
  await rename(old.clusterDir, `${old.clusterDir}-new`);
  const server = await serve({ env: { DATA_DIR } });
  assert.equal(await signedIn(server), id);
  assert.equal(await stop(server, 'SIGTERM'), 0);
  const files = (await readdir(DATA_DIR)).filter((name) => name.startsWith('postgres'));
  assert.deepEqual(files.sort(), ['postgres', `postgres-${before}.old`]);
});
