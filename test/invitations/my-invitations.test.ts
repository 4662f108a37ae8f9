/** Invitations of accounts: by their ids and by contacts, answered with an account. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { bookingPath } from '../support/booking-client.ts';
import {
  addAddress,
  createEvent,
  createItem,
  createUser,
  nextAddress,
  type Person,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { linkClient, storeInvitation } from '../support/invitation-links.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
const secret = (more: object = {}) =>
  createEvent(api, organizer, { visibility: 'private', capacity: 9, ...more });
const recordOf = async (event: string, { token }: Person) =>
  expectStatus(await api.get(`/v1/events/${event}`, token), 200).body;
const storedOf = async (id: string) => {
  const [row] = await api.sql<
    { status: string; extraGuests: number; reply: string | null; userId: string | null }[]
  >`
    select status, extra_guests, reply, user_id from invitations where id = ${id}`;
  return row;
};

// spec: 5 GET /v1/me/invitations: answers to invitations
test('my invitations: those of the account and those to its contacts, the newest first, with a cursor', async () => {
  const person = await createUser(api);
  const email = await addAddress(api, person);
  const [one, two, three] = [await secret(), await secret(), await secret()];
  const ids = [
    await storeInvitation(api, organizer, one.id, { userId: person.id, message: 'Come!' }),
    await storeInvitation(api, organizer, two.id, { email }),
  ].map(({ id }) => id);
  await storeInvitation(api, organizer, three.id, { email: nextAddress() });
  await storeInvitation(api, organizer, three.id, { maxUses: 9 });
  const list = async (query = '') =>
    expectStatus(await api.get(`/v1/me/invitations${query}`, person.token), 200).body;
  const { data, nextCursor } = await list();
  assert.deepEqual(
    data.map(({ id }: { id: string }) => id),
    ids.toReversed(),
  );
  assert.equal(nextCursor, null);
  const [, first] = data;
  assert.deepEqual(
    [first.event.id, first.event.myRsvp, first.invitedBy.id, first.message, first.status],
    [one.id, null, organizer.id, 'Come!', 'pending'],
  );
  const page = await list('?limit=1');
  assert.equal(page.data[0].id, ids[1]);
  assert.equal((await list(`?limit=1&cursor=${page.nextCursor}`)).data[0].id, ids[0]);
});

// spec: 5 POST /v1/me/invitations/:id/answer: answers to invitations
test('my invitations: 200 for an answer by a contact, which becomes that of the account; 404 for those of others', async () => {
  const [person, other] = [await createUser(api), await createUser(api)];
  const email = await addAddress(api, person);
  const event = await secret();
  const { id, token } = await storeInvitation(api, organizer, event.id, { email });
  const path = `/v1/me/invitations/${id}/answer`;
  expectProblem(await api.post(path, other.token, { status: 'going' }), 404, 'invitation_not_found');
  expectProblem(
    await api.post('/v1/me/invitations/x/answer', person.token, { status: 'going' }),
    404,
    'invitation_not_found',
  );
  assert.equal((await storedOf(id))?.userId, null);
  const { body } = expectStatus(
    await api.post(path, person.token, { status: 'going', extraGuests: 2, reply: 'Yes' }),
    200,
  );
  assert.deepEqual(
    [body.status, body.user.id, body.guestToken, body.rsvpCount],
    ['going', person.id, null, 1],
  );
  assert.deepEqual(await storedOf(id), { status: 'going', extraGuests: 2, reply: 'Yes', userId: person.id });
  assert.equal((await recordOf(event.id, person)).myInvitation.id, id);
  expectProblem(await linkClient(api, token).answer({ status: 'going' }), 409, 'invitation_used');
  await assertCounters(api.sql);
});

test('rsvp: answers the invitation by the id of the account; null makes it pending again', async () => {
  const person = await createUser(api);
  const event = await secret();
  const { id } = await storeInvitation(api, organizer, event.id, { userId: person.id, message: 'Come!' });
  const mine = (await recordOf(event.id, person)).myInvitation;
  assert.deepEqual(
    [mine.id, mine.status, mine.reply, mine.message, mine.invitedBy.id],
    [id, 'pending', null, 'Come!', organizer.id],
  );
  const rsvp = (body: object) => api.post(`/v1/events/${event.id}/rsvp`, person.token, body);
  expectStatus(await rsvp({ status: 'going', extraGuests: 3 }), 200);
  assert.deepEqual(await storedOf(id), { status: 'going', extraGuests: 3, reply: null, userId: person.id });
  expectStatus(await rsvp({ status: null }), 200);
  assert.deepEqual(await storedOf(id), { status: 'pending', extraGuests: 0, reply: null, userId: person.id });
});

test('rsvp: declined with a reply ends RSVP, claims and seats, and is 403 for people who are not invited by id', async () => {
  const [person, byContact] = [await createUser(api), await createUser(api)];
  const event = await createEvent(api, organizer, { capacity: 9 });
  const item = await createItem(api, organizer, event.id);
  const { id } = await storeInvitation(api, organizer, event.id, { userId: person.id });
  await storeInvitation(api, organizer, event.id, { email: await addAddress(api, byContact) });
  const rsvp = ({ token }: Person, body: object) => api.post(`/v1/events/${event.id}/rsvp`, token, body);
  expectStatus(await rsvp(person, { status: 'going' }), 200);
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, person.token, { quantity: 1 }), 201);
  expectStatus(await api.post(bookingPath(event.id), person.token, { seats: 2 }), 201);
  const wrong = expectProblem(
    await rsvp(person, { status: 'going', reply: 'x' }),
    400,
    'invalid_request',
  ).body;
  assert.equal(wrong.errors[0].path, 'reply');
  expectProblem(await rsvp(byContact, { status: 'declined' }), 403, 'not_invited');
  const hidden = await createEvent(api, organizer, { visibility: 'private' });
  expectProblem(
    await api.post(`/v1/events/${hidden.id}/rsvp`, person.token, { status: 'declined' }),
    404,
    'event_not_found',
  );
  const { body } = expectStatus(await rsvp(person, { status: 'declined', reply: 'Sorry' }), 200);
  assert.deepEqual([body.myRsvp, body.rsvpCount], [null, 0]);
  assert.deepEqual(await storedOf(id), {
    status: 'declined',
    extraGuests: 0,
    reply: 'Sorry',
    userId: person.id,
  });
  const record = await recordOf(event.id, person);
  assert.deepEqual([record.myInvitation.status, record.myBooking, record.bookedCount], ['declined', null, 0]);
  expectStatus(await rsvp(person, { status: 'declined' }), 200);
  expectStatus(await rsvp(person, { status: null }), 200);
  assert.equal((await storedOf(id))?.status, 'pending');
  await assertCounters(api.sql);
});

test('take-over: the guest of an invitation is offered for its contact, and without a contact for its link', async () => {
  const [person, other] = [await createUser(api), await createUser(api)];
  const email = await addAddress(api, person);
  const event = await secret();
  const byContact = await storeInvitation(api, organizer, event.id, { email });
  const byLink = await storeInvitation(api, organizer, event.id);
  const going = async ({ token }: { token: string }) =>
    expectStatus(await linkClient(api, token).answer({ status: 'going', extraGuests: 1 }), 200).body.user.id;
  const guests = [await going(byContact), await going(byLink)];
  const list = async ({ token }: Person, link?: string) => {
    const headers = link ? { 'invitation-token': link } : {};
    const { body } = expectStatus(await api.call('GET', '/v1/me/guests', { token, headers }), 200);
    return body.data.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await list(person), [guests[0]]);
  assert.deepEqual(await list(other), []);
  assert.deepEqual(await list(other, byContact.token), []);
  assert.deepEqual(await list(other, byLink.token), [guests[1]]);
  const take = ({ token }: Person, id: string, link?: string) =>
    api.call('POST', `/v1/me/guests/${id}/take-over`, {
      token,
      headers: link ? { 'invitation-token': link } : {},
    });
  expectProblem(await take(other, guests[1]), 404, 'guest_not_found');
  expectStatus(await take(other, guests[1], byLink.token), 200);
  expectStatus(await take(person, guests[0]), 200);
  assert.deepEqual(await storedOf(byLink.id), {
    status: 'going',
    extraGuests: 1,
    reply: null,
    userId: other.id,
  });
  const record = await recordOf(event.id, other);
  assert.deepEqual([record.myRsvp, record.myExtraGuests, record.rsvpCount], ['going', 1, 2]);
  expectProblem(await linkClient(api, byLink.token).answer({ status: 'going' }), 409, 'invitation_used');
  await assertCounters(api.sql);
});

test('guest: who leaves makes its invitation pending again, and the link answers anew', async () => {
  const event = await secret();
  const { id, token } = await storeInvitation(api, organizer, event.id);
  const { answer } = linkClient(api, token);
  const { guestToken } = expectStatus(await answer({ status: 'going' }), 200).body;
  expectStatus(await api.delete(`/v1/events/${event.id}/guest`, guestToken), 200);
  assert.equal((await storedOf(id))?.status, 'pending');
  expectProblem(await api.get(`/v1/events/${event.id}/guest`, guestToken), 401, 'token_invalid');
  expectStatus(await answer({ status: 'interested' }), 200);
  await assertCounters(api.sql);
});
