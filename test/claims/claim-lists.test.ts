/** The organizer's lists of claims, of an item and of an event. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  deleteAccount,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);
const guests = await createUsers(api, 7);
const event = await createEvent(api, organizer);
const bread = await createItem(api, organizer, event.id, { quantityNeeded: 100 });
const wine = await createItem(api, organizer, event.id, { kind: 'wish', quantityNeeded: 100 });
for (const guest of guests) await rsvpGoing(api, guest, event.id);

const claim = async (item: { id: string }, person: Person, quantity: number) =>
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, person.token, { quantity }), 201).body;
/** Creates a claim for each guest, in an order that differs from that of the guests' ids. */
async function claimAll(item: { id: string }) {
  const claims: (Awaited<ReturnType<typeof claim>> & { id: string })[] = [];
  for (const [i, guest] of guests.toReversed().entries()) claims.push(await claim(item, guest, i + 1));
  return claims;
}
const claimsByItem = { bread: await claimAll(bread), wine: await claimAll(wine) };
const breadClaimsPath = `/v1/items/${bread.id}/claims`;
const eventClaimsPath = `/v1/events/${event.id}/claims`;
const get = async (path: string, query = '', person = organizer) =>
  expectStatus(await second.get(`${path}${query}`, person.token), 200).body;
const ids = (list: { id: string }[] = []) => list.map(({ id }) => id);

// spec: 2.7 GET /v1/items/:id/claims: list of the claims on an item
test('claims of an item: 200 with each person and quantity, in the order of the claims', async () => {
  const { data, nextCursor } = await get(breadClaimsPath);
  assert.equal(nextCursor, null);
  assert.deepEqual(ids(data), ids(claimsByItem.bread));
  const [first] = data;
  const [person] = guests.toReversed();
  assert.ok(person);
  const { body: profile } = await api.get(`/v1/users/${person.id}`);
  const { id, name, username, avatar } = profile;
  const { userId: _, ...expected } = claimsByItem.bread[0];
  assert.deepEqual(first, { ...expected, user: { id, name, username, avatar, hasAccount: true } });
});

// spec: 2.7 GET /v1/events/:id/claims: list of the claims on an event
test('claims of an event: 200 ordered by item, then by claim', async () => {
  const { data } = await get(eventClaimsPath);
  assert.deepEqual(ids(data), [...ids(claimsByItem.bread), ...ids(claimsByItem.wine)]);
});

// spec: 2.7 GET /v1/items/:id/claims: list of the claims on an item
test('claims: pages of any size contain each claim once, and the last page has no cursor', async () => {
  for (const path of [breadClaimsPath, eventClaimsPath]) {
    const expectedIds = ids((await get(path)).data);
    for (const limit of [1, 3, 7, expectedIds.length, 50]) {
      const listedIds: string[] = [];
      let cursor: string | null = '';
      for (let pages = 0; cursor !== null; pages++) {
        const page = await get(path, `?limit=${limit}${cursor && `&cursor=${cursor}`}`);
        assert.ok(page.data.length <= limit && pages <= expectedIds.length);
        listedIds.push(...ids(page.data));
        cursor = page.nextCursor;
      }
      assert.deepEqual(listedIds, expectedIds);
    }
  }
});

test('claims: 20 by default, limit from 1 to 50; 400 naming limit or cursor', async () => {
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 100 });
  const people = await createUsers(api, 21);
  await Promise.all(people.map((person) => rsvpGoing(api, person, event.id)));
  await Promise.all(people.map((person) => claim(item, person, 1)));
  assert.equal((await get(`/v1/items/${item.id}/claims`)).data.length, 20);
  assert.equal((await get(`/v1/items/${item.id}/claims`, '?limit=50')).data.length, 21);
  const cursors = [
    'x',
    '',
    '%20',
    'W10',
    'bnVsbA',
    'WzEsMl0',
    `${(await get(breadClaimsPath, '?limit=1')).nextCursor}x`,
  ];
  const bad = [
    ...['0', '51', '1.5', 'x'].map((limit) => ['limit', limit]),
    ...cursors.map((cursor) => ['cursor', cursor]),
  ];
  for (const [name, value] of bad) {
    for (const path of [breadClaimsPath, eventClaimsPath]) {
      const response = await api.get(`${path}?${name}=${value}`, organizer.token);
      const { body } = expectProblem(response, 400, 'invalid_request');
      assert.deepEqual(
        body.errors.map((error: { path: string }) => error.path),
        [name],
        `${name}=${value}`,
      );
    }
  }
});

// spec: 2.7 GET /v1/events/:id/claims: list of the claims on an event
test('claims: 200 for admins, 403 for guests and strangers, 401 without a token, 404 for unknown or hidden events', async () => {
  const [guest] = guests;
  assert.ok(guest);
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  const hidden = await createItem(api, organizer, draft.id);
  const admin = await createAdmin(api);
  for (const path of [breadClaimsPath, eventClaimsPath]) {
    expectStatus(await api.get(path, admin.token), 200);
    expectProblem(await api.get(path), 401, 'token_missing');
    for (const { token } of [guest, await createUser(api)])
      expectProblem(await api.get(path, token), 403, 'not_organizer');
  }
  assert.deepEqual(await get(`/v1/items/${hidden.id}/claims`), { data: [], nextCursor: null });
  expectProblem(await api.get(`/v1/items/${hidden.id}/claims`, guest.token), 404, 'item_not_found');
  expectProblem(await api.get(`/v1/events/${draft.id}/claims`, guest.token), 404, 'event_not_found');
  for (const id of [`${event.id}.99`, event.id, 'nonsense'])
    expectProblem(await api.get(`/v1/items/${id}/claims`, organizer.token), 404, 'item_not_found');
  for (const id of [bread.id, organizer.id, 'nonsense'])
    expectProblem(await api.get(`/v1/events/${id}/claims`, organizer.token), 404, 'event_not_found');
});

test('claims: changes, removals and account deletions are visible at once on the other server', async () => {
  const [first, next] = guests.toReversed();
  const [last] = guests;
  assert.ok(first && next && last);
  expectStatus(await api.patch(`/v1/items/${bread.id}/claim`, first.token, { quantity: 40 }), 200);
  expectStatus(await api.patch('/v1/me', first.token, { name: 'Quite Hungry' }), 200);
  expectStatus(await api.delete(`/v1/items/${bread.id}/claim`, next.token), 200);
  expectStatus(await deleteAccount(api, last), 200);
  const { data } = await get(breadClaimsPath);
  assert.deepEqual(ids(data), ids(claimsByItem.bread.toSpliced(1, 1).slice(0, -1)));
  assert.deepEqual([data[0].quantity, data[0].user.name], [40, 'Quite Hungry']);
  assert.ok(!JSON.stringify(await get(eventClaimsPath)).includes(last.id));
});
