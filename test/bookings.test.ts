/** Seats at an event: booking, waiting, changing, giving back, and the organizer's list. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { assertCounters } from './invariants.ts';
import { expectProblem, expectStatus, testApp } from './setup.ts';
import { anAdmin, anEvent, aUser, deleteAccount, type Person, users } from './world.ts';

const api = await testApp();
const second = await api.another();
const organizer = await aUser(api);
const admin = await anAdmin(api);
const guests = await users(api, 6);
const [guest, other, third, fourth] = guests as [Person, Person, Person, Person];
const unknown = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';

const path = (id: string) => `/v1/events/${id}/booking`;
const book = (id: string, person: Person | undefined, seats: unknown = 1, more: object = {}) =>
  api.post(path(id), person?.token, { seats, ...more });
const wait = (id: string, person: Person, seats = 1) => book(id, person, seats, { waitlist: true });
const resize = (id: string, person: Person, seats: unknown) => api.patch(path(id), person.token, { seats });
const cancel = (id: string, person: Person) => api.delete(path(id), person.token);
const change = (id: string, fields: object) => api.patch(`/v1/events/${id}`, organizer.token, fields);
const anEventOf = (capacity: number, more: object = {}) => anEvent(api, organizer, { capacity, ...more });
const record = async (id: string, person?: Person) =>
  expectStatus(await second.get(`/v1/events/${id}`, person?.token), 200).body;
const paths = (body: { errors: { path: string }[] }) => body.errors.map((error) => error.path);
/** Each one's seats, `+` behind them when booked, else the place in the waitlist. */
async function places(id: string, people: Person[]): Promise<string[]> {
  const all = people.map(async ({ token }) => {
    const { status, body } = await second.get(path(id), token);
    return status === 404 ? '-' : `${body.seats}${body.status === 'booked' ? '+' : `@${body.position}`}`;
  });
  return Promise.all(all);
}

test('book: 201 with exactly the booking, and the record shows it to that person alone', async () => {
  const event = await anEventOf(10);
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
  assert.deepEqual(expectStatus(await second.get(path(event.id), guest.token), 200).body, body);
  const seen = await record(event.id, guest);
  const { id, createdAt } = body;
  assert.deepEqual(
    [seen.bookedCount, seen.myBooking, seen.myWaitlist],
    [3, { id, seats: 3, createdAt }, null],
  );
  const others = await record(event.id, other);
  assert.deepEqual([others.bookedCount, others.myBooking, others.myWaitlist], [3, null, null]);
  await assertCounters(api.sql);
});

test('record: 200 without a token has myBooking and myWaitlist, both null; lists have neither', async () => {
  const event = await anEventOf(10);
  expectStatus(await book(event.id, guest), 201);
  const { myBooking, myWaitlist, bookedCount } = await record(event.id);
  assert.deepEqual([myBooking, myWaitlist, bookedCount], [null, null, 1]);
  const { body } = expectStatus(await api.get('/v1/events?limit=50', guest.token), 200);
  const listed = body.data.find(({ id }: { id: string }) => id === event.id);
  assert.ok(listed && !('myBooking' in listed) && !('myWaitlist' in listed) && !('bookedCount' in listed));
});

test('book: 400 naming seats below 1, above 20, not whole, no number or missing, and what is unknown', async () => {
  const event = await anEventOf(0);
  for (const seats of [0, -1, 21, 1.5, '1', null, true, [1], 2 ** 31]) {
    assert.deepEqual(paths(expectProblem(await book(event.id, guest, seats), 400, 'invalid_request').body), [
      'seats',
    ]);
  }
  const empty = await api.post(path(event.id), guest.token, {});
  assert.deepEqual(paths(expectProblem(empty, 400, 'invalid_request').body), ['seats']);
  for (const waitlist of ['true', 1, null]) {
    const answer = await book(event.id, guest, 1, { waitlist });
    assert.deepEqual(paths(expectProblem(answer, 400, 'invalid_request').body), ['waitlist']);
  }
  const stray = await book(event.id, guest, 1, { userId: other.id });
  assert.deepEqual(paths(expectProblem(stray, 400, 'invalid_request').body), ['userId']);
  expectStatus(await book(event.id, guest, 20), 201);
});

test('book: 409 when no seats are left, saying how many are; never above capacity', async () => {
  const event = await anEventOf(5);
  expectStatus(await book(event.id, guest, 3), 201);
  const answer = expectProblem(await book(event.id, other, 3), 409, 'no_seats');
  assert.deepEqual([paths(answer.body), answer.body.detail], [['seats'], 'Only 2 seats are left.']);
  expectStatus(await book(event.id, other, 2), 201);
  assert.equal(expectProblem(await book(event.id, third), 409, 'no_seats').body.detail, 'No seat is left.');
  assert.equal((await record(event.id)).bookedCount, 5);
});

test('book: without a capacity everybody gets their seats', async () => {
  const event = await anEventOf(0);
  for (const person of guests) expectStatus(await book(event.id, person, 20), 201);
  assert.equal((await record(event.id)).bookedCount, 120);
});

test('waitlist: 201 with the position when the seats are not free; the record shows it as myWaitlist', async () => {
  const event = await anEventOf(2);
  expectStatus(await wait(event.id, guest, 2), 201);
  const { body } = expectStatus(await wait(event.id, other, 2), 201);
  assert.deepEqual([body.status, body.position], ['waiting', 1]);
  assert.deepEqual(expectStatus(await wait(event.id, third), 201).body.position, 2);
  const seen = await record(event.id, other);
  const { id, seats, position, createdAt } = body;
  assert.deepEqual([seen.bookedCount, seen.myBooking], [2, null]);
  assert.deepEqual(seen.myWaitlist, { id, seats, position, createdAt });
  assert.deepEqual((await record(event.id, third)).myWaitlist.position, 2);
  await assertCounters(api.sql);
});

test('waitlist: 409 for more seats than there are at all: nobody waits for what cannot come', async () => {
  const event = await anEventOf(2);
  expectProblem(await wait(event.id, guest, 3), 409, 'no_seats');
  expectProblem(await api.get(path(event.id), guest.token), 404, 'booking_not_found');
});

test('waitlist: 409 for seats that are free while somebody waits: nobody is booked past them', async () => {
  const event = await anEventOf(4);
  expectStatus(await book(event.id, guest, 3), 201);
  expectStatus(await wait(event.id, other, 2), 201);
  const answer = expectProblem(await book(event.id, third, 1), 409, 'no_seats');
  assert.equal(answer.body.detail, 'Others wait for the seats that are left.');
  assert.equal(expectStatus(await wait(event.id, third, 1), 201).body.position, 2);
  assert.equal((await record(event.id)).bookedCount, 3);
});

test('book: 409 for a second booking or waiting place; after giving it back 201 at the end of the line', async () => {
  const event = await anEventOf(2);
  const first = expectStatus(await book(event.id, guest, 2), 201).body;
  expectProblem(await book(event.id, guest), 409, 'already_booked');
  for (const person of [other, third]) expectStatus(await wait(event.id, person), 201);
  expectProblem(await wait(event.id, other), 409, 'already_booked');
  expectStatus(await cancel(event.id, other), 200);
  assert.equal(expectStatus(await wait(event.id, other), 201).body.position, 2);
  expectStatus(await cancel(event.id, guest), 200);
  assert.deepEqual(await places(event.id, [guest, third, other]), ['-', '1+', '1+']);
  const again = expectStatus(await wait(event.id, guest), 201).body;
  assert.deepEqual([again.status, again.position, again.id === first.id], ['waiting', 1, false]);
  await assertCounters(api.sql);
});

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
      paths(expectProblem(await resize(event.id, guest, seats), 400, 'invalid_request').body),
      ['seats'],
    );
  }
  const stray = await api.patch(path(event.id), guest.token, { seats: 1, waitlist: true });
  assert.deepEqual(paths(expectProblem(stray, 400, 'invalid_request').body), ['waitlist']);
});

test('capacity: more seats move the waitlist up, no limit all of it; 409 below what is booked', async () => {
  const event = await anEventOf(2);
  expectStatus(await book(event.id, guest, 2), 201);
  for (const person of [other, third, fourth]) expectStatus(await wait(event.id, person, 2), 201);
  const { body } = expectStatus(await change(event.id, { capacity: 5 }), 200);
  assert.equal(body.bookedCount, 4);
  assert.deepEqual(await places(event.id, [other, third, fourth]), ['2+', '2@1', '2@2']);
  const answer = expectProblem(await change(event.id, { capacity: 3 }), 409, 'capacity_below_booked');
  assert.deepEqual([paths(answer.body), answer.body.detail], [['capacity'], '4 seats are booked.']);
  assert.equal((await record(event.id)).capacity, 5);
  expectStatus(await change(event.id, { capacity: 4 }), 200);
  expectStatus(await change(event.id, { title: 'Another title' }), 200);
  assert.equal(expectStatus(await change(event.id, { capacity: 0 }), 200).body.bookedCount, 8);
  assert.deepEqual(await places(event.id, [other, third, fourth]), ['2+', '2+', '2+']);
  expectProblem(await change(event.id, { capacity: 7 }), 409, 'capacity_below_booked');
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

test('module: 403 for what is new while booking is off; what is there stays readable and can be given back', async () => {
  const event = await anEventOf(5);
  assert.ok(event.enabledModules.includes('booking'));
  expectStatus(await book(event.id, guest, 2), 201);
  expectStatus(await change(event.id, { enabledModules: ['bringList', 'wishList'] }), 200);
  expectProblem(await book(event.id, other), 403, 'module_disabled');
  expectProblem(await resize(event.id, guest, 3), 403, 'module_disabled');
  assert.equal((await record(event.id, guest)).myBooking.seats, 2);
  expectStatus(await api.get(`${path(event.id)}s`, organizer.token), 200);
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

test('book: refusals come in the order 401, 400, 404, 403, 409', async () => {
  const event = await anEventOf(1);
  expectStatus(await book(event.id, guest), 201);
  const off = { enabledModules: [], status: 'cancelled', visibility: 'private' };
  expectStatus(await change(event.id, off), 200);
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

test('404: an unknown event, a malformed id, a hidden event; but who has booked keeps what is theirs', async () => {
  for (const id of [unknown, 'nonsense', 'x'.repeat(190)]) {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const body = method === 'POST' || method === 'PATCH' ? { seats: 1 } : undefined;
      expectProblem(await api.call(method, path(id), { token: guest.token, body }), 404, 'event_not_found');
    }
    expectProblem(await api.get(`${path(id)}s`, guest.token), 404, 'event_not_found');
  }
  const event = await anEventOf(5);
  expectStatus(await book(event.id, guest, 2), 201);
  expectStatus(await change(event.id, { visibility: 'private' }), 200);
  expectProblem(await api.get(path(event.id), other.token), 404, 'event_not_found');
  expectProblem(await cancel(event.id, other), 404, 'event_not_found');
  expectProblem(await resize(event.id, guest, 3), 404, 'event_not_found');
  expectStatus(await api.get(path(event.id), guest.token), 200);
  expectStatus(await resize(event.id, guest, 1), 200);
  expectStatus(await cancel(event.id, guest), 200);
  expectProblem(await api.get(path(event.id), guest.token), 404, 'event_not_found');
});

test('list: organizer and admins see who has booked and who waits, in order; 403 to others', async () => {
  const event = await anEventOf(3);
  const made: string[] = [];
  for (const [i, person] of guests.entries())
    made.push(expectStatus(await wait(event.id, person, (i % 2) + 1), 201).body.id);
  expectProblem(await api.get(`${path(event.id)}s`, guest.token), 403, 'not_organizer');
  expectProblem(await api.get(`${path(event.id)}s`), 401, 'token_missing');
  for (const { token } of [organizer, admin]) {
    const { body } = expectStatus(await api.get(`${path(event.id)}s`, token), 200);
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      made,
    );
    assert.equal(body.nextCursor, null);
    const profile = (await api.get(`/v1/users/${guest.id}`)).body;
    const { name, username, avatar } = profile;
    assert.deepEqual(body.data[0], {
      id: made[0],
      user: { id: guest.id, name, username, avatar },
      seats: 1,
      status: 'booked',
      position: null,
      createdAt: body.data[0].createdAt,
    });
    const shown = body.data.map(({ status, position }: { status: string; position: number | null }) => [
      status,
      position,
    ]);
    const waiting = [1, 2, 3, 4].map((position) => ['waiting', position]);
    assert.deepEqual(shown, [['booked', null], ['booked', null], ...waiting]);
  }
});

test('list: pages by a cursor and by status, each booking once, with the right positions', async () => {
  const event = await anEventOf(3);
  for (const person of guests) expectStatus(await wait(event.id, person), 201);
  const all = async (query: string) => {
    const seen: { user: { id: string }; position: number | null }[] = [];
    for (let cursor = ''; ; ) {
      const { body } = expectStatus(
        await api.get(`${path(event.id)}s?limit=2${query}${cursor}`, organizer.token),
        200,
      );
      assert.ok(body.data.length > 0 && body.data.length <= 2);
      seen.push(...body.data);
      if (body.nextCursor === null) return seen;
      cursor = `&cursor=${body.nextCursor}`;
    }
  };
  const ids = (people: { id: string }[]) => people.map(({ id }) => id);
  const whole = await all('');
  assert.deepEqual(ids(whole.map(({ user }) => user)), ids(guests));
  assert.deepEqual(
    whole.map(({ position }) => position),
    [null, null, null, 1, 2, 3],
  );
  assert.deepEqual(ids((await all('&status=booked')).map(({ user }) => user)), ids(guests.slice(0, 3)));
  const waiting = await all('&status=waiting');
  assert.deepEqual(ids(waiting.map(({ user }) => user)), ids(guests.slice(3)));
  assert.deepEqual(
    waiting.map(({ position }) => position),
    [1, 2, 3],
  );
});

test('list: 20 unless limit says otherwise, up to 50; 400 naming limit, status and cursor', async () => {
  const event = await anEventOf(0);
  const many = await users(api, 21);
  await Promise.all(many.map((person) => book(event.id, person)));
  const { body } = expectStatus(await api.get(`${path(event.id)}s`, organizer.token), 200);
  assert.deepEqual([body.data.length, typeof body.nextCursor], [20, 'string']);
  const whole = await api.get(`${path(event.id)}s?limit=50`, organizer.token);
  assert.equal(expectStatus(whole, 200).body.data.length, 21);
  for (const [field, value] of [
    ['limit', 0],
    ['limit', 51],
    ['limit', 'x'],
    ['status', 'gone'],
    ['cursor', 'x'],
    ['cursor', `${body.nextCursor}A`],
    ['cursor', Buffer.from('["a"]').toString('base64url')],
  ] as const) {
    const answer = await api.get(`${path(event.id)}s?${field}=${value}`, organizer.token);
    assert.deepEqual(paths(expectProblem(answer, 400, 'invalid_request').body), [field]);
  }
});

test('deletion of an account: its seats and its place go, and those who wait move up at once', async () => {
  const event = await anEventOf(4);
  const [leaver, waiter] = (await users(api, 2)) as [Person, Person];
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
  expectProblem(await api.get(path(event.id), guest.token), 404, 'event_not_found');
  assert.equal((await api.sql`select 1 from bookings where event_id = ${event.id}`).length, 0);
});

test('key: 201 once more with the same body, and one booking is made, on either server', async () => {
  const event = await anEventOf(5);
  const post = (on: typeof api, key: string, seats = 2) =>
    on.call('POST', path(event.id), {
      token: guest.token,
      body: { seats },
      headers: { 'idempotency-key': key },
    });
  const answers = await Promise.all([api, second, api, second].map((on) => post(on, 'a-key')));
  for (const answer of answers) assert.deepEqual(expectStatus(answer, 201).body, answers[0]?.body);
  assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 3);
  expectProblem(await post(api, 'another-key'), 409, 'already_booked');
  expectProblem(await post(api, 'a-key', 1), 422, 'idempotency_key_reused');
  assert.equal((await record(event.id)).bookedCount, 2);
  // Two keys of one person at once.
  expectStatus(await cancel(event.id, guest), 200);
  const two = await Promise.all([post(api, 'one'), post(api, 'two')]);
  assert.deepEqual(two.map(({ status }) => status).sort(), [201, 409]);
  await assertCounters(api.sql);
});
