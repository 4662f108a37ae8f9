/** Claims and items that change under each other, from two servers on one database: never oversold, never a 5xx. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { randomOf } from '../bench/seed/random.ts';
import {
  createEvent,
  createItem,
  createUser,
  createUsers,
  deleteAccount,
  type Person,
  rsvpGoing,
} from './factories.ts';
import { assertCounters } from './invariants.ts';
import { type ApiResponse, expectStatus, startTestApp, type TestApp } from './setup.ts';

const api = await startTestApp();
const servers = [api, await api.another()] as const;
const server = (i: number): TestApp => servers[i % 2 === 0 ? 0 : 1];
const organizer = await createUser(api);
const guests = await createUsers(api, 40);

async function scene(quantityNeeded: number, guestCount: number) {
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
const need = (i: number, id: string, quantityNeeded: number) =>
  server(i).patch(`/v1/items/${id}`, organizer.token, { quantityNeeded });
const shown = async (eventId: string) =>
  expectStatus(await api.get(`/v1/events/${eventId}/items`), 200).body.data[0];

function tally(answers: ApiResponse[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('claims: of 30 people with one each who all want another of the 10 that are left, exactly 10 get it', async () => {
  const { event, item, people } = await scene(40, 30);
  await Promise.all(people.map((person, i) => claim(i, item.id, person)));
  const answers = await Promise.all(people.map((person, i) => change(i, item.id, person, 2)));
  assert.deepEqual(tally(answers), { 200: 10, 422: 20 });
  assert.equal((await shown(event.id)).quantityClaimed, 40);
  await assertCounters(api.sql);
});

test('claims: what some give up others get, and it adds up', async () => {
  const { event, item, people } = await scene(40, 40);
  const [givers, takers] = [people.slice(0, 20), people.slice(20)];
  await Promise.all(givers.map((person, i) => claim(i, item.id, person, 2)));
  const answers = await Promise.all([
    ...givers.map((person, i) => change(i, item.id, person, 1)),
    ...takers.map((person, i) => claim(i + 1, item.id, person)),
  ]);
  const { 200: given, 201: taken = 0, ...refused } = tally(answers);
  assert.equal(given, 20);
  assert.equal(refused[422] ?? 0, 20 - taken);
  assert.equal((await shown(event.id)).quantityClaimed, 20 + taken);
  await assertCounters(api.sql);
});

test('claims: one person who claims, changes and gives back at once is never left with half of it', async () => {
  const { event, item, people } = await scene(9, 1);
  const [person] = people;
  assert.ok(person);
  const answers = await Promise.all(
    Array.from({ length: 90 }, (_, i) =>
      i % 3 === 0
        ? claim(i, item.id, person, 4)
        : i % 3 === 1
          ? change(i, item.id, person, 1 + (i % 9))
          : unclaim(i, item.id, person),
    ),
  );
  const statuses = Object.keys(tally(answers)).map(Number);
  assert.deepEqual(
    statuses.filter((status) => ![200, 201, 404, 409].includes(status)),
    [],
  );
  const { body } = await api.get(`/v1/events/${event.id}/items`, person.token);
  const { quantityClaimed, myClaim } = body.data[0];
  assert.equal(quantityClaimed, myClaim?.quantity ?? 0);
  await assertCounters(api.sql);
});

test('items: what is needed is lowered while it is claimed: it is below what is claimed at no time', async () => {
  for (let round = 0; round < 4; round++) {
    const { event, item, people } = await scene(30, 30);
    const answers = await Promise.all([
      ...people.slice(0, 15).map((person, i) => claim(i, item.id, person)),
      need(1, item.id, 20),
      ...people.slice(15).map((person, i) => claim(i, item.id, person)),
      need(0, item.id, 10),
    ]);
    assert.deepEqual(
      Object.keys(tally(answers))
        .map(Number)
        .filter((status) => ![200, 201, 409, 422].includes(status)),
      [],
    );
    const { quantityNeeded, quantityClaimed } = await shown(event.id);
    assert.equal(quantityClaimed, tally(answers)[201]);
    assert.ok(Number(quantityClaimed) <= quantityNeeded);
    // Who was refused was refused by one that was granted.
    if (quantityNeeded === 30) assert.equal(quantityClaimed, 30);
  }
  await assertCounters(api.sql);
});

/** The sums and stocks of an event at one moment: what is wrong with them. */
async function wrongNow(eventId: string): Promise<object[]> {
  return await api.sql<object[]>`
    select s.n, s.needed, s.claimed, coalesce(sum(c.quantity), 0)::int as sum
    from item_stock s left join claims c on c.event_id = s.event_id and c.n = s.n
    where s.event_id = ${eventId}
    group by s.n, s.needed, s.claimed
    having s.claimed <> coalesce(sum(c.quantity), 0) or s.claimed > s.needed`;
}

// spec: 2.6 PATCH /v1/items/:id: `quantityNeeded` is never below `quantityClaimed`
test('items: claims, their changes and returns, and changes of what is needed, all at once, never disagree', async () => {
  const random = randomOf(5);
  const event = await createEvent(api, organizer);
  const items = await Promise.all(
    [8, 12, 16].map(
      async (quantityNeeded) => (await createItem(api, organizer, event.id, { quantityNeeded })).id,
    ),
  );
  const leavers = await createUsers(api, 8);
  const people = [...guests.slice(0, 24), ...leavers];
  await Promise.all(people.map((guest) => rsvpGoing(api, guest, event.id)));
  const answers: ApiResponse[] = [];
  const wrong: unknown[] = [];
  let reads = 0;
  let isOver = false;

  const guest = async (person: Person, who: number) => {
    for (let round = 0; round < 20; round++) {
      const id = random.pick(items);
      const quantity = 1 + random.below(4);
      const acts = [claim, claim, change, change, unclaim];
      answers.push(await random.pick(acts)(who + round, id, person, quantity));
    }
    if (leavers.includes(person)) answers.push(await deleteAccount(server(who), person));
  };
  const host = async (nth: number) => {
    for (let round = 0; round < 25; round++) {
      const place = random.below(items.length);
      const id = items[place] ?? '';
      answers.push(await need(nth + round, id, 4 + random.below(16)));
      if (round % 8 !== 7) continue;
      answers.push(await server(round).delete(`/v1/items/${id}`, organizer.token));
      items[place] = (await createItem(server(nth), organizer, event.id, { quantityNeeded: 10 })).id;
    }
  };
  const watch = async () => {
    while (!isOver) {
      wrong.push(...(await wrongNow(event.id)));
      const { body } = await server(reads++).get(`/v1/events/${event.id}/items`);
      wrong.push(
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
  assert.deepEqual(wrong, []);
  const counts = tally(answers);
  assert.deepEqual(
    Object.keys(counts).filter((status) => ![200, 201, 404, 409, 422].includes(Number(status))),
    [],
    JSON.stringify(counts),
  );
  for (const status of [200, 201, 409, 422])
    assert.ok(counts[status], `no ${status}: ${JSON.stringify(counts)}`);
  assert.ok(reads > 5, `${reads} looks`);
  await assertCounters(api.sql);
});
