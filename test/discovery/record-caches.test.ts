/** What servers cache of records that change while they are read, or whose changes the log no longer has. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { deleteExpiredChanges } from '#fresh-records';
import type { Statement } from '#pg';
import { createEvent, createUser } from '../support/factories.ts';
import { openGatedDatabase } from '../support/gated-database.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';
import { connectSql, type SqlDatabase } from '../support/sql-tag.ts';

const api = await startTestApp();
const gated = openGatedDatabase(api.target);
/** A server whose reads of records can be held back. */
const reader = await api.startAnother({ sql: gated.sql });
const organizer = await createUser(api);

/** The title and the name of the organizer on the server whose reads are held back. */
async function read(id: string): Promise<[title: string, name: string]> {
  const { body } = expectStatus(await reader.get(`/v1/events/${id}`), 200);
  return [body.title, body.organizer.name];
}
const rename = async (id: string, title: string) =>
  expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, { title }), 200);
/** Makes the reader read the change log. A list would wait for the event. */
const catchUp = async () => expectStatus(await reader.get('/v1/auth/me', organizer.token), 200);

/** Deletes the changes from the log, as five minutes do. */
async function expireChanges(): Promise<void> {
  await api.sql`update changes set at = now() - interval '2 hours'`;
  await deleteExpiredChanges(api.sql);
}

for (const [what, forget] of [
  ['the change log names', async () => {}],
  ['the change log has named and forgotten', expireChanges],
] as const) {
  test(`record cache: a record is not cached if a change that ${what} was committed while it was read`, async () => {
    const { id } = await createEvent(api, organizer, { title: 'Before' });
    const { isRead, open } = gated.holdNextRead();
    const early = read(id);
    await isRead;
    await rename(id, 'After');
    await forget();
    await catchUp();
    open();
    await early;
    assert.equal((await read(id))[0], 'After');
    assert.equal((await read(id))[0], 'After', 'from the cache');
  });
}

test('record cache: a person is not cached if their name changed while it was read', async () => {
  const person = await createUser(api, { name: 'Before' });
  const { id } = await createEvent(api, person);
  await read(id);
  expectStatus(await api.patch('/v1/me', person.token, { name: 'Between' }), 200);
  const { isRead, open } = gated.holdNextRead();
  const early = read(id);
  await isRead;
  expectStatus(await api.patch('/v1/me', person.token, { name: 'After' }), 200);
  await catchUp();
  open();
  await early;
  assert.equal((await read(id))[1], 'After');
});

test('record cache: a cached record is read again once the change log is that of another PostgreSQL', async () => {
  const current = connectSql(api.target);
  let suffix = '';
  // What a server reads after a failover: the log begins with another start time of PostgreSQL.
  const query: SqlDatabase['query'] = async <R extends object>(statement: Statement) => {
    const rows = await current.query<R & { instance?: string }>(statement);
    return rows.map((row) => ('instance' in row ? { ...row, instance: `${row.instance}${suffix}` } : row));
  };
  const sql = Object.assign((...args: Parameters<SqlDatabase>) => current(...args), current, { query });
  const server = await api.startAnother({ sql: sql as SqlDatabase });
  const { id } = await createEvent(api, organizer, { title: 'Before' });
  const titleOf = async () => expectStatus(await server.get(`/v1/events/${id}`), 200).body.title;
  assert.equal(await titleOf(), 'Before');
  await api.sql`update events set title = 'After' where id = ${id}`;
  assert.equal(await titleOf(), 'Before');
  suffix = ' of another';
  await createEvent(api, organizer);
  assert.equal(await titleOf(), 'After');
});

test('record cache: a cached record is read again after changes that the change log has forgotten', async () => {
  const { id } = await createEvent(api, organizer, { title: 'Before' });
  assert.equal((await read(id))[0], 'Before');
  await rename(id, 'After');
  await expireChanges();
  assert.equal((await read(id))[0], 'After');
});
