import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import { MigrationError, migrate } from '../../src/db/migrate.ts';
import { openSql } from '../sql-tag.ts';
import { createEmptyDatabase } from '../test-database.ts';

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
  const file = path.join(import.meta.dirname, '../../src/db/migrations/0002.do.events.sql');
  const md5 = createHash('md5')
    .update(await readFile(file))
    .digest('hex');
  assert.deepEqual(await sql`select name, md5 from schema_version where version = 2`, [
    { name: 'events', md5 },
  ]);
  await sql`update schema_version set md5 = 'another' where version = 2`;
  await sql`delete from schema_version where version = (select max(version) from schema_version)`;
  const error = await migrate(target).catch((error) => error);
  assert.ok(error instanceof MigrationError);
  assert.match(error.message, /differs from the file 0002\.do\.events\.sql of this version$/);
  // A checksum that is missing is not compared.
  await sql`update schema_version set md5 = null where version = 2`;
  await assert.rejects(migrate(target), /already exists/);
  await sql.end();
});
