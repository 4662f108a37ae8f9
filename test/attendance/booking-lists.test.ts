/** The organizer's list of bookings. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { bookingPath, createBookingClient, errorPaths } from '../support/booking-client.ts';
import { createAdmin, createUser, createUsers, type Person } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);
const admin = await createAdmin(api);
const guests = await createUsers(api, 6);
const [guest] = guests as [Person];
const { createEventWithCapacity, book, wait } = createBookingClient(api, second, organizer);

// spec: 2.5 GET /v1/events/:id/bookings: the organizer's list of bookings
test('list: 200 for organizer and admins with booked and waiting people in order; 403 for guests, 401 without a token', async () => {
  const event = await createEventWithCapacity(3);
  const created: string[] = [];
  for (const [i, person] of guests.entries())
    created.push(expectStatus(await wait(event.id, person, (i % 2) + 1), 201).body.id);
  expectProblem(await api.get(`${bookingPath(event.id)}s`, guest.token), 403, 'not_organizer');
  expectProblem(await api.get(`${bookingPath(event.id)}s`), 401, 'token_missing');
  for (const { token } of [organizer, admin]) {
    const { body } = expectStatus(await api.get(`${bookingPath(event.id)}s`, token), 200);
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      created,
    );
    assert.equal(body.nextCursor, null);
    const profile = (await api.get(`/v1/users/${guest.id}`)).body;
    const { name, username, avatar } = profile;
    assert.deepEqual(body.data[0], {
      id: created[0],
      user: { id: guest.id, name, username, avatar, hasAccount: true },
      seats: 1,
      status: 'booked',
      position: null,
      createdAt: body.data[0].createdAt,
    });
    const states = body.data.map(({ status, position }: { status: string; position: number | null }) => [
      status,
      position,
    ]);
    const waiting = [1, 2, 3, 4].map((position) => ['waiting', position]);
    assert.deepEqual(states, [['booked', null], ['booked', null], ...waiting]);
  }
});

// spec: 2.5 GET /v1/events/:id/bookings: the organizer's list of bookings
test('list: pages by cursor and by status contain each booking once, with its position', async () => {
  const event = await createEventWithCapacity(3);
  for (const person of guests) expectStatus(await wait(event.id, person), 201);
  const readAllPages = async (query: string) => {
    const bookings: { user: { id: string }; position: number | null }[] = [];
    for (let cursor = ''; ; ) {
      const { body } = expectStatus(
        await api.get(`${bookingPath(event.id)}s?limit=2${query}${cursor}`, organizer.token),
        200,
      );
      assert.ok(body.data.length > 0 && body.data.length <= 2);
      bookings.push(...body.data);
      if (body.nextCursor === null) return bookings;
      cursor = `&cursor=${body.nextCursor}`;
    }
  };
  const ids = (people: { id: string }[]) => people.map(({ id }) => id);
  const allBookings = await readAllPages('');
  assert.deepEqual(ids(allBookings.map(({ user }) => user)), ids(guests));
  assert.deepEqual(
    allBookings.map(({ position }) => position),
    [null, null, null, 1, 2, 3],
  );
  assert.deepEqual(
    ids((await readAllPages('&status=booked')).map(({ user }) => user)),
    ids(guests.slice(0, 3)),
  );
  const waiting = await readAllPages('&status=waiting');
  assert.deepEqual(ids(waiting.map(({ user }) => user)), ids(guests.slice(3)));
  assert.deepEqual(
    waiting.map(({ position }) => position),
    [1, 2, 3],
  );
});

// spec: 2.5 GET /v1/events/:id/bookings: the organizer's list of bookings
test('list: 20 by default, up to 50; 400 naming limit, status and cursor', async () => {
  const event = await createEventWithCapacity(0);
  const people = await createUsers(api, 21);
  await Promise.all(people.map((person) => book(event.id, person)));
  const { body } = expectStatus(await api.get(`${bookingPath(event.id)}s`, organizer.token), 200);
  assert.deepEqual([body.data.length, typeof body.nextCursor], [20, 'string']);
  const allBookings = await api.get(`${bookingPath(event.id)}s?limit=50`, organizer.token);
  assert.equal(expectStatus(allBookings, 200).body.data.length, 21);
  for (const [field, value] of [
    ['limit', 0],
    ['limit', 51],
    ['limit', 'x'],
    ['status', 'gone'],
    ['cursor', 'x'],
    ['cursor', `${body.nextCursor}A`],
    ['cursor', Buffer.from('["a"]').toString('base64url')],
  ] as const) {
    const response = await api.get(`${bookingPath(event.id)}s?${field}=${value}`, organizer.token);
    assert.deepEqual(errorPaths(expectProblem(response, 400, 'invalid_request').body), [field]);
  }
});
