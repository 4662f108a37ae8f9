/**
 * Claims under contention on two servers with one database: never above quantityNeeded, one per person, never
 * a 5xx.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { often } from '../support/all-cases.ts';
import {
  createEvent,
  createItem,
  createUser,
  createUsers,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { type ApiResponse, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const servers = [api, await api.startAnother()] as const;
/** Alternates between the two servers. */
const server = (i: number): TestApp => servers[i % 2 === 0 ? 0 : 1];
const organizer = await createUser(api);
const guests = await createUsers(api, 64);

/** Creates an event with one item, and RSVPs of the first `guestCount` guests. */
async function createFixtures(quantityNeeded: number, guestCount: number) {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { quantityNeeded });
  const people = guests.slice(0, guestCount);
  await Promise.all(people.map((guest) => rsvpGoing(api, guest, event.id)));
  return { event, item, people };
}
const claim = (i: number, id: string, person: Person, quantity = 1) =>
  server(i).post(`/v1/items/${id}/claim`, person.token, { quantity });
const unclaim = (i: number, id: string, person: Person) =>
  server(i).delete(`/v1/items/${id}/claim`, person.token);

/** Returns how many responses have each status. */
function countStatuses(responses: ApiResponse[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
/** Fails if a response has any other status. */
function expectOnlyStatuses(responses: ApiResponse[], ...allowed: number[]): void {
  assert.deepEqual(
    Object.keys(countStatuses(responses)).filter((status) => !allowed.includes(Number(status))),
    [],
    JSON.stringify(countStatuses(responses)),
  );
}
const quantityClaimed = async (eventId: string): Promise<number> =>
  expectStatus(await api.get(`/v1/events/${eventId}/items`), 200).body.data[0].quantityClaimed;

// spec: 3 POST /v1/items/:id/claim: claim: none → claimed, `quantityClaimed` grows
test('claim: 64 concurrent people claim 1 of 25: 25 × 201, 39 × 422', async () => {
  const { event, item, people } = await createFixtures(25, 64);
  const responses = await Promise.all(people.map((person, i) => claim(i, item.id, person)));
  assert.deepEqual(countStatuses(responses), { 201: 25, 422: 39 });
  assert.equal(new Set(responses.filter(({ status }) => status === 201).map(({ body }) => body.id)).size, 25);
  assert.equal(await quantityClaimed(event.id), 25);
  await assertCounters(api.sql);
});

// spec: 7 POST /v1/items/:id/claim: 409 already claimed
test('claim: 20 concurrent claims of one person give one 201 and 19 × 409', async () => {
  const { event, item, people } = await createFixtures(25, 1);
  const [person] = people;
  assert.ok(person);
  const responses = await Promise.all(Array.from({ length: 20 }, (_, i) => claim(i, item.id, person, 2)));
  assert.deepEqual(countStatuses(responses), { 201: 1, 409: 19 });
  assert.equal(await quantityClaimed(event.id), 2);
  const removals = await Promise.all(Array.from({ length: 20 }, (_, i) => unclaim(i, item.id, person)));
  assert.deepEqual(countStatuses(removals), { 200: 1, 404: 19 });
  assert.equal(await quantityClaimed(event.id), 0);
});

test('claim: mixed quantities never exceed quantityNeeded, and only claims that do not fit get 422', async () => {
  const { event, item, people } = await createFixtures(40, 40);
  const responses = await Promise.all(people.map((person, i) => claim(i, item.id, person, (i % 5) + 1)));
  expectOnlyStatuses(responses, 201, 422);
  const sum = responses
    .filter(({ status }) => status === 201)
    .reduce((total, { body }) => total + body.quantity, 0);
  assert.equal(await quantityClaimed(event.id), sum);
  const smallestRefused = Math.min(
    ...responses.flatMap(({ status }, i) => (status === 422 ? [(i % 5) + 1] : [])),
  );
  assert.ok(sum <= 40 && sum + smallestRefused > 40, `${sum} of 40 claimed, ${smallestRefused} refused`);
  await assertCounters(api.sql);
});

// spec: 3 DELETE /v1/items/:id/claim: claim: claimed → none
test('claim and unclaim: many concurrent requests on a scarce item leave quantityClaimed equal to the claims', async () => {
  const { event, item, people } = await createFixtures(3, 16);
  const responses = await Promise.all(
    people.map(async (person, i) => {
      const ownResponses: ApiResponse[] = [];
      for (let round = 0; round < often(12, 3); round++) {
        ownResponses.push(
          await claim(i + round, item.id, person, 1 + (round % 3)),
          await unclaim(i, item.id, person),
        );
      }
      return ownResponses;
    }),
  );
  expectOnlyStatuses(responses.flat(), 200, 201, 404, 422);
  // Every successful claim was removed again.
  const { 200: removed, 201: created } = countStatuses(responses.flat());
  assert.equal(removed, created);
  assert.equal(await quantityClaimed(event.id), 0);
  await assertCounters(api.sql);
});

test('claim and unclaim: concurrent requests of one person leave either the whole claim or none', async () => {
  const { event, item, people } = await createFixtures(5, 2);
  const calls = Array.from({ length: 80 }, (_, i) => {
    const person = people[i % 2];
    assert.ok(person);
    return i % 4 < 2 ? claim(i >> 1, item.id, person, 3) : unclaim(i >> 1, item.id, person);
  });
  const responses = await Promise.all(calls);
  expectOnlyStatuses(responses, 200, 201, 404, 409, 422);
  const { 200: removed = 0, 201: created = 0 } = countStatuses(responses);
  assert.equal(await quantityClaimed(event.id), 3 * (created - removed));
  await assertCounters(api.sql);
});

// spec: 3 DELETE /v1/items/:id: claim: claimed → cancelled by removal of the item
test('remove: deleting an item during claims and removals deletes all of its claims', async () => {
  for (let round = 0; round < often(4); round++) {
    const { item, people } = await createFixtures(30, 16);
    const calls: Promise<ApiResponse>[] = people.map((person, i) => claim(i, item.id, person));
    calls.splice(8, 0, server(1).delete(`/v1/items/${item.id}`, organizer.token));
    calls.push(...people.map((person, i) => unclaim(i, item.id, person)));
    const responses = await Promise.all(calls);
    expectOnlyStatuses(responses, 200, 201, 404);
    expectStatus(await claim(0, item.id, organizer), 404);
  }
  const [row] = await api.sql`
    select count(*)::int as lost from claims c where not exists (
      select 1 from items i where i.event_id = c.event_id and i.n = c.n)`;
  assert.equal(row?.lost, 0);
  await assertCounters(api.sql);
});

test('rsvp: claims during RSVP changes get 201, 403 or 409, and the counters stay exact', async () => {
  const { event, item, people } = await createFixtures(100, 20);
  const responses = await Promise.all(
    people.flatMap((person, i) => [
      server(i).post(`/v1/events/${event.id}/rsvp`, person.token, {
        status: i % 3 === 0 ? null : 'interested',
      }),
      claim(i + 1, item.id, person),
      server(i).post(`/v1/events/${event.id}/rsvp`, person.token, { status: 'going' }),
      claim(i, item.id, person),
    ]),
  );
  expectOnlyStatuses(responses, 200, 201, 403, 409);
  await assertCounters(api.sql);
});

test('cancelling an event: 409 for every claim sent after the response', async () => {
  for (let round = 0; round < often(4); round++) {
    const { event, item, people } = await createFixtures(100, 24);
    let isCancelled = false;
    const cancel = async () => {
      const response = await server(1).patch(`/v1/events/${event.id}`, organizer.token, {
        status: 'cancelled',
      });
      isCancelled = true;
      return response;
    };
    const claims = people.map(async (person, i) => {
      // The second half starts later, so that some claims are sent after the response.
      if (i >= 12) await claim(i, item.id, organizer);
      const isAfterResponse = isCancelled;
      const response = await claim(i, item.id, person);
      if (isAfterResponse) expectStatus(response, 409);
      return response;
    });
    expectOnlyStatuses(await Promise.all([...claims, cancel()]), 200, 201, 409);
  }
  await assertCounters(api.sql);
});
