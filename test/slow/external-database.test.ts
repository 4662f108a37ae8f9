/** The tests on another PostgreSQL: `TEST_DATABASE_URL`, with the PostgreSQL that is installed on this machine. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { untilRecovered } from '#pg';
import { findPostgres } from '../support/installed-postgres.ts';
import { cleanUpAfterTests, createTempDir } from '../support/processes.ts';
import { openSql } from '../support/sql-tag.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..', '..');

cleanUpAfterTests();

/** PostgreSQL refuses to run as root. */
const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Starts a new cluster with a role that may only create databases. @returns its URL */
async function startPostgres(binaries: string): Promise<string> {
  const directory = await createTempDir();
  if (identity.uid) await chown(directory, identity.uid, identity.gid);
  const data = path.join(directory, 'cluster');
  await run(
    path.join(binaries, 'initdb'),
    ['-D', data, '--username=admin', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    { cwd: '/', ...identity },
  );
  const settings = ['-k', directory, '-c', 'listen_addresses=', '-F'];
  const postgres = spawn(path.join(binaries, 'postgres'), ['-D', data, ...settings], {
    cwd: '/',
    stdio: 'ignore',
    ...identity,
  });
  const ended = once(postgres, 'exit');
  after(async () => {
    postgres.kill('SIGINT');
    await ended;
  });
  const urlFor = (role: string) =>
    `postgres://${role}:none@localhost:5432/postgres?host=${encodeURIComponent(directory)}`;
  const codes = ['57P03', 'ENOENT', 'ECONNREFUSED'];
  const sql = await untilRecovered(() => openSql(urlFor('admin')), { codes });
  await sql`create role tester login createdb`;
  await sql.end();
  return urlFor('tester');
}

const binaries = await findPostgres(15);

test('TEST_DATABASE_URL: a suite passes on the installed PostgreSQL and leaves no database, also none of a killed run', {
  skip: binaries === null && 'no PostgreSQL 15 or newer is installed: apt-get install postgresql',
}, async () => {
  const url = await startPostgres(binaries ?? '');
  const sql = await openSql(url);
  const [killed, running] = ['0123456789ab', 'ba9876543210'].map((id) => `potluck_test_${id}_template`);
  const foreign = 'potluck_test_of_another';
  for (const name of [killed, running, foreign]) await sql.text(`create database ${name}`);
  const other = await openSql(url, 'tests ba9876543210');
  // The runner of this test tells its child processes to report to it, and its options may name files of its reporters.
  const { NODE_TEST_CONTEXT: _context, NODE_OPTIONS: _options, ...env } = process.env;
  const args = ['--test', '--test-global-setup=test/support/global-setup.ts', 'test/claims/suite.ts'];
  const { stdout } = await run(process.execPath, args, {
    cwd: root,
    env: { ...env, TEST_DATABASE_URL: url },
    maxBuffer: 16 * 1024 * 1024,
  });
  assert.match(stdout, /pass [1-9]\d+\n/);
  assert.match(stdout, /fail 0\n/);
  const left = await sql<{ name: string }[]>`
    select datname as name from pg_database where datname like 'potluck%' order by 1`;
  assert.deepEqual(
    left.map(({ name }) => name),
    [running, foreign],
  );
  await Promise.all([other.end(), sql.end()]);
});
