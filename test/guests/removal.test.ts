/** Guests whom the organizer of an event removes. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { deliverCauses } from '../../src/modules/notifications/delivery/deliver-causes.ts';
import { bookingPath } from '../support/booking-client.ts';
import {
  addAddress,
  createAdmin,
  createEvent,
  createItem,
  createUser,
  nextAddress,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { answerAsGuest, requestGuestCode } from '../support/guests.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);

const remove = (event: string, userId: string, token = organizer.token) =>
  api.delete(`/v1/events/${event}/guests/${userId}`, token);
const record = async (event: string) => expectStatus(await api.get(`/v1/events/${event}`), 200).body;
const rsvp = (event: string, person: Person, status: string | null = 'going') =>
  second.post(`/v1/events/${event}/rsvp`, person.token, { status });
const claimed = async (event: string) =>
  expectStatus(await api.get(`/v1/events/${event}/items`), 200).body.data[0].quantityClaimed;

// spec: 5 DELETE /v1/events/:id/guests/:userId: guests added and removed by the organizer
test('remove: 200 ends RSVP, claims and booking of an account, and moves the waitlist up', async () => {
  const event = await createEvent(api, organizer, { capacity: 2 });
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 3 });
  const [person, waiting] = [await createUser(api), await createUser(api)];
  await rsvpGoing(api, person, event.id);
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, person.token, { quantity: 2 }), 201);
  expectStatus(await api.post(bookingPath(event.id), person.token, { seats: 2 }), 201);
  expectStatus(await api.post(bookingPath(event.id), waiting.token, { seats: 1, waitlist: true }), 201);
  expectStatus(await remove(event.id, person.id), 200);
  const { rsvpCount, bookedCount } = await record(event.id);
  assert.deepEqual([rsvpCount, bookedCount, await claimed(event.id)], [0, 1, 0]);
  const seen = expectStatus(await second.get(`/v1/events/${event.id}`, person.token), 200).body;
  assert.deepEqual([seen.myRsvp, seen.myBooking], [null, null]);
  assert.equal(expectStatus(await api.get(bookingPath(event.id), waiting.token), 200).body.status, 'booked');
  // A second removal finds nothing.
  expectProblem(await remove(event.id, person.id), 404, 'guest_not_found');
  await assertCounters(api.sql);
});

// spec: 5 DELETE /v1/events/:id/guests/:userId: guests added and removed by the organizer
test('remove: 403 removed_from_event for a new RSVP, booking and claim, on every server; null is a 200', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const person = await createUser(api);
  await rsvpGoing(api, person, event.id);
  expectStatus(await remove(event.id, person.id), 200);
  expectProblem(await rsvp(event.id, person), 403, 'removed_from_event');
  expectProblem(await rsvp(event.id, person, 'interested'), 403, 'removed_from_event');
  expectProblem(
    await second.post(bookingPath(event.id), person.token, { seats: 1 }),
    403,
    'removed_from_event',
  );
  expectProblem(
    await second.post(`/v1/items/${item.id}/claim`, person.token, { quantity: 1 }),
    403,
    'removed_from_event',
  );
  expectStatus(await rsvp(event.id, person, null), 200);
  // Nothing else is refused, nor at other events.
  expectStatus(await second.get(`/v1/events/${event.id}`, person.token), 200);
  expectStatus(await rsvp((await createEvent(api, organizer)).id, person), 200);
});

// spec: 5 DELETE /v1/events/:id/guests/:userId: guests added and removed by the organizer
test('remove: a guest without an account loses answer, claims and token, and the contact is refused', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const email = nextAddress();
  const guest = await answerAsGuest(api, event.id, {
    ...{ email, name: 'Mara', status: 'going' },
    claims: [{ itemId: item.id, quantity: 1 }],
  });
  expectStatus(await second.get(`/v1/events/${event.id}/guest`, guest.guestToken), 200);
  expectStatus(await remove(event.id, guest.user.id), 200);
  expectProblem(await second.get(`/v1/events/${event.id}/guest`, guest.guestToken), 401, 'token_invalid');
  assert.deepEqual([(await record(event.id)).rsvpCount, await claimed(event.id)], [0, 0]);
  const code = await requestGuestCode(second, event.id, { email });
  const answer = (body: object) =>
    second.post(`/v1/events/${event.id}/guest-rsvp`, undefined, { email, code, ...body });
  expectProblem(await answer({ name: 'Mara', status: 'going' }), 403, 'removed_from_event');
  expectProblem(await answer({}), 403, 'removed_from_event');
  const other = await createEvent(api, organizer);
  await answerAsGuest(api, other.id, { email, name: 'Mara', status: 'going' });
  await assertCounters(api.sql);
});

// spec: 5 DELETE /v1/events/:id/guests/:userId: guests added and removed by the organizer
test('remove: accounts that have confirmed the contact of a removed guest are refused, before and after the removal', async () => {
  const event = await createEvent(api, organizer);
  const [early, late] = [await createUser(api), await createUser(api)];
  const contacts = [nextAddress(), nextAddress()] as const;
  const guests = [];
  for (const email of contacts)
    guests.push(await answerAsGuest(api, event.id, { email, name: 'Mara', status: 'going' }));
  await addAddress(api, early, contacts[0]);
  const { data } = expectStatus(await api.get('/v1/me/guests', early.token), 200).body;
  assert.equal(data.length, 1);
  for (const { user } of guests) expectStatus(await remove(event.id, user.id), 200);
  expectStatus(await rsvp(event.id, late), 200);
  await addAddress(api, late, contacts[1]);
  for (const [i, person] of [early, late].entries()) {
    expectProblem(await rsvp(event.id, person), 403, 'removed_from_event');
    // A removed guest is neither offered nor taken over.
    assert.deepEqual(expectStatus(await api.get('/v1/me/guests', person.token), 200).body.data, []);
    const take = await api.post(`/v1/me/guests/${guests[i]?.user.id}/take-over`, person.token);
    expectProblem(take, 404, 'guest_not_found');
  }
  const code = await requestGuestCode(api, event.id, { email: contacts[0] });
  const body = { email: contacts[0], code, name: 'Mara', status: 'going', asAccount: true };
  expectProblem(
    await api.post(`/v1/events/${event.id}/guest-rsvp`, undefined, body),
    403,
    'removed_from_event',
  );
});

// spec: 5 DELETE /v1/events/:id/guests/:userId: guests added and removed by the organizer
test('remove: a removed account takes no guest over, and its guest tokens end', async () => {
  const event = await createEvent(api, organizer);
  const person = await createUser(api);
  const [own, other] = [nextAddress(), nextAddress()];
  await addAddress(api, person, own);
  const code = await requestGuestCode(api, event.id, { email: own });
  const answer = { email: own, code, name: 'Mara', status: 'going', asAccount: true };
  const { body } = expectStatus(await api.post(`/v1/events/${event.id}/guest-rsvp`, undefined, answer), 200);
  const guest = await answerAsGuest(api, event.id, { email: other, name: 'Mara', status: 'going' });
  await addAddress(api, person, other);
  expectStatus(await second.get(`/v1/events/${event.id}/guest`, body.guestToken), 200);
  expectStatus(await remove(event.id, person.id), 200);
  expectProblem(await second.get(`/v1/events/${event.id}/guest`, body.guestToken), 401, 'token_invalid');
  expectStatus(await second.get('/v1/auth/me', person.token), 200);
  const take = `/v1/me/guests/${guest.user.id}/take-over`;
  expectProblem(await second.post(take, person.token), 403, 'removed_from_event');
  assert.equal((await record(event.id)).rsvpCount, 1);
  await assertCounters(api.sql);
});

// spec: 5 DELETE /v1/events/:id/guests/:userId: guests added and removed by the organizer
test('remove: an added guest is gone, with its claims', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const guests = [{ name: 'Ida', claims: [{ itemId: item.id, quantity: 1 }] }];
  const { data } = expectStatus(
    await api.post(`/v1/events/${event.id}/guests`, organizer.token, { guests }),
    201,
  ).body;
  expectStatus(await remove(event.id, data[0].user.id), 200);
  assert.deepEqual([(await record(event.id)).rsvpCount, await claimed(event.id)], [0, 0]);
  expectProblem(await remove(event.id, data[0].user.id), 404, 'guest_not_found');
  assert.deepEqual(await api.sql`select 1 from users where id = ${data[0].user.id}`, []);
  await assertCounters(api.sql);
});

// spec: 5 DELETE /v1/events/:id/guests/:userId: guests added and removed by the organizer
test('remove: 403 for others than organizer and admins, 404 for who is no guest, 409 for the organizer', async () => {
  const event = await createEvent(api, organizer);
  const [person, stranger] = [await createUser(api), await createUser(api)];
  const admin = await createAdmin(api);
  await rsvpGoing(api, person, event.id);
  await rsvpGoing(api, organizer, event.id);
  expectProblem(await remove(event.id, person.id, stranger.token), 403, 'not_organizer');
  expectProblem(await remove(event.id, person.id, person.token), 403, 'not_organizer');
  expectProblem(await remove(event.id, stranger.id), 404, 'guest_not_found');
  expectProblem(await remove(event.id, randomUUID()), 404, 'guest_not_found');
  expectProblem(await remove(event.id, 'nobody'), 404, 'guest_not_found');
  expectProblem(await remove(randomUUID(), person.id), 404, 'event_not_found');
  expectProblem(await remove(event.id, organizer.id), 409, 'is_organizer');
  expectProblem(await remove(event.id, organizer.id, admin.token), 409, 'is_organizer');
  // A stranger who was not removed can still answer.
  expectStatus(await rsvp(event.id, stranger), 200);
  expectStatus(await remove(event.id, person.id, admin.token), 200);
});

// spec: 5 DELETE /v1/events/:id/guests/:userId, DELETE /v1/items/:id/claims/:userId: guests added and removed by the organizer
test('remove, end a claim: the person is told, except with silent=true', async () => {
  const event = await createEvent(api, organizer, { title: 'Harbour potluck' });
  const item = await createItem(api, organizer, event.id);
  const [told, untold] = [await createUser(api), await createUser(api)];
  for (const person of [told, untold]) await rsvpGoing(api, person, event.id);
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, told.token, { quantity: 1 }), 201);
  expectStatus(await api.delete(`/v1/items/${item.id}/claims/${told.id}`, organizer.token), 200);
  expectStatus(await remove(event.id, told.id), 200);
  expectStatus(
    await api.delete(`/v1/events/${event.id}/guests/${untold.id}?silent=true`, organizer.token),
    200,
  );
  await deliverCauses({ db: api.sql, clock: () => new Date(), mailer: { isOn: false } });
  /** Decisions that are delivered together have no order. */
  const decisionsOf = async (person: Person) => {
    const { data } = expectStatus(await api.get('/v1/notifications', person.token), 200).body;
    return data.map(({ kind, decision }: { kind: string; decision: object }) => ({ kind, ...decision }));
  };
  assert.deepEqual(
    (await decisionsOf(told)).toSorted((a: { what: string }, b: { what: string }) =>
      a.what.localeCompare(b.what),
    ),
    ['claimEnded', 'removed'].map((what) => ({
      ...{ kind: 'decision', what, reason: null, title: 'Harbour potluck' },
    })),
  );
  assert.deepEqual(await decisionsOf(untold), []);
});

// spec: 5 DELETE /v1/events/:id/guests/:userId: guests added and removed by the organizer
test('remove: the audit trail has who removed whom', async () => {
  const event = await createEvent(api, organizer);
  const person = await createUser(api);
  const admin = await createAdmin(api);
  await rsvpGoing(api, person, event.id);
  expectStatus(await remove(event.id, person.id), 200);
  const path = `/v1/admin/audit?what=guest_removed&userId=${person.id}`;
  const { data } = expectStatus(await api.get(path, admin.token), 200).body;
  assert.deepEqual(
    data.map((entry: { byUserId: string; detail: string }) => [entry.byUserId, entry.detail]),
    [[organizer.id, event.id]],
  );
});
