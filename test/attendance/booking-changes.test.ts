/** Changes of bookings: by the guest, by changes of the event, and by account deletion. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { bookingPath, createBookingClient, errorPaths } from '../support/booking-client.ts';
import { createAdmin, createUser, createUsers, deleteAccount, type Person } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);
const guests = await createUsers(api, 6);
const [guest, other, third, fourth] = guests as [Person, Person, Person, Person];
const { createEventWithCapacity, book, cancel, change, bookingStates, record, resize, wait } =
  createBookingClient(api, second, organizer);

// spec: 2.5 GET /v1/events/:id/booking, PATCH /v1/events/:id/booking, DELETE /v1/events/:id/booking: reading, changing and cancelling a booking
test('cancel: 200, and the waitlist is promoted in order until a booking does not fit; later ones do not overtake it', async () => {
  const event = await createEventWithCapacity(5);
  expectStatus(await book(event.id, guest, 2), 201);
  expectStatus(await book(event.id, other, 3), 201);
  const seats = [2, 4, 1, 1];
  const waiting = guests.slice(2);
  for (const [i, person] of waiting.entries()) expectStatus(await wait(event.id, person, seats[i]), 201);
  assert.deepEqual(expectStatus(await cancel(event.id, guest), 200).body, { success: true });
  // The first on the waitlist needs 4 seats. The two behind it wait, although one seat each is free.
  assert.deepEqual(await bookingStates(event.id, waiting), ['2+', '4@1', '1@2', '1@3']);
  expectStatus(await cancel(event.id, other), 200);
  assert.deepEqual(await bookingStates(event.id, waiting), ['2+', '4@1', '1@2', '1@3']);
  assert.equal((await record(event.id)).bookedCount, 2);
  // Leaving the waitlist frees no seat but lets the next booking be promoted.
  expectStatus(await cancel(event.id, fourth), 200);
  assert.deepEqual(await bookingStates(event.id, waiting), ['2+', '-', '1+', '1+']);
  assert.equal((await record(event.id)).bookedCount, 4);
  expectProblem(await cancel(event.id, fourth), 404, 'booking_not_found');
  await assertCounters(api.sql);
});

// spec: 2.5 GET /v1/events/:id/booking, PATCH /v1/events/:id/booking, DELETE /v1/events/:id/booking: reading, changing and cancelling a booking
test('change: 200 with fewer seats, and the waitlist gets the freed seats', async () => {
  const event = await createEventWithCapacity(4);
  const { body } = expectStatus(await book(event.id, guest, 4), 201);
  for (const person of [other, third]) expectStatus(await wait(event.id, person, 1), 201);
  const { body: fewer } = expectStatus(await resize(event.id, guest, 3), 200);
  assert.deepEqual(fewer, { ...body, seats: 3 });
  assert.deepEqual(await bookingStates(event.id, [guest, other, third]), ['3+', '1+', '1@1']);
  assert.equal((await record(event.id, guest)).myBooking.seats, 3);
  assert.deepEqual(expectStatus(await resize(event.id, guest, 3), 200).body, fewer);
  await assertCounters(api.sql);
});

// spec: 2.5 GET /v1/events/:id/booking, PATCH /v1/events/:id/booking, DELETE /v1/events/:id/booking: reading, changing and cancelling a booking
test('change: 200 with more seats while they are free; 409 if they are not free or the waitlist is not empty', async () => {
  const event = await createEventWithCapacity(5);
  expectStatus(await book(event.id, guest, 1), 201);
  assert.equal(expectStatus(await resize(event.id, guest, 3), 200).body.seats, 3);
  expectProblem(await resize(event.id, guest, 6), 409, 'no_seats');
  expectStatus(await resize(event.id, guest, 4), 200);
  expectStatus(await wait(event.id, other, 2), 201);
  const response = expectProblem(await resize(event.id, guest, 5), 409, 'no_seats');
  assert.equal(response.body.detail, 'Others wait for the seats that are left.');
  assert.equal((await record(event.id)).bookedCount, 4);
  await assertCounters(api.sql);
});

test('change: a waiting booking keeps its position with fewer seats, and is promoted once they fit; 409 for more seats', async () => {
  const event = await createEventWithCapacity(4);
  expectStatus(await book(event.id, guest, 2), 201);
  const { body } = expectStatus(await wait(event.id, other, 4), 201);
  expectStatus(await wait(event.id, third, 1), 201);
  expectProblem(await resize(event.id, third, 2), 409, 'no_seats');
  assert.deepEqual(expectStatus(await resize(event.id, other, 3), 200).body, { ...body, seats: 3 });
  const { body: promoted } = expectStatus(await resize(event.id, other, 1), 200);
  assert.deepEqual(promoted, { ...body, seats: 1, status: 'booked', position: null });
  assert.deepEqual(await bookingStates(event.id, [guest, other, third]), ['2+', '1+', '1+']);
  await assertCounters(api.sql);
});

test('change: 400 naming the invalid field, 404 without a booking', async () => {
  const event = await createEventWithCapacity(4);
  expectProblem(await resize(event.id, guest, 1), 404, 'booking_not_found');
  expectStatus(await book(event.id, guest, 1), 201);
  for (const seats of [0, 21, 1.5, '2', null]) {
    assert.deepEqual(
      errorPaths(expectProblem(await resize(event.id, guest, seats), 400, 'invalid_request').body),
      ['seats'],
    );
  }
  const unknownField = await api.patch(bookingPath(event.id), guest.token, { seats: 1, waitlist: true });
  assert.deepEqual(errorPaths(expectProblem(unknownField, 400, 'invalid_request').body), ['waitlist']);
});

// spec: 2.5 PATCH /v1/events/:id: `capacity` and the booked seats
test('capacity: a higher capacity promotes the waitlist in order, no limit promotes all; 409 below the booked seats', async () => {
  const event = await createEventWithCapacity(2);
  expectStatus(await book(event.id, guest, 2), 201);
  for (const person of [other, third, fourth]) expectStatus(await wait(event.id, person, 2), 201);
  const { body } = expectStatus(await change(event.id, { capacity: 5 }), 200);
  assert.equal(body.bookedCount, 4);
  assert.deepEqual(await bookingStates(event.id, [other, third, fourth]), ['2+', '2@1', '2@2']);
  const response = expectProblem(await change(event.id, { capacity: 3 }), 409, 'capacity_below_booked');
  assert.deepEqual([errorPaths(response.body), response.body.detail], [['capacity'], '4 seats are booked.']);
  assert.equal((await record(event.id)).capacity, 5);
  expectStatus(await change(event.id, { capacity: 4 }), 200);
  expectStatus(await change(event.id, { title: 'Another title' }), 200);
  assert.equal(expectStatus(await change(event.id, { capacity: 0 }), 200).body.bookedCount, 8);
  assert.deepEqual(await bookingStates(event.id, [other, third, fourth]), ['2+', '2+', '2+']);
  expectProblem(await change(event.id, { capacity: 7 }), 409, 'capacity_below_booked');
  await assertCounters(api.sql);
});

test('capacity: if the first waiting booking exceeds a lowered capacity, it blocks the waitlist until it is reduced', async () => {
  const event = await createEventWithCapacity(5);
  expectStatus(await book(event.id, guest, 3), 201);
  expectStatus(await wait(event.id, other, 5), 201);
  expectStatus(await wait(event.id, third, 1), 201);
  expectStatus(await change(event.id, { capacity: 4 }), 200);
  expectStatus(await cancel(event.id, guest), 200);
  assert.deepEqual(await bookingStates(event.id, [other, third]), ['5@1', '1@2']);
  expectProblem(await book(event.id, fourth, 1), 409, 'no_seats');
  expectStatus(await resize(event.id, other, 3), 200);
  assert.deepEqual(await bookingStates(event.id, [other, third]), ['3+', '1+']);
  await assertCounters(api.sql);
});

test('cancelled: 409 for a new booking or more seats; fewer seats, cancellation and promotion still work', async () => {
  const event = await createEventWithCapacity(3);
  expectStatus(await book(event.id, guest, 3), 201);
  expectStatus(await wait(event.id, other), 201);
  expectStatus(await change(event.id, { status: 'cancelled' }), 200);
  expectProblem(await wait(event.id, third), 409, 'event_cancelled');
  expectProblem(await resize(event.id, other, 2), 409, 'event_cancelled');
  expectStatus(await resize(event.id, guest, 2), 200);
  assert.deepEqual(await bookingStates(event.id, [guest, other]), ['2+', '1+']);
  expectStatus(await cancel(event.id, guest), 200);
  expectStatus(await change(event.id, { status: 'scheduled' }), 200);
  expectStatus(await book(event.id, third, 2), 201);
  await assertCounters(api.sql);
});

// spec: 2.5 GET /v1/events/:id: `enabledModules`
test('module: 403 for a new booking or more seats while booking is off; reading, fewer seats and cancellation work', async () => {
  const event = await createEventWithCapacity(5);
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

test('flag: 403 for a new booking or more seats while bookings are off; fewer seats and cancellation work', async () => {
  const event = await createEventWithCapacity(5);
  expectStatus(await book(event.id, guest, 2), 201);
  const admin = await createAdmin(api);
  const turn = async (enabled: boolean) =>
    expectStatus(
      await api.call('PUT', '/v1/admin/flags/bookings', { token: admin.token, body: { enabled } }),
      200,
    );
  await turn(false);
  try {
    expectProblem(await book(event.id, other), 403, 'feature_disabled');
    expectProblem(await resize(event.id, guest, 3), 403, 'feature_disabled');
    expectStatus(await resize(event.id, guest, 1), 200);
    expectStatus(await cancel(event.id, guest), 200);
  } finally {
    await turn(true);
  }
});

test('deletion of an account: its bookings are deleted, and the waitlist is promoted at once', async () => {
  const event = await createEventWithCapacity(4);
  const [bookedPerson, waitingPerson] = (await createUsers(api, 2)) as [Person, Person];
  expectStatus(await book(event.id, bookedPerson, 3), 201);
  expectStatus(await wait(event.id, waitingPerson, 4), 201);
  expectStatus(await wait(event.id, other, 1), 201);
  expectStatus(await deleteAccount(api, waitingPerson), 200);
  assert.deepEqual(await bookingStates(event.id, [other]), ['1+']);
  expectStatus(await wait(event.id, third, 2), 201);
  expectStatus(await deleteAccount(api, bookedPerson), 200);
  assert.deepEqual(await bookingStates(event.id, [other, third]), ['1+', '2+']);
  assert.equal((await record(event.id)).bookedCount, 3);
  await assertCounters(api.sql);
});

test('deletion of an event: 200, and its bookings and waitlist are deleted', async () => {
  const event = await createEventWithCapacity(1);
  expectStatus(await book(event.id, guest), 201);
  expectStatus(await wait(event.id, other), 201);
  expectStatus(await api.delete(`/v1/events/${event.id}`, organizer.token), 200);
  expectProblem(await api.get(bookingPath(event.id), guest.token), 404, 'event_not_found');
  assert.equal((await api.sql`select 1 from bookings where event_id = ${event.id}`).length, 0);
});
