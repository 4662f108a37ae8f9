/**
 * Failover to a PostgreSQL that has lost commits: a base backup is restored in place of the database, on the
 * same socket, while the servers run. It is slow because it starts and stops a PostgreSQL of its own.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openEmbedded } from '#embedded-postgres';
import type { Target } from '#pg';
import { place } from '../../packages/embedded-postgres/placement.ts';
import { startServer, stopServer } from '../../packages/embedded-postgres/postmaster.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { createEvent, createUser, signIn } from '../support/factories.ts';
import { cleanUpAfterTests, createTempDir } from '../support/processes.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';
import { connectSql, openSql, type SqlDatabase } from '../support/sql-tag.ts';

const run = promisify(execFile);

cleanUpAfterTests();

/** A PostgreSQL whose data directory can be saved, and replaced by what was saved. */
async function openReplaceable() {
  const dataDir = await createTempDir();
  const embedded = await openEmbedded(dataDir);
  const { target } = embedded;
  await migrate(target);
  await embedded.close();
  const placement = await place(dataDir);
  const { clusterDir } = placement;
  const saved = `${clusterDir}-saved`;
  return {
    target,
    start: async () => void (await startServer(placement, {})),
    stop: () => stopServer(placement),
    async save() {
      await stopServer(placement);
      await rm(saved, { recursive: true, force: true });
      await run('cp', ['-a', clusterDir, saved]);
      await startServer(placement, {});
    },
    /**
     * @param isPromoted whether recovery ends with a promotion to a new timeline, as that of a standby does
     */
    async replaceBySaved(isPromoted: boolean) {
      await stopServer(placement);
      await rm(clusterDir, { recursive: true });
      await run('cp', ['-a', saved, clusterDir]);
      if (isPromoted) await writeFile(path.join(clusterDir, 'recovery.signal'), '');
      await startServer(placement, isPromoted ? { restore_command: 'false' } : {});
    },
    close: () => stopServer(placement),
  };
}

async function readTimeline(target: Target): Promise<string> {
  const sql = await openSql(target);
  const [row] = await sql<{ timeline: string }[]>`
    select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline`;
  await sql.end();
  return row?.timeline ?? '';
}

/** Runs once, after the next read of the change log by `api`. */
let afterLogRead: (() => Promise<unknown>) | null = null;

function withHook(sql: SqlDatabase): SqlDatabase {
  const query: SqlDatabase['query'] = async (statement) => {
    const rows = await sql.query(statement);
    const hook = statement.text.includes('from change_shards') ? afterLogRead : null;
    if (hook) afterLogRead = null;
    await hook?.();
    return rows as never;
  };
  return Object.assign((...args: Parameters<SqlDatabase>) => sql(...args), sql, { query }) as SqlDatabase;
}

const database = await openReplaceable();
await database.start();
after(() => database.close());
// Without an index in memory, the servers read the change log only when requests make them do so.
const env = { DISCOVERY: 'sql' };
const api = await startTestApp({ env, sql: withHook(connectSql(database.target)) });
const second = await api.startAnother({ env, sql: connectSql(database.target) });
const organizer = await createUser(api);
// All changes are recorded in one shard of the log, so that versions of two histories are equal after as many
// writes.
mock.method(Math, 'random', () => 0.5);

/** Waits until both servers can write: recovery has ended, and the attempts to connect succeed again. */
async function untilWritable(): Promise<void> {
  for (const { sql } of [api, second]) {
    for (let waited = 0; ; waited += 20) {
      const rows = await sql.begin((tx) => tx`select 1 where not pg_is_in_recovery()`).catch(() => []);
      if (rows.length === 1) break;
      assert.ok(waited < 20_000, 'the restored database does not accept writes');
      await sleep(20);
    }
  }
}

async function saveDatabase(): Promise<void> {
  await database.save();
  await untilWritable();
}

async function loseCommits(isPromoted: boolean): Promise<void> {
  const before = await readTimeline(database.target);
  await database.replaceBySaved(isPromoted);
  await untilWritable();
  assert.equal((await readTimeline(database.target)) !== before, isPromoted);
}

const titleOn = async (server: TestApp, id: string): Promise<string> =>
  expectStatus(await server.get(`/v1/events/${id}`), 200).body.title;
const rename = async (server: TestApp, id: string, title: string) =>
  expectStatus(await server.patch(`/v1/events/${id}`, organizer.token, { title }), 200);

for (const isPromoted of [true, false]) {
  const history = isPromoted ? 'a new timeline' : 'the same timeline';

  test(`failover to ${history}: a version that is assigned again shows its new change on every server`, async () => {
    const event = await createEvent(api, organizer, { title: 'Before' });
    await saveDatabase();
    await rename(second, event.id, 'Lost');
    assert.equal(await titleOn(api, event.id), 'Lost');
    await loseCommits(isPromoted);
    // The change has the version of the lost one, and `api` has read that version.
    await rename(second, event.id, 'After');
    assert.equal(await titleOn(api, event.id), 'After');
    const { body } = expectStatus(await api.get('/v1/events'), 200);
    const listed = body.data.find(({ id }: { id: string }) => id === event.id);
    assert.equal(listed.title, 'After');
  });

  test(`failover to ${history}: no server shows a record of a lost commit that it cached before it read the log`, async () => {
    const event = await createEvent(api, organizer, { title: 'Before' });
    await saveDatabase();
    // Reads the change log, and caches no event.
    expectStatus(await api.get('/v1/auth/me', organizer.token), 200);
    afterLogRead = () => rename(second, event.id, 'Lost');
    assert.equal(await titleOn(api, event.id), 'Lost');
    await loseCommits(isPromoted);
    assert.equal(await titleOn(api, event.id), 'Before');
  });

  test(`failover to ${history}: a session whose sign-in was lost ends on every server`, async () => {
    await saveDatabase();
    const lost = await signIn(second, organizer.phone);
    for (const server of [api, second]) expectStatus(await server.get('/v1/auth/me', lost.token), 200);
    await loseCommits(isPromoted);
    for (const server of [api, second]) {
      expectProblem(await server.get('/v1/auth/me', lost.token), 401, 'token_invalid');
      expectStatus(await server.get('/v1/auth/me', organizer.token), 200);
    }
  });
}
