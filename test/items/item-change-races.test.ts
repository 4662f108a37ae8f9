/**
 * Concurrent changes of claims and items on two servers with one database: never above quantityNeeded, never
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
  deleteAccount,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { randomOf } from '../support/random.ts';
import { type ApiResponse, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const servers = [api, await api.startAnother()] as const;
const server = (i: number): TestApp => servers[i % 2 === 0 ? 0 : 1];
const organizer = await createUser(api);
const guests = await createUsers(api, 40);

async function createFixtures(quantityNeeded: number, guestCount: number) {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { quantityNeeded });
  const people = guests.slice(0, guestCount);
  await Promise.all(people.map((guest) => rsvpGoing(api, guest, event.id)));
  return { event, item, people };
}
const path = (id: string) => `/v1/items/${id}/claim`;
const claim = (i: number, id: string, person: Person, quantity = 1) =>
  server(i).post(path(id), person.token, { quantity });
const change = (i: number, id: string, person: Person, quantity: number) =>
  server(i).patch(path(id), person.token, { quantity });
const unclaim = (i: number, id: string, person: Person) => server(i).delete(path(id), person.token);
const setQuantityNeeded = (i: number, id: string, quantityNeeded: number) =>
  server(i).patch(`/v1/items/${id}`, organizer.token, { quantityNeeded });
const readItem = async (eventId: string) =>
  expectStatus(await api.get(`/v1/events/${eventId}/items`), 200).body.data[0];

function countStatuses(responses: ApiResponse[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('claims: 30 concurrent people raise their claim when 10 are left: 10 × 200, 20 × 422', async () => {
  const { event, item, people } = await createFixtures(40, 30);
  await Promise.all(people.map((person, i) => claim(i, item.id, person)));
  const responses = await Promise.all(people.map((person, i) => change(i, item.id, person, 2)));
  assert.deepEqual(countStatuses(responses), { 200: 10, 422: 20 });
  assert.equal((await readItem(event.id)).quantityClaimed, 40);
  await assertCounters(api.sql);
});

test('claims: concurrent reductions and new claims add up', async () => {
  const { event, item, people } = await createFixtures(40, 40);
  const [reducers, claimers] = [people.slice(0, 20), people.slice(20)];
  await Promise.all(reducers.map((person, i) => claim(i, item.id, person, 2)));
  const responses = await Promise.all([
    ...reducers.map((person, i) => change(i, item.id, person, 1)),
    ...claimers.map((person, i) => claim(i + 1, item.id, person)),
  ]);
  const { 200: reduced, 201: created = 0, ...refused } = countStatuses(responses);
  assert.equal(reduced, 20);
  assert.equal(refused[422] ?? 0, 20 - created);
  assert.equal((await readItem(event.id)).quantityClaimed, 20 + created);
  await assertCounters(api.sql);
});

test('claims: concurrent claims, changes and removals of one person leave either the whole claim or none', async () => {
  const { event, item, people } = await createFixtures(9, 1);
  const [person] = people;
  assert.ok(person);
  const responses = await Promise.all(
    Array.from({ length: 48 }, (_, i) =>
      i % 3 === 0
        ? claim(i, item.id, person, 4)
        : i % 3 === 1
          ? change(i, item.id, person, 1 + (i % 9))
          : unclaim(i, item.id, person),
    ),
  );
  const statuses = Object.keys(countStatuses(responses)).map(Number);
  assert.deepEqual(
    statuses.filter((status) => ![200, 201, 404, 409].includes(status)),
    [],
  );
  const { body } = await api.get(`/v1/events/${event.id}/items`, person.token);
  const { quantityClaimed, myClaim } = body.data[0];
  assert.equal(quantityClaimed, myClaim?.quantity ?? 0);
  await assertCounters(api.sql);
});

test('items: quantityNeeded lowered during claims is never below quantityClaimed', async () => {
  for (let round = 0; round < often(4); round++) {
    const { event, item, people } = await createFixtures(30, 30);
    const responses = await Promise.all([
      ...people.slice(0, 15).map((person, i) => claim(i, item.id, person)),
      setQuantityNeeded(1, item.id, 20),
      ...people.slice(15).map((person, i) => claim(i, item.id, person)),
      setQuantityNeeded(0, item.id, 10),
    ]);
    assert.deepEqual(
      Object.keys(countStatuses(responses))
        .map(Number)
        .filter((status) => ![200, 201, 409, 422].includes(status)),
      [],
    );
    const { quantityNeeded, quantityClaimed } = await readItem(event.id);
    assert.equal(quantityClaimed, countStatuses(responses)[201]);
    assert.ok(Number(quantityClaimed) <= quantityNeeded);
    // If both changes failed, all 30 claims succeeded.
    if (quantityNeeded === 30) assert.equal(quantityClaimed, 30);
  }
  await assertCounters(api.sql);
});

/** Returns the items whose stock differs from the sum of the claims or exceeds the needed quantity. */
async function findInconsistencies(eventId: string): Promise<object[]> {
  return await api.sql<object[]>`
    select s.n, s.needed, s.claimed, coalesce(sum(c.quantity), 0)::int as sum
    from item_stock s left join claims c on c.event_id = s.event_id and c.n = s.n
    where s.event_id = ${eventId}
    group by s.n, s.needed, s.claimed
    having s.claimed <> coalesce(sum(c.quantity), 0) or s.claimed > s.needed`;
}

// spec: 2.6 PATCH /v1/items/:id: `quantityNeeded` is never below `quantityClaimed`
test('items: concurrent claims, changes, removals and changes of quantityNeeded leave consistent counters at all times', async () => {
  const random = randomOf(5);
  const event = await createEvent(api, organizer);
  const items = await Promise.all(
    [8, 12, 16].map(
      async (quantityNeeded) => (await createItem(api, organizer, event.id, { quantityNeeded })).id,
    ),
  );
  const deletedPeople = await createUsers(api, 8);
  const people = [...guests.slice(0, 24), ...deletedPeople];
  await Promise.all(people.map((guest) => rsvpGoing(api, guest, event.id)));
  const responses: ApiResponse[] = [];
  const inconsistencies: unknown[] = [];
  let reads = 0;
  let isOver = false;

  const guest = async (person: Person, who: number) => {
    for (let round = 0; round < 20; round++) {
      const id = random.pick(items);
      const quantity = 1 + random.below(4);
      const acts = [claim, claim, change, change, unclaim];
      responses.push(await random.pick(acts)(who + round, id, person, quantity));
    }
    if (deletedPeople.includes(person)) responses.push(await deleteAccount(server(who), person));
  };
  const host = async (nth: number) => {
    for (let round = 0; round < 25; round++) {
      const index = random.below(items.length);
      const id = items[index] ?? '';
      responses.push(await setQuantityNeeded(nth + round, id, 4 + random.below(16)));
      if (round % 8 !== 7) continue;
      responses.push(await server(round).delete(`/v1/items/${id}`, organizer.token));
      items[index] = (await createItem(server(nth), organizer, event.id, { quantityNeeded: 10 })).id;
    }
  };
  const watch = async () => {
    while (!isOver) {
      inconsistencies.push(...(await findInconsistencies(event.id)));
      const { body } = await server(reads++).get(`/v1/events/${event.id}/items`);
      inconsistencies.push(
        ...body.data.filter(
          (item: { quantityClaimed: number; quantityNeeded: number }) =>
            item.quantityClaimed > item.quantityNeeded,
        ),
      );
    }
  };
  const watching = watch();
  await Promise.all([...people.map(guest), host(0), host(1)]).finally(() => {
    isOver = true;
  });
  await watching;
  assert.deepEqual(inconsistencies, []);
  const counts = countStatuses(responses);
  assert.deepEqual(
    Object.keys(counts).filter((status) => ![200, 201, 404, 409, 422].includes(Number(status))),
    [],
    JSON.stringify(counts),
  );
  for (const status of [200, 201, 409, 422])
    assert.ok(counts[status], `no ${status}: ${JSON.stringify(counts)}`);
  assert.ok(reads > 0);
  await assertCounters(api.sql);
});
