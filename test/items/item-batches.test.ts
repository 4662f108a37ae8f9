/** POST /v1/events/:id/items/batch: several items in one request, all or none of them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { stateOf } from '../support/event-stream-client.ts';
import { createAdmin, createEvent, createItem, createUser } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { openStream } from '../support/live-fixtures.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);
const admin = await createAdmin(api);
const guest = await createUser(api);

type ItemFields = Record<string, unknown>;
const itemBody = (fields: ItemFields = {}): ItemFields => ({
  title: 'Plates',
  kind: 'bring',
  quantityNeeded: 2,
  ...fields,
});
const numbered = (count: number, name = 'Item') =>
  Array.from({ length: count }, (_, i) => itemBody({ title: `${name} ${i}` }));
const pathOf = (event: string) => `/v1/events/${event}/items/batch`;
const add = (event: string, items: unknown, { on = api, token = organizer.token } = {}) =>
  on.post(pathOf(event), token, { items });
const list = async (event: string, on: TestApp = api) =>
  expectStatus(await on.get(`/v1/events/${event}/items`, organizer.token), 200).body.data;
const titlesOf = (items: { title: string }[]) => items.map(({ title }) => title);
const errorPaths = (body: { errors: { path: string }[] }) => body.errors.map(({ path }) => path);

// spec: 4.15 POST /v1/events/:id/items/batch: several items in one request, all or none
test('batch: 201 with the items in the order of the request, after the items that the event has', async () => {
  const event = await createEvent(api, organizer);
  const first = await createItem(api, organizer, event.id);
  const removed = await createItem(api, organizer, event.id);
  expectStatus(await api.delete(`/v1/items/${removed.id}`, organizer.token), 200);
  const full = { description: '', emoji: '🍞', imageUrl: 'https://example.org/a.png', link: 'https://b.org' };
  const sent = [itemBody({ title: 'b', ...full }), itemBody({ title: 'a', kind: 'wish' }), itemBody()];
  const { data } = expectStatus(await add(event.id, sent), 201).body;
  assert.deepEqual(
    data,
    sent.map(({ title, kind, quantityNeeded }, i) => ({
      id: `${event.id}.${i + 3}`,
      title,
      kind,
      quantityNeeded,
      quantityClaimed: 0,
    })),
  );
  const defaults = { imageUrl: null, link: null, claimsVersion: 0, myClaim: null, claims: [] };
  const [stored, ...listed] = await list(event.id, second);
  const added = listed.map(({ version: _, ...item }: Record<string, unknown>) => item);
  assert.equal(stored.id, first.id);
  assert.deepEqual(added, [
    { ...data[0], ...defaults, ...full },
    { ...data[1], ...defaults, emoji: '🎁' },
    { ...data[2], ...defaults, emoji: '🥘' },
  ]);
  // The next item continues the numbers.
  assert.equal((await createItem(api, organizer, event.id)).id, `${event.id}.6`);
  await assertCounters(api.sql);
});

test('batch: 201 for 100 items with the longest texts; equal items are separate items', async () => {
  const event = await createEvent(api, organizer);
  const url = `https://example.org/${'x'.repeat(2_028)}`;
  const largest = { title: 't'.repeat(120), description: 'd'.repeat(1_000), imageUrl: url, link: url };
  const { data } = expectStatus(await add(event.id, Array(100).fill(itemBody(largest))), 201).body;
  assert.equal(new Set(data.map(({ id }: { id: string }) => id)).size, 100);
  assert.equal((await list(event.id)).length, 100);
});

test('batch: 400 naming the field of the item, and no item is added', async () => {
  const event = await createEvent(api, organizer);
  const refused: [fields: ItemFields, path: string][] = [
    [{ title: '' }, 'title'],
    [{ title: undefined }, 'title'],
    [{ title: 'a\u0000b' }, 'title'],
    [{ kind: 'gift' }, 'kind'],
    [{ quantityNeeded: 0 }, 'quantityNeeded'],
    [{ quantityNeeded: '3' }, 'quantityNeeded'],
    [{ emoji: '🍞🍞' }, 'emoji'],
    [{ link: 'ftp://example.org' }, 'link'],
    [{ colour: 'red' }, 'colour'],
  ];
  for (const [fields, path] of refused) {
    const { body } = expectProblem(
      await add(event.id, [...numbered(3), itemBody(fields)]),
      400,
      'invalid_request',
    );
    assert.deepEqual(errorPaths(body), [`items.3.${path}`]);
    assert.match(body.detail, /^items\.3\./);
  }
  const { body } = expectProblem(
    await add(event.id, [itemBody({ kind: 1 }), null, itemBody({ link: 1 })]),
    400,
    'invalid_request',
  );
  assert.deepEqual(errorPaths(body).sort(), ['items.0.kind', 'items.1', 'items.2.link']);
  assert.deepEqual(await list(event.id), []);
});

test('batch: 400 naming the length of each link that is too long, at most twenty, and no such link is parsed', async (t) => {
  const event = await createEvent(api, organizer);
  const items = Array(50).fill(itemBody({ link: `https://example.org/${'x'.repeat(2_029)}` }));
  const parse = t.mock.method(URL, 'parse');
  const { body } = expectProblem(await add(event.id, items), 400, 'invalid_request');
  assert.deepEqual(
    body.errors,
    Array.from({ length: 20 }, (_, i) => ({
      path: `items.${i}.link`,
      rule: 'max_length',
      limit: 2_048,
      message: 'must have at most 2048 characters, or null',
    })),
  );
  assert.equal(parse.mock.callCount(), 0);
});

test('batch: 400 naming items for no item and for more than 100; 413 above 1 MiB', async () => {
  const event = await createEvent(api, organizer);
  for (const items of [[], numbered(101), Array(200).fill(itemBody()), {}, null, undefined]) {
    const { body } = expectProblem(await add(event.id, items), 400, 'invalid_request');
    assert.deepEqual(errorPaths(body), ['items']);
  }
  const { body } = expectProblem(await add(event.id, Array(2_000).fill(itemBody())), 400, 'invalid_request');
  assert.deepEqual(errorPaths(body), ['body']);
  const description = 'x'.repeat(1_024 * 1_024);
  expectProblem(await add(event.id, [itemBody({ description })]), 413, 'payload_too_large');
  assert.deepEqual(await list(event.id), []);
});

test('batch: organizer and admins; 403 for others, 401 without a token, 404 for an unknown or hidden event', async () => {
  const event = await createEvent(api, organizer);
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  for (const { token } of [organizer, admin]) {
    for (const { id } of [event, draft]) expectStatus(await add(id, numbered(2), { token }), 201);
  }
  expectProblem(await api.post(pathOf(event.id), undefined, { items: numbered(1) }), 401, 'token_missing');
  expectProblem(await add(event.id, numbered(1), { token: guest.token }), 403, 'not_organizer');
  for (const id of [draft.id, randomUUID(), 'nonsense'])
    expectProblem(await add(id, numbered(1), { token: guest.token }), 404, 'event_not_found');
  for (const { id } of [event, draft]) assert.equal((await list(id)).length, 4);
});

test('batch: 403 naming the first kind whose module is off, then 409 for a cancelled event; no item is added', async () => {
  const event = await createEvent(api, organizer, { enabledModules: ['bringList'] });
  const mixed = [itemBody(), itemBody({ kind: 'wish' }), itemBody({ kind: 'wish' })];
  const change = (fields: ItemFields) => api.patch(`/v1/events/${event.id}`, organizer.token, fields);
  const { body } = expectProblem(await add(event.id, mixed), 403, 'module_disabled');
  assert.deepEqual(errorPaths(body), ['items.1.kind']);
  expectStatus(await change({ status: 'cancelled' }), 200);
  expectProblem(await add(event.id, mixed), 403, 'module_disabled');
  expectProblem(await add(event.id, [itemBody()]), 409, 'event_cancelled');
  assert.deepEqual(await list(event.id), []);
  expectStatus(await change({ status: 'scheduled', enabledModules: ['bringList', 'wishList'] }), 200);
  expectStatus(await add(event.id, mixed), 201);
});

// spec: 2.5 GET /v1/templates: items that a template suggests
test('templates: each suggests at least three items, Potluck dinner five or more, and a batch accepts them', async () => {
  const { data: templates } = expectStatus(await api.get('/v1/templates'), 200).body;
  for (const { slug, name, items } of templates) {
    assert.ok(items.length >= (slug === 'potluck' ? 5 : 3), name);
    assert.equal(new Set(titlesOf(items)).size, items.length, name);
    const event = await createEvent(api, organizer, { template: slug });
    assert.deepEqual(await list(event.id), []);
    const { data: added } = expectStatus(await add(event.id, items), 201).body;
    assert.deepEqual(titlesOf(added), titlesOf(items));
    const stored = (await list(event.id)).map(({ title, kind, quantityNeeded, emoji }: ItemFields) => ({
      title,
      kind,
      quantityNeeded,
      emoji,
    }));
    assert.deepEqual(stored, items);
  }
});

// spec: 6 POST /v1/events/:id/items/batch: live updates of the counts and items of an event
test('batch: a live stream gets all items as one change, in which only the last message has an id', async () => {
  const event = await createEvent(api, organizer);
  const stream = await openStream(second, event.id);
  expectStatus(await add(event.id, numbered(20)), 201);
  await stream.until(({ data }) => data.title === 'Item 19');
  const [, ...changes] = stream.messages;
  assert.deepEqual(
    changes.map(({ event, data }) => `${event} ${data.title}`),
    titlesOf(numbered(20) as { title: string }[]).map((title) => `item ${title}`),
  );
  assert.deepEqual(
    changes.map(({ id }) => id !== undefined),
    changes.map((_, i) => i === 19),
  );
  const { body } = await api.get(`/v1/events/${event.id}/items`);
  assert.deepEqual(stateOf(stream.messages).items, body.data);
});

// spec: 8 POST /v1/events/:id/items/batch: repetition of creating requests with `Idempotency-Key`
test('race: 12 concurrent requests with one key on two servers add the items once; 422 for another batch', async () => {
  const event = await createEvent(api, organizer);
  const send = (on: TestApp, items: unknown) =>
    on.call('POST', pathOf(event.id), {
      token: organizer.token,
      body: { items },
      headers: { 'idempotency-key': 'kit' },
    });
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, i) => send(i % 2 ? api : second, numbered(5))),
  );
  for (const response of responses) expectStatus(response, 201);
  assert.equal(responses.filter(({ headers }) => !headers.has('idempotent-replayed')).length, 1);
  for (const { body } of responses) assert.deepEqual(body, responses[0]?.body);
  assert.equal((await list(event.id)).length, 5);
  expectProblem(await send(api, numbered(6)), 422, 'idempotency_key_reused');
});

test('race: batches and single items on two servers: readers never see a part of a batch, and each batch is contiguous', async () => {
  const event = await createEvent(api, organizer);
  const seen: string[][] = [];
  let isOver = false;
  const read = async (on: TestApp) => {
    while (!isOver) seen.push(titlesOf(await list(event.id, on)));
  };
  const reading = [read(api), read(second)];
  const on = (i: number) => (i % 2 ? api : second);
  await Promise.all([
    ...Array.from({ length: 20 }, async (_, i) =>
      expectStatus(await add(event.id, Array(7).fill(itemBody({ title: `${i}` })), { on: on(i) }), 201),
    ),
    ...Array.from({ length: 10 }, (_, i) => createItem(on(i), organizer, event.id, { title: 'single' })),
  ]).finally(() => {
    isOver = true;
  });
  await Promise.all(reading);
  const final = titlesOf(await list(event.id));
  assert.equal(final.length, 150);
  for (const titles of [...seen, final]) {
    for (const [title, items] of Map.groupBy(titles.entries(), ([, each]) => each)) {
      if (title === 'single') continue;
      assert.equal(items.length, 7, `${items.length} items of batch ${title}`);
      assert.equal((items[6]?.[0] ?? 0) - (items[0]?.[0] ?? 0), 6);
    }
  }
  await assertCounters(api.sql);
});
