/** Connections of live streams: heartbeats, slow clients, lost database connections and shutdown. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Statement } from '#pg';
import { slowTest } from '../support/all-cases.ts';
import { type EventStream, openEventStream, stateOf } from '../support/event-stream-client.ts';
import { createEvent, createUser, createUsers, rsvpGoing } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';
import { connectSql } from '../support/sql-tag.ts';

const api = await startTestApp();
const organizer = await createUser(api);

const streams: EventStream[] = [];
test.afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});

async function open(server: TestApp, event: string, token?: string): Promise<EventStream> {
  const stream = await openEventStream(`${server.url}/v1/events/${event}/live`, { token });
  streams.push(stream);
  await stream.until(({ event }) => event === 'snapshot');
  return stream;
}

const counts = ({ event }: { event: string }) => event === 'counts';

async function metric(server: TestApp, name: string): Promise<number> {
  const { body } = await server.get('/metrics');
  const line = (body as string).split('\n').find((text) => text.startsWith(`${name} `));
  return Number(line?.split(' ')[1] ?? 0);
}

async function untilMetric(name: string, value: number, timeoutMs = 10_000): Promise<void> {
  const endsAt = performance.now() + timeoutMs;
  while ((await metric(api, name)) !== value) {
    assert.ok(performance.now() < endsAt, `${name} is ${await metric(api, name)}, not ${value}`);
    await sleep(50);
  }
}

test('heartbeat: a comment after 15 s without a message, and not earlier', async () => {
  const { id } = await createEvent(api, organizer);
  const stream = await open(api, id);
  api.clock.advance(13_000);
  await sleep(1_200);
  assert.equal(stream.comments(), 0);
  api.clock.advance(2_000);
  await sleep(1_200);
  assert.equal(stream.comments(), 1);
  assert.equal(stream.messages.length, 1);
});

slowTest(
  'timeout: a stream stays open beyond the request timeout and is not in the request duration metric',
  async () => {
    const limited = await api.startAnother({ hasTimeLimits: true });
    const { id } = await createEvent(api, organizer);
    const ended = await open(limited, id);
    const stream = await open(limited, (await createEvent(api, organizer)).id);
    const series = 'potluck_request_seconds_sum{method="GET",route="/v1/events/:id/live",status="200"}';
    const before = await metric(limited, series);
    await sleep(5_800);
    await api.delete(`/v1/events/${id}`, organizer.token);
    await ended.ended;
    assert.ok(stream.isOpen());
    assert.equal(await metric(limited, series), before);
  },
);

slowTest('capacity: requests succeed and all streams get messages while 900 streams are open', async () => {
  const { id } = await createEvent(api, organizer);
  const people = await createUsers(api, 45);
  for (const { token } of people) await Promise.all(Array.from({ length: 20 }, () => open(api, id, token)));
  assert.equal(await metric(api, 'potluck_live_streams'), 900);
  await rsvpGoing(api, organizer, id);
  const heard = await Promise.all(streams.map((stream) => stream.until(counts)));
  assert.equal(heard.length, 900);
  for (const stream of streams) stream.close();
  await untilMetric('potluck_live_streams', 0);
});

/** Creates an event with items of four kilobytes, with more texts than an event may have today. */
async function aHeavyEvent(items = 500): Promise<string> {
  const { id } = await createEvent(api, organizer);
  await api.sql`
    insert into items (event_id, n, kind, title, description, emoji, created_at)
    select ${id}, n, 'wish', 'Plates', ${'🍽'.repeat(1_000)}, '🍽', now() from generate_series(1, ${items}) n`;
  await api.sql`insert into item_stock (event_id, n, needed, claimed) select ${id}, n, 5, 0 from generate_series(1, ${items}) n`;
  await api.sql`update event_counters set last_item = ${items} where event_id = ${id}`;
  return id;
}

/** Waits for each change on `witness` before the next, so that the server does not combine changes. */
async function changeAll(id: string, times: number, witness: EventStream): Promise<void> {
  for (let i = 0; i < times; i++) {
    const from = witness.messages.length;
    await api.sql`update item_stock set needed = needed + 1, version = version + 1 where event_id = ${id}`;
    await witness.until(({ data }) => data.id === `${id}.500`, from);
  }
}

slowTest(
  'slow client: gets the newest state when it reads again, and is disconnected after 15 s without reading',
  async () => {
    const id = await aHeavyEvent();
    const [slow, quick] = [await open(api, id), await open(api, id)];
    slow.pause();
    await changeAll(id, 12, quick);
    slow.resume();
    const is =
      (needed: number) => (message: { event: string; data: { items: { quantityNeeded: number }[] } }) =>
        message.event === 'snapshot' && message.data.items.at(-1)?.quantityNeeded === needed;
    await slow.until(is(17));
    assert.ok(slow.messages.length < quick.messages.length, 'the slow stream got every message');
    assert.deepEqual(stateOf(slow.messages), stateOf(quick.messages));

    const dropped = await metric(api, 'potluck_live_streams_dropped_total');
    // The server sees no progress from some moment after this one, while the changes fill the buffers.
    const pausedAt = performance.now();
    slow.pause();
    await changeAll(id, 12, quick);
    await sleep(Math.max(pausedAt + 14_000 - performance.now(), 0));
    assert.equal(await metric(api, 'potluck_live_streams_dropped_total'), dropped);
    await untilMetric('potluck_live_streams_dropped_total', dropped + 1, 20_000);
    slow.resume();
    await slow.ended;
    assert.ok(quick.isOpen());
  },
);

test('many items: a stream of an event with more items than are allowed today contains the 500 newest', async () => {
  const id = await aHeavyEvent(501);
  const stream = await open(api, id);
  const { items } = stateOf(stream.messages);
  assert.equal(items.length, 500);
  assert.deepEqual([items[0].id, items.at(-1)?.id], [`${id}.2`, `${id}.501`]);
});

slowTest(
  'database: a stream survives lost database connections and gets the missed changes; 503 without a database',
  async () => {
    const { id } = await createEvent(api, organizer);
    const stream = await open(api, id, organizer.token);
    for (let i = 0; i < 5; i++) {
      await api.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.catch(() => {});
      await sleep(100);
    }
    for (let waited = 0; ; waited += 100) {
      const { status } = await api.post(`/v1/events/${id}/rsvp`, organizer.token, { status: 'going' });
      if (status === 200) break;
      assert.ok(waited < 5_000);
      await sleep(100);
    }
    await stream.until(counts);
    assert.ok(stream.isOpen());

    const away = await api.startAnother({ sql: connectSql('postgres://reader@127.0.0.1:1/none') });
    // 240 requests exceed the limit of 200 streams: a refused stream does not count towards the limit.
    for (let round = 0; round < 2; round++) {
      const tries = Array.from({ length: 120 }, () => away.get(`/v1/events/${id}/live`));
      for (const refused of await Promise.all(tries)) {
        expectProblem(refused, 503, 'unavailable');
        assert.ok(Number(refused.headers.get('retry-after')) >= 1);
      }
    }
  },
);

test('stop: streams end, including the stream of a client that does not read', async () => {
  const id = await aHeavyEvent();
  const third = await api.startAnother();
  const [stream, slow] = [await open(third, id), await open(third, id)];
  slow.pause();
  await changeAll(id, 8, stream);
  const closed = third.app.close();
  await stream.ended;
  await closed;
  slow.resume();
  await slow.ended;
});

test('idle: a server without open streams does not query the database', async () => {
  const { id } = await createEvent(api, organizer);
  let asked = 0;
  const db = connectSql(api.target);
  const counting = Object.assign(db, {
    query: ((query) => (statement: Statement) => {
      asked++;
      return query(statement);
    })(db.query) as typeof db.query,
  });
  const quiet = await api.startAnother({ sql: counting });
  const stream = await open(quiet, id);
  await sleep(500);
  const listening = asked;
  assert.ok(listening >= 2, `${listening}`);
  stream.close();
  await sleep(300);
  const after = asked;
  await sleep(600);
  // Periodic jobs of the server may run up to two statements.
  assert.ok(asked - after <= 2, `${asked - after}`);
  expectStatus(await quiet.get(`/v1/events/${id}`), 200);
});
