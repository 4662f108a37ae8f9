import assert from 'node:assert/strict';
import test from 'node:test';
import { often } from '../support/all-cases.ts';
import { stateOf } from '../support/event-stream-client.ts';
import { createItem, createUser, rsvpGoing } from '../support/factories.ts';
import { createLiveEvent, isNamed, openStream } from '../support/live-fixtures.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const otherServer = await api.startAnother();
const organizer = await createUser(api);
const guest = await createUser(api);

/** Builds the expected snapshot from the event record and the item list of the API. */
async function expectedSnapshot(event: string, token?: string) {
  const [{ body: record }, { body: items }] = await Promise.all([
    api.get(`/v1/events/${event}`, token),
    api.get(`/v1/events/${event}/items`),
  ]);
  const { id, title, startAt, endAt, allDay, timezone, capacity, status, updatedAt } = record;
  const { rsvpCount, goingCount, partyCount, bookedCount } = record;
  return {
    event: { id, title, startAt, endAt, allDay, timezone, capacity, status, updatedAt },
    counts: { rsvpCount, goingCount, partyCount, bookedCount, commentsVersion: 0 },
    items: items.data,
  };
}

const newLiveEvent = () => createLiveEvent(api, organizer, guest);

test('live: 200 with a snapshot that equals the event record and the items, without fields of the caller', async () => {
  const { event, item } = await newLiveEvent();
  expectStatus(await api.post(`/v1/items/${item}/claim`, guest.token, { quantity: 2 }), 201);
  for (const token of [undefined, guest.token]) {
    const stream = await openStream(api, event, { token });
    const [first] = stream.messages;
    assert.equal(first?.event, 'snapshot');
    assert.match(first?.id ?? '', /^[\w-]{16}$/);
    assert.deepEqual(first?.data, await expectedSnapshot(event));
    assert.ok((stream.retry() ?? 0) >= 1_000 && (stream.retry() ?? 0) < 3_000);
  }
});

test('live: the headers of an event stream, and the security headers of every response', async () => {
  const { event } = await newLiveEvent();
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
test('live: a change on one server sends one message with the changed part to streams on both servers', async () => {
  const { event, item } = await newLiveEvent();
  const both = await Promise.all([
    openStream(api, event),
    openStream(otherServer, event, { token: guest.token }),
  ]);
  const messageAfter = async (name: string, change: () => Promise<unknown>) => {
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
  const { rsvpCount } = await messageAfter('counts', () => rsvpGoing(otherServer, organizer, event));
  assert.equal(rsvpCount, 2);
  await messageAfter('counts', () => api.post(`${path}/rsvp`, token, { status: 'interested' }));
  const booked = await messageAfter('counts', () =>
    otherServer.post(`${path}/booking`, guest.token, { seats: 3 }),
  );
  assert.equal(booked.bookedCount, 3);
  const claimed = await messageAfter('item', () =>
    otherServer.post(`/v1/items/${item}/claim`, guest.token, { quantity: 2 }),
  );
  assert.deepEqual([claimed.id, claimed.quantityClaimed, claimed.quantityNeeded], [item, 2, 3]);
  const noted = await messageAfter('item', () =>
    api.patch(`/v1/items/${item}/claim`, guest.token, { note: 'Rye' }),
  );
  assert.deepEqual(noted, { ...claimed, claimsVersion: claimed.claimsVersion + 1 });
  const freed = await messageAfter('item', () => api.delete(`/v1/items/${item}/claim`, guest.token));
  assert.equal(freed.quantityClaimed, 0);
  const added = await messageAfter('item', () =>
    createItem(otherServer, organizer, event, { title: 'Plates' }),
  );
  assert.equal(added.title, 'Plates');
  const changed = await messageAfter('item', () =>
    api.patch(`/v1/items/${added.id}`, token, { title: 'Deep plates', quantityNeeded: 7 }),
  );
  assert.deepEqual([changed.title, changed.quantityNeeded], ['Deep plates', 7]);
  assert.deepEqual(await messageAfter('itemRemoved', () => api.delete(`/v1/items/${item}`, token)), {
    id: item,
  });
  const renamed = await messageAfter('event', () => otherServer.patch(path, token, { title: 'Indoors' }));
  assert.equal(renamed.title, 'Indoors');
  const cancelled = await messageAfter('event', () => api.patch(path, token, { status: 'cancelled' }));
  assert.equal(cancelled.status, 'cancelled');
  for (const stream of both) assert.deepEqual(stateOf(stream.messages), await expectedSnapshot(event));
});

test('live: of the messages of one transaction only the last has an id; together they produce the new state', async () => {
  const { event, item } = await newLiveEvent();
  await createItem(api, organizer, event);
  const stream = await openStream(api, event);
  await api.sql.begin(async (tx) => {
    await tx`update event_counters set rsvp_count = rsvp_count + 1, version = version + 1 where event_id = ${event}`;
    await tx`update item_stock set needed = needed + 1, version = version + 1 where event_id = ${event}`;
  });
  await stream.until(({ event, data }) => event === 'item' && data.id !== item);
  const [, ...changes] = stream.messages;
  assert.deepEqual(
    changes.map((message) => [message.event, message.id !== undefined]),
    [
      ['counts', false],
      ['item', false],
      ['item', true],
    ],
  );
  assert.deepEqual(stateOf(stream.messages), await expectedSnapshot(event));
});

// spec: 6 GET /v1/events/:id/live: live updates of the counts and items of an event
test('live: a current Last-Event-ID resumes without a snapshot on any server; any other id gets a snapshot', async () => {
  const { event } = await newLiveEvent();
  const first = await openStream(api, event);
  const lastId = first.lastId();
  first.close();
  const resumed = await openStream(otherServer, event, { lastId });
  await rsvpGoing(api, organizer, event);
  await resumed.until(isNamed('counts'));
  assert.deepEqual(
    resumed.messages.map((message) => message.event),
    ['counts'],
  );
  assert.ok(resumed.comments() >= 1, 'the resumed stream begins with a comment');
  for (const stale of [lastId, 'junk', '']) {
    const late = await openStream(api, event, { lastId: stale });
    const { data } = await late.until(isNamed('snapshot'));
    assert.deepEqual(data, await expectedSnapshot(event));
  }
});

test('live: the query parameter lastEventId resumes a stream in the same way as the Last-Event-ID header', async () => {
  const { event } = await newLiveEvent();
  const first = await openStream(api, event);
  const lastId = first.lastId();
  first.close();
  const resumed = await openStream(otherServer, event, { lastId, lastIdIn: 'query' });
  await rsvpGoing(api, organizer, event);
  await resumed.until(isNamed('counts'));
  assert.deepEqual(
    resumed.messages.map((message) => message.event),
    ['counts'],
  );
});

test('live: the snapshot includes all acknowledged writes, also when another stream of the event is open', async () => {
  const { event } = await newLiveEvent();
  await openStream(api, event);
  for (let round = 0; round < often(10, 2); round++) {
    const status = round % 2 === 0 ? 'interested' : 'going';
    await otherServer.post(`/v1/events/${event}/rsvp`, guest.token, { status });
    const { body } = await api.get(`/v1/events/${event}/live?once=true`);
    assert.match(body, new RegExp(`"goingCount":${round % 2}`));
  }
});

test('live: 200 with a single snapshot for once=true, 200 without a body for HEAD, 400 for a non-boolean once', async () => {
  const { event } = await newLiveEvent();
  const once = expectStatus(await api.get(`/v1/events/${event}/live?once=true`), 200);
  assert.equal(once.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.match(once.body, /^event: snapshot\nid: [\w-]{16}\ndata: \{.*\}\n\n$/);
  const head = expectStatus(await api.call('HEAD', `/v1/events/${event}/live`), 200);
  assert.equal(head.body, '');
  expectProblem(await api.get(`/v1/events/${event}/live?once=maybe`), 400, 'invalid_request');
});
