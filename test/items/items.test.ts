import assert from 'node:assert/strict';
import test from 'node:test';
import { createAdmin, createEvent, createItem, createUser, rsvpGoing } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
const admin = await createAdmin(api);
const guest = await createUser(api);
const unknown = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';
const event = await createEvent(api, organizer);

const itemBody = (overrides: Record<string, unknown> = {}) => ({
  title: 'Sourdough bread',
  kind: 'bring',
  quantityNeeded: 3,
  ...overrides,
});
const add = (overrides: Record<string, unknown>, id = event.id) =>
  api.post(`/v1/events/${id}/items`, organizer.token, itemBody(overrides));
const list = async (id: string, query = '', token?: string) =>
  expectStatus(await api.get(`/v1/events/${id}/items${query}`, token), 200).body.data;

async function expectRefused(field: string, values: unknown[]): Promise<void> {
  for (const value of values) {
    const { body } = expectProblem(await add({ [field]: value }), 400, 'invalid_request');
    const paths = body.errors.map((error: { path: string }) => error.path);
    assert.deepEqual(paths, [field], `${field} ${JSON.stringify(value)?.slice(0, 80)}`);
  }
}

async function expectStored(field: string, values: unknown[]): Promise<void> {
  for (const value of values) {
    const { body } = expectStatus(await add({ [field]: value }), 201);
    const item = (await list(event.id)).find((each: { id: string }) => each.id === body.id);
    assert.deepEqual(item[field], value);
  }
}

// spec: 2.6 GET /v1/events/:id/items: `id`; `title`; `description`; `emoji`; `imageUrl`; `link`; `quantityNeeded`
// spec: 2.6 GET /v1/events/:id/items: `quantityClaimed`; `kind`; `myClaim`
// spec: 4.15 POST /v1/events/:id/items: 201 with five fields, `quantityClaimed` 0
test('add: 201 with exactly five fields, and the list has every field', async () => {
  const ownEvent = await createEvent(api, organizer);
  const sent = { description: 'Still warm', emoji: '🍞', link: 'https://example.org/bread' };
  const { body } = expectStatus(await add(sent, ownEvent.id), 201);
  assert.deepEqual(body, {
    id: `${ownEvent.id}.1`,
    title: 'Sourdough bread',
    kind: 'bring',
    quantityNeeded: 3,
    quantityClaimed: 0,
  });
  const [{ version }] = await list(ownEvent.id);
  assert.match(version, /^[\w-]{16}$/);
  assert.deepEqual(await list(ownEvent.id), [
    { ...body, ...sent, imageUrl: null, version, claimsVersion: 0 },
  ]);
  assert.deepEqual(await list(ownEvent.id, '', guest.token), [
    { ...body, ...sent, imageUrl: null, version, claimsVersion: 0, myClaim: null },
  ]);
});

// spec: 2.6 GET /v1/events/:id/items: `description`; `emoji`; `imageUrl`; `link`
// spec: 4.15 POST /v1/events/:id/items: `description` optional; `emoji` optional; `link` optional
// spec: 4.15 POST /v1/events/:id/items: `imageUrl` optional
test('add: omitted fields are absent or null, and the emoji defaults to that of the kind', async () => {
  const ownEvent = await createEvent(api, organizer);
  for (const [kind, emoji] of [
    ['bring', '🥘'],
    ['wish', '🎁'],
  ]) {
    const { body } = expectStatus(await add({ kind }, ownEvent.id), 201);
    const [{ version: _, ...item }] = await list(ownEvent.id, `?kind=${kind}`);
    assert.deepEqual(item, { ...body, emoji, imageUrl: null, link: null, claimsVersion: 0 });
  }
});

// spec: 4.14 GET /v1/events/:id/items: list items by `kind`, token optional
test('list: filtered by kind, in the order of creation; 400 for an unknown kind', async () => {
  const ownEvent = await createEvent(api, organizer);
  const kinds = [
    'bring',
    'wish',
    'wish',
    'bring',
    'wish',
    'bring',
    'bring',
    'bring',
    'bring',
    'bring',
    'bring',
    'wish',
  ];
  for (const [i, kind] of kinds.entries())
    await createItem(api, organizer, ownEvent.id, { kind, title: `${i}` });
  const titles = async (query: string) =>
    (await list(ownEvent.id, query)).map((item: { title: string }) => Number(item.title));
  assert.deepEqual(await titles(''), [...kinds.keys()]);
  for (const kind of ['bring', 'wish']) {
    assert.deepEqual(
      await titles(`?kind=${kind}`),
      [...kinds.keys()].filter((i) => kinds[i] === kind),
    );
  }
  for (const kind of ['', 'Bring', 'gift', 'bring,wish']) {
    const { body } = expectProblem(
      await api.get(`/v1/events/${ownEvent.id}/items?kind=${kind}`),
      400,
      'invalid_request',
    );
    assert.deepEqual(
      body.errors.map((error: { path: string }) => error.path),
      ['kind'],
    );
  }
  assert.deepEqual(await list((await createEvent(api, organizer)).id), []);
});

// spec: 4.15 POST /v1/events/:id/items: `title` required; `kind` required; `quantityNeeded` required
test('add: 400 for each missing required field, and for unknown fields', async () => {
  for (const field of ['title', 'kind', 'quantityNeeded']) await expectRefused(field, [undefined]);
  await expectRefused('quantityClaimed', [1]);
});

// spec: 4.15 POST /v1/events/:id/items: `title` required; `kind` required; `quantityNeeded` required
// spec: 4.15 POST /v1/events/:id/items: `description` optional; `emoji` optional; `link` optional
// spec: 4.15 POST /v1/events/:id/items: `imageUrl` optional
test('add: the limits of each field', async () => {
  await expectStored('title', ['x', '🎉'.repeat(120)]);
  await expectRefused('title', ['', ' ', 'x'.repeat(121), 'a\nb', 'a\0b', null, 1]);
  await expectStored('description', ['', 'two\nlines', '🎉'.repeat(1_000)]);
  await expectRefused('description', ['x'.repeat(1_001), 1]);
  await expectStored('quantityNeeded', [1, 10_000]);
  await expectRefused('quantityNeeded', [0, -1, 1.5, 10_001, 1e12, '3', null, true]);
  await expectRefused('kind', ['gift', '', null, 'Bring']);
  await expectStored('link', [
    null,
    'http://example.org',
    `https://example.org/${'x'.repeat(2_028)}`,
    `http://${'ab.'.repeat(84)}d`,
    `http://${'a'.repeat(63)}.example`,
  ]);
  await expectRefused('link', [
    `https://example.org/${'x'.repeat(2_029)}`,
    'ftp://example.org',
    'javascript:alert(1)',
    'example.org',
    '',
    `http://${'ab.'.repeat(84)}de`,
    `http://${'a'.repeat(64)}.example`,
  ]);
  await expectStored('imageUrl', [
    null,
    'http://example.org/a.png',
    `https://example.org/${'x'.repeat(2_028)}`,
  ]);
  await expectRefused('imageUrl', [
    `https://example.org/${'x'.repeat(2_029)}`,
    'data:image/png;base64,AA',
    'x',
    '',
    1,
  ]);
  await expectStored('emoji', ['🍞', '🏳️‍🌈', '👩🏽‍🍳', '🇩🇪', '❤️', '1️⃣', 'é']);
  await expectRefused('emoji', ['', '🍞🍞', 'ab', ' ', '\n', 1, 'é'.repeat(40), `e${'\u0301'.repeat(40)}`]);
});

// spec: 4.15 POST /v1/events/:id/items: add an item, organizer or admin
// spec: 4.16 DELETE /v1/items/:id: remove an item, organizer or admin; claims on the item end
// spec: 5 POST /v1/events/:id/items, DELETE /v1/items/:id: items: organizer of the event or admin
test('add and remove: organizer and admins; 403 for others, 401 without a token, 404 for an unknown or hidden event or item', async () => {
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  const hidden = await createItem(api, organizer, draft.id);
  for (const { token } of [organizer, admin]) {
    const { body } = expectStatus(await api.post(`/v1/events/${draft.id}/items`, token, itemBody()), 201);
    assert.deepEqual(expectStatus(await api.delete(`/v1/items/${body.id}`, token), 200).body, {
      success: true,
    });
    expectProblem(await api.delete(`/v1/items/${body.id}`, token), 404, 'item_not_found');
  }
  const item = await createItem(api, organizer, event.id);
  await rsvpGoing(api, guest, event.id);
  expectProblem(await api.post(`/v1/events/${event.id}/items`, undefined, itemBody()), 401, 'token_missing');
  expectProblem(
    await api.post(`/v1/events/${event.id}/items`, guest.token, itemBody()),
    403,
    'not_organizer',
  );
  expectProblem(
    await api.post(`/v1/events/${draft.id}/items`, guest.token, itemBody()),
    404,
    'event_not_found',
  );
  expectProblem(await api.delete(`/v1/items/${item.id}`), 401, 'token_missing');
  expectProblem(await api.delete(`/v1/items/${item.id}`, guest.token), 403, 'not_organizer');
  expectProblem(await api.delete(`/v1/items/${hidden.id}`, guest.token), 404, 'item_not_found');
  for (const id of [unknown, 'nonsense', '1']) {
    expectProblem(await api.get(`/v1/events/${id}/items`), 404, 'event_not_found');
    expectProblem(
      await api.post(`/v1/events/${id}/items`, organizer.token, itemBody()),
      404,
      'event_not_found',
    );
  }
  for (const id of [
    `${unknown}.1`,
    unknown,
    event.id,
    `${event.id}.0`,
    `${event.id}.01`,
    `${event.id}.999999999`,
    `${event.id}.99999999999`,
    `${event.id}.-1`,
    `${event.id}.1.1`,
    `${event.id}.`,
    '.1',
    'nonsense',
  ]) {
    expectProblem(await api.delete(`/v1/items/${id}`, organizer.token), 404, 'item_not_found');
  }
  expectStatus(await api.delete(`/v1/items/${item.id.toUpperCase()}`, organizer.token), 200);
});

test('list: 404 for an event hidden from the caller; 200 for its organizer and admins', async () => {
  const { id } = await createEvent(api, organizer, { visibility: 'private' });
  expectStatus(await add({}, id), 201);
  for (const token of [undefined, guest.token])
    expectProblem(await api.get(`/v1/events/${id}/items`, token), 404, 'event_not_found');
  for (const { token } of [organizer, admin]) assert.equal((await list(id, '', token)).length, 1);
});

test('remove: item numbers are not reused', async () => {
  const ownEvent = await createEvent(api, organizer);
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) {
    const { id } = await createItem(api, organizer, ownEvent.id);
    ids.push(id);
    expectStatus(await api.delete(`/v1/items/${id}`, organizer.token), 200);
  }
  assert.deepEqual(
    ids,
    [1, 2, 3, 4].map((n) => `${ownEvent.id}.${n}`),
  );
});

// spec: 3 DELETE /v1/items/:id: claim: claimed → cancelled by removal of the item
// spec: 4.16 DELETE /v1/items/:id: remove an item, organizer or admin; claims on the item end
// spec: 6 DELETE /v1/items/:id: the removal of an item cancels its claims without a notification
test('remove: the claims on the item are deleted, claims on other items remain', async () => {
  const ownEvent = await createEvent(api, organizer);
  const [removed, other] = [
    await createItem(api, organizer, ownEvent.id),
    await createItem(api, organizer, ownEvent.id),
  ];
  for (const person of [guest, admin]) {
    await rsvpGoing(api, person, ownEvent.id);
    for (const item of [removed, other]) {
      expectStatus(await api.post(`/v1/items/${item.id}/claim`, person.token, { quantity: 1 }), 201);
    }
  }
  expectStatus(await api.delete(`/v1/items/${removed.id}`, organizer.token), 200);
  const [remaining, ...others] = await list(ownEvent.id, '', guest.token);
  assert.deepEqual(
    [remaining.id, remaining.quantityClaimed, remaining.myClaim.quantity, others],
    [other.id, 2, 1, []],
  );
  expectProblem(await api.delete(`/v1/items/${removed.id}/claim`, guest.token), 404, 'item_not_found');
  const [row] = await api.sql`select count(*)::int as n from claims where event_id = ${ownEvent.id}`;
  assert.equal(row?.n, 2);
  await assertCounters(api.sql);
});

// spec: 2.5 GET /v1/events/:id: `enabledModules`
test('modules: 403 for new items and claims while the module is off; reading, and removing claims and items still work', async () => {
  const ownEvent = await createEvent(api, organizer);
  const items = [
    await createItem(api, organizer, ownEvent.id),
    await createItem(api, organizer, ownEvent.id, { kind: 'wish' }),
  ];
  const later = await createItem(api, organizer, ownEvent.id);
  await rsvpGoing(api, guest, ownEvent.id);
  for (const item of items)
    expectStatus(await api.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 1 }), 201);
  const change = (enabledModules: string[]) =>
    api.patch(`/v1/events/${ownEvent.id}`, organizer.token, { enabledModules });
  expectStatus(await change(['wishList']), 200);
  expectProblem(await add({ kind: 'bring' }, ownEvent.id), 403, 'module_disabled');
  expectStatus(await add({ kind: 'wish' }, ownEvent.id), 201);
  expectProblem(
    await api.post(`/v1/items/${later.id}/claim`, guest.token, { quantity: 1 }),
    403,
    'module_disabled',
  );
  assert.equal((await list(ownEvent.id, '?kind=bring', guest.token)).length, 2);
  expectStatus(await api.delete(`/v1/items/${items[0]?.id}/claim`, guest.token), 200);
  expectStatus(await change([]), 200);
  for (const kind of ['bring', 'wish'])
    expectProblem(await add({ kind }, ownEvent.id), 403, 'module_disabled');
  expectProblem(
    await api.post(`/v1/events/${ownEvent.id}/items`, guest.token, itemBody()),
    403,
    'not_organizer',
  );
  assert.equal((await list(ownEvent.id)).length, 4);
  expectStatus(await api.delete(`/v1/items/${later.id}`, organizer.token), 200);
  expectStatus(await change(['bringList']), 200);
  expectStatus(await add({ kind: 'bring' }, ownEvent.id), 201);
});

test('cancelled: 409 for a new item; reading and removing items still work', async () => {
  const ownEvent = await createEvent(api, organizer);
  const item = await createItem(api, organizer, ownEvent.id);
  expectStatus(await api.patch(`/v1/events/${ownEvent.id}`, organizer.token, { status: 'cancelled' }), 200);
  expectProblem(await add({}, ownEvent.id), 409, 'event_cancelled');
  // 403 precedes 409.
  expectProblem(
    await api.post(`/v1/events/${ownEvent.id}/items`, guest.token, itemBody()),
    403,
    'not_organizer',
  );
  assert.equal((await list(ownEvent.id)).length, 1);
  expectStatus(await api.delete(`/v1/items/${item.id}`, organizer.token), 200);
});
