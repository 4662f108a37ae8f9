/** Claims under contention, from two servers on one database: never oversold, never twice, never a 5xx. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createEvent, createItem, createUser, createUsers, type Person, rsvpGoing } from './factories.ts';
import { assertCounters } from './invariants.ts';
import { type ApiResponse, expectStatus, startTestApp, type TestApp } from './setup.ts';

const api = await startTestApp();
const servers = [api, await api.another()] as const;
/** One server after the other. */
const server = (i: number): TestApp => servers[i % 2 === 0 ? 0 : 1];
const organizer = await createUser(api);
const guests = await createUsers(api, 64);

/** An event that the first so many guests go to, with one item. */
async function scene(quantityNeeded: number, guestCount: number) {
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

/** How often each status came. */
function tally(answers: ApiResponse[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
/** Only these statuses came. */
function only(answers: ApiResponse[], ...allowed: number[]): void {
  assert.deepEqual(
    Object.keys(tally(answers)).filter((status) => !allowed.includes(Number(status))),
    [],
    JSON.stringify(tally(answers)),
  );
}
const claimed = async (eventId: string): Promise<number> =>
  expectStatus(await api.get(`/v1/events/${eventId}/items`), 200).body.data[0].quantityClaimed;

// spec: 3 POST /v1/items/:id/claim: claim: none → claimed, `quantityClaimed` grows
test('claim: of 64 people at once who want 1 of 25, exactly 25 get it and 39 a 422', async () => {
  const { event, item, people } = await scene(25, 64);
  const answers = await Promise.all(people.map((person, i) => claim(i, item.id, person)));
  assert.deepEqual(tally(answers), { 201: 25, 422: 39 });
  assert.equal(new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.id)).size, 25);
  assert.equal(await claimed(event.id), 25);
  await assertCounters(api.sql);
});

// spec: 7 POST /v1/items/:id/claim: 409 already claimed
test('claim: of one person 20 times at once, one is a 201 and 19 a 409', async () => {
  const { event, item, people } = await scene(25, 1);
  const [person] = people;
  assert.ok(person);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => claim(i, item.id, person, 2)));
  assert.deepEqual(tally(answers), { 201: 1, 409: 19 });
  assert.equal(await claimed(event.id), 2);
  const back = await Promise.all(Array.from({ length: 20 }, (_, i) => unclaim(i, item.id, person)));
  assert.deepEqual(tally(back), { 200: 1, 404: 19 });
  assert.equal(await claimed(event.id), 0);
});

test('claim: mixed quantities never add up to more than is needed, and what was refused did not fit', async () => {
  const { event, item, people } = await scene(40, 40);
  const answers = await Promise.all(people.map((person, i) => claim(i, item.id, person, (i % 5) + 1)));
  only(answers, 201, 422);
  const sum = answers
    .filter(({ status }) => status === 201)
    .reduce((total, { body }) => total + body.quantity, 0);
  assert.equal(await claimed(event.id), sum);
  const smallestRefused = Math.min(
    ...answers.flatMap(({ status }, i) => (status === 422 ? [(i % 5) + 1] : [])),
  );
  assert.ok(sum <= 40 && sum + smallestRefused > 40, `${sum} of 40 went, and ${smallestRefused} did not fit`);
  await assertCounters(api.sql);
});

// spec: 3 DELETE /v1/items/:id/claim: claim: claimed → none
test('claim and unclaim: a storm of both on a scarce item leaves stock and claims agreed', async () => {
  const { event, item, people } = await scene(3, 16);
  const answers = await Promise.all(
    people.map(async (person, i) => {
      const own: ApiResponse[] = [];
      for (let round = 0; round < 12; round++) {
        own.push(await claim(i + round, item.id, person, 1 + (round % 3)), await unclaim(i, item.id, person));
      }
      return own;
    }),
  );
  only(answers.flat(), 200, 201, 404, 422);
  // Whoever got something gave it back.
  const { 200: back, 201: taken } = tally(answers.flat());
  assert.equal(back, taken);
  assert.equal(await claimed(event.id), 0);
  await assertCounters(api.sql);
});

test('claim and unclaim: one person doing both at once is never left with half of it', async () => {
  const { event, item, people } = await scene(5, 2);
  const calls = Array.from({ length: 80 }, (_, i) => {
    const person = people[i % 2];
    assert.ok(person);
    return i % 4 < 2 ? claim(i >> 1, item.id, person, 3) : unclaim(i >> 1, item.id, person);
  });
  const answers = await Promise.all(calls);
  only(answers, 200, 201, 404, 409, 422);
  const { 200: back = 0, 201: taken = 0 } = tally(answers);
  assert.equal(await claimed(event.id), 3 * (taken - back));
  await assertCounters(api.sql);
});

// spec: 3 DELETE /v1/items/:id: claim: claimed → cancelled by removal of the item
test('remove: an item that goes while it is claimed and given back takes every claim along', async () => {
  for (let round = 0; round < 4; round++) {
    const { item, people } = await scene(30, 16);
    const calls: Promise<ApiResponse>[] = people.map((person, i) => claim(i, item.id, person));
    calls.splice(8, 0, server(1).delete(`/v1/items/${item.id}`, organizer.token));
    calls.push(...people.map((person, i) => unclaim(i, item.id, person)));
    const answers = await Promise.all(calls);
    only(answers, 200, 201, 404);
    expectStatus(await claim(0, item.id, organizer), 404);
  }
  const [row] = await api.sql`
    select count(*)::int as lost from claims c where not exists (
      select 1 from items i where i.event_id = c.event_id and i.n = c.n)`;
  assert.equal(row?.lost, 0);
  await assertCounters(api.sql);
});

test('leaving: RSVPs that change while their people claim refuse or allow, and nothing else', async () => {
  const { event, item, people } = await scene(100, 20);
  const answers = await Promise.all(
    people.flatMap((person, i) => [
      server(i).post(`/v1/events/${event.id}/rsvp`, person.token, {
        status: i % 3 === 0 ? null : 'interested',
      }),
      claim(i + 1, item.id, person),
      server(i).post(`/v1/events/${event.id}/rsvp`, person.token, { status: 'going' }),
      claim(i, item.id, person),
    ]),
  );
  only(answers, 200, 201, 403, 409);
  await assertCounters(api.sql);
});

test('cancelling: once it has answered, no claim gets in', async () => {
  for (let round = 0; round < 4; round++) {
    const { event, item, people } = await scene(100, 24);
    let cancelled = false;
    const cancel = async () => {
      const answer = await server(1).patch(`/v1/events/${event.id}`, organizer.token, {
        status: 'cancelled',
      });
      cancelled = true;
      return answer;
    };
    const claims = people.map(async (person, i) => {
      // Two waves, so that some start after the answer.
      if (i >= 12) await claim(i, item.id, organizer);
      const late = cancelled;
      const answer = await claim(i, item.id, person);
      if (late) expectStatus(answer, 409);
      return answer;
    });
    only(await Promise.all([...claims, cancel()]), 200, 201, 409);
  }
  await assertCounters(api.sql);
});
