/** GET /v1/me/export of more than a megabyte, which is sent while the database reads it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newIdAt } from '#base';
import { createUser, type Person } from '../support/factories.ts';
import { readBytes, request, send } from '../support/http-client.ts';
import { createMessageClient } from '../support/message-client.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const { sent, pair } = createMessageClient(api);

/** More than the buffers of a connection hold. */
const manyMessages = 4_000;

/** Inserts messages of 6,000 bytes in the conversation of two people. */
async function insertMessages(me: Person, other: Person, count: number): Promise<void> {
  await sent(me, other, 'The first message');
  const ids = Array.from({ length: count }, (_, n) => newIdAt(new Date(Date.now() - 60_000 + n)));
  await api.sql`
    insert into messages (user_id, other_id, id, is_own, text, created_at)
    select ${me.id}, ${other.id}, id, true, repeat('漢字', 1000), now() from unnest(${ids}::uuid[]) r (id)`;
}

/** Requests an export whose body is not read yet. */
const openExport = ({ token }: Person): Promise<IncomingMessage> =>
  send(`${api.url}/v1/me/export`, { method: 'GET', headers: { authorization: `Bearer ${token}` } }, false);

type Reading = { state: string; startedAt: Date };

/** The connections that read sections of exports, with their last statement. */
const listReading = (): Promise<Reading[]> =>
  api.sql.text<Reading>(`
    select state, query_start as started_at from pg_stat_activity
    where datname = current_database() and xact_start is not null and query ~ '(fetch|section)' and pid <> pg_backend_pid()`);

/** Waits until the server reads nothing more, because the client does not. */
async function untilPaused(): Promise<void> {
  for (let last = '', equal = 0, tries = 0; equal < 5; await sleep(50), tries++) {
    assert.ok(tries < 400, 'the export does not wait for its client');
    const [reading] = await listReading();
    const now = reading?.state === 'idle in transaction' ? reading.startedAt.toISOString() : '';
    equal = now !== '' && now === last ? equal + 1 : 0;
    last = now;
  }
}

async function untilNoneReads(): Promise<void> {
  for (let tries = 0; (await listReading()).length > 0; tries++, await sleep(50))
    assert.ok(tries < 400, 'a transaction of an export has not ended');
}

// spec: 4.8 GET /v1/me/export: export of everything stored about the caller
test('export: a large one is read as fast as its client reads, and is one snapshot with every row', async () => {
  const [me, other] = await pair();
  await insertMessages(me, other, manyMessages);
  const response = await openExport(me);
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(response.headers['content-disposition'], 'attachment; filename="potluck-export.json"');
  await untilPaused();
  await sent(me, other, 'After the snapshot');
  const { bytes } = await readBytes(response);
  const text = bytes.toString();
  const document = JSON.parse(text);
  assert.equal(JSON.stringify(document), text);
  assert.equal(document.messages.length, manyMessages + 1);
  assert.ok(!text.includes('After the snapshot'));
  const ids = document.messages.map(({ id }: { id: string }) => id);
  assert.deepEqual(ids, [...new Set(ids)].sort());
  assert.deepEqual(Object.keys(document).slice(0, 2), ['exportedAt', 'profile']);
  await untilNoneReads();
});

test('export: a large one waits until another person has received theirs; small ones do not wait', async () => {
  const people = [await pair(), await pair()];
  for (const [me, other] of people) await insertMessages(me, other, manyMessages);
  const [[first] = assert.fail(), [second] = assert.fail()] = people;
  const slow = await openExport(first);
  await untilPaused();
  let isAnswered = false;
  const waiting = openExport(second).then((response) => {
    isAnswered = true;
    return readBytes(response);
  });
  const newUser = await createUser(api);
  assert.deepEqual(expectStatus(await api.get('/v1/me/export', newUser.token), 200).body.messages, []);
  assert.equal(isAnswered, false);
  await readBytes(slow);
  assert.equal(JSON.parse((await waiting).bytes.toString()).messages.length, manyMessages + 1);
});

test('export: a client that disconnects ends the transaction, and the next export begins', async () => {
  const [me, other] = await pair();
  await insertMessages(me, other, manyMessages);
  const response = await openExport(me);
  await untilPaused();
  response.destroy();
  await once(response, 'close');
  await untilNoneReads();
  const { bytes } = await readBytes(await openExport(me));
  assert.equal(JSON.parse(bytes.toString()).messages.length, manyMessages + 1);
});

test('export: HEAD of a large one is 200 without a body, and reads no sections', async () => {
  const [me, other] = await pair();
  await insertMessages(me, other, manyMessages);
  const { status, bytes, headers } = await request(
    `${api.url}/v1/me/export`,
    { authorization: `Bearer ${me.token}` },
    'HEAD',
  );
  assert.deepEqual([status, bytes.length, headers['content-length']], [200, 0, undefined]);
  await untilNoneReads();
});
