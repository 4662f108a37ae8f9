import assert from 'node:assert/strict';
import test from 'node:test';
import { stateOf } from './event-stream-client.ts';
import { createItem, createUser, rsvpGoing } from './factories.ts';
import { createLiveEvent, isNamed, openStream } from './live-fixtures.ts';
import { expectProblem, expectStatus, startTestApp } from './setup.ts';

const api = await startTestApp();
const other = await api.another();
const organizer = await createUser(api);
const guest = await createUser(api);

/** What the API itself says, in the form of a snapshot. */
async function truth(event: string, token?: string) {
  const [{ body: record }, { body: items }] = await Promise.all([
    api.get(`/v1/events/${event}`, token),
    api.get(`/v1/events/${event}/items`),
  ]);
  const { id, title, startAt, endAt, allDay, timezone, capacity, status, updatedAt } = record;
  const { rsvpCount, goingCount, bookedCount } = record;
  return {
    event: { id, title, startAt, endAt, allDay, timezone, capacity, status, updatedAt },
    counts: { rsvpCount, goingCount, bookedCount },
    items: items.data,
  };
}

const aStage = () => createLiveEvent(api, organizer, guest);

test('live: 200 with a snapshot of what the record and the items say, without anything of the caller', async () => {
  const { event, item } = await aStage();
  expectStatus(await api.post(`/v1/items/${item}/claim`, guest.token, { quantity: 2 }), 201);
  for (const token of [undefined, guest.token]) {
    const stream = await openStream(api, event, { token });
    const [first] = stream.messages;
    assert.equal(first?.event, 'snapshot');
    assert.match(first?.id ?? '', /^[\w-]{16}$/);
    assert.deepEqual(first?.data, await truth(event));
    assert.ok((stream.retry() ?? 0) >= 1_000 && (stream.retry() ?? 0) < 3_000);
  }
});

test('live: headers say that it is a stream, and are otherwise those of every answer', async () => {
  const { event } = await aStage();
  const stream = await openStream(api, event);
  const plain = await api.get(`/v1/events/${event}`);
  const expected: Record<string, string | undefined> = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'content-encoding': undefined,
  };
  for (const name of ['content-security-policy', 'x-content-type-options', 'access-control-allow-origin'])
    expected[name] = plain.headers.get(name) ?? 'missing';
  for (const [name, value] of Object.entries(expected)) assert.equal(stream.headers[name], value, name);
});

// spec: 6 GET /v1/events/:id/live: live updates of the counts and items of an event
test('live: what is changed on one server is told on both, part by part', async () => {
  const { event, item } = await aStage();
  const both = await Promise.all([openStream(api, event), openStream(other, event, { token: guest.token })]);
  const told = async (name: string, change: () => Promise<unknown>) => {
    const from = both.map(({ messages }) => messages.length);
    await change();
    const messages = await Promise.all(both.map((stream, i) => stream.until(isNamed(name), from[i])));
    for (const [i, stream] of both.entries()) assert.equal(stream.messages.length, (from[i] ?? 0) + 1, name);
    assert.deepEqual(messages[0]?.data, messages[1]?.data);
    assert.equal(messages[0]?.id, messages[1]?.id);
    return messages[0]?.data;
  };
  const path = `/v1/events/${event}`;
  const token = organizer.token;
  const { rsvpCount } = await told('counts', () => rsvpGoing(other, organizer, event));
  assert.equal(rsvpCount, 2);
  await told('counts', () => api.post(`${path}/rsvp`, token, { status: 'interested' }));
  const booked = await told('counts', () => other.post(`${path}/booking`, guest.token, { seats: 3 }));
  assert.equal(booked.bookedCount, 3);
  const claimed = await told('item', () =>
    other.post(`/v1/items/${item}/claim`, guest.token, { quantity: 2 }),
  );
  assert.deepEqual([claimed.id, claimed.quantityClaimed, claimed.quantityNeeded], [item, 2, 3]);
  const freed = await told('item', () => api.delete(`/v1/items/${item}/claim`, guest.token));
  assert.equal(freed.quantityClaimed, 0);
  const added = await told('item', () => createItem(other, organizer, event, { title: 'Plates' }));
  assert.equal(added.title, 'Plates');
  const changed = await told('item', () =>
    api.patch(`/v1/items/${added.id}`, token, { title: 'Deep plates', quantityNeeded: 7 }),
  );
  assert.deepEqual([changed.title, changed.quantityNeeded], ['Deep plates', 7]);
  assert.deepEqual(await told('itemRemoved', () => api.delete(`/v1/items/${item}`, token)), { id: item });
  const renamed = await told('event', () => other.patch(path, token, { title: 'Indoors' }));
  assert.equal(renamed.title, 'Indoors');
  const cancelled = await told('event', () => api.patch(path, token, { status: 'cancelled' }));
  assert.equal(cancelled.status, 'cancelled');
  for (const stream of both) assert.deepEqual(stateOf(stream.messages), await truth(event));
});

test('live: of messages that belong together only the last has the id, and together they make the state', async () => {
  const { event, item } = await aStage();
  await createItem(api, organizer, event);
  const stream = await openStream(api, event);
  await api.sql.begin(async (tx) => {
    await tx`update event_counters set rsvp_count = rsvp_count + 1 where event_id = ${event}`;
    await tx`update item_stock set needed = needed + 1 where event_id = ${event}`;
  });
  await stream.until(({ event, data }) => event === 'item' && data.id !== item);
  const [, ...told] = stream.messages;
  assert.deepEqual(
    told.map((message) => [message.event, message.id !== undefined]),
    [
      ['counts', false],
      ['item', false],
      ['item', true],
    ],
  );
  assert.deepEqual(stateOf(stream.messages), await truth(event));
});

// spec: 6 GET /v1/events/:id/live: live updates of the counts and items of an event
test('live: Last-Event-ID of the state as it is goes on without a snapshot, on any server; another gets one', async () => {
  const { event } = await aStage();
  const first = await openStream(api, event);
  const lastId = first.lastId();
  first.close();
  const resumed = await openStream(other, event, { lastId });
  await rsvpGoing(api, organizer, event);
  await resumed.until(isNamed('counts'));
  assert.deepEqual(
    resumed.messages.map((message) => message.event),
    ['counts'],
  );
  assert.ok(resumed.comments() >= 1, 'the client hears that it is on');
  for (const stale of [lastId, 'junk', '']) {
    const late = await openStream(api, event, { lastId: stale });
    const { data } = await late.until(isNamed('snapshot'));
    assert.deepEqual(data, await truth(event));
  }
});

test('live: lastEventId as a query parameter does the same as the header', async () => {
  const { event } = await aStage();
  const first = await openStream(api, event);
  const lastId = first.lastId();
  first.close();
  const resumed = await openStream(other, event, { lastId, lastIdIn: 'query' });
  await rsvpGoing(api, organizer, event);
  await resumed.until(isNamed('counts'));
  assert.deepEqual(
    resumed.messages.map((message) => message.event),
    ['counts'],
  );
});

test('live: a stream begins at what was acknowledged before it, also where others listen already', async () => {
  const { event } = await aStage();
  await openStream(api, event);
  for (let round = 0; round < 10; round++) {
    const status = round % 2 === 0 ? 'interested' : 'going';
    await other.post(`/v1/events/${event}/rsvp`, guest.token, { status });
    const { body } = await api.get(`/v1/events/${event}/live?once=true`);
    assert.match(body, new RegExp(`"goingCount":${round % 2}`));
  }
});

test('live: once=true is 200 with one snapshot that ends; HEAD has no body; 400 for what is no boolean', async () => {
  const { event } = await aStage();
  const once = expectStatus(await api.get(`/v1/events/${event}/live?once=true`), 200);
  assert.equal(once.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.match(once.body, /^event: snapshot\nid: [\w-]{16}\ndata: \{.*\}\n\n$/);
  const head = expectStatus(await api.call('HEAD', `/v1/events/${event}/live`), 200);
  assert.equal(head.body, '');
  expectProblem(await api.get(`/v1/events/${event}/live?once=maybe`), 400, 'invalid_request');
});
