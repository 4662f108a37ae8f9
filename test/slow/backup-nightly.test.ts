/** Backups in a directory: which are removed, and those that servers make by themselves. */
import assert from 'node:assert/strict';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkBackup } from '../../src/cli/backup/restore-backup.ts';
import { AdvisoryLock } from '../../src/schema/locks.ts';
import { cleanUpAfterTests, createTempDir, potluck, type Server, serve, stop } from '../support/processes.ts';
import { openSql, type SqlConnection } from '../support/sql-tag.ts';
import { cloneDatabase, createEmptyDatabase } from '../support/test-database.ts';

cleanUpAfterTests();

const SECRET_KEY = 'the-key-of-the-tests-is-long-enough';

async function backup(args: string[], DATABASE_URL: string) {
  const env = { SECRET_KEY, DATABASE_URL, DATA_DIR: await createTempDir() };
  const { ended, output } = potluck(['backup', ...args], { env });
  return { code: await ended, ...output };
}

const firstName = 'database.sql.gz\0';
const old = 'potluck-2020-01-01T033000Z.tar';
const older = 'potluck-2019-12-31T033000Z.tar';
const foreign = {
  'potluck-2018-01-01T033000Z.tar': 'a file of another program',
  'potluck-old.tar': firstName,
  'notes.txt': 'keep me',
  [`${old}.0123abcd.part`]: 'of a backup that runs',
};

async function createBackups(): Promise<string> {
  const directory = await createTempDir();
  const files = { [old]: firstName, [older]: firstName, ...foreign };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(directory, name), text);
  return directory;
}

test('directory: a backup gets the name of its time, and those that no rule keeps are removed', async () => {
  const directory = await createBackups();
  const killed = `${older}.0123abcd.part`;
  await writeFile(path.join(directory, killed), '');
  await utimes(path.join(directory, killed), 0, 0);
  const { code, out, err } = await backup([directory, '--keep', 'daily=2'], await cloneDatabase());
  assert.equal(code, 0, err);
  const [, made = ''] = /(potluck-\d{4}-\d\d-\d\dT\d{6}Z\.tar): \d+ rows/.exec(out) ?? [];
  assert.deepEqual((await readdir(directory)).sort(), [made, old, ...Object.keys(foreign)].sort());
  assert.match(out, new RegExp(`^${older} was removed\\.$`, 'm'));
  await checkBackup(path.join(directory, made));
});

test('directory: without --keep nothing is removed', async () => {
  const directory = await createBackups();
  assert.equal((await backup([directory], await cloneDatabase())).code, 0);
  assert.equal((await readdir(directory)).length, Object.keys(foreign).length + 3);
});

test('directory: a backup that fails removes nothing, and invalid rules are refused', async () => {
  const directory = await createBackups();
  const before = await readdir(directory);
  const failed = await backup([directory, '--keep', 'daily=1'], await createEmptyDatabase());
  assert.deepEqual([failed.code, failed.err], [1, 'The database has no tables of Potluck.\n']);
  const invalid = await backup([directory, '--keep', 'daily=0'], await cloneDatabase());
  assert.match(invalid.err, /^--keep is "daily=0"; it must be rules such as [^\n]+\n$/);
  const noDirectory = await backup(
    [path.join(directory, 'none'), '--keep', 'daily=1'],
    await cloneDatabase(),
  );
  assert.match(noDirectory.err, /is not a directory; --keep needs one that exists\.\n$/);
  assert.deepEqual(await readdir(directory), before);
});

/** The number of processes that wait for their turn to make a backup. */
async function countWaiting(sql: SqlConnection): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from pg_locks
    where locktype = 'advisory' and not granted and objid = ${AdvisoryLock.backup}
      and database = (select oid from pg_database where datname = current_database())`;
  return row.count;
}

/** The connections of backups. */
async function countSessions(sql: SqlConnection): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from pg_stat_activity
    where application_name like 'potluck backup%' and datname = current_database()`;
  return row.count;
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await isSo()); waited += 50) {
    assert.ok(waited < 60_000, `it never happened that ${what}`);
    await sleep(50);
  }
}

async function metricOf({ url }: Server, name: string): Promise<number | null> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? [];
  return value === undefined ? null : Number(value);
}
const lastSuccess = 'potluck_backup_last_success_timestamp_seconds';

test('nightly: two servers whose backup is due make one, and show it in their metrics', async () => {
  const [DATABASE_URL, BACKUP_DIR, DATA_DIR] = [
    await cloneDatabase(),
    await createTempDir(),
    await createTempDir(),
  ];
  const env = { SECRET_KEY, DATABASE_URL, BACKUP_DIR, DATA_DIR, LOG_LEVEL: 'info' };
  const sql = await openSql(DATABASE_URL);
  after(() => sql.end());
  // Both wait for their turn before one begins.
  await sql`select pg_advisory_lock(${AdvisoryLock.backup})`;
  const servers = [await serve({ env }), await serve({ env })];
  await until('two backups are due', async () => (await countWaiting(sql)) === 2);
  for (const server of servers) assert.equal(await metricOf(server, lastSuccess), 0);
  await sql`select pg_advisory_unlock(${AdvisoryLock.backup})`;
  for (const { output } of servers)
    await until('the server says so', async () => output.out.includes('the backup of the day was made'));
  const [made = '', ...others] = await readdir(BACKUP_DIR);
  assert.match(made, /^potluck-.*Z\.tar$/);
  assert.deepEqual(others, []);
  const { header } = await checkBackup(path.join(BACKUP_DIR, made));
  for (const server of servers) {
    const seconds = (await metricOf(server, lastSuccess)) ?? 0;
    assert.ok(Math.abs(seconds - Date.parse(header.at) / 1_000) < 60, `${seconds}`);
    assert.ok(((await metricOf(server, 'potluck_backup_last_size_bytes')) ?? 0) > 1_000);
  }
});

test('nightly: a server that stops ends its backup, and leaves no part of it', async () => {
  const [DATABASE_URL, BACKUP_DIR] = [await cloneDatabase(), await createTempDir()];
  const sql = await openSql(DATABASE_URL);
  after(() => sql.end());
  await sql`select pg_advisory_lock(${AdvisoryLock.backup})`;
  const server = await serve({ env: { SECRET_KEY, DATABASE_URL, BACKUP_DIR } });
  await until('a backup is due', async () => (await countWaiting(sql)) === 1);
  assert.equal(await stop(server, 'SIGTERM'), 0);
  // A backup that went on would be made now.
  await sql`select pg_advisory_unlock(${AdvisoryLock.backup})`;
  await until('the backup has ended', async () => (await countSessions(sql)) === 0);
  assert.deepEqual(await readdir(BACKUP_DIR), []);
});

test('nightly: a server without BACKUP_DIR has no metric, and one whose directory is missing counts failures', async () => {
  const DATABASE_URL = await cloneDatabase();
  const missing = path.join(await createTempDir(), 'none');
  const without = await serve({ env: { SECRET_KEY, DATABASE_URL } });
  assert.equal(await metricOf(without, lastSuccess), null);
  const server = await serve({ env: { SECRET_KEY, DATABASE_URL, BACKUP_DIR: missing } });
  const failures = 'potluck_job_failures_total{name="make the backup of the day"}'.replace(/[{}]/g, '\\$&');
  await until('the job fails', async () => ((await metricOf(server, failures)) ?? 0) > 0);
  await mkdir(missing);
});
