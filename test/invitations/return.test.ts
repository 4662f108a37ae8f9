/** What an invitation changes for people who asked to join, or whom the organizer removed; and what their removal ends. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createNotificationClient } from '../notifications/notification-client.ts';
import { addAddress, createEvent, createUser, nextAddress, type Person } from '../support/factories.ts';
import { answerAsGuest, requestGuestCode } from '../support/guests.ts';
import { assertCounters } from '../support/invariants.ts';
import { linkClient } from '../support/invitation-links.ts';
import { invite } from '../support/invitations.ts';
import { askToJoin, decide, requestsPath, rsvpPath } from '../support/requests.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);
const { deliver, inbox } = createNotificationClient(api);

const rsvp = (event: string, { token }: { token: string }, body: object = { status: 'going' }) =>
  second.post(rsvpPath(event), token, body);
const remove = (event: string, userId: string) =>
  api.delete(`/v1/events/${event}/guests/${userId}`, organizer.token);
const record = async (event: string, { token }: Person) =>
  expectStatus(await second.get(`/v1/events/${event}`, token), 200).body;
const invitations = async (event: string) =>
  expectStatus(await api.get(`/v1/events/${event}/invitations`, organizer.token), 200).body.data;
const requests = async (event: string) =>
  expectStatus(await api.get(requestsPath(event), organizer.token), 200).body.data;
const tokenOf = ({ url }: { url: string | null }): string => url?.split('/').at(-1) ?? '';
/** Invites a contact, and answers by the link without an account. */
async function answerByMail(event: string, email: string) {
  const { data } = await invite(api, organizer, event, [{ name: 'Mara', email }]);
  const link = linkClient(api, tokenOf(data[0] ?? { url: null }));
  return { link, guest: expectStatus(await link.answer({ status: 'going' }), 200).body };
}

// spec: 5 PUT /v1/events/:id/requests/:userId: approves and refuses
test('invite: by userId approves a pending request, and tells the person; by contact the request stays', async () => {
  const event = await createEvent(api, organizer, { rsvpApproval: 'organizer' });
  const [byId, byContact] = [await createUser(api), await createUser(api)];
  const email = await addAddress(api, byContact);
  await askToJoin(api, byId, event.id, { extraGuests: 2 });
  await askToJoin(api, byContact, event.id);
  await invite(api, organizer, event.id, [{ userId: byId.id }, { email }]);
  const seen = await record(event.id, byId);
  assert.deepEqual([seen.myRsvp, seen.myRequest, seen.myExtraGuests, seen.rsvpCount], ['going', null, 2, 1]);
  const other = await record(event.id, byContact);
  assert.deepEqual([other.myRsvp, other.myRequest], [null, 'pending']);
  assert.deepEqual(
    (await requests(event.id)).map(({ user }: { user: { id: string } }) => user.id),
    [byContact.id],
  );
  await deliver();
  const kinds = (await inbox(byId)).map(({ kind }) => kind).sort();
  assert.deepEqual(kinds, ['decision', 'invitation']);
  // Invited people need no approval.
  expectStatus(await rsvp(event.id, byContact), 200);
  await assertCounters(api.sql);
});

// spec: 5 DELETE /v1/events/:id/guests/:userId: guests added and removed by the organizer
test('remove: 200 for a person with only an invitation or a request, which end', async () => {
  const event = await createEvent(api, organizer, { rsvpApproval: 'organizer' });
  const [invited, known, asking] = [await createUser(api), await createUser(api), await createUser(api)];
  const email = await addAddress(api, known);
  await invite(api, organizer, event.id, [{ userId: invited.id }, { email }]);
  await askToJoin(api, asking, event.id);
  for (const person of [invited, known, asking]) {
    expectStatus(await remove(event.id, person.id), 200);
    expectProblem(await remove(event.id, person.id), 404, 'guest_not_found');
    expectProblem(await rsvp(event.id, person), 403, 'removed_from_event');
    const seen = await record(event.id, person);
    assert.deepEqual([seen.myInvitation, seen.myRequest], [null, null]);
  }
  assert.deepEqual([await invitations(event.id), await requests(event.id)], [[], []]);
  await deliver();
  assert.deepEqual(
    (await inbox(invited)).map(({ kind }) => kind),
    ['decision'],
  );
  await assertCounters(api.sql);
});

// spec: 5 DELETE /v1/events/:id/guests/:userId: guests added and removed by the organizer
test('remove: who was removed may answer after an invitation by userId or contact', async () => {
  const event = await createEvent(api, organizer);
  const [byId, byContact] = [await createUser(api), await createUser(api)];
  const [email, guestMail] = [await addAddress(api, byContact), nextAddress()];
  const answer = { email: guestMail, name: 'Mara', status: 'going' as const };
  const { user } = await answerAsGuest(api, event.id, answer);
  for (const person of [byId, byContact]) expectStatus(await rsvp(event.id, person), 200);
  for (const { id } of [byId, byContact, user]) expectStatus(await remove(event.id, id), 200);
  for (const person of [byId, byContact])
    expectProblem(await rsvp(event.id, person), 403, 'removed_from_event');
  const { meta } = await invite(api, organizer, event.id, [
    { userId: byId.id },
    { email },
    { email: guestMail },
  ]);
  assert.equal(meta.created, 3);
  for (const person of [byId, byContact]) expectStatus(await rsvp(event.id, person), 200);
  await answerAsGuest(api, event.id, answer);
  await assertCounters(api.sql);
});

// spec: 5 DELETE /v1/events/:id/guests/:userId: guests added and removed by the organizer
test("remove: with the guest of an invitation, accounts with the invitation's contact are refused, before and after", async () => {
  const event = await createEvent(api, organizer);
  const [early, late] = [await createUser(api), await createUser(api)];
  const contacts = [await addAddress(api, early), nextAddress()] as const;
  for (const email of contacts) {
    const { link, guest } = await answerByMail(event.id, email);
    expectStatus(await remove(event.id, guest.user.id), 200);
    expectProblem(await link.answer({ status: 'going' }), 404, 'invitation_not_found');
  }
  // The contact makes no other guest.
  const code = await requestGuestCode(api, event.id, { email: contacts[1] });
  const body = { email: contacts[1], code, name: 'Mara', status: 'going' };
  expectProblem(
    await api.post(`/v1/events/${event.id}/guest-rsvp`, undefined, body),
    403,
    'removed_from_event',
  );
  expectStatus(await rsvp(event.id, late), 200);
  expectStatus(await rsvp(event.id, late, { status: null }), 200);
  await addAddress(api, late, contacts[1]);
  for (const person of [early, late]) {
    expectProblem(await rsvp(event.id, person), 403, 'removed_from_event');
    assert.deepEqual(expectStatus(await api.get('/v1/me/guests', person.token), 200).body.data, []);
  }
  // Invited again, they come.
  await invite(
    api,
    organizer,
    event.id,
    contacts.map((email) => ({ email })),
  );
  for (const person of [early, late]) expectStatus(await rsvp(event.id, person), 200);
  await assertCounters(api.sql);
});

// spec: 5 PUT /v1/events/:id/requests/:userId: approves and refuses
test('approve: 403 removed_from_event for an account that has confirmed the contact of a removed guest, unless it is invited', async () => {
  const event = await createEvent(api, organizer, { rsvpApproval: 'organizer' });
  const person = await createUser(api);
  const email = nextAddress();
  await askToJoin(api, person, event.id);
  const { guest } = await answerByMail(event.id, email);
  expectStatus(await remove(event.id, guest.user.id), 200);
  await addAddress(api, person, email);
  const approve = () => decide(api, organizer, { eventId: event.id, userId: person.id, status: 'approved' });
  expectProblem(await approve(), 403, 'removed_from_event');
  assert.equal((await record(event.id, person)).myRequest, 'pending');
  await invite(api, organizer, event.id, [{ userId: person.id }]);
  assert.equal((await record(event.id, person)).myRsvp, 'going');
  await assertCounters(api.sql);
});

// spec: 5 GET /v1/events/:id: private events
test('remove: a removed person, and an account with the contact, no longer see a private event', async () => {
  const event = await createEvent(api, organizer, { visibility: 'private' });
  const [byId, owner] = [await createUser(api), await createUser(api)];
  const email = await addAddress(api, owner);
  await invite(api, organizer, event.id, [{ userId: byId.id }]);
  const { guest } = await answerByMail(event.id, email);
  for (const { token } of [byId, owner]) expectStatus(await api.get(`/v1/events/${event.id}`, token), 200);
  for (const id of [byId.id, guest.user.id]) expectStatus(await remove(event.id, id), 200);
  for (const { token } of [byId, owner])
    expectProblem(await api.get(`/v1/events/${event.id}`, token), 404, 'event_not_found');
});
