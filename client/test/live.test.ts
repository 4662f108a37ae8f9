/** Live events: typed messages, reconnection and refusals. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProblem, type LiveMessage, listenToEvent } from '@potluck/client';
import { createEvent, createItem, createUser, rsvpGoing } from '../../test/support/factories.ts';
import { startTestApp } from '../../test/support/setup.ts';
import { createRecordedClient, createSignedInClient } from './fixtures.ts';
import { startProxy } from './proxy.ts';

const api = await startTestApp();
const organizer = await createUser(api);

/** What a page would show, as the messages change it. */
type Shown = { going: number; items: Map<string, number> };

function apply(shown: Shown, message: LiveMessage): void {
  switch (message.event) {
    case 'snapshot':
      shown.going = message.data.counts.goingCount;
      shown.items = new Map(message.data.items.map(({ id, quantityClaimed }) => [id, quantityClaimed]));
      break;
    case 'counts':
      shown.going = message.data.goingCount;
      break;
    case 'item':
      shown.items.set(message.data.id, message.data.quantityClaimed);
      break;
    case 'itemRemoved':
      shown.items.delete(message.data.id);
      break;
    case 'event':
    case 'gone':
      break;
    default:
      message satisfies never;
  }
}

async function until(condition: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 500; i++) {
    if (condition()) return;
    await sleep(20);
  }
  assert.fail(`not within ten seconds: ${what}`);
}

test('live: no change is missed while the connection is cut again and again, with two servers', async () => {
  const { id } = await createEvent(api, organizer);
  const item = await createItem(api, organizer, id);
  const proxy = await startProxy(api.url);
  const { client, requests } = createRecordedClient(proxy.url);
  const stop = new AbortController();
  const shown: Shown = { going: -1, items: new Map() };
  const losses: unknown[] = [];
  const listening = (async () => {
    const { stream } = await listenToEvent({
      client,
      path: { id },
      signal: stop.signal,
      sseDefaultRetryDelay: 10,
      sseMaxRetryDelay: 50,
      onSseError: (error) => losses.push(error),
    });
    for await (const message of stream) apply(shown, message);
  })();
  await until(() => shown.going === 0, 'the snapshot');
  for (let going = 1; going <= 4; going++) {
    if (going % 2) proxy.cut();
    proxy.isOpen = going % 2 === 0;
    const guest = await createUser(api);
    await rsvpGoing(api, guest, id);
    await api.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 1 });
    proxy.isOpen = true;
    const claimed = Math.min(going, item.quantityNeeded);
    await until(() => shown.going === going && shown.items.get(item.id) === claimed, `change ${going}`);
  }
  assert.ok(losses.length >= 2 && requests.length >= 3);
  stop.abort();
  await listening;
});

test('live: a stream that is cut without a change in between continues without a snapshot', async () => {
  const { id } = await createEvent(api, organizer);
  const proxy = await startProxy(api.url);
  const { client, requests } = createRecordedClient(proxy.url);
  const { stream } = await listenToEvent({ client, path: { id }, sseMaxRetryDelay: 10 });
  const first = await stream.next();
  assert.ok(!first.done && first.value.event === 'snapshot' && first.value.id);
  proxy.cut();
  const next = stream.next();
  await until(() => requests.length === 2, 'the second connection');
  await sleep(300);
  await rsvpGoing(api, await createUser(api), id);
  const second = await next;
  assert.ok(!second.done && second.value.event === 'counts');
  assert.equal(second.value.data.goingCount, 1);
  await stream.return();
});

test('live: a stream ends with its token and continues with a new one', async () => {
  const { client, requests } = await createSignedInClient(api);
  const { id } = await createEvent(api, organizer);
  const { stream } = await listenToEvent({ client, path: { id } });
  assert.equal((await stream.next()).value?.event, 'snapshot');
  const next = stream.next();
  api.clock.advance(31 * 60_000);
  const names = () => requests.map(({ name, outcome }) => `${name.split(' ')[1]?.slice(0, 9)} ${outcome}`);
  await until(() => requests.length === 4, 'the second stream');
  assert.deepEqual(names(), ['/v1/event 200', '/v1/event 401', '/v1/auth/ 200', '/v1/event 200']);
  await rsvpGoing(api, await createUser(api), id);
  assert.equal((await next).value?.event, 'counts');
  await stream.return();
});

test('live: the stream of an event that is deleted throws event_not_found, and so does one of an unknown event', async () => {
  const deleter = await createUser(api);
  const { client } = createRecordedClient(api.url);
  const { id } = await createEvent(api, deleter);
  const { stream } = await listenToEvent({ client, path: { id } });
  await stream.next();
  const next = stream.next();
  await api.delete(`/v1/events/${id}`, deleter.token);
  await assert.rejects(next, (error) => isProblem(error, 'event_not_found'));
  const unknown = await listenToEvent({ client, path: { id: 'unknown' } });
  await assert.rejects(unknown.stream.next(), (error) => isProblem(error, 'event_not_found'));
});

test('live: a consumer that leaves the loop closes its connection', async () => {
  const { id } = await createEvent(api, await createUser(api));
  const { client } = createRecordedClient(api.url);
  const open = async () =>
    (await (await fetch(`${api.url}/metrics`)).text()).match(/^potluck_live_streams (\d+)$/m)?.[1];
  const before = await open();
  const { stream } = await listenToEvent({ client, path: { id } });
  for await (const _message of stream) break;
  for (let i = 0; i < 100 && (await open()) !== before; i++) await sleep(20);
  assert.equal(await open(), before);
});

test('live: once: a stream of the current state alone ends after it', async () => {
  const { id } = await createEvent(api, await createUser(api));
  const { client, requests } = createRecordedClient(api.url);
  const { stream } = await listenToEvent({ client, path: { id }, query: { once: true } });
  const messages = await Array.fromAsync(stream);
  assert.deepEqual(
    messages.map(({ event }) => event),
    ['snapshot'],
  );
  assert.equal(requests.length, 1);
});

test('live: sseMaxRetryAttempts bounds the failed attempts', async () => {
  const { client, requests } = createRecordedClient('http://127.0.0.1:1', { retry: { attempts: 1 } });
  const { stream } = await listenToEvent({
    client,
    path: { id: 'any' },
    sseMaxRetryAttempts: 2,
    sseDefaultRetryDelay: 5,
  });
  await assert.rejects(stream.next(), TypeError);
  assert.equal(requests.length, 3);
});
