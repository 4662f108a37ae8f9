/** Claims on items that are used up, which a read refuses before the locks of a transaction. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createEvent, createItem, createUser, type Person, rsvpGoing } from '../support/factories.ts';
import { type ApiResponse, expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const other = await api.startAnother();
const organizer = await createUser(api);

const claim = (id: string, { token }: Person, key?: string): Promise<ApiResponse> =>
  api.call('POST', `/v1/items/${id}/claim`, {
    token,
    body: { quantity: 1 },
    ...(key && { headers: { 'idempotency-key': key } }),
  });

/** An item of which one was needed, who claimed it with which key, and a guest whose claim was refused. */
async function createUsedUpItem() {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 1 });
  const [claimant, guest] = [await createUser(api), await createUser(api)];
  for (const person of [claimant, guest]) await rsvpGoing(api, person, event.id);
  const key = `first-${item.id}`;
  const { body } = expectStatus(await claim(item.id, claimant, key), 201);
  expectProblem(await claim(item.id, guest), 422, 'quantity_unavailable');
  return { event, item, claimant, guest, key, claimId: body.id };
}

test('claim: 422 for each claim on a used-up item, and 201 after another server has taken a claim back', async () => {
  const { item, claimant, guest } = await createUsedUpItem();
  const refused = expectProblem(await claim(item.id, guest), 422, 'quantity_unavailable');
  assert.equal(refused.body.detail, 'None is left.');
  expectStatus(await other.delete(`/v1/items/${item.id}/claim`, claimant.token), 200);
  expectStatus(await claim(item.id, guest), 201);
});

test('claim: a used-up item has the refusals of any other item', async () => {
  const { event, item, claimant, guest } = await createUsedUpItem();
  expectProblem(await claim(item.id, claimant), 409, 'already_claimed');
  expectProblem(await claim(item.id, await createUser(api)), 403, 'rsvp_required');
  expectStatus(await other.delete(`/v1/items/${item.id}`, organizer.token), 200);
  expectProblem(await claim(item.id, guest), 404, 'item_not_found');
  expectStatus(await other.delete(`/v1/events/${event.id}`, organizer.token), 200);
  expectProblem(await claim(item.id, guest), 404, 'item_not_found');
});

test('claim: 401 on a used-up item after another server has ended the session', async () => {
  const { item, guest } = await createUsedUpItem();
  expectStatus(await other.post('/v1/auth/logout', guest.token), 200);
  expectProblem(await claim(item.id, guest), 401, 'token_invalid');
});

test('claim: a repeated request with an idempotency key gets its 201 also when the item is used up', async () => {
  const { item, claimant, key, claimId } = await createUsedUpItem();
  expectProblem(await claim(item.id, claimant), 409, 'already_claimed');
  assert.equal(expectStatus(await claim(item.id, claimant, key), 201).body.id, claimId);
});
