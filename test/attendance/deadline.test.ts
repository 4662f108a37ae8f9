/** `rsvpUntil`: the time until when people answer an event. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { bookingPath } from '../support/booking-client.ts';
import {
  createAdmin,
  createEvent,
  createUser,
  eventBody,
  inDays,
  type Person,
} from '../support/factories.ts';
import { requestGuestCode } from '../support/guests.ts';
import { assertCounters } from '../support/invariants.ts';
import { rsvpPath } from '../support/requests.ts';
import { expectProblem, expectStatus, startTestApp, TestClock } from '../support/setup.ts';

/** Stands still. */
class StoppedClock extends TestClock {
  #ms = Date.now();
  override now = (): Date => new Date(this.#ms);
  override advance(ms: number): void {
    this.#ms += ms;
  }
}
const clock = new StoppedClock();
const api = await startTestApp({ clock });
const organizer = await createUser(api);
const admin = await createAdmin(api);
const [going, interested, late] = [await createUser(api), await createUser(api), await createUser(api)];

const rsvp = (event: string, { token }: Person, body: Record<string, unknown>) =>
  api.post(rsvpPath(event), token, body);
const change = (event: string, fields: Record<string, unknown>) =>
  api.patch(`/v1/events/${event}`, organizer.token, fields);
const at = (ms: number): string => new Date(ms).toISOString();

// spec: 5 PATCH /v1/events/:id: `rsvpUntil` is at most `endAt`
test('rsvpUntil: 400 after the end, also for an end before it; a copy has null', async () => {
  expectStatus(await api.post('/v1/events', organizer.token, eventBody({ rsvpUntil: inDays(7, 4) })), 201);
  const after = await api.post('/v1/events', organizer.token, eventBody({ rsvpUntil: inDays(7, 5) }));
  assert.equal(expectProblem(after, 400, 'invalid_request').body.errors[0].path, 'rsvpUntil');
  const event = await createEvent(api, organizer, { rsvpUntil: inDays(7, 4) });
  const earlier = await change(event.id, { endAt: inDays(7, 3) });
  assert.equal(expectProblem(earlier, 400, 'invalid_request').body.errors[0].path, 'endAt');
  const both = await change(event.id, { endAt: inDays(7, 3), rsvpUntil: inDays(7, 3) });
  assert.equal(expectStatus(both, 200).body.rsvpUntil, inDays(7, 3));
  const longer = await change(event.id, { rsvpUntil: inDays(7, 4) });
  assert.equal(expectProblem(longer, 400, 'invalid_request').body.errors[0].path, 'rsvpUntil');
  const copy = await api.post(`/v1/events/${event.id}/duplicate`, organizer.token, { startAt: inDays(1) });
  assert.equal(expectStatus(copy, 201).body.rsvpUntil, null);
  assert.equal(expectStatus(await change(event.id, { rsvpUntil: null }), 200).body.rsvpUntil, null);
});

// spec: 5 POST /v1/events/:id/rsvp: 409 `rsvp_closed`
test('rsvp: 200 until the deadline, inclusive; later 409 for all that adds people, 200 for less', async () => {
  const until = clock.now().getTime() + 60_000;
  const event = await createEvent(api, organizer, { rsvpUntil: at(until) });
  expectStatus(await rsvp(event.id, going, { status: 'going', extraGuests: 2 }), 200);
  clock.advance(until - clock.now().getTime());
  expectStatus(await rsvp(event.id, interested, { status: 'interested', extraGuests: 1 }), 200);
  clock.advance(1);

  const closed = async (person: Person, body: Record<string, unknown>) =>
    expectProblem(await rsvp(event.id, person, body), 409, 'rsvp_closed');
  await closed(late, { status: 'going' });
  await closed(late, { status: 'interested' });
  await closed(interested, { status: 'going' });
  await closed(interested, { status: 'interested', extraGuests: 2 });
  await closed(going, { status: 'going', extraGuests: 3 });
  await closed(going, { status: 'interested', extraGuests: 3 });

  expectStatus(await rsvp(event.id, going, { status: 'going', extraGuests: 2 }), 200);
  expectStatus(await rsvp(event.id, going, { status: 'going', isHidden: true }), 200);
  expectStatus(await rsvp(event.id, going, { status: 'going', extraGuests: 1 }), 200);
  expectStatus(await rsvp(event.id, going, { status: 'interested' }), 200);
  await closed(going, { status: 'going' });
  expectStatus(await rsvp(event.id, going, { status: null }), 200);
  await closed(going, { status: 'interested' });
  expectStatus(await rsvp(event.id, organizer, { status: 'going', extraGuests: 3 }), 200);
  expectStatus(await rsvp(event.id, admin, { status: 'interested' }), 200);

  expectStatus(await change(event.id, { status: 'cancelled' }), 200);
  expectProblem(await rsvp(event.id, late, { status: 'going' }), 409, 'event_cancelled');
  expectStatus(await change(event.id, { status: 'scheduled', rsvpUntil: null }), 200);
  expectStatus(await rsvp(event.id, late, { status: 'going' }), 200);
  await assertCounters(api.sql);
});

// spec: 5 POST /v1/events/:id/booking: 409 `rsvp_closed`
test('booking: 409 for new and more seats after the deadline; fewer, and the moves of the waitlist, stay possible', async () => {
  const until = clock.now().getTime() + 60_000;
  const event = await createEvent(api, organizer, { rsvpUntil: at(until), capacity: 4 });
  const path = bookingPath(event.id);
  expectStatus(await api.post(path, going.token, { seats: 3 }), 201);
  const waits = await api.post(path, interested.token, { seats: 2, waitlist: true });
  assert.equal(expectStatus(waits, 201).body.status, 'waiting');
  clock.advance(until + 1 - clock.now().getTime());
  expectProblem(await api.post(path, late.token, { seats: 1 }), 409, 'rsvp_closed');
  expectProblem(await api.post(path, late.token, { seats: 1, waitlist: true }), 409, 'rsvp_closed');
  expectProblem(await api.patch(path, going.token, { seats: 4 }), 409, 'rsvp_closed');
  expectStatus(await api.patch(path, going.token, { seats: 2 }), 200);
  assert.equal(expectStatus(await api.get(path, interested.token), 200).body.status, 'booked');
  expectStatus(await api.delete(path, going.token), 200);
  expectStatus(await api.post(path, organizer.token, { seats: 1 }), 201);
  expectStatus(await change(event.id, { status: 'cancelled' }), 200);
  expectProblem(await api.post(path, late.token, { seats: 1 }), 409, 'event_cancelled');
  await assertCounters(api.sql);
});

// spec: 5 POST /v1/events/:id/guest-rsvp: 409 `rsvp_closed`
test('guest: 409 after the deadline with a right code alone, which stays valid; event_over comes first', async () => {
  const until = clock.now().getTime() + 60_000;
  const event = await createEvent(api, organizer, { rsvpUntil: at(until) });
  const email = 'mara@example.org';
  const answer = (code: string) =>
    api.post(`/v1/events/${event.id}/guest-rsvp`, undefined, { email, code, name: 'Mara', status: 'going' });
  clock.advance(until + 1 - clock.now().getTime());
  const code = await requestGuestCode(api, event.id, { email });
  expectProblem(await answer(code), 409, 'rsvp_closed');
  expectStatus(await change(event.id, { rsvpUntil: null }), 200);
  expectStatus(await answer(code), 200);

  const over = await createEvent(api, organizer, {
    startAt: at(clock.now().getTime() - 2_000),
    endAt: at(clock.now().getTime() - 1_000),
    rsvpUntil: at(clock.now().getTime() - 1_500),
  });
  const late = await requestGuestCode(api, over.id, { email });
  expectProblem(
    await api.post(`/v1/events/${over.id}/guest-rsvp`, undefined, {
      ...{ email, code: late, name: 'Mara', status: 'going' },
    }),
    409,
    'event_over',
  );
});
