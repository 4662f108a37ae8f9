/** The link of an invitation: what it shows, and who answers by it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bookingPath } from '../support/booking-client.ts';
import {
  addAddress,
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  inDays,
  nextAddress,
  type Person,
} from '../support/factories.ts';
import { requestGuestCode } from '../support/guests.ts';
import { assertCounters } from '../support/invariants.ts';
import { linkClient, storeInvitation } from '../support/invitation-links.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
const admin = await createAdmin(api);
const privateEvent = (more: object = {}) =>
  createEvent(api, organizer, { visibility: 'private', capacity: 9, guestListVisibility: 'guests', ...more });

// spec: 5 GET /v1/invitation: answers to invitations
test('invitation: 200 with the event, who invites and the message; reading changes nothing', async () => {
  const event = await privateEvent();
  const { token } = await storeInvitation(api, organizer, event.id, {
    message: 'Come!',
    email: nextAddress(),
  });
  const { read } = linkClient(api, token);
  const stored = () => api.sql`select * from invitations where subject_id = ${event.id}`;
  const before = await stored();
  for (let i = 0; i < 2; i++) {
    const { body } = expectStatus(await read(), 200);
    assert.equal(body.event.id, event.id);
    assert.ok(!('myRsvp' in body.event));
    assert.equal(body.invitedBy.id, organizer.id);
    const { name, status, extraGuests, reply, message, maxUses } = body;
    assert.deepEqual(
      { name, status, extraGuests, reply, message, maxUses },
      { name: 'Ana', status: 'pending', extraGuests: 0, reply: null, message: 'Come!', maxUses: 1 },
    );
    assert.ok(!JSON.stringify(body).includes('example.org'));
  }
  const visitor = await createUser(api);
  assert.equal(expectStatus(await read(visitor.token), 200).body.event.myInvitation, null);
  assert.deepEqual(await stored(), before);
});

test('invitation: 404 without the header, for a wrong, an expired and a withdrawn link, a deleted or hidden event', async () => {
  const event = await createEvent(api, organizer);
  const answer = { status: 'declined', name: 'Ana' };
  const expect404 = async (token: string) => {
    const link = linkClient(api, token);
    expectProblem(await link.read(), 404, 'invitation_not_found');
    expectProblem(await link.answer(answer), 404, 'invitation_not_found');
  };
  expectProblem(await api.get('/v1/invitation'), 404, 'invitation_not_found');
  expectProblem(await api.post('/v1/invitation/answer', undefined, answer), 404, 'invitation_not_found');
  for (const token of ['x', 'A'.repeat(32), `${'A'.repeat(500)}`]) await expect404(token);
  await expect404(
    (await storeInvitation(api, organizer, event.id, { expiresAt: new Date(Date.now() - 1) })).token,
  );
  const hidden = await createEvent(api, organizer);
  const link = await storeInvitation(api, organizer, hidden.id);
  expectStatus(
    await api.call('PUT', `/v1/admin/events/${hidden.id}/hidden`, {
      token: admin.token,
      body: { reason: 'x' },
    }),
    200,
  );
  await expect404(link.token);
  const { token } = await storeInvitation(api, organizer, event.id);
  expectStatus(await linkClient(api, token).read(), 200);
  expectStatus(await api.delete(`/v1/events/${event.id}`, organizer.token), 200);
  await expect404(token);
});

// spec: 5 POST /v1/invitation/answer: answers to invitations
test('invitation: the first answer without a token makes a guest, with claims; later ones change it; declining ends all', async () => {
  const event = await privateEvent({ enabledModules: ['bringList', 'booking'] });
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 2 });
  const { token } = await storeInvitation(api, organizer, event.id);
  const { answer, read } = linkClient(api, token);
  const claims = [
    { itemId: item.id, quantity: 2 },
    { itemId: `${event.id}.99`, quantity: 1 },
  ];
  const first = expectStatus(
    await answer({ status: 'going', extraGuests: 1, reply: 'Yes', claims }),
    200,
  ).body;
  assert.deepEqual(
    [
      first.status,
      first.myRsvp,
      first.rsvpCount,
      first.user.name,
      first.user.hasAccount,
      first.claims.length,
    ],
    ['going', 'going', 1, 'Ana', false, 1],
  );
  assert.deepEqual(first.refused, [{ itemId: `${event.id}.99`, code: 'item_not_found', available: null }]);
  // The guest sees the private event with its token.
  const record = expectStatus(await api.get(`/v1/events/${event.id}`, first.guestToken), 200).body;
  assert.deepEqual(
    [record.myRsvp, record.myInvitation.status, record.myInvitation.reply],
    ['going', 'going', 'Yes'],
  );
  expectStatus(await api.post(bookingPath(event.id), first.guestToken, { seats: 2 }), 201);
  // What is left out stays.
  const second = expectStatus(await answer({ status: 'interested', name: 'Ana B.' }), 200).body;
  assert.deepEqual([second.user.id, second.user.name, second.rsvpCount], [first.user.id, 'Ana B.', 1]);
  const seen = expectStatus(await read(), 200).body;
  assert.deepEqual([seen.status, seen.extraGuests, seen.reply], ['interested', 1, 'Yes']);
  const declined = expectStatus(await answer({ status: 'declined', reply: 'Sorry' }), 200).body;
  assert.deepEqual(
    [declined.status, declined.myRsvp, declined.rsvpCount, declined.claims, declined.user.id],
    ['declined', null, 0, [], first.user.id],
  );
  const after = expectStatus(await api.get(`/v1/events/${event.id}`, organizer.token), 200).body;
  assert.deepEqual([after.rsvpCount, after.bookedCount], [0, 0]);
  await assertCounters(api.sql);
});

test('invitation: a first answer that declines makes no guest, and counts for the organizer once', async () => {
  const event = await createEvent(api, organizer, { enabledModules: [] });
  const { token } = await storeInvitation(api, organizer, event.id, { name: null });
  const { answer } = linkClient(api, token);
  for (let i = 0; i < 2; i++) {
    const { body } = expectStatus(await answer({ status: 'declined', reply: 'No time' }), 200);
    assert.deepEqual([body.status, body.guestToken, body.user, body.myRsvp], ['declined', null, null, null]);
  }
  assert.equal((await api.sql`select 1 from users where guest_of = ${event.id}`).length, 0);
  const news = expectStatus(await api.get('/v1/notifications', organizer.token), 200).body.data;
  const counted = news.filter((each: { event?: { id: string } }) => each.event?.id === event.id);
  assert.deepEqual(
    counted.map(({ kind, count }: { kind: string; count: number }) => [kind, count]),
    [['rsvps', 1]],
  );
  // 400 at name: neither the invitation nor the answer has one. The module guestRsvp does not bind.
  const { body } = expectProblem(await answer({ status: 'going' }), 400, 'invalid_request');
  assert.equal(body.errors[0].path, 'name');
  assert.equal(expectStatus(await answer({ status: 'going', name: 'Ida' }), 200).body.user.name, 'Ida');
});

test('invitation: 400 for the rules of an answer, before a 404', async () => {
  const claim = { itemId: '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.1', quantity: 1 };
  for (const [body, path] of [
    [{}, 'status'],
    [{ status: 'maybe' }, 'status'],
    [{ status: 'going', reply: 'x'.repeat(301) }, 'reply'],
    [{ status: 'interested', claims: [claim] }, 'claims'],
    [{ status: 'declined', claims: [claim] }, 'claims'],
    [{ status: 'going', claims: [claim, claim] }, 'claims'],
  ] as const) {
    const problem = expectProblem(await linkClient(api, 'x').answer(body), 400, 'invalid_request').body;
    assert.equal(problem.errors[0].path, path);
  }
});

test('invitation: an account that has confirmed the contact answers, also after the guest; others 403 not_invited, then 409 invitation_used', async () => {
  const event = await privateEvent();
  const [owner, other] = [await createUser(api, { name: 'Ana' }), await createUser(api)];
  const email = await addAddress(api, owner);
  const { token } = await storeInvitation(api, organizer, event.id, { email });
  const { answer } = linkClient(api, token);
  const guest = expectStatus(await answer({ status: 'going' }), 200).body;
  expectProblem(await answer({ status: 'going' }, other.token), 403, 'not_invited');
  // A guest token in the request does not count.
  expectStatus(await answer({ status: 'interested' }, guest.guestToken), 200);
  const own = expectStatus(await answer({ status: 'going' }, owner.token), 200).body;
  assert.deepEqual([own.user.id, own.guestToken, own.expiresAt], [owner.id, null, null]);
  assert.equal(
    expectStatus(await api.get(`/v1/events/${event.id}`, owner.token), 200).body.myInvitation.status,
    'going',
  );
  expectProblem(await answer({ status: 'going' }), 409, 'invitation_used');
  expectProblem(await answer({ status: 'going' }, other.token), 409, 'invitation_used');
  expectStatus(await answer({ status: 'declined' }, owner.token), 200);
  await assertCounters(api.sql);
});

test('invitation: without a contact, the first account or guest has it', async () => {
  const event = await privateEvent();
  const [first, second] = [await createUser(api), await createUser(api)];
  const ofAccount = linkClient(api, (await storeInvitation(api, organizer, event.id)).token);
  expectStatus(await ofAccount.answer({ status: 'interested' }, first.token), 200);
  expectProblem(await ofAccount.answer({ status: 'going' }, second.token), 409, 'invitation_used');
  expectProblem(await ofAccount.answer({ status: 'going' }), 409, 'invitation_used');
  const ofGuest = linkClient(api, (await storeInvitation(api, organizer, event.id)).token);
  expectStatus(await ofGuest.answer({ status: 'going' }), 200);
  expectProblem(await ofGuest.answer({ status: 'going' }, second.token), 403, 'not_invited');
});

// spec: 5 GET /v1/events/:id: private events
test('invitation: an account that declines by the link of a private event sees the event, and may change the answer', async () => {
  const event = await privateEvent();
  const person = await createUser(api);
  const { answer } = linkClient(api, (await storeInvitation(api, organizer, event.id)).token);
  expectStatus(await answer({ status: 'declined' }, person.token), 200);
  expectStatus(await api.get(`/v1/events/${event.id}`, person.token), 200);
  const { data } = expectStatus(await api.get('/v1/me/invitations', person.token), 200).body;
  assert.equal(data[0].status, 'declined');
  expectStatus(await answer({ status: 'going' }, person.token), 200);
  await assertCounters(api.sql);
});

test('invitation: a link for many: 401 without a token, a use for each person, 409 beyond them; leaving gives none back', async () => {
  const event = await privateEvent();
  const [one, two, three] = (await createUsers(api, 3)) as [Person, Person, Person];
  const { token } = await storeInvitation(api, organizer, event.id, { name: 'Choir', maxUses: 2 });
  const { answer, read } = linkClient(api, token);
  assert.deepEqual([(await read()).body.status, (await read()).body.maxUses], [null, 2]);
  expectProblem(await answer({ status: 'going' }), 401, 'token_missing');
  for (const status of ['going', 'interested', 'going'])
    expectStatus(await answer({ status }, one.token), 200);
  expectStatus(await answer({ status: 'declined' }, one.token), 200);
  expectStatus(await answer({ status: 'declined' }, three.token), 200);
  expectStatus(await answer({ status: 'going' }, two.token), 200);
  expectProblem(await answer({ status: 'going' }, three.token), 409, 'link_used_up');
  expectStatus(await answer({ status: 'going' }, one.token), 200);
  // Declined without an answer before: not invited.
  expectProblem(await api.get(`/v1/events/${event.id}`, three.token), 404, 'event_not_found');
  expectStatus(await api.get(`/v1/events/${event.id}`, two.token), 200);
  assert.deepEqual(await api.sql`select uses from invitations where subject_id = ${event.id}`, [{ uses: 2 }]);
  await assertCounters(api.sql);
});

test('guest: a private event takes codes and answers with the link for many alone, which counts them', async () => {
  const event = await privateEvent({ enabledModules: ['guestRsvp'] });
  const { token } = await storeInvitation(api, organizer, event.id, { maxUses: 2 });
  const other = await storeInvitation(api, organizer, (await createEvent(api, organizer)).id, { maxUses: 2 });
  const post = (what: string, body: object, link?: string) =>
    api.call('POST', `/v1/events/${event.id}/${what}`, {
      body,
      ...(link && { headers: { 'invitation-token': link } }),
    });
  const answerAs = async (email: string) => {
    const { devCode: code } = expectStatus(await post('guest-code', { email }, token), 202).body;
    return post('guest-rsvp', { email, code, name: 'Bo', status: 'going' }, token);
  };
  const email = nextAddress();
  expectProblem(await post('guest-code', { email }), 404, 'event_not_found');
  expectProblem(await post('guest-code', { email }, other.token), 404, 'event_not_found');
  const guest = expectStatus(await answerAs(email), 200).body;
  expectStatus(await api.get(`/v1/events/${event.id}`, guest.guestToken), 200);
  expectStatus(await answerAs(email), 200);
  expectStatus(await answerAs(nextAddress()), 200);
  expectProblem(await answerAs(nextAddress()), 409, 'link_used_up');
  const open = await createEvent(api, organizer);
  const code = await requestGuestCode(api, open.id, { email });
  const body = { email, code, name: 'Bo', status: 'going' };
  expectProblem(
    await api.call('POST', `/v1/events/${open.id}/guest-rsvp`, {
      body,
      headers: { 'invitation-token': token },
    }),
    404,
    'invitation_not_found',
  );
  await assertCounters(api.sql);
});

test('invitation: 409 on a cancelled event and after the end, but for a repeated answer; declining stays possible', async () => {
  const event = await privateEvent();
  const going = linkClient(api, (await storeInvitation(api, organizer, event.id)).token);
  const late = linkClient(api, (await storeInvitation(api, organizer, event.id)).token);
  expectStatus(await going.answer({ status: 'going' }), 200);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { status: 'cancelled' }), 200);
  expectProblem(await late.answer({ status: 'going' }), 409, 'event_cancelled');
  expectStatus(await going.answer({ status: 'going' }), 200);
  expectStatus(await going.answer({ status: 'declined' }), 200);
  expectStatus(await late.answer({ status: 'declined' }), 200);
  const unnamed = linkClient(api, (await storeInvitation(api, organizer, event.id, { name: null })).token);
  // A 400 comes before a 409.
  expectProblem(await unnamed.answer({ status: 'going' }), 400, 'invalid_request');
  const past = await createEvent(api, organizer, { startAt: inDays(-2), endAt: inDays(-1) });
  const after = linkClient(api, (await storeInvitation(api, organizer, past.id)).token);
  expectProblem(await after.answer({ status: 'going' }), 409, 'event_over');
  expectStatus(await after.answer({ status: 'declined' }), 200);
  assert.equal((await api.sql`select 1 from users where guest_of = ${past.id}`).length, 0);
});

test('invitation: 403 feature_disabled for answers without an account while the flag guestRsvp is off, but for those that decline', async () => {
  const event = await privateEvent();
  const person = await createUser(api);
  const { answer } = linkClient(api, (await storeInvitation(api, organizer, event.id)).token);
  const flag = (enabled: boolean) =>
    api.call('PUT', '/v1/admin/flags/guestRsvp', { token: admin.token, body: { enabled } });
  const [declining, guest, unnamed] = [
    linkClient(api, (await storeInvitation(api, organizer, event.id)).token),
    linkClient(api, (await storeInvitation(api, organizer, event.id)).token),
    linkClient(api, (await storeInvitation(api, organizer, event.id, { name: null })).token),
  ];
  expectStatus(await guest.answer({ status: 'going' }), 200);
  expectStatus(await flag(false), 200);
  expectProblem(await answer({ status: 'going' }), 403, 'feature_disabled');
  expectStatus(await answer({ status: 'going' }, person.token), 200);
  expectProblem(await linkClient(api, 'x').answer({ status: 'going' }), 404, 'invitation_not_found');
  // A 400 comes before a 403.
  const { body } = expectProblem(await unnamed.answer({ status: 'going' }), 400, 'invalid_request');
  assert.equal(body.errors[0].path, 'name');
  // Declining is possible always: the first time, and of a guest.
  for (const each of [declining, guest]) {
    const declined = expectStatus(await each.answer({ status: 'declined' }), 200).body;
    assert.deepEqual([declined.status, declined.myRsvp], ['declined', null]);
  }
  expectProblem(await guest.answer({ status: 'going' }), 403, 'feature_disabled');
  expectStatus(await flag(true), 200);
  await sleep(0);
});
