/**
 * The limits of blocks and private profiles: a block has the two effects of the specification, and privacy
 * hides the profile.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { bookingPath } from '../support/booking-client.ts';
import { createEvent, createItem, createUser, createUsers, type Person } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();

// spec: 4.5 POST /v1/users/:id/block: block
test('block: 200 for RSVP, 201 for booking and claim on a public event, whichever of the two people blocked the other', async () => {
  for (const byOrganizer of [true, false]) {
    const [organizer, guest] = (await createUsers(api, 2)) as [Person, Person];
    const event = await createEvent(api, organizer, { capacity: 5 });
    const item = await createItem(api, organizer, event.id);
    const [blocker, blocked] = byOrganizer ? [organizer, guest] : [guest, organizer];
    expectStatus(await api.post(`/v1/users/${blocked.id}/block`, blocker.token), 200);
    const rsvp = await api.post(`/v1/events/${event.id}/rsvp`, guest.token, { status: 'going' });
    assert.deepEqual(expectStatus(rsvp, 200).body, { myRsvp: 'going', rsvpCount: 1, myRequest: null });
    expectStatus(await api.post(bookingPath(event.id), guest.token, { seats: 2 }), 201);
    expectStatus(await api.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 1 }), 201);
    // The organizer's lists include blocked guests.
    const bookings = await api.get(`/v1/events/${event.id}/bookings`, organizer.token);
    assert.deepEqual(
      expectStatus(bookings, 200).body.data.map(({ user }: { user: Person }) => user.id),
      [guest.id],
    );
    const claims = await api.get(`/v1/items/${item.id}/claims`, organizer.token);
    assert.deepEqual(
      expectStatus(claims, 200).body.data.map(({ user }: { user: Person }) => user.id),
      [guest.id],
    );
    // A block prevents messages.
    const text = { text: 'See you there' };
    expectProblem(await api.post(`/v1/users/${blocker.id}/messages`, blocked.token, text), 403, 'blocked');
  }
});

// spec: 3 POST /v1/users/:id/messages: block: a blocked person cannot send messages to the blocker
test("private profile: 403 for a stranger who reads it, 201 for the stranger's message, 403 after a block", async () => {
  const [owner, stranger] = [await createUser(api, { isPrivate: true }), await createUser(api)];
  expectProblem(await api.get(`/v1/users/${owner.id}`, stranger.token), 403, 'profile_private');
  const sendMessage = () => api.post(`/v1/users/${owner.id}/messages`, stranger.token, { text: 'Hello' });
  expectStatus(await sendMessage(), 201);
  const { body } = expectStatus(await api.get('/v1/conversations', owner.token), 200);
  assert.deepEqual(
    body.data.map(({ user }: { user: Person }) => user.id),
    [stranger.id],
  );
  expectStatus(await api.post(`/v1/users/${stranger.id}/block`, owner.token), 200);
  expectProblem(await sendMessage(), 403, 'blocked');
});
