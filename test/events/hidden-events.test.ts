/** Bookings and claims on an event that became hidden: it is private, or its organizer is suspended. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { bookingPath } from '../support/booking-client.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUsers,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const admin = await createAdmin(api);

type Fixtures = { organizer: Person; guest: Person; event: string; item: string };

/** A guest with a booking of two seats and a claim of two of five. */
async function createFixtures(): Promise<Fixtures> {
  const [organizer, guest] = (await createUsers(api, 2)) as [Person, Person];
  const { id: event } = await createEvent(api, organizer, { title: 'Secret supper', capacity: 8 });
  const { id: item } = await createItem(api, organizer, event, { quantityNeeded: 5 });
  await rsvpGoing(api, guest, event);
  expectStatus(await api.post(bookingPath(event), guest.token, { seats: 2 }), 201);
  expectStatus(await api.post(`/v1/items/${item}/claim`, guest.token, { quantity: 2 }), 201);
  return { organizer, guest, event, item };
}

const waysToHide: Record<
  string,
  { hide(fixtures: Fixtures): Promise<unknown>; show(fixtures: Fixtures): Promise<unknown> }
> = {
  private: {
    hide: ({ organizer, event }) => visibility(organizer, event, 'private'),
    show: ({ organizer, event }) => visibility(organizer, event, 'public'),
  },
  suspended: {
    hide: async ({ organizer }) =>
      expectStatus(await api.post(`/v1/admin/users/${organizer.id}/suspend`, admin.token, {}), 200),
    show: async ({ organizer }) =>
      expectStatus(await api.delete(`/v1/admin/users/${organizer.id}/suspend`, admin.token), 200),
  },
};
const visibility = async (organizer: Person, event: string, value: string) =>
  expectStatus(await api.patch(`/v1/events/${event}`, organizer.token, { visibility: value }), 200);

for (const [reason, { hide, show }] of Object.entries(waysToHide)) {
  // spec: 2.5 GET /v1/events/:id/booking, PATCH /v1/events/:id/booking, DELETE /v1/events/:id/booking: reading, changing and cancelling a booking
  test(`hidden event (${reason}): the caller can read, reduce and remove an existing booking and claim`, async () => {
    const fixtures = await createFixtures();
    const { guest, event, item } = fixtures;
    const booking = bookingPath(event);
    const claim = `/v1/items/${item}/claim`;
    await hide(fixtures);
    expectProblem(await api.get(`/v1/events/${event}`, guest.token), 404, 'event_not_found');
    assert.equal(expectStatus(await api.get(booking, guest.token), 200).body.seats, 2);
    // A higher quantity has the requirements of a new booking or claim, which are 404 on a hidden event.
    expectProblem(await api.patch(booking, guest.token, { seats: 3 }), 404, 'event_not_found');
    expectProblem(await api.patch(claim, guest.token, { quantity: 3 }), 404, 'item_not_found');
    expectStatus(await api.patch(booking, guest.token, { seats: 1 }), 200);
    expectStatus(await api.patch(claim, guest.token, { quantity: 1 }), 200);
    expectStatus(await api.delete(booking, guest.token), 200);
    expectStatus(await api.delete(claim, guest.token), 200);
    expectProblem(await api.get(booking, guest.token), 404, 'event_not_found');
    expectProblem(await api.post(claim, guest.token, { quantity: 1 }), 404, 'item_not_found');
    await show(fixtures);
    await assertCounters(api.sql);
  });

  // spec: 3 POST /v1/admin/users/:id/suspend: administrative block: not suspended → suspended
  test(`hidden event (${reason}): lists omit the event, the export has only its id, and the lists contain it again afterwards`, async () => {
    const fixtures = await createFixtures();
    const { guest, event, item } = fixtures;
    const listed = async () => {
      const lists = ['/v1/me/claims', '/v1/me/events?relation=going'];
      const pages = await Promise.all(lists.map((path) => api.get(path, guest.token)));
      return pages.map((response) => expectStatus(response, 200).body.data.length);
    };
    assert.deepEqual(await listed(), [1, 1]);
    await hide(fixtures);
    assert.deepEqual(await listed(), [0, 0]);
    const { body } = expectStatus(await api.get('/v1/me/export', guest.token), 200);
    assert.deepEqual(
      [body.claims, body.bookings].map((rows) => rows.map((row: { eventId: string }) => row.eventId)),
      [[event], [event]],
    );
    assert.equal(body.claims[0].itemId, item);
    assert.ok(!JSON.stringify(body).includes('Secret supper'));
    await show(fixtures);
    assert.deepEqual(await listed(), [1, 1]);
  });
}
