import assert from 'node:assert/strict';
import test from 'node:test';
import { expectProblem, expectStatus, testApp } from './setup.ts';
import { anEvent, anItem, aUser, going } from './world.ts';

const api = await testApp();

test('claim: 201 with the claim, and the item shows it', async () => {
  const organizer = await aUser(api);
  const guest = await aUser(api);
  const event = await anEvent(api, organizer);
  const item = await anItem(api, organizer, event.id);
  await going(api, guest, event.id);
  const { body } = expectStatus(
    await api.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 2 }),
    201,
  );
  assert.deepEqual([body.itemId, body.userId, body.quantity], [item.id, guest.id, 2]);
  expectProblem(
    await api.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 1 }),
    409,
    'already_claimed',
  );
});
