/**
 * PATCH /v1/items/:id/claim: a lower quantity is always allowed, a higher one has the requirements of a new
 * claim.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createEvent, createItem, createUser, type Person, rsvpGoing } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const switchedOff = await api.startAnother({ env: { FEATURE_CLAIMS: 'off' } });
const organizer = await createUser(api);

const change = (id: string, person: Person | undefined, quantity: unknown, server: TestApp = api) =>
  server.patch(`/v1/items/${id}/claim`, person?.token, { quantity });

/** A guest with a claim of 2 on an item with quantityNeeded 5. */
async function createFixtures(overrides: Record<string, unknown> = {}) {
  const [guest, event] = [await createUser(api), await createEvent(api, organizer, overrides)];
  const { id } = await createItem(api, organizer, event.id, { quantityNeeded: 5 });
  await rsvpGoing(api, guest, event.id);
  const { body: claim } = expectStatus(
    await api.post(`/v1/items/${id}/claim`, guest.token, { quantity: 2 }),
    201,
  );
  const readItem = async (person = guest) =>
    expectStatus(await api.get(`/v1/events/${event.id}/items`, person.token), 200).body.data[0];
  return { guest, event, id, claim, readItem };
}
const changeEvent = async (id: string, fields: Record<string, unknown>) =>
  expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, fields), 200);

// spec: 2.7 PATCH /v1/items/:id/claim: changing the quantity of a claim
test('change of a claim: 200 with the same claim and the new quantity, higher, lower or equal', async () => {
  const { guest, id, claim, readItem } = await createFixtures();
  for (const quantity of [3, 1, 1, 5]) {
    assert.deepEqual(expectStatus(await change(id, guest, quantity), 200).body, { ...claim, quantity });
    const { quantityClaimed, myClaim } = await readItem();
    assert.deepEqual([quantityClaimed, myClaim], [quantity, { id: claim.id, quantity }]);
  }
  await assertCounters(api.sql);
});

test('change of a claim: 400 naming quantity when it is below 1 or not an integer', async () => {
  const { guest, id, readItem } = await createFixtures();
  for (const quantity of [0, -1, 1.5, '1', true, null, [1]]) {
    const { body } = expectProblem(await change(id, guest, quantity), 400, 'invalid_request');
    const paths = body.errors.map((error: { path: string }) => error.path);
    assert.deepEqual(paths, ['quantity'], `${quantity}`);
  }
  const { body } = expectProblem(
    await api.patch(`/v1/items/${id}/claim`, guest.token, { quantity: 1, notes: 'x' }),
    400,
    'invalid_request',
  );
  assert.equal(body.errors[0].path, 'notes');
  assert.equal((await readItem()).quantityClaimed, 2);
});

// spec: 2.7 PATCH /v1/items/:id/claim: changing the quantity of a claim
test('change of a claim: 422 when the added quantity is above what is left, and the claim does not change', async () => {
  const { guest, event, id, readItem } = await createFixtures();
  const other = await createUser(api);
  await rsvpGoing(api, other, event.id);
  expectStatus(await api.post(`/v1/items/${id}/claim`, other.token, { quantity: 2 }), 201);
  for (const quantity of [4, 5, 10_001, 2 ** 31, 1e18, 1e300]) {
    const { body } = expectProblem(await change(id, guest, quantity), 422, 'quantity_unavailable');
    assert.match(body.detail, /Only 1 is left/);
    assert.deepEqual(body.errors, [{ path: 'quantity', rule: 'maximum', limit: 3, message: 'is above 3' }]);
  }
  assert.deepEqual([(await readItem()).quantityClaimed, (await readItem()).myClaim.quantity], [4, 2]);
  expectStatus(await change(id, guest, 3), 200);
  expectProblem(await change(id, other, 3), 422, 'quantity_unavailable');
  await assertCounters(api.sql);
});

test('change of a claim: 404 without a claim, and for items that are unknown or hidden', async () => {
  const { event, id } = await createFixtures();
  const other = await createUser(api);
  expectProblem(await change(id, other, 1), 404, 'claim_not_found');
  await rsvpGoing(api, other, event.id);
  expectProblem(await change(id, other, 1), 404, 'claim_not_found');
  for (const unknown of [`${event.id}.99`, event.id, 'nonsense'])
    expectProblem(await change(unknown, other, 1), 404, 'item_not_found');
  await changeEvent(event.id, { visibility: 'private' });
  expectProblem(await change(id, other, 1), 404, 'item_not_found');
});

test('change of a claim: a lower quantity works without RSVP, disabled, cancelled and hidden; a higher one is an error', async () => {
  const { guest, event, id, readItem } = await createFixtures();
  expectStatus(await change(id, guest, 5), 200);
  const expectIncreaseRefused = async (status: number, code: string, server: TestApp = api) => {
    const { quantity } = (await readItem(guest)).myClaim;
    expectProblem(await change(id, guest, quantity + 1, server), status, code);
    expectStatus(await change(id, guest, quantity, server), 200);
    expectStatus(await change(id, guest, quantity - 1, server), 200);
  };
  await expectIncreaseRefused(403, 'claims_disabled', switchedOff);
  expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, guest.token, { status: 'interested' }), 200);
  await expectIncreaseRefused(403, 'rsvp_required');
  await rsvpGoing(api, guest, event.id);
  await changeEvent(event.id, { enabledModules: ['wishList'] });
  await expectIncreaseRefused(403, 'module_disabled');
  await changeEvent(event.id, { enabledModules: ['bringList'], status: 'cancelled' });
  await expectIncreaseRefused(409, 'event_cancelled');
  await changeEvent(event.id, { visibility: 'private' });
  expectProblem(await change(id, guest, 2), 404, 'item_not_found');
  assert.equal(expectStatus(await change(id, guest, 1), 200).body.quantity, 1);
  await assertCounters(api.sql);
});

// spec: 2.7 PATCH /v1/items/:id/claim: changing the quantity of a claim
test('change of a claim: errors have the precedence 401, 400, 404, 403, 409, 422', async () => {
  const { guest, event, id } = await createFixtures();
  const missing = `${event.id}.99`;
  expectProblem(await change(missing, undefined, 0, switchedOff), 401, 'token_missing');
  expectProblem(
    await api.patch(`/v1/items/${missing}/claim`, 'nonsense', { quantity: 0 }),
    401,
    'token_invalid',
  );
  expectProblem(await change(missing, guest, 0, switchedOff), 400, 'invalid_request');
  expectProblem(await change(missing, guest, 99, switchedOff), 404, 'item_not_found');
  await changeEvent(event.id, { status: 'cancelled' });
  expectProblem(await change(id, await createUser(api), 99, switchedOff), 404, 'claim_not_found');
  expectProblem(await change(id, guest, 99, switchedOff), 403, 'claims_disabled');
  expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, guest.token, { status: null }), 200);
  expectProblem(await change(id, guest, 99), 403, 'rsvp_required');
  await changeEvent(event.id, { status: 'scheduled' });
  await rsvpGoing(api, guest, event.id);
  await changeEvent(event.id, { status: 'cancelled' });
  expectProblem(await change(id, guest, 99), 409, 'event_cancelled');
  await changeEvent(event.id, { status: 'scheduled' });
  expectProblem(await change(id, guest, 99), 422, 'quantity_unavailable');
});

test('change of a claim: 409 for a second claim, with a detail that names PATCH', async () => {
  const { guest, id } = await createFixtures();
  const { body } = expectProblem(
    await api.post(`/v1/items/${id}/claim`, guest.token, { quantity: 1 }),
    409,
    'already_claimed',
  );
  assert.match(body.detail, /PATCH/);
});
