import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Target } from '#pg';
import { quoteIdentifier } from '../../src/cli/backup/file-format.ts';
import { checkBackup, restoreBackup } from '../../src/cli/backup/restore-backup.ts';
import { listTables } from '../../src/cli/backup/tables.ts';
import { writeBackup } from '../../src/cli/backup/write-backup.ts';
import { newestVersion } from '../../src/schema/migrate.ts';
import { readFromBackup, readSql } from '../support/backup-files.ts';
import { command } from '../support/command.ts';
import { createEvent, createItem, createUser, inDays, rsvpGoing } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';
import { connectSql, openSql } from '../support/sql-tag.ts';
import { cloneDatabase, createEmptyDatabase } from '../support/test-database.ts';

const api = await startTestApp();
const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-backup-'));
after(() => rm(directory, { recursive: true, force: true }));
const fileFor = (name: string) => path.join(directory, name);
/** The database alone. */
const rowsIn = (target: string) => ({ target, storage: null });
const source = rowsIn(api.target);

/** Returns every row of every table that a backup contains, as text. */
async function rowsOf(target: Target): Promise<Record<string, string[]>> {
  const sql = await openSql(target, 'tests');
  try {
    const tables: Record<string, string[]> = {};
    for (const { name } of await sql.begin(listTables)) {
      const rows = await sql.text(`select t::text as row from ${quoteIdentifier(name)} t order by 1`);
      tables[name] = rows.map(({ row }) => row);
    }
    return tables;
  } finally {
    await sql.end();
  }
}

async function createFixtures() {
  const [host, guest] = [
    await createUser(api),
    await createUser(api, { name: 'Zoë\\N "q"', bio: 'a\tb\\\nc\r\\.\n\\.' }),
  ];
  const event = await createEvent(api, host, {
    title: '\\N',
    description: `${'🥘 naïve — 100 % '.repeat(50)}\n\\.\n`,
    location: { address: 'Pole', lat: -89.123456789012, lng: 179.999999999999 },
    price: 12.5,
  });
  const item = await createItem(api, host, event.id, { description: '' });
  await rsvpGoing(api, guest, event.id);
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 2 }), 201);
  expectStatus(await api.post(`/v1/users/${host.id}/follow`, guest.token), 200);
  expectStatus(await api.post(`/v1/events/${event.id}/save`, guest.token, { saved: true }), 200);
  return { host, guest, event };
}

test('backup and restore: the restored database has equal rows, and a server runs on it', async () => {
  const { guest, event } = await createFixtures();
  const file = fileFor('whole.tar');
  const saved = await command(api.target, 'backup', file);
  assert.equal(saved.code, 0, saved.stderr);
  assert.match(saved.stdout, /whole\.tar: \d+ rows of \d+ tables, and no images, /);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const target = await createEmptyDatabase();
  const restored = await command(target, 'restore', file);
  assert.equal(restored.code, 0, restored.stderr);
  assert.deepEqual(await rowsOf(target), await rowsOf(api.target));
  const sql = await openSql(target, 'tests');
  await assertCounters(sql);
  const again = await startTestApp({ sql: connectSql(target) });
  assert.deepEqual(
    (await again.get(`/v1/events/${event.id}`, guest.token)).body,
    (await api.get(`/v1/events/${event.id}`, guest.token)).body,
  );
  await sql.end();
});

test('backup and restore: tables of several megabytes are complete for different sizes of the last socket write', {
  timeout: 60_000,
}, async () => {
  const large = await cloneDatabase();
  const sql = await openSql(large, 'tests');
  const file = fileFor('large.tar');
  const add = (rows: number) => sql`
    insert into contacts select repeat(md5(random()::text), 5) || n, gen_random_uuid()
    from generate_series(1, ${rows}::int) n`;
  await add(12_000);
  for (let n = 0; n < 12; n++) {
    await add(200);
    await writeBackup(rowsIn(large), file, { force: true });
  }
  const target = await createEmptyDatabase();
  await restoreBackup(rowsIn(target), file);
  assert.deepEqual(await rowsOf(target), await rowsOf(large));
  await sql.end();
});

test('restore: exit code 1 and one line for a database with rows, which stays unchanged', async () => {
  const file = fileFor('into-full.tar');
  await writeBackup(source, file);
  const before = await rowsOf(api.target);
  const { code, stderr } = await command(api.target, 'restore', file);
  assert.equal(code, 1);
  assert.match(stderr, /^The database is not empty: there are rows in \w+\. .*\n$/);
  assert.deepEqual(await rowsOf(api.target), before);
});

test('restore: succeeds on a migrated database without rows', async () => {
  const file = fileFor('into-empty.tar');
  await writeBackup(source, file);
  const target = await cloneDatabase();
  await restoreBackup(rowsIn(target), file);
  assert.deepEqual(await rowsOf(target), await rowsOf(api.target));
});

test('restore: a truncated or altered file is refused with one line', async () => {
  const file = fileFor('good.tar');
  await writeBackup(source, file);
  const bytes = await readFile(file);
  const text = await readSql(file);
  const database = await readFromBackup(file, 'database.sql.gz');
  const broken: Record<string, Buffer> = {
    empty: Buffer.alloc(0),
    'one byte less': bytes.subarray(0, -1),
    'half of the file': bytes.subarray(0, bytes.length / 2),
    'a flipped bit': flipped(bytes),
    'another text': Buffer.from('Dear reader\n'),
    'another text in gzip': gzipSync('Dear reader\n'),
    'without its last line': gzipSync(text.replace(/-- end .*\n$/, '')),
    'without its last line end': gzipSync(text.slice(0, -1)),
    'a changed word': gzipSync(text.replace('Harbour', 'Barbour').replace('naïve', 'native')),
    'without one row': gzipSync(text.replace(/(copy "users" [^\n]*\n)[^\n]*\n/, '$1')),
    'text after the end': gzipSync(`${text}drop table users;\n`),
    'two backups in one file': Buffer.concat([bytes, bytes]),
    'two databases in one file': Buffer.concat([database, database]),
    'a newer schema': gzipSync(text.replace(/"schema":\d+/, '"schema":9999')),
  };
  for (const [name, content] of Object.entries(broken)) {
    const damaged = fileFor('damaged.tar');
    await writeFile(damaged, content);
    await assert.rejects(
      checkBackup(damaged),
      (error: Error) => {
        assert.equal(error.constructor.name, 'CommandError', error.message);
        return !error.message.includes('\n');
      },
      name,
    );
  }
});

test('restore: names the migrations of a backup that has more of them than this version', async () => {
  const file = fileFor('newer.tar');
  await writeBackup(source, file);
  const newest = await newestVersion();
  const { version } = JSON.parse(
    await readFile(path.join(import.meta.dirname, '../../package.json'), 'utf8'),
  );
  const text = await readSql(file);
  await writeFile(file, gzipSync(text.replace(/"schema":\d+/, `"schema":${newest + 1}`)));
  await assert.rejects(checkBackup(file), {
    message:
      `The backup is at migration ${newest + 1} and was made by Potluck ${version}. ` +
      `This Potluck has migrations up to ${newest} only: update it first.`,
  });
});

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const middle = Math.floor(copy.length / 2);
  copy[middle] = (copy[middle] ?? 0) ^ 1;
  return copy;
}

test('restore: inconsistent rows roll back the restore, including the tables', async () => {
  const file = fileFor('orphans.tar');
  await writeBackup(source, file);
  const text = await readSql(file);
  const { manifest, body } = /^(?<manifest>[^\n]*\n)(?<body>.*)-- end /s.exec(text)?.groups ?? {};
  // The checksum and the row counts of the file are valid, but the user of one row of counters is missing.
  const forged = `${manifest}${body?.replace(/(copy "users" [^\n]*\n)[^\n]*\n/, '$1')}`;
  const ending = JSON.parse(/-- end (.*)\n$/.exec(text)?.[1] ?? '');
  ending.rows.users--;
  ending.sha256 = createHash('sha256').update(forged).digest('hex');
  await writeFile(file, gzipSync(`${forged}-- end ${JSON.stringify(ending)}\n`));
  const target = await createEmptyDatabase();
  const { code, stderr } = await command(target, 'restore', file);
  assert.equal(code, 1);
  assert.match(stderr, /^[^\n]+\n$/);
  const sql = await openSql(target, 'tests');
  assert.deepEqual(
    [...(await sql`select relname from pg_class where relname in ('users', 'schema_version')`)],
    [],
  );
  await sql.end();
});

test('backup: one line and no file when FILE cannot be written; only a complete backup replaces FILE', async () => {
  const nowhere = path.join(directory, 'no-such-directory', 'backup.tar');
  const missing = await command(api.target, 'backup', nowhere);
  assert.deepEqual([missing.code, missing.stdout], [1, '']);
  assert.match(missing.stderr, /^[^\n]*cannot be written: ENOENT[^\n]*\n$/);
  assert.match((await command(api.target, 'backup', '/dev/null')).stderr, /is not a file\.\n$/);
  assert.match(
    (await command(await createEmptyDatabase(), 'backup', fileFor('none.tar'))).stderr,
    /has no tables of Potluck\.\n$/,
  );
  const file = fileFor('stopped.tar');
  await writeFile(file, 'an earlier file');
  const stop = AbortSignal.abort(new Error('interrupted'));
  await assert.rejects(writeBackup(source, file, { signal: stop, force: true }), /interrupted/);
  assert.equal(await readFile(file, 'utf8'), 'an earlier file');
  assert.deepEqual(
    (await readdir(directory)).filter((name) => name.includes('.part') || name === 'none.tar'),
    [],
  );
});

test('backup: a stop in the middle of a large table ends it at once, and leaves no file', async () => {
  const large = await cloneDatabase();
  const sql = await openSql(large, 'tests');
  await sql`
    insert into contacts select repeat(md5(random()::text), 5) || n, gen_random_uuid()
    from generate_series(1, 150000) n`;
  await sql.end();
  const parts = async () => (await readdir(directory)).filter((name) => name.startsWith('middle.tar.'));
  const stop = new AbortController();
  const written = writeBackup(rowsIn(large), fileFor('middle.tar'), { signal: stop.signal });
  const rejected = assert.rejects(written, /interrupted/);
  const sizeOfPart = async () =>
    (await stat(fileFor((await parts())[0] ?? 'none')).catch(() => null))?.size ?? 0;
  while ((await sizeOfPart()) < 100_000) await sleep(10);
  stop.abort(new Error('interrupted'));
  await rejected;
  assert.deepEqual(await parts(), []);
});

test('backup: exit code 1 and one line for an existing FILE, which stays unchanged; --force replaces it', async () => {
  const file = fileFor('existing.tar');
  await writeFile(file, 'an earlier file');
  const refused = await command(api.target, 'backup', file);
  const expected = `${file} already exists; choose another name, or replace it with --force.\n`;
  assert.deepEqual(refused, { code: 1, stdout: '', stderr: expected });
  assert.equal(await readFile(file, 'utf8'), 'an earlier file');
  const replaced = await command(api.target, 'backup', '--force', file);
  assert.equal(replaced.code, 0, replaced.stderr);
  await checkBackup(file);
});

test('backup: of two concurrent backups to one FILE one succeeds and the other is refused', async () => {
  const file = fileFor('twice.tar');
  const outcomes = await Promise.allSettled([writeBackup(source, file), writeBackup(source, file)]);
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  assert.equal(refused.length, 1);
  assert.match(String(refused[0]?.reason), /already exists/);
  await checkBackup(file);
  assert.deepEqual(
    (await readdir(directory)).filter((name) => name.includes('.part')),
    [],
  );
});

test('backup: contains all rows at its start and no rows that are written while it runs', async () => {
  const file = fileFor('meanwhile.tar');
  const before = await rowsOf(api.target);
  const person = await createUser(api);
  const sql = await openSql(api.target, 'tests');
  await sql.begin(async (tx) => {
    const [row] = await tx<[{ snapshot: string }]>`select pg_export_snapshot() as snapshot`;
    await createEvent(api, person, { title: 'Later', startAt: inDays(9), endAt: inDays(10) });
    await writeBackup(source, file, { snapshot: row.snapshot });
  }, 'isolation level repeatable read, read only');
  await sql.end();
  const target = await createEmptyDatabase();
  await restoreBackup(rowsIn(target), file);
  const restored = await rowsOf(target);
  assert.deepEqual(restored.events, before.events);
  assert.equal(restored.users?.length, (before.users?.length ?? 0) + 1);
});
