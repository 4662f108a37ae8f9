import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { MigrationError, migrate, newestVersion } from '../../src/schema/migrate.ts';
import { command, commandOf } from '../support/command.ts';
import { createEvent, createUser } from '../support/factories.ts';
import { createNewerVersion } from '../support/newer-version.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';
import { openSql } from '../support/sql-tag.ts';
import { createEmptyDatabase } from '../support/test-database.ts';

const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-migrate-'));
after(() => rm(directory, { recursive: true, force: true }));

test('migrate: five concurrent runs apply each migration once; a sixth run applies none', async () => {
  const target = await createEmptyDatabase();
  const runs = await Promise.all(Array.from({ length: 5 }, () => migrate(target)));
  const ran = runs.filter((names) => names.length > 0);
  assert.equal(ran.length, 1);
  assert.deepEqual(await migrate(target), []);
  const sql = await openSql(target, 'tests');
  const rows = await sql`select version from schema_version where version > 0 order by version`;
  assert.deepEqual(
    rows.map((row) => row.version).map(Number),
    ran[0]?.map((name) => Number(name.split(' ')[0])),
  );
  await sql.end();
});

test('migrate: a failed migration is rolled back completely', async () => {
  const target = await createEmptyDatabase();
  const sql = await openSql(target, 'tests');
  await sql`create table claims (in_the_way int)`;
  await assert.rejects(migrate(target), /already exists/);
  const tables = await sql`select tablename from pg_tables where schemaname = 'public'`;
  assert.deepEqual(
    tables.map((row) => row.tablename),
    ['claims'],
  );
  await sql.end();
});

test('migrate: throws MigrationError for a database of a newer version', async () => {
  const target = await createEmptyDatabase();
  await migrate(target);
  const sql = await openSql(target, 'tests');
  await sql`insert into schema_version (version, name) values (9999, 'from the future')`;
  await sql.end();
  await assert.rejects(migrate(target), MigrationError);
});

test('migrate: stores the MD5 of each file; throws MigrationError for a migration that differs from its file', async () => {
  const target = await createEmptyDatabase();
  await migrate(target);
  const sql = await openSql(target, 'tests');
  const file = path.join(import.meta.dirname, '../../src/schema/migrations/0001.do.schema.sql');
  const md5 = createHash('md5')
    .update(await readFile(file))
    .digest('hex');
  assert.deepEqual(await sql`select name, md5 from schema_version where version = 1`, [
    { name: 'schema', md5 },
  ]);
  await sql`update schema_version set md5 = 'another'`;
  const error = await migrate(target).catch((error) => error);
  assert.ok(error instanceof MigrationError);
  assert.match(error.message, /differs from the file 0001\.do\.schema\.sql of this version$/);
  // A checksum that is missing is not compared.
  await sql`update schema_version set md5 = null`;
  assert.deepEqual(await migrate(target), []);
  await sql.end();
});

test('migrate: a newer version adds its migration; this version serves the database, and its commands refuse it', async () => {
  const api = await startTestApp();
  const person = await createUser(api);
  const event = await createEvent(api, person);
  const newer = path.join(directory, 'newer');
  await createNewerVersion(newer);
  const [before, next] = [await newestVersion(), (await newestVersion()) + 1];

  const applied = await commandOf(newer, api.target, 'migrate');
  assert.deepEqual(
    [applied.stderr, applied.stdout],
    ['', `Applied 1 migration; the database is at version ${next}.\n`],
  );
  const [row] = await api.sql`select further from events where id = ${event.id}`;
  assert.deepEqual(row, { further: '' });
  expectStatus(await api.patch(`/v1/events/${event.id}`, person.token, { title: 'Still served' }), 200);
  expectStatus(await api.get('/readyz'), 200);

  const refused = await command(api.target, 'migrate');
  assert.equal(refused.code, 1);
  assert.equal(
    refused.stderr,
    `The database at DATABASE_URL cannot be used: it is at migration ${next}, and this Potluck has migrations up to ` +
      `${before} only; update it first.\n`,
  );
});

test('every command: exit code 1 and one sentence for a database of a development version', async () => {
  const target = await createEmptyDatabase();
  const sql = await openSql(target, 'tests');
  await sql`create table schema_version (version bigint primary key, name text)`;
  await sql`insert into schema_version values (0, null), (1, 'people'), (27, 'code-requesters')`;
  const backup = path.join(import.meta.dirname, '../data/development-backup.gz');
  for (const args of [
    ['serve'],
    ['migrate'],
    ['backup', path.join(directory, 'none.gz')],
    ['restore', backup],
  ]) {
    const { code, stdout, stderr } = await command(target, ...args);
    assert.deepEqual(
      [args[0], code, stdout, stderr],
      [
        args[0],
        1,
        '',
        'The database at DATABASE_URL cannot be used: it was made by a development version of Potluck (migration 27); ' +
          'restore a backup of it into a new database: see "Databases of development versions" in docs/operating.md.\n',
      ],
    );
  }
  const tables = await sql`select tablename from pg_tables where schemaname = 'public'`;
  assert.deepEqual([...tables], [{ tablename: 'schema_version' }]);
  await sql.end();
});
