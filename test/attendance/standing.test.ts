/** What was decided about people, by which their answers, seats and claims are decided. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { bookingPath } from '../support/booking-client.ts';
import { createEvent, createItem, createUser, rsvpGoing } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);

test('rsvp, booking, claim: 403 for a removed person, who can still take back what is left', async () => {
  const person = await createUser(api);
  const event = await createEvent(api, organizer, { enabledModules: ['bringList', 'booking'] });
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 3 });
  await rsvpGoing(api, person, event.id);
  const claim = `/v1/items/${item.id}/claim`;
  expectStatus(await api.post(claim, person.token, { quantity: 1 }), 201);
  await api.sql`insert into event_people (event_id, user_id, is_removed) values (${event.id}, ${person.id}, true)`;

  expectProblem(await api.patch(claim, person.token, { quantity: 2 }), 403, 'removed_from_event');
  expectProblem(await api.post(bookingPath(event.id), person.token, { seats: 1 }), 403, 'removed_from_event');
  const rsvp = `/v1/events/${event.id}/rsvp`;
  expectProblem(await api.post(rsvp, person.token, { status: 'interested' }), 403, 'removed_from_event');
  expectStatus(await api.delete(claim, person.token), 200);
  assert.equal(expectStatus(await api.post(rsvp, person.token, { status: null }), 200).body.myRsvp, null);
});

test('rsvp: 200 for an invited person at a private event, 404 for others', async () => {
  const [invited, other] = [await createUser(api), await createUser(api)];
  const event = await createEvent(api, organizer, { visibility: 'private' });
  await api.sql`insert into event_people (event_id, user_id, is_invited) values (${event.id}, ${invited.id}, true)`;
  const rsvp = `/v1/events/${event.id}/rsvp`;
  expectProblem(await api.post(rsvp, other.token, { status: 'going' }), 404, 'event_not_found');
  expectStatus(await api.post(rsvp, invited.token, { status: 'going' }), 200);
});
