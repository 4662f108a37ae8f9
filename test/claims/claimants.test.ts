/** Who brings what: `claims` of the items of an event. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { audiences } from '../../src/modules/events/audience.ts';
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
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);
const admin = await createAdmin(api);

type Claimant = { name: string; avatar: string; quantity: number };
type ListedItem = { id: string; quantityClaimed: number; myClaim?: unknown; claims?: Claimant[] };

/** Reads the items on the other server than the one that the tests write to. */
const readItems = async (event: string, viewer: Person | null, query = ''): Promise<ListedItem[]> =>
  expectStatus(await second.get(`/v1/events/${event}/items${query}`, viewer?.token), 200).body.data;
/** The names and quantities of the claimants of the first item; undefined without `claims`. */
const claimantsFor = async (event: string, viewer: Person | null) =>
  (await readItems(event, viewer))[0]?.claims?.map(({ name, quantity }) => `${name} ${quantity}`).sort();

const claim = async (item: { id: string }, person: Person, quantity: number) =>
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, person.token, { quantity }), 201);
const rsvp = async (event: string, person: Person, body: object) =>
  expectStatus(await api.post(`/v1/events/${event}/rsvp`, person.token, { status: 'going', ...body }), 200);

async function createClaimedItem(overrides: object, claimants: Person[]) {
  const event = await createEvent(api, organizer, { ...overrides });
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 1_000 });
  for (const [i, person] of claimants.entries()) {
    await rsvpGoing(api, person, event.id);
    await claim(item, person, i + 1);
  }
  return { event: event.id as string, item };
}

// spec: 2.6 GET /v1/events/:id/items: `claims`: who brings the item
test('claimants: 200 with name, avatar and quantity for each item; the filter and myClaim stay as they are', async () => {
  const [a, b] = [await createUser(api, { name: 'Ada' }), await createUser(api, { name: 'Ben' })];
  const { event, item } = await createClaimedItem({ claimantVisibility: 'everyone' }, [a, b]);
  const wish = await createItem(api, organizer, event, { kind: 'wish' });
  const [first, last] = await readItems(event, a);
  assert.deepEqual(first?.claims, [
    { name: 'Ada', avatar: `http://127.0.0.1:0/v1/users/${a.id}/avatar.svg`, quantity: 1 },
    { name: 'Ben', avatar: `http://127.0.0.1:0/v1/users/${b.id}/avatar.svg`, quantity: 2 },
  ]);
  assert.deepEqual([first?.id, first?.quantityClaimed, typeof first?.myClaim], [item.id, 3, 'object']);
  assert.deepEqual([last?.id, last?.myClaim, last?.claims], [wish.id, null, []]);
  const anonymous = await readItems(event, null, '?kind=wish');
  assert.deepEqual(
    anonymous.map(({ id, claims }) => [id, claims]),
    [[wish.id, []]],
  );
  assert.ok(!('myClaim' in (anonymous[0] ?? {})));
});

// spec: 2.4 PATCH /v1/events/:id: `claimantVisibility`: who may see who brings what
test('claimants: present or absent by claimantVisibility, at once on the other server', async () => {
  const [stranger, claimant, interested] = (await createUsers(api, 3)) as [Person, Person, Person];
  const { event } = await createClaimedItem({}, [claimant]);
  await rsvp(event, interested, { status: 'interested' });
  const readers = {
    organizer: [organizer, admin],
    guests: [claimant, interested],
    everyone: [stranger, null],
  };
  for (const visibility of [undefined, ...audiences, ...audiences.toReversed()]) {
    const changed = { claimantVisibility: visibility };
    if (visibility) expectStatus(await api.patch(`/v1/events/${event}`, organizer.token, changed), 200);
    for (const [i, audience] of audiences.entries()) {
      const isIncluded = i <= audiences.indexOf(visibility ?? 'organizer');
      for (const person of readers[audience])
        assert.equal(
          (await claimantsFor(event, person))?.length,
          isIncluded ? 1 : undefined,
          `${visibility}`,
        );
    }
  }
});

// spec: 2.6 GET /v1/events/:id/items: `claims`: who brings the item
test('claimants: every acknowledged change is in the next list of every server', async () => {
  const person = await createUser(api, { name: 'Ada' });
  const { event, item } = await createClaimedItem({ claimantVisibility: 'everyone' }, [person]);
  const path = `/v1/items/${item.id}/claim`;
  const expectShown = async (expected: string[]) => {
    const lists = await Promise.all([null, null, organizer, person].map((by) => claimantsFor(event, by)));
    for (const list of lists) assert.deepEqual(list, expected);
  };
  await expectShown(['Ada 1']);
  expectStatus(await api.patch(path, person.token, { quantity: 7 }), 200);
  await expectShown(['Ada 7']);
  const changed = await api.patch(`/v1/items/${item.id}`, organizer.token, { title: 'Rye bread' });
  assert.deepEqual(expectStatus(changed, 200).body, (await readItems(event, organizer))[0]);
  expectStatus(await api.patch('/v1/me', person.token, { name: 'Ada L' }), 200);
  await expectShown(['Ada L 7']);
  expectStatus(await api.delete(path, person.token), 200);
  await expectShown([]);
  await claim(item, person, 2);
  await expectShown(['Ada L 2']);
  expectStatus(await deleteAccount(api, person), 200);
  for (const by of [null, organizer]) assert.deepEqual(await claimantsFor(event, by), []);
});

// spec: 2.6 GET /v1/events/:id/items: `claims`: who brings the item
test('claimants: shown also after 20 hidden ones', async () => {
  const people = (await createUsers(api, 22)).sort((a, b) => (a.id < b.id ? -1 : 1));
  const { event } = await createClaimedItem({ claimantVisibility: 'everyone' }, people);
  await Promise.all(people.slice(0, 20).map((person) => rsvp(event, person, { isHidden: true })));
  const [item] = await readItems(event, null);
  assert.deepEqual(
    item?.claims?.map(({ quantity }) => quantity).sort(),
    people.slice(20).map((person) => people.indexOf(person) + 1),
  );
});

// spec: 3 POST /v1/users/:id/block: a block leaves the two people out of each other's guest lists
test('claimants: blocked, private, hidden, suspended people and people without an RSVP are left out; the organizer sees all but suspended ones', async () => {
  const names = ['viewer', 'blocker', 'blocked', 'friend', 'private', 'hidden', 'gone', 'suspended'];
  const people = await Promise.all(names.map((name) => createUser(api, { name })));
  const [viewer, blocker, blocked, friend, secret, hidden, gone, suspended] = people as [
    Person,
    Person,
    Person,
    Person,
    Person,
    Person,
    Person,
    Person,
  ];
  const { event } = await createClaimedItem({ claimantVisibility: 'everyone' }, people);
  const relate = async (from: Person, action: string, to: Person) =>
    expectStatus(await api.post(`/v1/users/${to.id}/${action}`, from.token), 200);
  await relate(blocker, 'block', viewer);
  await relate(viewer, 'block', blocked);
  await relate(organizer, 'block', blocked);
  await relate(friend, 'follow', viewer);
  for (const person of [friend, secret])
    expectStatus(await api.patch('/v1/me', person.token, { isPrivate: true }), 200);
  await rsvp(event, hidden, { isHidden: true });
  await rsvp(event, gone, { isHidden: true });
  await rsvp(event, gone, { status: null });
  expectStatus(await api.post(`/v1/admin/users/${suspended.id}/suspend`, admin.token, {}), 200);
  assert.deepEqual(await claimantsFor(event, viewer), ['friend 4', 'viewer 1']);
  assert.deepEqual(await claimantsFor(event, secret), ['blocked 3', 'blocker 2', 'private 5', 'viewer 1']);
  assert.deepEqual(await claimantsFor(event, null), ['blocked 3', 'blocker 2', 'viewer 1']);
  for (const person of [organizer, admin]) {
    const all = ['blocked 3', 'blocker 2', 'friend 4', 'gone 7', 'hidden 6', 'private 5', 'viewer 1'];
    assert.deepEqual(await claimantsFor(event, person), all);
  }
});

test('claimants: at most 10 for each item', async () => {
  const people = await createUsers(api, 12);
  const { event } = await createClaimedItem({ claimantVisibility: 'everyone' }, people);
  const firstNames = new Set(
    people
      .map(({ id }) => id)
      .sort()
      .slice(0, 10),
  );
  for (const person of [null, organizer]) {
    const claims = (await readItems(event, person))[0]?.claims ?? [];
    assert.deepEqual(new Set(claims.map(({ avatar }) => avatar.split('/').at(-2))), firstNames);
    assert.equal(claims.length, 10);
  }
});
