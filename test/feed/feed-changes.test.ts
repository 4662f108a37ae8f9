/**
 * GET /v1/feed in memory and in SQL mode, while events, RSVPs and blocks change. The servers start after the events were
 * created, so that unchanged events are in the segment of the discovery index, and changed and new ones in its overlay.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { often } from '../support/all-cases.ts';
import { startBothModes } from '../support/both-modes.ts';
import {
  createAdmin,
  createEvent,
  createUser,
  createUsers,
  inDays,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { randomOf } from '../support/random.ts';
import { expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const origin = await startTestApp();
const { next: roll, pick } = randomOf(20_261_122);

type Page = { data: { id: string; reasonsCount: number }[]; nextCursor: string | null };
type Created = { id: string; organizer: Person };

const follow = async (person: Person, followed: Person) =>
  expectStatus(await origin.post(`/v1/users/${followed.id}/follow`, person.token), 200);
const patch = async ({ id, organizer }: Created, change: object) =>
  expectStatus(await origin.patch(`/v1/events/${id}`, organizer.token, change), 200);
const setRsvp = async (person: Person, { id }: Created, status: string | null) =>
  expectStatus(await origin.post(`/v1/events/${id}/rsvp`, person.token, { status }), 200);
const create = async (organizer: Person, days: number): Promise<Created> => {
  const { id } = await createEvent(origin, organizer, { startAt: inDays(days), endAt: inDays(days, 2) });
  return { id, organizer };
};
const readPage = async (api: TestApp, caller: Person, limit: number, cursor = ''): Promise<Page> =>
  expectStatus(await api.get(`/v1/feed?limit=${limit}${cursor && `&cursor=${cursor}`}`, caller.token), 200)
    .body;
const idsOf = ({ data }: Page) => data.map(({ id }) => id);

/** Reads all pages. Both servers must respond with the same pages. */
async function readAll(api: TestApp, caller: Person, limit: number): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await readPage(api, caller, limit, cursor);
    found.push(...idsOf(page));
    cursor = page.nextCursor;
  }
  assert.equal(new Set(found).size, found.length);
  return found;
}

// spec: 3 GET /v1/feed: the feed
test('feed: the second page omits events that were moved, cancelled, hidden or unlisted since the first page, and includes new ones', async () => {
  const [organizer, suspended, guest] = await createUsers(origin, 3);
  assert.ok(organizer && suspended && guest);
  const admin = await createAdmin(origin);
  const caller = await createUser(origin);
  for (const person of [organizer, suspended, guest]) await follow(caller, person);
  const events: Created[] = [];
  for (let day = 1; day <= 9; day++) events.push(await create(day === 5 ? suspended : organizer, day));
  const [first, second, moved, cancelled, hidden, unlisted, deleted, unchanged, last] = events;
  assert.ok(first && second && moved && cancelled && hidden && unlisted && deleted && unchanged && last);
  await rsvpGoing(origin, guest, unchanged.id);
  const api = await startBothModes(origin);
  const page = await readPage(api, caller, 2);
  assert.deepEqual(idsOf(page), [first.id, second.id]);
  await patch(moved, { startAt: inDays(10), endAt: inDays(10, 2) });
  await patch(cancelled, { status: 'cancelled' });
  expectStatus(await origin.post(`/v1/admin/users/${suspended.id}/suspend`, admin.token, {}), 200);
  await patch(unlisted, { visibility: 'unlisted' });
  expectStatus(await origin.delete(`/v1/events/${deleted.id}`, organizer.token), 200);
  // Moved before the cursor.
  await patch(last, { startAt: inDays(1.5), endAt: inDays(1.5, 2) });
  const added = await create(organizer, 8.5);
  const rest = await readPage(api, caller, 50, page.nextCursor ?? '');
  assert.deepEqual(idsOf(rest), [unchanged.id, added.id, moved.id]);
  assert.equal(rest.data[0]?.reasonsCount, 2);
  await setRsvp(guest, unchanged, 'interested');
  await setRsvp(guest, added, 'going');
  const { data } = await readPage(api, caller, 50, page.nextCursor ?? '');
  assert.deepEqual(
    data.map(({ reasonsCount }) => reasonsCount),
    [1, 2, 1],
  );
});

// spec: 3 GET /v1/feed: the feed
test('feed: a block, and the withdrawal of an RSVP, take effect between two pages', async () => {
  const [organizer, blocked, guest] = await createUsers(origin, 3);
  assert.ok(organizer && blocked && guest);
  const caller = await createUser(origin);
  await follow(caller, guest);
  const events: Created[] = [];
  for (let day = 1; day <= 6; day++) events.push(await create(day % 2 ? organizer : blocked, day));
  for (const { id } of events) await rsvpGoing(origin, guest, id);
  const [first, second, third, , fifth] = events;
  assert.ok(first && second && third && fifth);
  const api = await startBothModes(origin);
  // An event of the overlay with a blocked organizer, and one that the guest organizes.
  await rsvpGoing(origin, guest, (await create(blocked, 7)).id);
  const own = await create(guest, 8);
  await rsvpGoing(origin, guest, own.id);
  const page = await readPage(api, caller, 2);
  assert.deepEqual(idsOf(page), [first.id, second.id]);
  expectStatus(await origin.post(`/v1/users/${blocked.id}/block`, caller.token), 200);
  await setRsvp(guest, third, null);
  const rest = await readPage(api, caller, 50, page.nextCursor ?? '');
  assert.deepEqual(idsOf(rest), [fifth.id, own.id]);
  assert.equal(rest.data[1]?.reasonsCount, 1);
});

test('feed: both modes respond with the same pages after random changes', async () => {
  const people = await createUsers(origin, 8);
  const [caller, other, stranger] = people;
  assert.ok(caller && other && stranger);
  const followed = people.slice(3);
  for (const person of followed) {
    await follow(caller, person);
    if (roll() < 0.5) await follow(other, person);
  }
  const base = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const times = () => {
    // Half days, so that several events have the same start; some have ended, and some are running.
    const at = base + (Math.floor(roll() * 12) / 2 - 1) * 86_400_000;
    const endAt = new Date(at + pick([1.5, 30]) * 3_600_000).toISOString();
    return { startAt: new Date(at).toISOString(), endAt };
  };
  const events: Created[] = [];
  const addEvent = async () => {
    const organizer = pick([stranger, ...followed]);
    events.push({ id: (await createEvent(origin, organizer, times())).id, organizer });
  };
  for (let i = 0; i < 40; i++) await addEvent();
  const rounds = often(6, 2);
  for (const event of events)
    for (const person of people) if (roll() < 0.3) await setRsvp(person, event, 'going');
  let api = await startBothModes(origin);
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < 6; i++) {
      const [event, person] = [pick(events), pick(people)];
      const kind = roll();
      if (kind < 0.2) await addEvent();
      else if (kind < 0.5) await patch(event, pick([times(), { title: 'Changed' }, { capacity: 100 }]));
      else if (kind < 0.6) await patch(event, { visibility: pick(['public', 'unlisted']) });
      else if (kind < 0.65) await patch(event, { status: pick(['scheduled', 'cancelled']) });
      else await setRsvp(person, event, pick(['going', 'going', 'interested', null]));
    }
    if (round === rounds - 2) api = await startBothModes(origin);
    const found = await readAll(api, caller, pick([2, 7]));
    assert.deepEqual(found, await readAll(api, caller, 50));
    assert.ok(found.length > 5, `${found.length} events`);
    await readAll(api, other, 4);
  }
});

test('feed: both modes respond with the same pages to a person who follows more people than the index searches for', async () => {
  const people = await createUsers(origin, 102);
  const caller = await createUser(origin);
  for (const person of people) await follow(caller, person);
  const events: Created[] = [];
  for (let i = 0; i < 5; i++) events.push(await create(people[i * 25] as Person, 1 + i));
  const last = events.at(-1);
  assert.ok(last);
  const guests = people.slice(0, 20);
  for (const person of guests) await rsvpGoing(origin, person, last.id);
  const api = await startBothModes(origin);
  const all = events.map(({ id }) => id);
  assert.deepEqual(await readAll(api, caller, 2), all);
  const countOfLast = async () => (await readPage(api, caller, 50)).data.at(-1)?.reasonsCount;
  assert.equal(await countOfLast(), guests.length + 1);
  // With two people fewer, the index finds the same events. One of the two organizes the last event.
  for (const person of people.slice(100)) {
    expectStatus(await origin.delete(`/v1/users/${person.id}/follow`, caller.token), 200);
  }
  assert.deepEqual(await readAll(api, caller, 2), all);
  assert.equal(await countOfLast(), guests.length);
});
