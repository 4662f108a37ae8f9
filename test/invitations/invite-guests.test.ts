/** `inviteGuests`: who answered an event goes on seeing it when it becomes private. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { bookingPath } from '../support/booking-client.ts';
import {
  createAdmin,
  createEvent,
  createUser,
  inDays,
  nextAddress,
  type Person,
} from '../support/factories.ts';
import { answerAsGuest } from '../support/guests.ts';
import { assertCounters } from '../support/invariants.ts';
import { readInvitation } from '../support/invitations.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);

const answer = async (eventId: string, { token }: Person, body: object) =>
  expectStatus(await api.post(`/v1/events/${eventId}/rsvp`, token, body), 200);
const hide = (eventId: string, more: object = { inviteGuests: true }, { token } = organizer) =>
  api.patch(`/v1/events/${eventId}`, token, { visibility: 'private', ...more });
const statusesFor = (eventId: string, people: { token: string }[]) =>
  Promise.all(people.map(async ({ token }) => (await api.get(`/v1/events/${eventId}`, token)).status));
const invitationsOf = async (eventId: string) =>
  expectStatus(await api.get(`/v1/events/${eventId}/invitations?limit=50`, organizer.token), 200).body;

// spec: 5 PATCH /v1/events/:id: private events
test('inviteGuests: 200, and those with an RSVP or seats go on seeing the event, as invited with their answer', async () => {
  const event = await createEvent(api, organizer, {
    capacity: 2,
    enabledModules: ['booking', 'guestRsvp', 'bringList'],
  });
  const [going, interested, seated, waiting, saver] = await Promise.all(
    Array.from({ length: 5 }, () => createUser(api)) as [
      Promise<Person>,
      Promise<Person>,
      Promise<Person>,
      Promise<Person>,
      Promise<Person>,
    ],
  );
  await answer(event.id, organizer, { status: 'going' });
  await answer(event.id, going, { status: 'going', extraGuests: 2 });
  await answer(event.id, interested, { status: 'interested' });
  expectStatus(await api.post(bookingPath(event.id), seated.token, { seats: 2 }), 201);
  expectStatus(await api.post(bookingPath(event.id), waiting.token, { seats: 1, waitlist: true }), 201);
  expectStatus(await api.post(`/v1/events/${event.id}/save`, saver.token, { saved: true }), 200);
  const guest = await answerAsGuest(api, event.id, { email: nextAddress(), name: 'Nora', status: 'going' });

  expectStatus(await hide(event.id), 200);
  const people = [going, interested, seated, waiting, saver, { token: guest.guestToken }];
  assert.deepEqual(await statusesFor(event.id, people), [200, 200, 200, 200, 404, 200]);
  const { data, counts } = await invitationsOf(event.id);
  assert.deepEqual(counts, { pending: 1, going: 2, interested: 1, declined: 0 });
  const statusOf = new Map(
    data.map((each: { user: { id: string }; status: string; extraGuests: number; url: null }) => [
      each.user.id,
      [each.status, each.extraGuests, each.url],
    ]),
  );
  assert.deepEqual(
    [going, interested, seated, waiting].map(({ id }) => statusOf.get(id)),
    [
      ['going', 2, null],
      ['interested', 0, null],
      ['going', 0, null],
      ['pending', 0, null],
    ],
  );
  const record = expectStatus(await api.get(`/v1/events/${event.id}`, going.token), 200).body;
  assert.deepEqual([record.myInvitation.status, record.myInvitation.invitedBy.id], ['going', organizer.id]);
  // A later answer is one of the invitation.
  await answer(event.id, going, { status: 'declined', reply: 'Sorry!' });
  assert.equal((await readInvitation(api, organizer, record.myInvitation.id)).status, 'declined');
  await assertCounters(api.sql);
});

// spec: 5 PATCH /v1/events/:id: private events
test('inviteGuests: nobody is told, no limit counts it, and a repetition invites nobody twice', async () => {
  const event = await createEvent(api, organizer);
  const person = await createUser(api);
  await answer(event.id, person, { status: 'going' });
  for (const more of [{ inviteGuests: true }, { inviteGuests: true, title: 'Again' }])
    expectStatus(await hide(event.id, more), 200);
  assert.equal((await invitationsOf(event.id)).data.length, 1);
  const told = await api.sql`
    select 1 from notification_causes where user_id = ${person.id} and kind = 'invitation'
    union all select 1 from invitation_sends where subject_id = ${event.id}`;
  assert.equal(told.length, 0);
});

// spec: 5 PATCH /v1/events/:id: private events
test('inviteGuests: without it, and for people who answer later, the event does not exist any more', async () => {
  const event = await createEvent(api, organizer);
  const [before, after] = [await createUser(api), await createUser(api)];
  await answer(event.id, before, { status: 'going' });
  expectStatus(await hide(event.id, { inviteGuests: false }), 200);
  assert.deepEqual(await statusesFor(event.id, [before, after]), [404, 404]);
  // The answer is still there, so they can be invited later.
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { inviteGuests: true }), 200);
  assert.deepEqual(await statusesFor(event.id, [before, after]), [200, 404]);
});

// spec: 5 PATCH /v1/events/:id: private events
test('inviteGuests: 400 if the event is not private after the change, which then changes nothing', async () => {
  const event = await createEvent(api, organizer);
  const person = await createUser(api);
  await answer(event.id, person, { status: 'going' });
  for (const body of [{ inviteGuests: true }, { inviteGuests: true, visibility: 'unlisted', title: 'New' }]) {
    const refused = await api.patch(`/v1/events/${event.id}`, organizer.token, body);
    expectProblem(refused, 400, 'invalid_request');
    assert.deepEqual(
      refused.body.errors.map(({ path }: { path: string }) => path),
      ['inviteGuests'],
    );
  }
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { inviteGuests: false }), 200);
  const record = expectStatus(await api.get(`/v1/events/${event.id}`), 200).body;
  assert.deepEqual([record.title, record.visibility], [event.title, 'public']);
  expectProblem(await hide(event.id, { inviteGuests: true }, person), 403, 'not_organizer');
  assert.deepEqual((await invitationsOf(event.id)).data, []);
});

// spec: 5 PATCH /v1/events/:id: private events
test('inviteGuests: 409 above 2,000 invitations; the event stays as it is', async () => {
  const event = await createEvent(api, organizer);
  await api.sql`
    insert into invitations (subject_id, id, inviter_id, name, status, delivery, created_at)
    select ${event.id}, gen_random_uuid(), ${organizer.id}, 'Link', 'pending', 'none', now() from generate_series(1, 1999)`;
  for (const person of [await createUser(api), await createUser(api)])
    await answer(event.id, person, { status: 'going' });
  expectProblem(await hide(event.id), 409, 'invitations_full');
  assert.equal((await api.get(`/v1/events/${event.id}`)).body.visibility, 'public');
});

// spec: 5 PATCH /v1/events/:id: private events
test('inviteGuests: an admin who makes an ended or cancelled event private invites the organizer not, and others', async () => {
  const admin = await createAdmin(api);
  const event = await createEvent(api, organizer, { startAt: inDays(-3), endAt: inDays(-2) });
  const person = await createUser(api);
  for (const each of [organizer, person]) await answer(event.id, each, { status: 'going' });
  expectStatus(await hide(event.id, { inviteGuests: true, status: 'cancelled' }, admin), 200);
  const { data } = await invitationsOf(event.id);
  assert.deepEqual(
    data.map(({ user }: { user: { id: string } }) => user.id),
    [person.id],
  );
  assert.deepEqual(await statusesFor(event.id, [organizer, person]), [200, 200]);
});
