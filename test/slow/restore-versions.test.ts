/** Backups of other versions: an older one, and the last development version. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { writeBackup } from '../../src/cli/backup/write-backup.ts';
import { readSql } from '../support/backup-files.ts';
import { command, commandOf } from '../support/command.ts';
import { createEvent, createUser, signIn } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { createNewerVersion } from '../support/newer-version.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';
import { connectSql, openSql } from '../support/sql-tag.ts';
import { createEmptyDatabase } from '../support/test-database.ts';

const api = await startTestApp();
const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-restore-'));
after(() => rm(directory, { recursive: true, force: true }));
const fileFor = (name: string) => path.join(directory, name);

/** Written by commit 5b6c43f, with 27 migrations. */
const developmentBackup = path.join(import.meta.dirname, '../data/development-backup.gz');

test('restore: a newer version restores a backup of this version, and then applies its migration', async () => {
  const event = await createEvent(api, await createUser(api));
  const file = fileFor('older.tar');
  await writeBackup({ target: api.target, storage: null }, file);
  const newer = path.join(directory, 'newer');
  await createNewerVersion(newer);
  const target = await createEmptyDatabase();
  const { code, stderr } = await commandOf(newer, target, 'restore', file);
  assert.equal(code, 0, stderr);
  const sql = await openSql(target, 'tests');
  assert.deepEqual(
    [
      ...(await sql`select further from events where id = ${event.id}`),
      ...(await sql`select * from further`),
    ],
    [{ further: '' }],
  );
  assert.equal((await command(target, 'migrate')).code, 1);
  await sql.end();
});

/** The rows of a backup by table, each as an object by the names of its columns. */
function readRows(text: string): Record<string, Record<string, string>[]> {
  const tables: Record<string, Record<string, string>[]> = {};
  for (const [, name = '', list = '', rows = ''] of text.matchAll(
    /^copy "(\w+)" \(([^\n]*)\) from stdin;\n(.*?)^\\\.$/gms,
  )) {
    const columns = list.split(', ').map((column) => column.slice(1, -1));
    tables[name] = rows
      .split('\n')
      .filter((row) => row !== '')
      .map((row) => Object.fromEntries(row.split('\t').map((value, i) => [columns[i] ?? '', value])));
  }
  return tables;
}

/** The rows under their present names: phones were the only contacts. */
function withContacts({ phones = [], ...others }: Record<string, Record<string, string>[]>): typeof others {
  const hashed = Object.entries(others).map(([table, rows]) => [
    table,
    rows.map(({ phone_hash, ...row }) => ({ ...row, ...(phone_hash && { contact_hash: phone_hash }) })),
  ]);
  const contacts = phones.map(({ phone, ...row }) => ({ ...row, contact: phone }));
  return { ...Object.fromEntries(hashed), contacts };
}

test('restore: all rows of a backup of the last development version are restored, and a server runs on them', async () => {
  const target = await createEmptyDatabase();
  const restored = await command(target, 'restore', developmentBackup);
  assert.deepEqual([restored.code, restored.stderr], [0, '']);
  const again = fileFor('again.tar');
  await writeBackup({ target, storage: null }, again);
  const [before, after] = [
    withContacts(readRows(gunzipSync(await readFile(developmentBackup)).toString('utf8'))),
    readRows(await readSql(again)),
  ];
  // Tables and columns that were added since then are empty, or have their defaults.
  for (const [table, rows] of Object.entries(after))
    if (!(table in before)) assert.deepEqual(rows, [], table);
  const isUnknownPrice = (event: Record<string, string>) =>
    event.price !== '0.00' && event.is_price_known === 'f';
  assert.equal(before.events?.filter(isUnknownPrice).length, 1);
  for (const [table, rows] of Object.entries(before)) {
    const expected = rows.map(({ previous: _, previous_extra_guests: __, actor_ids, amounts, ...row }) => ({
      ...row,
      ...(table === 'events' && isUnknownPrice(row) && { is_price_known: 't' }),
      ...(actor_ids && amounts && { actor_id: actor_ids.slice(1, -1), amount: amounts.slice(1, -1) }),
    }));
    const columns = Object.keys(expected[0] ?? {});
    const restoredRows = after[table]?.map((row) =>
      Object.fromEntries(columns.map((column) => [column, row[column]])),
    );
    assert.deepEqual(new Set(restoredRows), new Set(expected), table);
  }
  const sql = await openSql(target, 'tests');
  await assertCounters(sql);
  const [person] = await sql<[{ id: string; phone: string }]>`
    select id, phone from users where username = 'xanthippe.q'`;
  const server = await startTestApp({ sql: connectSql(target) });
  const { token } = await signIn(server, person.phone);
  assert.equal(expectStatus(await server.get('/v1/auth/me', token), 200).body.id, person.id);
  assert.equal(
    expectStatus(await server.get('/v1/me/events?relation=organizing', token), 200).body.data.length,
    3,
  );
  await sql.end();
});

test('restore: a backup of an older development version is refused with one line', async () => {
  const older = fileFor('older-development.gz');
  const text = gunzipSync(await readFile(developmentBackup)).toString('utf8');
  await writeFile(older, gzipSync(text.replace('"schema":27', '"schema":26')));
  const { code, stderr } = await command(await createEmptyDatabase(), 'restore', older);
  assert.deepEqual(
    [code, stderr],
    [
      1,
      'The backup was made by a development version of Potluck (migration 26). Only backups of the last one ' +
        '(migration 27) can be restored.\n',
    ],
  );
});
