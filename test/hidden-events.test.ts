/** What somebody booked and claimed on an event that they may no longer see: it became private, or its organizer is suspended. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { bookingPath } from './booking-client.ts';
import { createAdmin, createEvent, createItem, createUsers, type Person, rsvpGoing } from './factories.ts';
import { assertCounters } from './invariants.ts';
import { expectProblem, expectStatus, startTestApp } from './setup.ts';

const api = await startTestApp();
const admin = await createAdmin(api);

type Scene = { organizer: Person; guest: Person; event: string; item: string };

/** A guest who booked two seats and claimed two of five. */
async function scene(): Promise<Scene> {
  const [organizer, guest] = (await createUsers(api, 2)) as [Person, Person];
  const { id: event } = await createEvent(api, organizer, { title: 'Secret supper', capacity: 8 });
  const { id: item } = await createItem(api, organizer, event, { quantityNeeded: 5 });
  await rsvpGoing(api, guest, event);
  expectStatus(await api.post(bookingPath(event), guest.token, { seats: 2 }), 201);
  expectStatus(await api.post(`/v1/items/${item}/claim`, guest.token, { quantity: 2 }), 201);
  return { organizer, guest, event, item };
}

const ways: Record<string, { hide(scene: Scene): Promise<unknown>; show(scene: Scene): Promise<unknown> }> = {
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

for (const [way, { hide, show }] of Object.entries(ways)) {
  // spec: 2.5 GET /v1/events/:id/booking, PATCH /v1/events/:id/booking, DELETE /v1/events/:id/booking: reading, changing and cancelling a booking
  test(`hidden event (${way}): the caller's booking and claim stay theirs by id, to make smaller and to give back`, async () => {
    const all = await scene();
    const { guest, event, item } = all;
    const booking = bookingPath(event);
    const claim = `/v1/items/${item}/claim`;
    await hide(all);
    expectProblem(await api.get(`/v1/events/${event}`, guest.token), 404, 'event_not_found');
    assert.equal(expectStatus(await api.get(booking, guest.token), 200).body.seats, 2);
    // More is like a new booking or claim, for which there is no event.
    expectProblem(await api.patch(booking, guest.token, { seats: 3 }), 404, 'event_not_found');
    expectProblem(await api.patch(claim, guest.token, { quantity: 3 }), 404, 'item_not_found');
    expectStatus(await api.patch(booking, guest.token, { seats: 1 }), 200);
    expectStatus(await api.patch(claim, guest.token, { quantity: 1 }), 200);
    expectStatus(await api.delete(booking, guest.token), 200);
    expectStatus(await api.delete(claim, guest.token), 200);
    expectProblem(await api.get(booking, guest.token), 404, 'event_not_found');
    expectProblem(await api.post(claim, guest.token, { quantity: 1 }), 404, 'item_not_found');
    await show(all);
    await assertCounters(api.sql);
  });

  // spec: 3 POST /v1/admin/users/:id/suspend: administrative block: not suspended → suspended
  test(`hidden event (${way}): lists leave it out with its title, the export names the claim by id alone, and both return`, async () => {
    const all = await scene();
    const { guest, event, item } = all;
    const listed = async () => {
      const lists = ['/v1/me/claims', '/v1/me/events?relation=going'];
      const pages = await Promise.all(lists.map((path) => api.get(path, guest.token)));
      return pages.map((answer) => expectStatus(answer, 200).body.data.length);
    };
    assert.deepEqual(await listed(), [1, 1]);
    await hide(all);
    assert.deepEqual(await listed(), [0, 0]);
    const { body } = expectStatus(await api.get('/v1/me/export', guest.token), 200);
    assert.deepEqual(
      [body.claims, body.bookings].map((rows) => rows.map((row: { eventId: string }) => row.eventId)),
      [[event], [event]],
    );
    assert.equal(body.claims[0].itemId, item);
    assert.ok(!JSON.stringify(body).includes('Secret supper'));
    await show(all);
    assert.deepEqual(await listed(), [1, 1]);
  });
}
