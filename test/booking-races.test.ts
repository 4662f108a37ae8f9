/** Bookings under contention, from two servers on one database: never above capacity, in order, never a 5xx. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdmin, createEvent, createUser, createUsers, type Person } from './factories.ts';
import { assertCounters } from './invariants.ts';
import { type ApiResponse, expectStatus, startTestApp, type TestApp } from './setup.ts';
import { connectSql } from './sql-tag.ts';

const api = await startTestApp();
const servers = [api, await api.another()] as const;
/** One server after the other. */
const server = (i: number): TestApp => servers[i % 2 === 0 ? 0 : 1];
const organizer = await createUser(api);
const admin = await createAdmin(api);
const crowd: Person[] = [];
while (crowd.length < 500) crowd.push(...(await createUsers(api, 25)));

const path = (id: string) => `/v1/events/${id}/booking`;
const book = (i: number, id: string, person: Person, seats = 1) =>
  server(i).post(path(id), person.token, { seats, waitlist: true });
const resize = (i: number, id: string, person: Person, seats: number) =>
  server(i).patch(path(id), person.token, { seats });
const cancel = (i: number, id: string, person: Person) => server(i).delete(path(id), person.token);
const change = (i: number, id: string, fields: object) =>
  server(i).patch(`/v1/events/${id}`, organizer.token, fields);

async function leave(i: number, person: Person): Promise<ApiResponse> {
  const { body } = expectStatus(await server(i).post('/v1/me/delete-code', person.token), 202);
  return server(i).delete('/v1/me', person.token, { confirmCode: body.devCode });
}

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

type Place = { n: number; seats: number; status: 'booked' | 'waiting' };

/** What is true of an event's bookings at one moment: seats, counters, and who stands where. */
async function sample(event: string, capacity: number): Promise<Place[]> {
  const [row] = await api.sql<[{ booked: number; waiting: number; places: Place[] | null }]>`
    select c.booked_count as booked, c.waiting_count as waiting, (
      select jsonb_agg(jsonb_build_object('n', b.n, 'seats', b.seats, 'status', b.status)
        order by b.n) from bookings b where b.event_id = c.event_id
    ) as places
    from event_counters c where c.event_id = ${event}`;
  const places = row.places ?? [];
  const of = (wanted: string) => places.filter(({ status }) => status === wanted);
  const booked = of('booked').reduce((sum, { seats }) => sum + seats, 0);
  assert.ok(booked <= capacity, `${booked} of ${capacity} seats`);
  assert.deepEqual([row.booked, row.waiting], [booked, of('waiting').length]);
  const head = of('waiting')[0];
  if (head) {
    assert.ok(booked + head.seats > capacity, 'the first who waits would fit');
    const past = of('booked').filter(({ n }) => n > head.n);
    assert.deepEqual(past, [], 'booked past somebody who waits');
  }
  return places;
}

/** Samples until the work is done; gives how often. */
async function sampled(event: string, capacity: number, work: Promise<unknown>): Promise<number> {
  let isDone = false;
  let samples = 0;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => {});
  for (; !isDone; samples++) {
    await sample(event, capacity);
    await sleep(5);
  }
  await done;
  return samples;
}

async function deadlocks(): Promise<number> {
  const [row] = await api.sql<[{ deadlocks: number }]>`
    select deadlocks::int from pg_stat_database where datname = current_database()`;
  return row.deadlocks;
}

test('book: of 200 people at once who want 1 of 50 seats, exactly 50 get one, and 150 a 409 or a place in line', async () => {
  for (const waitlist of [false, true]) {
    const event = await createEvent(api, organizer, { capacity: 50 });
    const answers = await Promise.all(
      crowd
        .slice(0, 200)
        .map((person, i) => server(i).post(path(event.id), person.token, { seats: 1, waitlist })),
    );
    const booked = answers.filter(({ status, body }) => status === 201 && body.status === 'booked');
    assert.equal(booked.length, 50);
    if (!waitlist) assert.deepEqual(tally(answers), { 201: 50, 409: 150 });
    const positions = answers.flatMap(({ body }) => (body.status === 'waiting' ? [body.position] : []));
    const expected = Array.from({ length: waitlist ? 150 : 0 }, (_, i) => i + 1);
    assert.deepEqual(
      positions.sort((a, b) => a - b),
      expected,
    );
    await assertCounters(api.sql);
  }
});

test('book: of one person 20 times at once, one is a 201 and 19 a 409; of 20 cancellations one is a 200', async () => {
  const event = await createEvent(api, organizer, { capacity: 10 });
  const [person] = crowd;
  assert.ok(person);
  const times = (act: (i: number) => Promise<ApiResponse>) =>
    Promise.all(Array.from({ length: 20 }, (_, i) => act(i)));
  assert.deepEqual(tally(await times((i) => book(i, event.id, person, 2))), { 201: 1, 409: 19 });
  assert.equal((await api.get(`/v1/events/${event.id}`)).body.bookedCount, 2);
  const mixed = await times((i) => resize(i, event.id, person, 1 + (i % 3)));
  only(mixed, 200);
  assert.deepEqual(tally(await times((i) => cancel(i, event.id, person))), { 200: 1, 404: 19 });
  await assertCounters(api.sql);
});

// spec: 2.5 GET /v1/events/:id: `bookedCount`
test('booking: 500 people on 100 seats over two servers, with everything else that moves seats: never above 100, in order, and counted', async () => {
  const capacity = 100;
  const event = await createEvent(api, organizer, { capacity });
  const before = await deadlocks();
  const answers: ApiResponse[] = [];
  const act = async (person: Person, i: number) => {
    await sleep(Math.random() * 1_500);
    answers.push(await book(i, event.id, person, 1 + (i % 4)));
    await sleep(Math.random() * 800);
    const kind = i % 6;
    if (kind < 2) answers.push(await cancel(i + 1, event.id, person));
    if (kind === 2) answers.push(await resize(i + 1, event.id, person, 1 + (i % 3)));
    if (kind === 3 && i % 4 === 3) answers.push(await leave(i, person));
    if (kind === 0) answers.push(await book(i, event.id, person, 1 + (i % 2)));
  };
  const samples = await sampled(event.id, capacity, Promise.all(crowd.map(act)));
  assert.ok(samples > 20, `${samples} samples`);
  only(answers, 200, 201, 409);
  const places = await sample(event.id, capacity);
  assert.ok(places.some(({ status }) => status === 'waiting'));
  const left = places.reduce((free, { seats, status }) => free - (status === 'booked' ? seats : 0), capacity);
  assert.ok(left < 4, `${left} seats are free though people wait`);
  await assertCounters(api.sql);
  assert.equal((await deadlocks()) - before, 0);
});

test('capacity: raised and lowered while people book and cancel: what is booked never exceeds what was set', async () => {
  const people = await createUsers(api, 60);
  const event = await createEvent(api, organizer, { capacity: 20 });
  const answers: ApiResponse[] = [];
  const guests = people.map(async (person, i) => {
    for (let round = 0; round < 4; round++) {
      await sleep(Math.random() * 60);
      answers.push(await book(i + round, event.id, person, 1 + (i % 3)), await cancel(i, event.id, person));
    }
  });
  const hosts = Array.from({ length: 30 }, async (_, i) => {
    await sleep(Math.random() * 300);
    const capacity = [20, 5, 40, 12][i % 4];
    answers.push(await change(i, event.id, { capacity }));
  });
  await Promise.all([...guests, ...hosts]);
  only(answers, 200, 201, 404, 409);
  await assertCounters(api.sql);
});

test('book: an event that is just being changed holds up nobody who books another', async () => {
  const [held, free] = [await createEvent(api, organizer), await createEvent(api, organizer)];
  const people = crowd.filter((_, i) => i % 6 === 1).slice(0, 12);
  const outside = connectSql(api.target, 1);
  let isOver = false;
  const { waiting } = await outside.begin(async (tx) => {
    await tx`select 1 from events where id = ${held.id} for update`;
    const waiting = people.map((person) =>
      book(0, held.id, person).then((answer) => {
        assert.ok(isOver, 'booked while the event was locked');
        return answer;
      }),
    );
    const others = await Promise.all(people.map((person) => book(0, free.id, person)));
    only(others, 201);
    isOver = true;
    return { waiting };
  });
  only(await Promise.all(waiting), 201);
  await outside.end({ timeoutMs: 1_000 });
  await assertCounters(api.sql);
});

test('sessions: once one has ended on a server, the other books, changes and cancels nothing with it', async () => {
  const person = await createUser(api);
  const event = await createEvent(api, organizer);
  expectStatus(await book(1, event.id, person), 201);
  const calls = (token: string) =>
    Promise.all([
      server(1).post(path(event.id), token, { seats: 1 }),
      server(1).patch(path(event.id), token, { seats: 3 }),
      server(1).delete(path(event.id), token),
    ]);
  const ended = calls(person.token);
  expectStatus(await api.post('/v1/auth/logout', person.token), 200);
  only(await calls(person.token), 401);
  only(await ended, 200, 201, 401, 404, 409);
  await assertCounters(api.sql);
});

test('cancelling an event: once it has answered, nobody books; deleting it takes all bookings along', async () => {
  const people = crowd.filter((_, i) => i % 6 === 1).slice(0, 24);
  for (let round = 0; round < 3; round++) {
    const event = await createEvent(api, organizer, { capacity: 8 });
    let isCancelled = false;
    const stop = async () => {
      const answer = await change(1, event.id, { status: 'cancelled' });
      isCancelled = true;
      return answer;
    };
    const guests = people.map(async (person, i) => {
      if (i >= 12) await sleep(i);
      const late = isCancelled;
      const answer = await book(i, event.id, person);
      if (late) expectStatus(answer, 409);
      return answer;
    });
    only(await Promise.all([...guests, stop()]), 200, 201, 409);
    const calls = people.map((person, i) => cancel(i, event.id, person));
    calls.splice(8, 0, server(1).delete(`/v1/events/${event.id}`, organizer.token));
    only(await Promise.all(calls), 200, 404);
    assert.equal((await api.sql`select 1 from bookings where event_id = ${event.id}`).length, 0);
  }
  await assertCounters(api.sql);
});

test('accounts that are deleted while they book, answer and wait on many events: 200, and everybody moves up', async () => {
  for (let round = 0; round < 3; round++) {
    const [leavers, others] = [await createUsers(api, 6), crowd.filter((_, i) => i % 6 === 1).slice(0, 8)];
    const events = await Promise.all(
      Array.from({ length: 6 }, (_, i) => createEvent(api, leavers[i] ?? organizer, { capacity: 4 })),
    );
    const common = await Promise.all(
      Array.from({ length: 4 }, () => createEvent(api, organizer, { capacity: 4 })),
    );
    for (const { id } of [...events, ...common])
      await Promise.all([...leavers, ...others].map((person, i) => book(i, id, person, 1 + (i % 2))));
    const answers = await Promise.all([
      ...leavers.map((person, i) => leave(i, person)),
      ...others.flatMap((person, i) =>
        common.flatMap(({ id }) => [
          server(i).post(`/v1/events/${id}/rsvp`, person.token, { status: 'going' }),
          resize(i, id, person, 1),
          cancel(i + 1, id, person),
          book(i, id, person),
        ]),
      ),
      ...common.map(({ id }, i) => server(i).patch(`/v1/events/${id}`, admin.token, { capacity: 5 + i })),
    ]);
    for (const answer of answers.slice(0, leavers.length)) expectStatus(answer, 200);
    only(answers, 200, 201, 404, 409);
    await assertCounters(api.sql);
  }
});
