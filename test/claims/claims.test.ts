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
import {
  type ApiResponse,
  expectProblem,
  expectStatus,
  startTestApp,
  type TestApp,
} from '../support/setup.ts';

const api = await startTestApp();
const switchedOff = await api.startAnother({ env: { FEATURE_CLAIMS: 'off' } });
const organizer = await createUser(api);
const unknown = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';

const claim = (
  id: string,
  person: Person | undefined,
  quantity: unknown,
  server: TestApp = api,
): Promise<ApiResponse> => server.post(`/v1/items/${id}/claim`, person?.token, { quantity });
const unclaim = (id: string, person: Person | undefined) =>
  api.delete(`/v1/items/${id}/claim`, person?.token);

/**
 * An event with one item of quantityNeeded 5, and a guest with an RSVP of going (except on a private event).
 */
async function createFixtures(overrides: Record<string, unknown> = {}) {
  const guest = await createUser(api);
  const event = await createEvent(api, organizer, overrides);
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 5 });
  if (overrides.visibility !== 'private') await rsvpGoing(api, guest, event.id);
  const readItem = async (person: Person | undefined = guest) =>
    expectStatus(await api.get(`/v1/events/${event.id}/items`, person?.token), 200).body.data[0];
  return { guest, event, item, readItem };
}
const change = async (id: string, fields: Record<string, unknown>) =>
  expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, fields), 200);

// spec: 2.6 GET /v1/events/:id/items: `quantityClaimed`; `myClaim`
// spec: 2.7 POST /v1/items/:id/claim: `id`; `itemId`; `userId`; `quantity`; `createdAt`
// spec: 3 POST /v1/items/:id/claim: claim: none → claimed, `quantityClaimed` grows
// spec: 4.17 POST /v1/items/:id/claim: `quantity` from 1 to the available quantity
// spec: 4.17 POST /v1/items/:id/claim: a claim requires an RSVP of `going`
test('claim: 201 with exactly the fields of a claim, and the item shows it as myClaim', async () => {
  const { guest, item, readItem } = await createFixtures();
  const { body } = expectStatus(await claim(item.id, guest, 2), 201);
  const { id, createdAt, ...rest } = body;
  assert.deepEqual(rest, { itemId: item.id, userId: guest.id, quantity: 2 });
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
  const { quantityClaimed, myClaim } = await readItem();
  assert.deepEqual([quantityClaimed, myClaim], [2, { id, quantity: 2 }]);
  assert.equal((await readItem(organizer)).myClaim, null);
  const { body: anonymous } = await api.get(`/v1/events/${item.id.split('.')[0]}/items`);
  assert.ok(!('myClaim' in anonymous.data[0]));
});

// spec: 4.17 POST /v1/items/:id/claim: `quantity` from 1 to the available quantity
// spec: 4.17 POST /v1/items/:id/claim: a claim requires an RSVP of `going`
// spec: 8 POST /v1/items/:id/claim: claim `quantity` from 1 to the available quantity
test('claim: 400 naming quantity when it is below 1, not an integer or missing', async () => {
  const { guest, item, readItem } = await createFixtures();
  for (const quantity of [0, -1, -0.5, 1.5, 1e-9, '1', true, null, undefined, [1], {}]) {
    const { body } = expectProblem(await claim(item.id, guest, quantity), 400, 'invalid_request');
    assert.deepEqual(
      body.errors.map((error: { path: string }) => error.path),
      ['quantity'],
      `${quantity}`,
    );
  }
  for (const raw of [
    '',
    '{',
    '{"quantity":NaN}',
    '[]',
    '1',
    'null',
    '{"quantity":1,"notes":"x"}',
    '{"quantity":1e400}',
  ]) {
    const headers = { 'content-type': 'application/json' };
    expectStatus(
      await api.call('POST', `/v1/items/${item.id}/claim`, { token: guest.token, raw, headers }),
      400,
    );
  }
  assert.equal((await readItem()).quantityClaimed, 0);
});

// spec: 7 POST /v1/items/:id/claim: 422 above the available quantity
// spec: 8 POST /v1/items/:id/claim: claim `quantity` from 1 to the available quantity
test('claim: 422 when the quantity is above what is left', async () => {
  const { guest, event, item, readItem } = await createFixtures();
  const other = await createUser(api);
  await rsvpGoing(api, other, event.id);
  expectStatus(await claim(item.id, other, 3), 201);
  for (const quantity of [
    3,
    5,
    6,
    10_001,
    2 ** 31 - 1,
    2 ** 31,
    1e12,
    Number.MAX_SAFE_INTEGER,
    1e18,
    1e300,
  ]) {
    const { body } = expectProblem(await claim(item.id, guest, quantity), 422, 'quantity_unavailable');
    assert.match(body.detail, /Only 2 are left/);
  }
  expectStatus(await claim(item.id, guest, 2), 201);
  assert.equal((await readItem()).quantityClaimed, 5);
  const third = await createUser(api);
  await rsvpGoing(api, third, event.id);
  expectProblem(await claim(item.id, third, 1), 422, 'quantity_unavailable');
});

// spec: 4.17 POST /v1/items/:id/claim: `quantity` from 1 to the available quantity
// spec: 4.17 POST /v1/items/:id/claim: a claim requires an RSVP of `going`
// spec: 7 POST /v1/items/:id/claim: 403 without an RSVP of `going`, or with the flag off
test('claim: 403 without an RSVP of going', async () => {
  const { guest, event, item } = await createFixtures();
  for (const status of ['interested', null]) {
    expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, guest.token, { status }), 200);
    expectProblem(await claim(item.id, guest, 1), 403, 'rsvp_required');
  }
  expectProblem(await claim(item.id, organizer, 1), 403, 'rsvp_required');
  expectProblem(await claim(item.id, await createAdmin(api), 1), 403, 'rsvp_required');
  await rsvpGoing(api, guest, event.id);
  expectStatus(await claim(item.id, guest, 1), 201);
});

// spec: 3 DELETE /v1/items/:id/claim: claim: claimed → none
// spec: 7 POST /v1/items/:id/claim: 409 already claimed
test('claim: 409 for a second claim; 201 with another id after the first claim is removed', async () => {
  const { guest, item, readItem } = await createFixtures();
  const { body: first } = expectStatus(await claim(item.id, guest, 2), 201);
  expectProblem(await claim(item.id, guest, 1), 409, 'already_claimed');
  assert.deepEqual(expectStatus(await unclaim(item.id, guest), 200).body, { success: true });
  assert.deepEqual([(await readItem()).quantityClaimed, (await readItem()).myClaim], [0, null]);
  expectProblem(await unclaim(item.id, guest), 404, 'claim_not_found');
  const { body: second } = expectStatus(await claim(item.id, guest, 5), 201);
  assert.notEqual(second.id, first.id);
  assert.equal((await readItem()).quantityClaimed, 5);
});

test('claim: 404 for an item that is unknown, malformed or of a hidden event', async () => {
  const { guest, event, item } = await createFixtures();
  const { item: hidden } = await createFixtures({ visibility: 'private' });
  for (const id of [
    `${unknown}.1`,
    `${event.id}.2`,
    `${event.id}.0`,
    `${event.id}.01`,
    `${event.id}.1e0`,
    `${event.id}.9999999999`,
    event.id,
    hidden.id,
    'nonsense',
    '1',
  ]) {
    expectProblem(await claim(id, guest, 1), 404, 'item_not_found');
    expectProblem(await unclaim(id, guest), 404, 'item_not_found');
  }
  assert.equal(expectStatus(await claim(item.id.toUpperCase(), guest, 1), 201).body.itemId, item.id);
});

// spec: 7 POST /v1/items/:id/claim: order of the errors of a claim
test('claim: errors have the precedence 401, 400, 404, 403, 409, 422', async () => {
  const { guest, event, item } = await createFixtures();
  const other = await createUser(api);
  const missing = `${event.id}.99`;
  // The request has every error at once; the errors are then fixed in the order of their precedence.
  expectProblem(await claim(missing, undefined, 0, switchedOff), 401, 'token_missing');
  expectProblem(
    await api.post(`/v1/items/${missing}/claim`, 'nonsense', { quantity: 0 }),
    401,
    'token_invalid',
  );
  expectProblem(await claim(missing, other, 0, switchedOff), 400, 'invalid_request');
  expectProblem(await claim(missing, other, 99, switchedOff), 404, 'item_not_found');
  // 403 precedes 409 and 422: the guest has a claim, the event is cancelled, the quantity is too high.
  expectStatus(await claim(item.id, guest, 2), 201);
  await change(event.id, { status: 'cancelled' });
  expectProblem(await claim(item.id, guest, 99, switchedOff), 403, 'claims_disabled');
  expectProblem(await claim(item.id, other, 99), 403, 'rsvp_required');
  await change(event.id, { enabledModules: [] });
  expectProblem(await claim(item.id, guest, 99), 403, 'module_disabled');
  await change(event.id, { enabledModules: ['bringList'] });
  // 409 precedes 422.
  expectProblem(await claim(item.id, guest, 99), 409, 'event_cancelled');
  await change(event.id, { status: 'scheduled' });
  expectProblem(await claim(item.id, guest, 99), 409, 'already_claimed');
  expectStatus(await unclaim(item.id, guest), 200);
  expectProblem(await claim(item.id, guest, 99), 422, 'quantity_unavailable');
});

test('claim: 404 on a private event before any other error; 201 for its organizer', async () => {
  const { guest, event, item } = await createFixtures();
  await change(event.id, { visibility: 'private' });
  expectProblem(await claim(item.id, guest, 99), 404, 'item_not_found');
  expectProblem(await claim(item.id, guest, 1, switchedOff), 404, 'item_not_found');
  await rsvpGoing(api, organizer, event.id);
  expectStatus(await claim(item.id, organizer, 1), 201);
});

// spec: 5 POST /v1/items/:id/claim: a flag switches claiming off
// spec: 7 POST /v1/items/:id/claim: 403 without an RSVP of `going`, or with the flag off
test('claim: 403 while the flag is off; removing a claim and reading items still work', async () => {
  const { guest, event, item } = await createFixtures();
  expectProblem(await claim(item.id, guest, 1, switchedOff), 403, 'claims_disabled');
  expectProblem(await claim(`${unknown}.1`, guest, 1, switchedOff), 404, 'item_not_found');
  expectStatus(await claim(item.id, guest, 1), 201);
  const path = `/v1/items/${item.id}/claim`;
  expectStatus(await switchedOff.get(`/v1/events/${event.id}/items`), 200);
  expectStatus(await switchedOff.delete(path, guest.token), 200);
});

// spec: 4.18 DELETE /v1/items/:id/claim: end a claim
test('unclaim: 401 without a token, 404 without a claim; 200 on a cancelled event and without an RSVP of going', async () => {
  const { guest, event, item, readItem } = await createFixtures();
  expectProblem(await unclaim(item.id, undefined), 401, 'token_missing');
  expectProblem(await unclaim(item.id, guest), 404, 'claim_not_found');
  expectProblem(await unclaim(item.id, organizer), 404, 'claim_not_found');
  expectStatus(await claim(item.id, guest, 3), 201);
  expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, guest.token, { status: null }), 200);
  assert.deepEqual([(await readItem()).quantityClaimed, (await readItem()).myClaim.quantity], [3, 3]);
  expectProblem(await claim(item.id, guest, 1), 403, 'rsvp_required');
  await change(event.id, { status: 'cancelled' });
  expectProblem(await unclaim(item.id, organizer), 404, 'claim_not_found');
  expectStatus(await unclaim(item.id, guest), 200);
  assert.equal((await readItem()).quantityClaimed, 0);
});

test('claim: 201 for items of both kinds; claims of other people and on other items are independent', async () => {
  const { guest, event, item } = await createFixtures();
  const other = await createUser(api);
  await rsvpGoing(api, other, event.id);
  const wish = await createItem(api, organizer, event.id, { kind: 'wish', quantityNeeded: 1 });
  expectStatus(await claim(item.id, guest, 1), 201);
  expectStatus(await claim(item.id, other, 4), 201);
  expectStatus(await claim(wish.id, guest, 1), 201);
  expectProblem(await claim(wish.id, other, 1), 422, 'quantity_unavailable');
  const { body } = await api.get(`/v1/events/${event.id}/items`, guest.token);
  const counts = body.data.map((each: { quantityClaimed: number; myClaim: { quantity: number } }) => [
    each.quantityClaimed,
    each.myClaim.quantity,
  ]);
  assert.deepEqual(counts, [
    [5, 1],
    [1, 1],
  ]);
  await assertCounters(api.sql);
});
