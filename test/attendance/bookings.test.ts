/** Bookings and the waitlist: creating a booking, and the fields of the event record. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { bookingPath, createBookingClient, errorPaths } from '../support/booking-client.ts';
import { createUser, createUsers, type Person } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);
const guests = await createUsers(api, 6);
const [guest, other, third] = guests as [Person, Person, Person];
const unknown = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';
const { createEventWithCapacity, book, cancel, change, bookingStates, record, resize, wait } =
  createBookingClient(api, second, organizer);

// spec: 2.5 GET /v1/events/:id: `bookedCount`; `myBooking`
// spec: 2.5 POST /v1/events/:id/booking: booking seats, and the waitlist
test('book: 201 with exactly the fields of a booking, and the record shows it only to the guest', async () => {
  const event = await createEventWithCapacity(10);
  const { body } = expectStatus(await book(event.id, guest, 3), 201);
  assert.ok(Math.abs(Date.parse(body.createdAt) - Date.now()) < 60_000);
  assert.deepEqual(body, {
    id: body.id,
    eventId: event.id,
    userId: guest.id,
    seats: 3,
    status: 'booked',
    position: null,
    createdAt: body.createdAt,
  });
  assert.deepEqual(expectStatus(await second.get(bookingPath(event.id), guest.token), 200).body, body);
  const eventRecord = await record(event.id, guest);
  const { id, createdAt } = body;
  assert.deepEqual(
    [eventRecord.bookedCount, eventRecord.myBooking, eventRecord.myWaitlist],
    [3, { id, seats: 3, createdAt }, null],
  );
  const otherRecord = await record(event.id, other);
  assert.deepEqual([otherRecord.bookedCount, otherRecord.myBooking, otherRecord.myWaitlist], [3, null, null]);
  await assertCounters(api.sql);
});

// spec: 2.5 GET /v1/events/:id: `myBooking`
test('record: 200 without a token has myBooking and myWaitlist null; lists have neither field', async () => {
  const event = await createEventWithCapacity(10);
  expectStatus(await book(event.id, guest), 201);
  const { myBooking, myWaitlist, bookedCount } = await record(event.id);
  assert.deepEqual([myBooking, myWaitlist, bookedCount], [null, null, 1]);
  const { body } = expectStatus(await api.get('/v1/events?limit=50', guest.token), 200);
  const listed = body.data.find(({ id }: { id: string }) => id === event.id);
  assert.ok(listed && !('myBooking' in listed) && !('myWaitlist' in listed) && !('bookedCount' in listed));
});

// spec: 2.5 POST /v1/events/:id/booking: booking seats, and the waitlist
test('book: 400 naming seats that are out of range, not an integer or missing, and naming unknown fields', async () => {
  const event = await createEventWithCapacity(0);
  for (const seats of [0, -1, 21, 1.5, '1', null, true, [1], 2 ** 31]) {
    assert.deepEqual(
      errorPaths(expectProblem(await book(event.id, guest, seats), 400, 'invalid_request').body),
      ['seats'],
    );
  }
  const empty = await api.post(bookingPath(event.id), guest.token, {});
  assert.deepEqual(errorPaths(expectProblem(empty, 400, 'invalid_request').body), ['seats']);
  for (const waitlist of ['true', 1, null]) {
    const response = await book(event.id, guest, 1, { waitlist });
    assert.deepEqual(errorPaths(expectProblem(response, 400, 'invalid_request').body), ['waitlist']);
  }
  const unknownField = await book(event.id, guest, 1, { userId: other.id });
  assert.deepEqual(errorPaths(expectProblem(unknownField, 400, 'invalid_request').body), ['userId']);
  expectStatus(await book(event.id, guest, 20), 201);
});

// spec: 2.5 POST /v1/events/:id/booking: booking seats, and the waitlist
test('book: 409 with the number of free seats if too few are free', async () => {
  const event = await createEventWithCapacity(5);
  expectStatus(await book(event.id, guest, 3), 201);
  const response = expectProblem(await book(event.id, other, 3), 409, 'no_seats');
  assert.deepEqual([errorPaths(response.body), response.body.detail], [['seats'], 'Only 2 seats are left.']);
  expectStatus(await book(event.id, other, 2), 201);
  assert.equal(expectProblem(await book(event.id, third), 409, 'no_seats').body.detail, 'No seat is left.');
  assert.equal((await record(event.id)).bookedCount, 5);
});

test('book: 201 for any number of bookings on an event without a capacity', async () => {
  const event = await createEventWithCapacity(0);
  for (const person of guests) expectStatus(await book(event.id, person, 20), 201);
  assert.equal((await record(event.id)).bookedCount, 120);
});

// spec: 2.5 POST /v1/events/:id/booking: booking seats, and the waitlist
test('waitlist: 201 with the position if too few seats are free; the record shows it as myWaitlist', async () => {
  const event = await createEventWithCapacity(2);
  expectStatus(await wait(event.id, guest, 2), 201);
  const { body } = expectStatus(await wait(event.id, other, 2), 201);
  assert.deepEqual([body.status, body.position], ['waiting', 1]);
  assert.deepEqual(expectStatus(await wait(event.id, third), 201).body.position, 2);
  const eventRecord = await record(event.id, other);
  const { id, seats, position, createdAt } = body;
  assert.deepEqual([eventRecord.bookedCount, eventRecord.myBooking], [2, null]);
  assert.deepEqual(eventRecord.myWaitlist, { id, seats, position, createdAt });
  assert.deepEqual((await record(event.id, third)).myWaitlist.position, 2);
  await assertCounters(api.sql);
});

test('waitlist: 409 for more seats than the capacity', async () => {
  const event = await createEventWithCapacity(2);
  expectProblem(await wait(event.id, guest, 3), 409, 'no_seats');
  expectProblem(await api.get(bookingPath(event.id), guest.token), 404, 'booking_not_found');
});

// spec: 2.5 POST /v1/events/:id/booking: booking seats, and the waitlist
test('waitlist: 409 for a direct booking of free seats while the waitlist is not empty', async () => {
  const event = await createEventWithCapacity(4);
  expectStatus(await book(event.id, guest, 3), 201);
  expectStatus(await wait(event.id, other, 2), 201);
  const response = expectProblem(await book(event.id, third, 1), 409, 'no_seats');
  assert.equal(response.body.detail, 'Others wait for the seats that are left.');
  assert.equal(expectStatus(await wait(event.id, third, 1), 201).body.position, 2);
  assert.equal((await record(event.id)).bookedCount, 3);
});

// spec: 2.5 POST /v1/events/:id/booking: booking seats, and the waitlist
test('book: 409 for a second booking or waitlist entry; 201 at the end of the waitlist after cancellation', async () => {
  const event = await createEventWithCapacity(2);
  const first = expectStatus(await book(event.id, guest, 2), 201).body;
  expectProblem(await book(event.id, guest), 409, 'already_booked');
  for (const person of [other, third]) expectStatus(await wait(event.id, person), 201);
  expectProblem(await wait(event.id, other), 409, 'already_booked');
  expectStatus(await cancel(event.id, other), 200);
  assert.equal(expectStatus(await wait(event.id, other), 201).body.position, 2);
  expectStatus(await cancel(event.id, guest), 200);
  assert.deepEqual(await bookingStates(event.id, [guest, third, other]), ['-', '1+', '1+']);
  const again = expectStatus(await wait(event.id, guest), 201).body;
  assert.deepEqual([again.status, again.position, again.id === first.id], ['waiting', 1, false]);
  await assertCounters(api.sql);
});

// spec: 2.5 POST /v1/events/:id/booking: booking seats, and the waitlist
test('book: errors have the precedence 401, 400, 404, 403, 409', async () => {
  const event = await createEventWithCapacity(1);
  expectStatus(await book(event.id, guest), 201);
  const fields = { enabledModules: [], status: 'cancelled', visibility: 'private' };
  expectStatus(await change(event.id, fields), 200);
  expectProblem(await book(event.id, undefined, 0), 401, 'token_missing');
  expectProblem(await book(event.id, other, 0), 400, 'invalid_request');
  expectProblem(await book(event.id, other), 404, 'event_not_found');
  expectStatus(await change(event.id, { visibility: 'public' }), 200);
  expectProblem(await book(event.id, guest), 403, 'module_disabled');
  expectStatus(await change(event.id, { enabledModules: ['booking'] }), 200);
  expectProblem(await book(event.id, guest), 409, 'event_cancelled');
  expectStatus(await change(event.id, { status: 'scheduled' }), 200);
  expectProblem(await book(event.id, guest), 409, 'already_booked');
  expectProblem(await book(event.id, other), 409, 'no_seats');
});

// spec: 2.5 GET /v1/events/:id/booking, PATCH /v1/events/:id/booking, DELETE /v1/events/:id/booking: reading, changing and cancelling a booking
test('404: for an unknown event, a malformed id and a hidden event; guests keep access to existing bookings', async () => {
  for (const id of [unknown, 'nonsense', 'x'.repeat(190)]) {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const body = method === 'POST' || method === 'PATCH' ? { seats: 1 } : undefined;
      expectProblem(
        await api.call(method, bookingPath(id), { token: guest.token, body }),
        404,
        'event_not_found',
      );
    }
    expectProblem(await api.get(`${bookingPath(id)}s`, guest.token), 404, 'event_not_found');
  }
  const event = await createEventWithCapacity(5);
  expectStatus(await book(event.id, guest, 2), 201);
  expectStatus(await change(event.id, { visibility: 'private' }), 200);
  expectProblem(await api.get(bookingPath(event.id), other.token), 404, 'event_not_found');
  expectProblem(await cancel(event.id, other), 404, 'event_not_found');
  expectProblem(await resize(event.id, guest, 3), 404, 'event_not_found');
  expectStatus(await api.get(bookingPath(event.id), guest.token), 200);
  expectStatus(await resize(event.id, guest, 1), 200);
  expectStatus(await cancel(event.id, guest), 200);
  expectProblem(await api.get(bookingPath(event.id), guest.token), 404, 'event_not_found');
});

// spec: 8 POST /v1/events, POST /v1/events/:id/items, POST /v1/items/:id/claim, POST /v1/events/:id/booking: repetition of creating requests with `Idempotency-Key`
test('key: a replay for the same Idempotency-Key on either server, and one booking is created', async () => {
  const event = await createEventWithCapacity(5);
  const post = (on: typeof api, key: string, seats = 2) =>
    on.call('POST', bookingPath(event.id), {
      token: guest.token,
      body: { seats },
      headers: { 'idempotency-key': key },
    });
  const responses = await Promise.all([api, second, api, second].map((on) => post(on, 'a-key')));
  for (const response of responses) assert.deepEqual(expectStatus(response, 201).body, responses[0]?.body);
  assert.equal(responses.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 3);
  expectProblem(await post(api, 'another-key'), 409, 'already_booked');
  expectProblem(await post(api, 'a-key', 1), 422, 'idempotency_key_reused');
  assert.equal((await record(event.id)).bookedCount, 2);
  // Two keys of one person in concurrent requests.
  expectStatus(await cancel(event.id, guest), 200);
  const conflicting = await Promise.all([post(api, 'one'), post(api, 'two')]);
  assert.deepEqual(conflicting.map(({ status }) => status).sort(), [201, 409]);
  await assertCounters(api.sql);
});
