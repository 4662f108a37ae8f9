/** Reads from a streaming replica. It is slow because it starts and stops two PostgreSQL. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEvent, createUser, rsvpGoing, signIn } from '../support/factories.ts';
import { cleanUpAfterTests, createTempDir } from '../support/processes.ts';
import { openReplicated } from '../support/replicated-database.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';
import { connectSql } from '../support/sql-tag.ts';
import { toUrl } from '../support/test-database.ts';
import { doctor } from './doctor-runs.ts';

cleanUpAfterTests();

const database = await openReplicated();
after(() => database.close());
const env = { DISCOVERY: 'sql', DATABASE_URL: 'postgres://unused/db', DATABASE_REPLICA_URLS: database.url };
const writer = await startTestApp({ env: { DISCOVERY: 'sql' }, sql: connectSql(database.target) });
const reader = await writer.startAnother({ env, sql: connectSql(database.target) });
const organizer = await createUser(writer);
const guest = await createUser(writer);

type Counts = { replica: number; primary: number };

/** How many reads ran where since the start. */
async function readCounts(): Promise<Counts> {
  const { body } = expectStatus(await reader.get('/metrics'), 200);
  const count = (on: string) =>
    Number(new RegExp(`potluck_replica_reads_total\\{on="${on}"\\} (\\d+)`).exec(body)?.[1] ?? 0);
  return { replica: count('replica'), primary: count('primary') };
}

const readyz = async () => expectStatus(await reader.get('/readyz'), 200).body;

async function untilUsable(usable: number): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 50) {
    const { replicas } = await readyz();
    assert.equal(replicas.configured, 1);
    if (replicas.usable === usable) return;
    await sleep(50);
  }
  assert.fail(`the number of usable replicas is not ${usable}`);
}

/** Every kind of read that may use a replica, with what it must show. */
async function readEverything(server: TestApp, event: string, title: string, going: number): Promise<void> {
  const record = expectStatus(await server.get(`/v1/events/${event}`), 200).body;
  assert.deepEqual([record.title, record.goingCount], [title, going]);
  const listed = async (path: string, token?: string) => {
    const { body } = expectStatus(await server.get(path, token), 200);
    assert.equal(body.data.find(({ id }: { id: string }) => id === event)?.title, title, path);
  };
  await listed(`/v1/events?q=${encodeURIComponent(title)}`);
  await listed('/v1/events?limit=50', guest.token);
  await listed('/v1/feed?limit=50', guest.token);
  const exported = expectStatus(await server.get('/v1/me/export', organizer.token), 200).body;
  assert.ok(exported.events.some((each: { title: string }) => each.title === title));
}

async function rename(event: string, title: string): Promise<void> {
  expectStatus(await writer.patch(`/v1/events/${event}`, organizer.token, { title }), 200);
}

test('doctor: good with a replica that follows; broken with an address of the primary', async () => {
  const own = { DATABASE_URL: toUrl(database.target), DATA_DIR: await createTempDir() };
  const following = await doctor({ ...own, DATABASE_REPLICA_URLS: database.url });
  assert.match(following.of('replicas')[0] ?? '', /^good The replica \S+ is [\d.]+ s behind\.$/);
  const primary = await doctor({ ...own, DATABASE_REPLICA_URLS: own.DATABASE_URL });
  assert.match(primary.of('replicas')[0] ?? '', /^broken \S+ is no replica/);
});

test('replicas: reads run on a replica that has the commits; /readyz and /metrics say so', async () => {
  expectStatus(await writer.post(`/v1/users/${organizer.id}/follow`, guest.token), 200);
  const event = await createEvent(writer, organizer, { title: 'Lantern' });
  await untilUsable(1);
  const before = await readCounts();
  await readEverything(reader, event.id, 'Lantern', 0);
  const { body } = expectStatus(await reader.get('/v1/users/search?q=guest', organizer.token), 200);
  assert.ok(body.data.length > 0);
  const counts = await readCounts();
  assert.ok(counts.replica - before.replica >= 4, JSON.stringify([before, counts]));
  assert.match(
    expectStatus(await reader.get('/metrics'), 200).body,
    /potluck_replica_usable\{replica="[^"]+"\} 1/,
  );
  assert.equal((await readyz()).status, 'ok');
  assert.deepEqual(expectStatus(await writer.get('/readyz'), 200).body, { status: 'ok' });
});

test('replicas: no read is stale or fails while the replica is paused; afterwards it is used again', async () => {
  const event = await createEvent(writer, organizer, { title: 'Pause 0' });
  await readEverything(reader, event.id, 'Pause 0', 0);
  await untilUsable(1);
  await database.pause();
  try {
    const person = await signIn(writer, guest.phone);
    for (let n = 1; n <= 5; n++) {
      await rename(event.id, `Pause ${n}`);
      if (n === 3) await rsvpGoing(writer, guest, event.id);
      await readEverything(reader, event.id, `Pause ${n}`, n < 3 ? 0 : 1);
    }
    // Rows that the replica does not have at all, and one that it still has.
    expectStatus(await reader.get('/v1/auth/me', person.token), 200);
    const created = await createEvent(writer, organizer, { title: 'Unknown to the replica' });
    expectStatus(await reader.get(`/v1/events/${created.id}`), 200);
    expectStatus(await writer.post('/v1/auth/logout', person.token), 200);
    expectProblem(await reader.get('/v1/auth/me', person.token), 401, 'token_invalid');
    expectStatus(await writer.delete(`/v1/events/${event.id}`, organizer.token), 200);
    expectProblem(await reader.get(`/v1/events/${event.id}`), 404, 'event_not_found');
  } finally {
    await database.resume();
  }
  const next = await createEvent(writer, organizer, { title: 'Resumed' });
  await sleep(300);
  const before = await readCounts();
  await readEverything(reader, next.id, 'Resumed', 0);
  assert.ok((await readCounts()).replica > before.replica);
});

test('replicas: a server that starts while the replica is behind caches nothing of it that is old', async () => {
  const event = await createEvent(writer, organizer, { title: 'Start 0' });
  await sleep(300);
  await database.pause();
  try {
    await rename(event.id, 'Start 1');
    const server = await writer.startAnother({ env, sql: connectSql(database.target) });
    await sleep(600);
    await readEverything(server, event.id, 'Start 1', 0);
  } finally {
    await database.resume();
  }
});

test('race: no answer is stale during 200 writes, and none is an error while the replica is killed and started again', async () => {
  const events = await Promise.all(
    Array.from({ length: 4 }, (_, i) => createEvent(writer, organizer, { title: `Rush ${i} 0` })),
  );
  await untilUsable(1);
  let isDone = false;
  let rounds = 0;
  const writeAndRead = async ({ id }: { id: string }, i: number) => {
    for (let n = 1; !isDone; n++) {
      await rename(id, `Rush ${i} ${n}`);
      await readEverything(reader, id, `Rush ${i} ${n}`, 0);
      rounds++;
    }
  };
  const before = await readCounts();
  const load = Promise.all(events.map(writeAndRead));
  load.catch(() => {});
  await sleep(1_500);
  const during = await readCounts();
  await database.kill();
  await sleep(1_500);
  await database.startReplica();
  await untilUsable(1);
  await sleep(1_000);
  isDone = true;
  await load;
  assert.ok(during.replica > before.replica, 'reads ran on the replica before it was killed');
  assert.ok(rounds > 20, `${rounds} rounds`);
});
