/** PATCH /v1/items/:id: the changes that an organizer can make, and their limits. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);
const guest = await createUser(api);
const event = await createEvent(api, organizer);
await rsvpGoing(api, guest, event.id);

const fullItem = {
  title: 'Rye bread',
  description: 'Still warm',
  emoji: '🍞',
  link: 'https://example.org/bread',
  imageUrl: 'https://example.org/bread.webp',
  quantityNeeded: 7,
};
const change = (id: string, fields: unknown, person: Person | undefined = organizer) =>
  api.patch(`/v1/items/${id}`, person?.token, fields);
const readItem = async (id: string, person?: Person) =>
  expectStatus(await second.get(`/v1/events/${id.split('.')[0]}/items`, person?.token), 200).body.data.find(
    (item: { id: string }) => item.id === id,
  );
const newItem = (overrides: Record<string, unknown> = {}, id = event.id) =>
  createItem(api, organizer, id, overrides);

// spec: 2.6 PATCH /v1/items/:id: changing an item
test('change: 200 with the whole item, and the list of another server contains it', async () => {
  const { id } = await newItem();
  const { body } = expectStatus(await change(id, fullItem), 200);
  const unclaimed = {
    quantityClaimed: 0,
    claimsVersion: 0,
    myClaim: null,
    claims: [],
    version: body.version,
  };
  assert.deepEqual(body, { id, kind: 'bring', ...unclaimed, ...fullItem });
  assert.deepEqual(await readItem(id, organizer), body);
  const { myClaim: _, claims: _claims, ...anonymousItem } = body;
  assert.deepEqual(await readItem(id), anonymousItem);
});

// spec: 2.6 PATCH /v1/items/:id: changing an item
test('change: 200 for each field alone, other fields keep their values; an empty body changes nothing', async () => {
  const { id } = await newItem(fullItem);
  const fields: Record<string, unknown> = {
    title: 'Bread rolls',
    description: 'Two\nbags',
    emoji: '🥖',
    link: 'http://example.com/',
    imageUrl: 'http://example.com/rolls.png',
    quantityNeeded: 2,
  };
  let expected = { ...(await readItem(id, organizer)) };
  for (const [field, value] of Object.entries(fields)) {
    const { body } = expectStatus(await change(id, { [field]: value }), 200);
    assert.notEqual(body.version, expected.version);
    expected = { ...expected, [field]: value, version: body.version };
    assert.deepEqual(body, expected);
  }
  assert.deepEqual(expectStatus(await change(id, {}), 200).body, expected);
  assert.deepEqual(await readItem(id, organizer), expected);
});

test('change: null removes description, link and imageUrl', async () => {
  const { id } = await newItem(fullItem);
  const { body } = expectStatus(await change(id, { description: null, link: null, imageUrl: null }), 200);
  assert.ok(!('description' in body));
  assert.deepEqual([body.link, body.imageUrl], [null, null]);
  assert.deepEqual(await readItem(id, organizer), body);
});

// spec: 2.6 PATCH /v1/items/:id: changing an item
test('change: the limits of each field; 400 for kind, id and quantityClaimed', async () => {
  const { id } = await newItem();
  const url = (length: number) => `https://example.org/${'x'.repeat(length - 20)}`;
  const taken: Record<string, unknown[]> = {
    title: ['x', '🎉'.repeat(120)],
    description: ['', '🎉'.repeat(1_000)],
    emoji: ['🏳️‍🌈', 'é'],
    link: [url(2_048)],
    imageUrl: [url(2_048)],
    quantityNeeded: [1, 10_000],
  };
  for (const [field, values] of Object.entries(taken)) {
    for (const value of values)
      assert.deepEqual(expectStatus(await change(id, { [field]: value }), 200).body[field], value);
  }
  const refused: Record<string, unknown[]> = {
    title: ['', ' ', 'x'.repeat(121), 'a\nb', 'a\0b', null, 1],
    description: ['x'.repeat(1_001), '\ud800', 1],
    emoji: ['', '🍞🍞', 'ab', ' '],
    link: [url(2_049), 'ftp://example.org', '', 1],
    imageUrl: [url(2_049), 'data:image/png;base64,AA', '', 1],
    quantityNeeded: [0, -1, 1.5, 10_001, 1e300, '3', null],
    kind: ['wish', 'bring'],
    quantityClaimed: [0],
    id: [id],
  };
  const before = await readItem(id, organizer);
  for (const [field, values] of Object.entries(refused)) {
    for (const value of values) {
      const { body } = expectProblem(await change(id, { [field]: value }), 400, 'invalid_request');
      const paths = body.errors.map((error: { path: string }) => error.path);
      assert.deepEqual(paths, [field], `${field} ${JSON.stringify(value)}`);
    }
  }
  assert.deepEqual(await readItem(id, organizer), before);
});

// spec: 2.6 PATCH /v1/items/:id: `quantityNeeded` is never below `quantityClaimed`
test('change: 200 for quantityNeeded equal to quantityClaimed; 409 naming it below, and no other field changes', async () => {
  const { id } = await newItem({ quantityNeeded: 5 });
  expectStatus(await api.post(`/v1/items/${id}/claim`, guest.token, { quantity: 3 }), 201);
  const { body } = expectProblem(
    await change(id, { quantityNeeded: 2, title: 'Never' }),
    409,
    'quantity_below_claimed',
  );
  assert.deepEqual(body.errors, [
    { path: 'quantityNeeded', rule: 'minimum', limit: 3, message: 'is below 3' },
  ]);
  assert.deepEqual([(await readItem(id)).quantityNeeded, (await readItem(id)).title], [5, 'Sourdough bread']);
  const { body: lowered } = expectStatus(await change(id, { quantityNeeded: 3 }), 200);
  assert.deepEqual([lowered.quantityNeeded, lowered.quantityClaimed], [3, 3]);
  const other = await createUser(api);
  await rsvpGoing(api, other, event.id);
  const claim = () => api.post(`/v1/items/${id}/claim`, other.token, { quantity: 1 });
  expectProblem(await claim(), 422, 'quantity_unavailable');
  expectStatus(await change(id, { quantityNeeded: 4 }), 200);
  expectStatus(await claim(), 201);
  await assertCounters(api.sql);
});

test('change: myClaim is the claim of the caller', async () => {
  const { id } = await newItem();
  await rsvpGoing(api, organizer, event.id);
  const { body } = expectStatus(
    await api.post(`/v1/items/${id}/claim`, organizer.token, { quantity: 2 }),
    201,
  );
  const changed = expectStatus(await change(id, { title: 'Rolls' }), 200).body;
  assert.deepEqual([changed.myClaim, changed.quantityClaimed], [{ id: body.id, quantity: 2 }, 2]);
  const admin = await createAdmin(api);
  assert.equal(expectStatus(await change(id, { title: 'Buns' }, admin), 200).body.myClaim, null);
});

test('change: 401 without a token, 403 for guests, 404 for an unknown or hidden item; 400 precedes 403 and 404', async () => {
  const { id } = await newItem();
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  const hidden = await newItem({}, draft.id);
  expectProblem(await api.patch(`/v1/items/${id}`, undefined, {}), 401, 'token_missing');
  expectProblem(await change(id, { title: '' }, guest), 400, 'invalid_request');
  expectProblem(await change(id, { title: 'Mine' }, guest), 403, 'not_organizer');
  expectProblem(await change(hidden.id, { title: 'Mine' }, guest), 404, 'item_not_found');
  expectStatus(await change(hidden.id, { title: 'Ours' }), 200);
  for (const unknown of [`${event.id}.9999`, `${event.id}.0`, event.id, 'nonsense'])
    expectProblem(await change(unknown, {}), 404, 'item_not_found');
});

test('change: 200 on a cancelled event and with its module switched off', async () => {
  const ownEvent = await createEvent(api, organizer);
  const { id } = await newItem({}, ownEvent.id);
  const patch = { status: 'cancelled', enabledModules: [] };
  expectStatus(await api.patch(`/v1/events/${ownEvent.id}`, organizer.token, patch), 200);
  assert.equal(expectStatus(await change(id, { quantityNeeded: 9 }), 200).body.quantityNeeded, 9);
});
