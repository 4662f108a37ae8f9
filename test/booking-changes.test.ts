/** Bookings that change: by whoever has them, by what happens to the event, and by accounts that go. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { bookingPath, createBookingClient, errorPaths } from './booking-client.ts';
import { createUser, createUsers, deleteAccount, type Person } from './factories.ts';
import { assertCounters } from './invariants.ts';
import { expectProblem, expectStatus, startTestApp } from './setup.ts';

const api = await startTestApp();
const second = await api.another();
const organizer = await createUser(api);
const guests = await createUsers(api, 6);
const [guest, other, third, fourth] = guests as [Person, Person, Person, Person];
const { anEventOf, book, cancel, change, places, record, resize, wait } = createBookingClient(
  api,
  second,
  organizer,
);

// spec: 2.5 GET /v1/events/:id/booking, PATCH /v1/events/:id/booking, DELETE /v1/events/:id/booking: reading, changing and cancelling a booking
test('cancel: 200, the head of the waitlist moves up in order as far as seats go, and nobody overtakes it', async () => {
  const event = await anEventOf(5);
  expectStatus(await book(event.id, guest, 2), 201);
  expectStatus(await book(event.id, other, 3), 201);
  const seats = [2, 4, 1, 1];
  const waiting = guests.slice(2);
  for (const [i, person] of waiting.entries()) expectStatus(await wait(event.id, person, seats[i]), 201);
  assert.deepEqual(expectStatus(await cancel(event.id, guest), 200).body, { success: true });
  // The second wants 4: the two behind wait with them, though one seat each would be enough.
  assert.deepEqual(await places(event.id, waiting), ['2+', '4@1', '1@2', '1@3']);
  expectStatus(await cancel(event.id, other), 200);
  assert.deepEqual(await places(event.id, waiting), ['2+', '4@1', '1@2', '1@3']);
  assert.equal((await record(event.id)).bookedCount, 2);
  // Who leaves the list frees no seat, but the way.
  expectStatus(await cancel(event.id, fourth), 200);
  assert.deepEqual(await places(event.id, waiting), ['2+', '-', '1+', '1+']);
  assert.equal((await record(event.id)).bookedCount, 4);
  expectProblem(await cancel(event.id, fourth), 404, 'booking_not_found');
  await assertCounters(api.sql);
});

// spec: 2.5 GET /v1/events/:id/booking, PATCH /v1/events/:id/booking, DELETE /v1/events/:id/booking: reading, changing and cancelling a booking
test('change: 200 with fewer seats, which go to those who wait', async () => {
  const event = await anEventOf(4);
  const { body } = expectStatus(await book(event.id, guest, 4), 201);
  for (const person of [other, third]) expectStatus(await wait(event.id, person, 1), 201);
  const { body: less } = expectStatus(await resize(event.id, guest, 3), 200);
  assert.deepEqual(less, { ...body, seats: 3 });
  assert.deepEqual(await places(event.id, [guest, other, third]), ['3+', '1+', '1@1']);
  assert.equal((await record(event.id, guest)).myBooking.seats, 3);
  assert.deepEqual(expectStatus(await resize(event.id, guest, 3), 200).body, less);
  await assertCounters(api.sql);
});

// spec: 2.5 GET /v1/events/:id/booking, PATCH /v1/events/:id/booking, DELETE /v1/events/:id/booking: reading, changing and cancelling a booking
test('change: 200 with more seats that are free; 409 when they are not, or somebody waits', async () => {
  const event = await anEventOf(5);
  expectStatus(await book(event.id, guest, 1), 201);
  assert.equal(expectStatus(await resize(event.id, guest, 3), 200).body.seats, 3);
  expectProblem(await resize(event.id, guest, 6), 409, 'no_seats');
  expectStatus(await resize(event.id, guest, 4), 200);
  expectStatus(await wait(event.id, other, 2), 201);
  const answer = expectProblem(await resize(event.id, guest, 5), 409, 'no_seats');
  assert.equal(answer.body.detail, 'Others wait for the seats that are left.');
  assert.equal((await record(event.id)).bookedCount, 4);
  await assertCounters(api.sql);
});

test('change: who waits keeps their place with fewer seats, and is booked once they fit; 409 for more', async () => {
  const event = await anEventOf(4);
  expectStatus(await book(event.id, guest, 2), 201);
  const { body } = expectStatus(await wait(event.id, other, 4), 201);
  expectStatus(await wait(event.id, third, 1), 201);
  expectProblem(await resize(event.id, third, 2), 409, 'no_seats');
  assert.deepEqual(expectStatus(await resize(event.id, other, 3), 200).body, { ...body, seats: 3 });
  const { body: up } = expectStatus(await resize(event.id, other, 1), 200);
  assert.deepEqual(up, { ...body, seats: 1, status: 'booked', position: null });
  assert.deepEqual(await places(event.id, [guest, other, third]), ['2+', '1+', '1+']);
  await assertCounters(api.sql);
});

test('change: 400 naming seats, 404 without a booking', async () => {
  const event = await anEventOf(4);
  expectProblem(await resize(event.id, guest, 1), 404, 'booking_not_found');
  expectStatus(await book(event.id, guest, 1), 201);
  for (const seats of [0, 21, 1.5, '2', null]) {
    assert.deepEqual(
      errorPaths(expectProblem(await resize(event.id, guest, seats), 400, 'invalid_request').body),
      ['seats'],
    );
  }
  const stray = await api.patch(bookingPath(event.id), guest.token, { seats: 1, waitlist: true });
  assert.deepEqual(errorPaths(expectProblem(stray, 400, 'invalid_request').body), ['waitlist']);
});

// spec: 2.5 PATCH /v1/events/:id: `capacity` and the booked seats
test('capacity: more seats move the waitlist up, no limit all of it; 409 below what is booked', async () => {
  const event = await anEventOf(2);
  expectStatus(await book(event.id, guest, 2), 201);
  for (const person of [other, third, fourth]) expectStatus(await wait(event.id, person, 2), 201);
  const { body } = expectStatus(await change(event.id, { capacity: 5 }), 200);
  assert.equal(body.bookedCount, 4);
  assert.deepEqual(await places(event.id, [other, third, fourth]), ['2+', '2@1', '2@2']);
  const answer = expectProblem(await change(event.id, { capacity: 3 }), 409, 'capacity_below_booked');
  assert.deepEqual([errorPaths(answer.body), answer.body.detail], [['capacity'], '4 seats are booked.']);
  assert.equal((await record(event.id)).capacity, 5);
  expectStatus(await change(event.id, { capacity: 4 }), 200);
  expectStatus(await change(event.id, { title: 'Another title' }), 200);
  assert.equal(expectStatus(await change(event.id, { capacity: 0 }), 200).body.bookedCount, 8);
  assert.deepEqual(await places(event.id, [other, third, fourth]), ['2+', '2+', '2+']);
  expectProblem(await change(event.id, { capacity: 7 }), 409, 'capacity_below_booked');
  await assertCounters(api.sql);
});

test('capacity: lowered below what the first in line wants, it holds up the others until they take fewer', async () => {
  const event = await anEventOf(5);
  expectStatus(await book(event.id, guest, 3), 201);
  expectStatus(await wait(event.id, other, 5), 201);
  expectStatus(await wait(event.id, third, 1), 201);
  expectStatus(await change(event.id, { capacity: 4 }), 200);
  expectStatus(await cancel(event.id, guest), 200);
  assert.deepEqual(await places(event.id, [other, third]), ['5@1', '1@2']);
  expectProblem(await book(event.id, fourth, 1), 409, 'no_seats');
  expectStatus(await resize(event.id, other, 3), 200);
  assert.deepEqual(await places(event.id, [other, third]), ['3+', '1+']);
  await assertCounters(api.sql);
});

test('cancelled: 409 for what is new; changing to fewer, giving back and moving up still work', async () => {
  const event = await anEventOf(3);
  expectStatus(await book(event.id, guest, 3), 201);
  expectStatus(await wait(event.id, other), 201);
  expectStatus(await change(event.id, { status: 'cancelled' }), 200);
  expectProblem(await wait(event.id, third), 409, 'event_cancelled');
  expectProblem(await resize(event.id, other, 2), 409, 'event_cancelled');
  expectStatus(await resize(event.id, guest, 2), 200);
  assert.deepEqual(await places(event.id, [guest, other]), ['2+', '1+']);
  expectStatus(await cancel(event.id, guest), 200);
  expectStatus(await change(event.id, { status: 'scheduled' }), 200);
  expectStatus(await book(event.id, third, 2), 201);
  await assertCounters(api.sql);
});

// spec: 2.5 GET /v1/events/:id: `enabledModules`
test('module: 403 for what is new while booking is off; what is there stays readable and can be given back', async () => {
  const event = await anEventOf(5);
  assert.ok(event.enabledModules.includes('booking'));
  expectStatus(await book(event.id, guest, 2), 201);
  expectStatus(await change(event.id, { enabledModules: ['bringList', 'wishList'] }), 200);
  expectProblem(await book(event.id, other), 403, 'module_disabled');
  expectProblem(await resize(event.id, guest, 3), 403, 'module_disabled');
  assert.equal((await record(event.id, guest)).myBooking.seats, 2);
  expectStatus(await api.get(`${bookingPath(event.id)}s`, organizer.token), 200);
  expectStatus(await resize(event.id, guest, 1), 200);
  expectStatus(await cancel(event.id, guest), 200);
});

test('flag: 403 for what is new while bookings are switched off; fewer seats and giving back still work', async () => {
  const event = await anEventOf(5);
  expectStatus(await book(event.id, guest, 2), 201);
  await api.sql`insert into flags (name, enabled, changed_at) values ('bookings', false, now())`;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  try {
    expectProblem(await book(event.id, other), 403, 'feature_disabled');
    expectProblem(await resize(event.id, guest, 3), 403, 'feature_disabled');
    expectStatus(await resize(event.id, guest, 1), 200);
    expectStatus(await cancel(event.id, guest), 200);
  } finally {
    await api.sql`delete from flags where name = 'bookings'`;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
});

test('deletion of an account: its seats and its place go, and those who wait move up at once', async () => {
  const event = await anEventOf(4);
  const [leaver, waiter] = (await createUsers(api, 2)) as [Person, Person];
  expectStatus(await book(event.id, leaver, 3), 201);
  expectStatus(await wait(event.id, waiter, 4), 201);
  expectStatus(await wait(event.id, other, 1), 201);
  expectStatus(await deleteAccount(api, waiter), 200);
  assert.deepEqual(await places(event.id, [other]), ['1+']);
  expectStatus(await wait(event.id, third, 2), 201);
  expectStatus(await deleteAccount(api, leaver), 200);
  assert.deepEqual(await places(event.id, [other, third]), ['1+', '2+']);
  assert.equal((await record(event.id)).bookedCount, 3);
  await assertCounters(api.sql);
});

test('deletion of an event: 200 with bookings and waitlist', async () => {
  const event = await anEventOf(1);
  expectStatus(await book(event.id, guest), 201);
  expectStatus(await wait(event.id, other), 201);
  expectStatus(await api.delete(`/v1/events/${event.id}`, organizer.token), 200);
  expectProblem(await api.get(bookingPath(event.id), guest.token), 404, 'event_not_found');
  assert.equal((await api.sql`select 1 from bookings where event_id = ${event.id}`).length, 0);
});
