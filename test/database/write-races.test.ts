/** Concurrent batches of RSVPs and claims on two servers, while accounts, events and items are deleted. */
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
import { randomOf } from '../support/random.ts';
import { type ApiResponse, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const servers = [api, second] as const;
const organizer = await createUser(api);
const states = ['going', 'interested', null] as const;

function expectStatuses(responses: ApiResponse[], ...allowed: number[]): void {
  const others = responses.filter(({ status }) => !allowed.includes(status));
  assert.deepEqual(
    others.map(({ status, body }) => [status, body]),
    [],
  );
}
const pick = <T>(values: readonly T[], roll: (count: number) => number): T =>
  values[roll(values.length)] as T;

/** Creates events with two items each, and an RSVP of `going` by every person to every event. */
async function createFixtures(eventCount: number, people: Person[]) {
  const events = await Promise.all(Array.from({ length: eventCount }, () => createEvent(api, organizer)));
  const items: string[] = [];
  for (const { id } of events) {
    for (const quantityNeeded of [3, 40])
      items.push((await createItem(api, organizer, id, { quantityNeeded })).id);
    await Promise.all(people.map((person) => rsvpGoing(api, person, id)));
  }
  return { events: events.map(({ id }) => id), items };
}

/** Sends a random request of a person: an RSVP, a claim or the end of a claim. */
function sendRandomRequest(
  roll: (count: number) => number,
  person: Person,
  events: string[],
  items: string[],
) {
  const server = pick(servers, roll);
  const item = pick(items, roll);
  const kind = roll(4);
  if (kind === 0) return server.delete(`/v1/items/${item}/claim`, person.token);
  if (kind === 1) return server.post(`/v1/items/${item}/claim`, person.token, { quantity: 1 + roll(3) });
  return server.post(`/v1/events/${pick(events, roll)}/rsvp`, person.token, { status: pick(states, roll) });
}

test('rsvp and claim: 200, 201, 403, 404, 409 or 422 for five people on four events and two servers; exact counters', async () => {
  const people = await createUsers(api, 5);
  const { events, items } = await createFixtures(4, people);
  const { below: roll } = randomOf(7);
  for (let round = 0; round < often(4); round++) {
    const responses = await Promise.all(
      Array.from({ length: 150 }, () => sendRandomRequest(roll, pick(people, roll), events, items)),
    );
    expectStatuses(responses, 200, 201, 403, 404, 409, 422);
    await assertCounters(api.sql);
  }
});

test('rsvp and claim: no 5xx while accounts, events and items are deleted on both servers; exact counters', async () => {
  for (let round = 0; round < often(4); round++) {
    const people = await createUsers(api, 16);
    const { events, items } = await createFixtures(6, people);
    const leavers = people.slice(0, 4);
    const codes = await Promise.all(
      leavers.map(async ({ token }) => (await api.post('/v1/me/delete-code', token)).body.devCode),
    );
    const { below: roll } = randomOf(round + 1);
    const calls: (() => Promise<ApiResponse>)[] = Array.from(
      { length: 300 },
      () => () => sendRandomRequest(roll, pick(people, roll), events, items),
    );
    const removals = [
      ...events
        .slice(0, 2)
        .map((id) => () => pick(servers, roll).delete(`/v1/events/${id}`, organizer.token)),
      ...items.slice(-2).map((id) => () => pick(servers, roll).delete(`/v1/items/${id}`, organizer.token)),
      ...leavers.map(
        ({ token }, i) =>
          () =>
            pick(servers, roll).delete('/v1/me', token, { confirmCode: codes[i] }),
      ),
    ];
    for (const remove of removals) calls.splice(roll(calls.length), 0, remove);
    expectStatuses(await Promise.all(calls.map((call) => call())), 200, 201, 401, 403, 404, 409, 422);
    for (const { token } of leavers) expectStatus(await api.get('/v1/auth/me', token), 401);
    await assertCounters(api.sql);
  }
});

test('claim: 64 people concurrently claim 1 of 25 and RSVP on two servers: 25 × 201, 39 × 422', async () => {
  const people = await createUsers(api, 64);
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 25 });
  await Promise.all(people.map((person) => rsvpGoing(api, person, event.id)));
  const responses = await Promise.all(
    people.flatMap((person, i) => [
      (i % 2 ? api : second).post(`/v1/items/${item.id}/claim`, person.token, { quantity: 1 }),
      (i % 3 ? api : second).post(`/v1/events/${event.id}/rsvp`, person.token, { status: 'going' }),
    ]),
  );
  expectStatuses(responses, 200, 201, 422);
  assert.equal(responses.filter(({ status }) => status === 201).length, 25);
  await assertCounters(api.sql);
});
