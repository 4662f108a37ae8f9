/** Who brings what: the organizer's lists of claims, of an item and of a whole event. */
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
} from './factories.ts';
import { expectProblem, expectStatus, startTestApp } from './setup.ts';

const api = await startTestApp();
const second = await api.another();
const organizer = await createUser(api);
const guests = await createUsers(api, 7);
const event = await createEvent(api, organizer);
const bread = await createItem(api, organizer, event.id, { quantityNeeded: 100 });
const wine = await createItem(api, organizer, event.id, { kind: 'wish', quantityNeeded: 100 });
for (const guest of guests) await rsvpGoing(api, guest, event.id);

const claim = async (item: { id: string }, person: Person, quantity: number) =>
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, person.token, { quantity }), 201).body;
/** In the order in which they were made, which is not that of the people's ids. */
async function claimAll(item: { id: string }) {
  const claims: (Awaited<ReturnType<typeof claim>> & { id: string })[] = [];
  for (const [i, guest] of guests.toReversed().entries()) claims.push(await claim(item, guest, i + 1));
  return claims;
}
const ofBoth = { bread: await claimAll(bread), wine: await claimAll(wine) };
const ofBread = `/v1/items/${bread.id}/claims`;
const ofEvent = `/v1/events/${event.id}/claims`;
const get = async (path: string, query = '', person = organizer) =>
  expectStatus(await second.get(`${path}${query}`, person.token), 200).body;
const ids = (list: { id: string }[] = []) => list.map(({ id }) => id);

// spec: 2.7 GET /v1/items/:id/claims: list of the claims on an item
test('claims of an item: 200 with who brings how many, in the order of claiming', async () => {
  const { data, nextCursor } = await get(ofBread);
  assert.equal(nextCursor, null);
  assert.deepEqual(ids(data), ids(ofBoth.bread));
  const [first] = data;
  const [person] = guests.toReversed();
  assert.ok(person);
  const { body: profile } = await api.get(`/v1/users/${person.id}`);
  const { id, name, username, avatar } = profile;
  const { userId: _, ...expected } = ofBoth.bread[0];
  assert.deepEqual(first, { ...expected, user: { id, name, username, avatar } });
});

// spec: 2.7 GET /v1/events/:id/claims: list of the claims on an event
test('claims of an event: every item after the other, each in the order of claiming', async () => {
  const { data } = await get(ofEvent);
  assert.deepEqual(ids(data), [...ids(ofBoth.bread), ...ids(ofBoth.wine)]);
});

// spec: 2.7 GET /v1/items/:id/claims: list of the claims on an item
test('claims: pages of any size add up to the whole, each once, and the last has no cursor', async () => {
  for (const path of [ofBread, ofEvent]) {
    const all = ids((await get(path)).data);
    for (const limit of [1, 3, 7, all.length, 50]) {
      const seen: string[] = [];
      let cursor: string | null = '';
      for (let pages = 0; cursor !== null; pages++) {
        const page = await get(path, `?limit=${limit}${cursor && `&cursor=${cursor}`}`);
        assert.ok(page.data.length <= limit && pages <= all.length);
        seen.push(...ids(page.data));
        cursor = page.nextCursor;
      }
      assert.deepEqual(seen, all);
    }
  }
});

test('claims: limit is 1 to 50 and 20 unless said otherwise; 400 naming limit or cursor', async () => {
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 100 });
  const many = await createUsers(api, 21);
  await Promise.all(many.map((person) => rsvpGoing(api, person, event.id)));
  await Promise.all(many.map((person) => claim(item, person, 1)));
  assert.equal((await get(`/v1/items/${item.id}/claims`)).data.length, 20);
  assert.equal((await get(`/v1/items/${item.id}/claims`, '?limit=50')).data.length, 21);
  const cursors = [
    'x',
    '',
    '%20',
    'W10',
    'bnVsbA',
    'WzEsMl0',
    `${(await get(ofBread, '?limit=1')).nextCursor}x`,
  ];
  const bad = [
    ...['0', '51', '1.5', 'x'].map((limit) => ['limit', limit]),
    ...cursors.map((cursor) => ['cursor', cursor]),
  ];
  for (const [name, value] of bad) {
    for (const path of [ofBread, ofEvent]) {
      const answer = await api.get(`${path}?${name}=${value}`, organizer.token);
      const { body } = expectProblem(answer, 400, 'invalid_request');
      assert.deepEqual(
        body.errors.map((error: { path: string }) => error.path),
        [name],
        `${name}=${value}`,
      );
    }
  }
});

// spec: 2.7 GET /v1/events/:id/claims: list of the claims on an event
test('claims: 200 for admins, 403 for guests and strangers, 401 without a token, 404 for what is unknown or hidden', async () => {
  const [guest] = guests;
  assert.ok(guest);
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  const hidden = await createItem(api, organizer, draft.id);
  const admin = await createAdmin(api);
  for (const path of [ofBread, ofEvent]) {
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

test('claims: a change, a return and the end of an account show at once on the other server', async () => {
  const [first, next] = guests.toReversed();
  const [last] = guests;
  assert.ok(first && next && last);
  expectStatus(await api.patch(`/v1/items/${bread.id}/claim`, first.token, { quantity: 40 }), 200);
  expectStatus(await api.patch('/v1/me', first.token, { name: 'Quite Hungry' }), 200);
  expectStatus(await api.delete(`/v1/items/${bread.id}/claim`, next.token), 200);
  expectStatus(await deleteAccount(api, last), 200);
  const { data } = await get(ofBread);
  assert.deepEqual(ids(data), ids(ofBoth.bread.toSpliced(1, 1).slice(0, -1)));
  assert.deepEqual([data[0].quantity, data[0].user.name], [40, 'Quite Hungry']);
  assert.ok(!JSON.stringify(await get(ofEvent)).includes(last.id));
});
