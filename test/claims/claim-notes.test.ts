/** The note of a claim: what exactly the person brings. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { connectionOf, untilBlockedBy } from '../support/blocked-transactions.ts';
import {
  createEvent,
  createItem,
  createUser,
  createUsers,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const switchedOff = await api.startAnother({ env: { FEATURE_CLAIMS: 'off' } });
const organizer = await createUser(api);

const path = (id: string) => `/v1/items/${id}/claim`;
const change = (id: string, person: Person, body: object, server: TestApp = api) =>
  server.patch(path(id), person.token, body);

/** A guest with a claim of 2 on an item with quantityNeeded 5. */
async function createFixtures(values: { note?: string | null } = { note: 'Lasagne, vegan' }) {
  const [guest, event] = [await createUser(api), await createEvent(api, organizer)];
  const { id } = await createItem(api, organizer, event.id, { quantityNeeded: 5 });
  await rsvpGoing(api, guest, event.id);
  const { body: claim } = expectStatus(
    await api.post(path(id), guest.token, { quantity: 2, ...values }),
    201,
  );
  const readItem = async (viewer: Person | null = guest) =>
    expectStatus(await second.get(`/v1/events/${event.id}/items`, viewer?.token), 200).body.data[0];
  return { guest, event, id, claim, readItem };
}
const changeEvent = async (id: string, fields: object) =>
  expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, fields), 200);

// spec: 2.7 POST /v1/items/:id/claim, PATCH /v1/items/:id/claim: `note`
test('note: 201 with the note in the claim, the item, the lists of claims and the claims of the person', async () => {
  const { guest, event, id, claim, readItem } = await createFixtures();
  assert.equal(claim.note, 'Lasagne, vegan');
  const { myClaim, claimsVersion } = await readItem();
  assert.deepEqual([myClaim, claimsVersion], [{ id: claim.id, quantity: 2, note: claim.note }, 1]);
  assert.equal((await readItem(organizer)).claims[0].note, claim.note);
  for (const list of [`/v1/items/${id}/claims`, `/v1/events/${event.id}/claims`])
    assert.equal((await second.get(list, organizer.token)).body.data[0].note, claim.note);
  assert.equal((await second.get('/v1/me/claims', guest.token)).body.data[0].note, claim.note);
});

test('note: absent everywhere if it is not set, or null', async () => {
  for (const values of [{ note: null }, {}]) {
    const { guest, event, claim, readItem } = await createFixtures(values);
    const bodies = [claim, (await readItem()).myClaim, (await readItem(organizer)).claims[0]];
    for (const list of [`/v1/events/${event.id}/claims`, '/v1/me/claims']) {
      const { token } = list.startsWith('/v1/me') ? guest : organizer;
      bodies.push((await api.get(list, token)).body.data[0]);
    }
    for (const body of bodies) assert.deepEqual([body.quantity, 'note' in body], [2, false]);
  }
});

// spec: 2.7 PATCH /v1/items/:id/claim: `note`
test('note: a change of the note, of the quantity or of both leaves the rest; null removes the note', async () => {
  const { guest, id, claim, readItem } = await createFixtures({});
  let [expected, version] = [claim, 1];
  for (const body of [
    { note: 'Lentils' },
    { quantity: 1 },
    { quantity: 4, note: 'Mint' },
    {},
    { note: null },
  ]) {
    const { note: _, ...changed } = { ...expected, ...body };
    const note = 'note' in body ? body.note : expected.note;
    expected = note ? { ...changed, note } : changed;
    assert.deepEqual(expectStatus(await change(id, guest, body), 200).body, expected);
    const { quantityClaimed, claimsVersion, myClaim } = await readItem();
    assert.deepEqual([quantityClaimed, myClaim.note], [expected.quantity, expected.note]);
    assert.equal(claimsVersion, ++version);
  }
  await assertCounters(api.sql);
});

test('note: 400 naming note when it is not one line of 1 to 140 visible characters; bidirectional controls are removed', async () => {
  const { guest, id, readItem } = await createFixtures({ note: 'Soup' });
  for (const note of ['', '  ', 'two\nlines', 'x'.repeat(141), 1, ['x'], '\u200b']) {
    const { body } = expectProblem(await change(id, guest, { note }), 400, 'invalid_request');
    assert.deepEqual(
      body.errors.map((error: { path: string }) => error.path),
      ['note'],
      `${note}`,
    );
  }
  assert.equal((await readItem()).myClaim.note, 'Soup');
  for (const [note, stored] of [
    ['🥘'.repeat(140), '🥘'.repeat(140)],
    ['\u202eSoup', 'Soup'],
  ]) {
    expectStatus(await change(id, guest, { note }), 200);
    assert.equal((await readItem()).myClaim.note, stored);
  }
});

test('note: setting it has the requirements of a new claim; removing it is always possible', async () => {
  const { guest, event, id, readItem } = await createFixtures();
  const expectOnlyRemoval = async (status: number, code: string, server: TestApp = api) => {
    for (const body of [{ note: 'Cake' }, { note: 'Cake', quantity: 1 }])
      expectProblem(await change(id, guest, body, server), status, code);
    assert.equal((await readItem(guest)).myClaim.note, 'Lasagne, vegan');
    expectStatus(await change(id, guest, { note: null }, server), 200);
    await api.sql`update claims set note = 'Lasagne, vegan' where event_id = ${event.id}`;
  };
  await expectOnlyRemoval(403, 'claims_disabled', switchedOff);
  expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, guest.token, { status: null }), 200);
  await expectOnlyRemoval(403, 'rsvp_required');
  await rsvpGoing(api, guest, event.id);
  await changeEvent(event.id, { enabledModules: ['wishList'] });
  await expectOnlyRemoval(403, 'module_disabled');
  await changeEvent(event.id, { enabledModules: ['bringList'], status: 'cancelled' });
  await expectOnlyRemoval(409, 'event_cancelled');
  await changeEvent(event.id, { visibility: 'private' });
  expectProblem(await change(id, guest, { note: 'Cake' }), 404, 'item_not_found');
  const { body } = expectStatus(await change(id, guest, { note: null }), 200);
  assert.ok(!('note' in body));
  expectProblem(await change(id, await createUser(api), { note: 'Cake' }), 404, 'item_not_found');
});

test('note: 422 for a quantity above what is left also with a note, and neither changes', async () => {
  const { guest, id, readItem } = await createFixtures();
  expectProblem(await change(id, guest, { quantity: 6, note: 'Cake' }), 422, 'quantity_unavailable');
  const { quantity, note } = (await readItem()).myClaim;
  assert.deepEqual([quantity, note], [2, 'Lasagne, vegan']);
});

// spec: 2.6 GET /v1/events/:id/items: `claims`: who brings the item
test('note: hidden from those from whom the claimant is hidden, and gone with the claim', async () => {
  const { guest, event, id, readItem } = await createFixtures();
  const stranger = await createUser(api);
  const sees = async (viewer: Person | null) => JSON.stringify(await readItem(viewer)).includes('Lasagne');
  const seen = async () => [await sees(organizer), await sees(guest), await sees(stranger), await sees(null)];
  assert.deepEqual(await seen(), [true, true, false, false]);
  await changeEvent(event.id, { claimantVisibility: 'everyone' });
  assert.deepEqual(await seen(), [true, true, true, true]);
  const hidden = { status: 'going', isHidden: true };
  expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, guest.token, hidden), 200);
  assert.deepEqual(await seen(), [true, true, false, false]);
  await rsvpGoing(api, guest, event.id);
  expectStatus(await api.post(`/v1/users/${stranger.id}/block`, guest.token), 200);
  assert.deepEqual(await sees(stranger), false);
  expectStatus(await api.delete(path(id), guest.token), 200);
  assert.deepEqual(await seen(), [false, false, false, false]);
});

test('note: a repeated request with a key gets the first claim; another note is another request', async () => {
  const { event, id, claim } = await createFixtures();
  const person = await createUser(api);
  await rsvpGoing(api, person, event.id);
  const headers = { 'idempotency-key': randomUUID() };
  const post = (note: string, server: TestApp) =>
    server.call('POST', path(id), { token: person.token, headers, body: { quantity: 1, note } });
  const { body: first } = expectStatus(await post('Soup', api), 201);
  assert.equal(first.note, 'Soup');
  expectStatus(await change(id, person, { note: 'Cake' }), 200);
  assert.deepEqual(expectStatus(await post('Soup', second), 201).body, first);
  expectProblem(await post('Salad', second), 422, 'idempotency_key_reused');
  assert.notEqual(first.id, claim.id);
});

test('note: changes of the note and of the quantity at the same time on two servers both hold', async () => {
  const { guest, event, id, readItem } = await createFixtures();
  const others = await createUsers(api, 2);
  for (const other of others) await rsvpGoing(api, other, event.id);
  const waiting = await api.sql.begin(async (tx) => {
    await tx`select 1 from item_stock where event_id = ${event.id} for update`;
    const pid = await connectionOf(tx);
    const requests = [change(id, guest, { note: 'Cake' }), change(id, guest, { quantity: 3 }, second)];
    await untilBlockedBy(api.sql, pid, Promise.race(requests));
    for (const [i, other] of others.entries())
      requests.push(api.post(path(id), other.token, { quantity: 1, note: `Soup ${i}` }));
    return { requests };
  });
  const statuses = (await Promise.all(waiting.requests)).map(({ status }) => status);
  assert.deepEqual(statuses, [200, 200, 201, 201]);
  const { quantityClaimed, myClaim } = await readItem();
  assert.deepEqual([quantityClaimed, myClaim.quantity, myClaim.note], [5, 3, 'Cake']);
  const { body } = await api.get(`/v1/items/${id}/claims`, organizer.token);
  assert.deepEqual(body.data.map(({ note }: { note: string }) => note).sort(), ['Cake', 'Soup 0', 'Soup 1']);
  await assertCounters(api.sql);
});
