/** The guest list of an event: who may read it, and whom it shows. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { audiences } from '../../src/modules/events/audience.ts';
import { startBothModes } from '../support/both-modes.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  deleteAccount,
  type Person,
} from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);
const admin = await createAdmin(api);

type GuestPage = { data: { user: { id: string } }[]; nextCursor: string | null };
const rsvp = async (id: string, person: Person, body: object) =>
  expectStatus(await api.post(`/v1/events/${id}/rsvp`, person.token, { status: 'going', ...body }), 200);
const change = async (id: string, body: object) =>
  expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, body), 200);
const post = async (path: string, person: Person, body?: object) => {
  const { status } = await api.post(path, person.token, body);
  assert.ok(status === 200 || status === 201, path);
};
/** Reads the guest list on the other server than the one that the tests write to. */
const read = (id: string, person: Person | null, query = '') =>
  second.get(`/v1/events/${id}/guests${query}`, person?.token);
const guestIds = async (id: string, person: Person | null, query = '?limit=50'): Promise<string[]> =>
  expectStatus(await read(id, person, query), 200).body.data.map(({ user }: { user: Person }) => user.id);
/** Ids of accounts by their age, as in the list. */
const idsOf = (...people: Person[]) => people.map(({ id }) => id).sort();
const openEvent = () => createEvent(api, organizer, { guestListVisibility: 'everyone' });

// spec: 4.12 GET /v1/events/:id/guests: the guest list of an event
test('guests: 200 with those who are going, then those who are interested, with profile, status and extra guests', async () => {
  const event = await openEvent();
  const [a, b, c] = (await createUsers(api, 3)) as [Person, Person, Person];
  await rsvp(event.id, a, { status: 'interested' });
  await rsvp(event.id, b, { extraGuests: 2 });
  await rsvp(event.id, c, {});
  await post(`/v1/users/${b.id}/follow`, a);
  const { data, nextCursor } = expectStatus(await read(event.id, a), 200).body;
  assert.equal(nextCursor, null);
  assert.deepEqual(
    data.map(({ user }: { user: Person }) => user.id),
    [...idsOf(b, c), a.id],
  );
  const { body: profile } = await api.get(`/v1/users/${b.id}`);
  const { id, name, username, avatar, bio } = profile;
  const shown = data.find(({ user }: { user: Person }) => user.id === b.id);
  assert.match(shown.createdAt, /^\d{4}-/);
  assert.deepEqual(shown, {
    user: { id, name, username, avatar, hasAccount: true, bio, isFollowing: true },
    status: 'going',
    extraGuests: 2,
    isHidden: false,
    isAdded: false,
    createdAt: shown.createdAt,
  });
});

// spec: 4.12 GET /v1/events/:id/guests: the guest list of an event
test('guests: pages of any size and by status have each guest once; 400 naming limit, status or cursor', async () => {
  const event = await openEvent();
  const people = await createUsers(api, 9);
  for (const [i, person] of people.entries())
    await rsvp(event.id, person, { status: i % 3 ? 'going' : 'interested', isHidden: i === 4 });
  const shown = people.filter((_, i) => i !== 4);
  const going = idsOf(...shown.filter((person) => people.indexOf(person) % 3));
  const interested = idsOf(...shown.filter((person) => people.indexOf(person) % 3 === 0));
  for (const [status, expected] of [
    ['', [...going, ...interested]],
    ['&status=going', going],
    ['&status=interested', interested],
  ] as const) {
    for (const limit of [1, 2, expected.length, 50]) {
      const listed: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query: string = `?limit=${limit}${status}${cursor && `&cursor=${cursor}`}`;
        const page: GuestPage = expectStatus(await read(event.id, null, query), 200).body;
        assert.ok(page.data.length === limit || page.nextCursor === null);
        listed.push(...page.data.map(({ user }) => user.id));
        cursor = page.nextCursor;
      }
      assert.deepEqual(listed, expected);
    }
  }
  for (const [name, value] of [
    ['limit', '0'],
    ['limit', '51'],
    ['status', 'declined'],
    ['cursor', 'W10'],
    ['cursor', ''],
  ] as const) {
    const { body } = expectProblem(await read(event.id, null, `?${name}=${value}`), 400, 'invalid_request');
    assert.deepEqual(
      body.errors.map(({ path }: { path: string }) => path),
      [name],
    );
  }
});

// spec: 4.12 GET /v1/events/:id/guests: the guest list of an event
test('guests: full pages, also with 60 hidden guests before and among those that are shown', async () => {
  const event = await openEvent();
  const people = (await createUsers(api, 64)).sort((a, b) => (a.id < b.id ? -1 : 1));
  const isShown = (i: number) => i % 21 === 20 || i === 63;
  await Promise.all(people.map((person, i) => rsvp(event.id, person, { isHidden: !isShown(i) })));
  const shown = people.filter((_, i) => isShown(i)).map(({ id }) => id);
  const first: GuestPage = expectStatus(await read(event.id, null, '?limit=3'), 200).body;
  assert.deepEqual(
    first.data.map(({ user }) => user.id),
    shown.slice(0, 3),
  );
  const rest = `?limit=3&cursor=${first.nextCursor}`;
  assert.deepEqual(await guestIds(event.id, null, rest), shown.slice(3));
  assert.equal((await guestIds(event.id, organizer)).length, 50);
});

// spec: 2.4 PATCH /v1/events/:id: `guestListVisibility`: who may list the guests
test('guests: 200 or 403 by guestListVisibility, at once on the other server; 404 for an event that is not visible', async () => {
  const [stranger, going, interested, booked, claimant] = (await createUsers(api, 5)) as [
    Person,
    Person,
    Person,
    Person,
    Person,
  ];
  const event = await createEvent(api, organizer);
  assert.equal(event.guestListVisibility, 'organizer');
  await rsvp(event.id, going, { isHidden: true });
  await rsvp(event.id, interested, { status: 'interested' });
  await post(`/v1/events/${event.id}/booking`, booked, { seats: 1 });
  const item = await createItem(api, organizer, event.id);
  await rsvp(event.id, claimant, {});
  await post(`/v1/items/${item.id}/claim`, claimant, { quantity: 1 });
  await rsvp(event.id, claimant, { status: null });
  const guests = [going, interested, booked, claimant];
  const readers = { organizer: [organizer, admin], guests, everyone: [stranger, null] };
  for (const visibility of [...audiences, ...audiences.toReversed()]) {
    assert.equal(
      (await change(event.id, { guestListVisibility: visibility })).body.guestListVisibility,
      visibility,
    );
    for (const [i, audience] of audiences.entries()) {
      const isIncluded = i <= audiences.indexOf(visibility);
      for (const person of readers[audience]) {
        const response = await read(event.id, person);
        if (isIncluded) expectStatus(response, 200);
        else expectProblem(response, 403, 'guest_list_private');
      }
    }
  }
  const draft = await createEvent(api, organizer, { visibility: 'private', guestListVisibility: 'everyone' });
  for (const person of [null, stranger]) {
    for (const id of [draft.id, organizer.id, 'nonsense'])
      expectProblem(await read(id, person), 404, 'event_not_found');
  }
  assert.deepEqual(await guestIds(draft.id, organizer), []);
});

// spec: 4.12 GET /v1/events/:id/guests: the guest list of an event
// spec: 4.12 POST /v1/events/:id/rsvp: `isHidden` of an RSVP
test('guests: a guest who hides leaves the list of others at once on every server; organizer and admins still see them', async () => {
  const event = await openEvent();
  const [a, b] = (await createUsers(api, 2)) as [Person, Person];
  await rsvp(event.id, b, {});
  for (const [body, isShown] of [
    [{}, true],
    [{ isHidden: true }, false],
    [{ status: 'interested' }, false],
    [{ status: 'going', extraGuests: 4 }, false],
    [{ isHidden: false }, true],
    [{ isHidden: true }, false],
    [{ status: null }, false],
    [{}, true],
  ] as const) {
    await rsvp(event.id, a, body);
    for (const viewer of [null, b, a])
      assert.deepEqual(
        await guestIds(event.id, viewer),
        isShown ? idsOf(a, b) : [b.id],
        JSON.stringify(body),
      );
    const hasRsvp = !('status' in body && body.status === null);
    for (const viewer of [organizer, admin]) {
      const { data } = expectStatus(await read(event.id, viewer), 200).body;
      const row = data.find(({ user }: { user: Person }) => user.id === a.id);
      assert.equal(row?.isHidden, hasRsvp ? !isShown : undefined);
    }
  }
});

// spec: 3 POST /v1/users/:id/block: a block leaves the two people out of each other's guest lists
test('guests: blocked, private, suspended and deleted people are left out; the organizer still sees the first two', async () => {
  const event = await openEvent();
  const [viewer, blocker, blocked, friend, stranger, suspended, leaver] = (await createUsers(api, 7)) as [
    Person,
    Person,
    Person,
    Person,
    Person,
    Person,
    Person,
  ];
  for (const person of [viewer, blocker, blocked, friend, stranger, suspended, leaver])
    await rsvp(event.id, person, {});
  await post(`/v1/users/${viewer.id}/block`, blocker);
  await post(`/v1/users/${blocked.id}/block`, viewer);
  for (const person of [friend, stranger])
    expectStatus(await api.patch('/v1/me', person.token, { isPrivate: true, bio: 'Secret' }), 200);
  await post(`/v1/users/${viewer.id}/follow`, friend);
  await post(`/v1/admin/users/${suspended.id}/suspend`, admin, {});
  expectStatus(await deleteAccount(api, leaver), 200);
  assert.deepEqual(await guestIds(event.id, viewer), idsOf(viewer, friend));
  assert.deepEqual(await guestIds(event.id, stranger), idsOf(viewer, blocker, blocked, stranger));
  assert.deepEqual(await guestIds(event.id, null), idsOf(viewer, blocker, blocked));
  await post(`/v1/users/${blocked.id}/block`, organizer);
  const all = idsOf(viewer, blocker, blocked, friend, stranger);
  for (const person of [organizer, admin]) assert.deepEqual(await guestIds(event.id, person), all);
  const { data } = (await read(event.id, organizer)).body;
  assert.ok(!JSON.stringify(data).includes('Secret'));
  expectStatus(await api.delete(`/v1/users/${blocked.id}/block`, viewer.token), 200);
  assert.deepEqual(await guestIds(event.id, viewer), idsOf(viewer, blocked, friend));
});

// spec: 3 GET /v1/feed: the feed
test('feed: a hidden RSVP is no reason for an event, in memory and in SQL', async () => {
  const [caller, guest] = (await createUsers(api, 2)) as [Person, Person];
  await post(`/v1/users/${guest.id}/follow`, caller);
  const event = await createEvent(api, organizer);
  const both = await startBothModes(api);
  for (const isHidden of [false, true, false]) {
    await rsvp(event.id, guest, { isHidden });
    const { body } = expectStatus(await both.get('/v1/feed', caller.token), 200);
    assert.equal(body.data.length, isHidden ? 0 : 1);
  }
});
