/** What organizers write, who reads it, and how it is changed and deleted. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { bookingPath } from '../support/booking-client.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  deleteAccount,
  inDays,
  nextAddress,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { answerAsGuest } from '../support/guests.ts';
import { createMessageClient } from '../support/message-client.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { announcementsPath, createAnnouncementClient, inHours, sendDue } from './announcement-client.ts';

const api = await startTestApp();
const { announce, list, texts, recipients } = createAnnouncementClient(api);
const { block } = createMessageClient(api);
const rsvp = async (person: Person, id: string, status: string | null) =>
  expectStatus(await api.post(`/v1/events/${id}/rsvp`, person.token, { status }), 200);
const change = async (person: Person, id: string, fields: object) =>
  expectStatus(await api.patch(`/v1/events/${id}`, person.token, fields), 200);

/** An event with a person in each list. */
async function createFullEvent() {
  const [organizer, going, interested, booked, waiting, bringing, stranger] = await createUsers(api, 7);
  assert.ok(organizer && going && interested && booked && waiting && bringing && stranger);
  const event = await createEvent(api, organizer, { capacity: 2 });
  const item = await createItem(api, organizer, event.id);
  await rsvp(going, event.id, 'going');
  await rsvp(interested, event.id, 'interested');
  expectStatus(await api.post(bookingPath(event.id), booked.token, { seats: 2 }), 201);
  expectStatus(await api.post(bookingPath(event.id), waiting.token, { seats: 1, waitlist: true }), 201);
  await rsvp(bringing, event.id, 'going');
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, bringing.token, { quantity: 1 }), 201);
  await rsvp(bringing, event.id, null);
  return { organizer, going, interested, booked, waiting, bringing, stranger, event, item };
}

// spec: 6 POST /v1/events/:id/announcements, GET /v1/events/:id/announcements/recipients: announcements
test('announcement: 201 with all fields and the number of recipients; GET counts the same, each person once', async () => {
  const { organizer, going, event } = await createFullEvent();
  const path = announcementsPath(event.id);
  const response = expectStatus(await api.post(path, organizer.token, { text: 'Line one\nLine two' }), 201);
  const { id, sendAt, sentAt, createdAt, author, ...rest } = response.body;
  assert.deepEqual(rest, {
    text: 'Line one\nLine two',
    audience: ['going', 'interested', 'waiting', 'claimants'],
    status: 'sent',
    editedAt: null,
    recipients: 5,
  });
  assert.deepEqual(
    [author.id, author.hasAccount, sendAt, sentAt],
    [organizer.id, true, createdAt, createdAt],
  );
  assert.match(id, /^[0-9a-f-]{36}$/);
  const counts: [string | undefined, number][] = [
    [undefined, 5],
    ['going', 2],
    ['interested', 1],
    ['waiting', 1],
    ['claimants', 1],
    ['going,waiting', 3],
    ['going,interested,waiting,claimants', 5],
  ];
  for (const [audience, count] of counts)
    assert.equal(await recipients(organizer, event.id, audience), count, audience ?? 'default');
  // Several lists, and the author.
  expectStatus(await api.post(bookingPath(event.id), organizer.token, { seats: 1, waitlist: true }), 201);
  expectStatus(await api.post(bookingPath(event.id), going.token, { seats: 1, waitlist: true }), 201);
  assert.equal(await recipients(organizer, event.id), 5);
  expectProblem(
    await api.get(`${path}/recipients?audience=going,nobody`, organizer.token),
    400,
    'invalid_request',
  );
  expectProblem(await api.get(`${path}/recipients`, going.token), 403, 'not_organizer');
});

// spec: 6 POST /v1/events/:id/announcements: announcements: who is left out
test('announcement: a suspended person is no recipient; a block and a setting change no number', async () => {
  const { organizer, going, interested, waiting, event } = await createFullEvent();
  const admin = await createAdmin(api);
  expectStatus(await api.post(`/v1/admin/users/${waiting.id}/suspend`, admin.token, {}), 200);
  await block(going, organizer);
  expectStatus(await api.patch('/v1/notifications/settings', interested.token, { announcement: 'off' }), 200);
  assert.equal(await recipients(organizer, event.id), 4);
  assert.equal((await announce(organizer, event.id)).recipients, 4);
});

// spec: 6 POST /v1/events/:id/announcements: announcements: errors
test('announcement: 400, 401, 404, 403, 409, in this order', async () => {
  const [organizer, other] = await createUsers(api, 2);
  assert.ok(organizer && other);
  const event = await createEvent(api, organizer);
  const path = announcementsPath(event.id);
  const send = (body: object, token = organizer.token) => api.post(path, token, body);
  const wrong = [
    {},
    { text: '' },
    { text: ' \n ' },
    { text: 'x'.repeat(2_001) },
    { text: 'x', audience: [] },
    { text: 'x', audience: ['everyone'] },
    { text: 'x', audience: ['going', 'going'] },
    { text: 'x', sendAt: 'tomorrow' },
    { text: 'x', sendAt: inHours(-1) },
    { text: 'x', sendAt: inHours(0.01, Date.parse(event.endAt)) },
    { text: 'x', title: 'y' },
  ];
  for (const body of wrong) expectProblem(await send(body), 400, 'invalid_request');
  expectProblem(await send({ text: '' }, 'pa_wrong'), 401, 'token_invalid');
  expectProblem(await api.post(path, undefined, { text: '' }), 401, 'token_missing');
  expectProblem(
    await api.post(announcementsPath(randomUUID()), other.token, { text: '' }),
    400,
    'invalid_request',
  );
  expectProblem(
    await api.post(announcementsPath(randomUUID()), other.token, { text: 'x' }),
    404,
    'event_not_found',
  );
  expectProblem(await api.post(announcementsPath('x'), other.token, { text: 'x' }), 404, 'event_not_found');
  expectProblem(await send({ text: 'x' }, other.token), 403, 'not_organizer');
  expectStatus(await send({ text: 'x'.repeat(2_000), sendAt: event.endAt }), 201);
  await change(organizer, event.id, { status: 'cancelled' });
  expectProblem(await send({ text: 'x', sendAt: inHours(1) }, other.token), 403, 'not_organizer');
  expectProblem(await send({ text: 'x', sendAt: inHours(1) }), 409, 'event_cancelled');
  expectStatus(await send({ text: 'Sorry!' }), 201);
  const admin = await createAdmin(api);
  expectStatus(
    await api.call('PUT', `/v1/admin/events/${event.id}/hidden`, {
      token: admin.token,
      body: { reason: 'x' },
    }),
    200,
  );
  expectProblem(await send({ text: 'x' }), 409, 'event_hidden');
});

// spec: 6 POST /v1/events/:id/announcements: announcements: after the end
test('announcement: 201 after the end of the event, and 400 for a later time then', async () => {
  const organizer = await createUser(api);
  const past = await createEvent(api, organizer, { startAt: inDays(-2), endAt: inDays(-1) });
  assert.equal((await announce(organizer, past.id)).status, 'sent');
  const later = { text: 'x', sendAt: inHours(1) };
  expectProblem(await api.post(announcementsPath(past.id), organizer.token, later), 400, 'invalid_request');
});

// spec: 6 POST /v1/events/:id/announcements: announcements: Idempotency-Key
test('announcement: the same Idempotency-Key makes one announcement', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer);
  const call = {
    token: organizer.token,
    body: { text: 'Once' },
    headers: { 'idempotency-key': randomUUID() },
  };
  const [first, second] = [
    expectStatus(await api.call('POST', announcementsPath(event.id), call), 201),
    expectStatus(await api.call('POST', announcementsPath(event.id), call), 201),
  ];
  assert.deepEqual(second.body, first.body);
  assert.deepEqual(await texts(event.id, organizer), ['Once']);
});

// spec: 6 POST /v1/events/:id/announcements: announcements: limits
test('announcement: 429 above 5 of an event in 24 hours, scheduled and deleted ones included, also without QUOTAS', async () => {
  const organizer = await createUser(api);
  const admin = await createAdmin(api);
  const event = await createEvent(api, organizer, { startAt: inDays(3), endAt: inDays(4) });
  const guest = await createUser(api);
  await rsvpGoing(api, guest, event.id);
  await change(organizer, event.id, { startAt: inDays(2), message: 'Earlier!' });
  const [first] = [await announce(organizer, event.id), await announce(admin, event.id)];
  await announce(organizer, event.id, { sendAt: inHours(30) });
  for (let i = 0; i < 2; i++) {
    const { id } = await announce(organizer, event.id);
    expectStatus(await api.delete(`/v1/announcements/${id}`, organizer.token), 200);
  }
  for (const person of [organizer, admin]) {
    const response = await api.post(announcementsPath(event.id), person.token, { text: 'x' });
    expectProblem(response, 429, 'quota_exceeded');
    const seconds = Number(response.headers.get('retry-after'));
    assert.ok(seconds > 86_000 && seconds <= 86_400, `${seconds}`);
  }
  await api.sql`update announcements set created_at = created_at - interval '1 day' where id = ${first.id}`;
  await announce(organizer, event.id);
});

// spec: 6 POST /v1/events/:id/announcements: announcements: limits
test('announcement: 429 above 20 of a person in 24 hours', async () => {
  const organizer = await createUser(api);
  const events = await Promise.all([1, 2, 3, 4, 5].map(() => createEvent(api, organizer)));
  for (const { id } of events.slice(0, 4)) for (let i = 0; i < 5; i++) await announce(organizer, id);
  const last = events[4]?.id ?? '';
  expectProblem(
    await api.post(announcementsPath(last), organizer.token, { text: 'x' }),
    429,
    'quota_exceeded',
  );
  await announce(await createAdmin(api), last);
});

// spec: 6 GET /v1/events/:id/announcements: announcements: who reads what
test('announcements: the organizer reads all; others what was sent to a list in which they are now; nobody without a token', async () => {
  const full = await createFullEvent();
  const { organizer, event } = full;
  for (const audience of ['going', 'interested', 'waiting', 'claimants'])
    await announce(organizer, event.id, { text: audience, audience: [audience] });
  await announce(organizer, event.id, { text: 'later', sendAt: inHours(2) });
  const all = await list(event.id, organizer);
  assert.deepEqual(
    all.map(({ text, status, recipients }) => [text, status, recipients]),
    [
      ['later', 'scheduled', null],
      ['claimants', 'sent', 1],
      ['waiting', 'sent', 1],
      ['interested', 'sent', 1],
      ['going', 'sent', 2],
    ],
  );
  assert.deepEqual(await texts(event.id, full.going), ['going']);
  assert.deepEqual(await texts(event.id, full.booked), ['going']);
  assert.deepEqual(await texts(event.id, full.interested), ['interested']);
  assert.deepEqual(await texts(event.id, full.waiting), ['waiting']);
  assert.deepEqual(await texts(event.id, full.bringing), ['claimants']);
  assert.deepEqual(await texts(event.id, full.stranger), []);
  assert.deepEqual(await texts(event.id), []);
  assert.ok(!('recipients' in ((await list(event.id, full.going))[0] ?? {})));
  await rsvp(full.going, event.id, 'interested');
  assert.deepEqual(await texts(event.id, full.going), ['interested'], 'the list of now counts');
  await rsvp(full.stranger, event.id, 'going');
  assert.deepEqual(await texts(event.id, full.stranger), ['going'], 'who joins later reads it');
  const guest = await answerAsGuest(api, event.id, { email: nextAddress(), name: 'Mara', status: 'going' });
  assert.deepEqual(await texts(event.id, { token: guest.guestToken }), ['going']);
  const admin = await createAdmin(api);
  assert.equal((await list(event.id, admin)).length, 5);
});

// spec: 6 POST /v1/events/:id/announcements: announcements: who has not answered
test('announcement: reaches accounts that were invited and have not answered, and people who asked to join, only if its audience has them', async () => {
  const [organizer, invited, declined, asking] = await createUsers(api, 4);
  assert.ok(organizer && invited && declined && asking);
  const event = await createEvent(api, organizer);
  for (const [person, status] of [
    [invited, 'pending'],
    [declined, 'declined'],
  ] as const)
    await api.sql`
      insert into invitations (subject_id, id, inviter_id, user_id, is_by_id, status, delivery, created_at)
      values (${event.id}, ${randomUUID()}, ${organizer.id}, ${person.id}, true, ${status}, 'sent', now())`;
  await change(organizer, event.id, { rsvpApproval: 'organizer' });
  const ask = { status: 'going', ask: true };
  expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, asking.token, ask), 200);
  assert.equal((await announce(organizer, event.id)).recipients, 0);
  assert.equal(
    (await announce(organizer, event.id, { text: 'Come!', audience: ['unanswered'] })).recipients,
    1,
  );
  assert.deepEqual([await texts(event.id, invited), await texts(event.id, declined)], [['Come!'], []]);
  assert.equal(await recipients(organizer, event.id, 'requesting'), 1);
  await announce(organizer, event.id, { text: 'Soon!', audience: ['requesting'] });
  assert.deepEqual(await texts(event.id, asking), ['Soon!']);
});

// spec: 6 GET /v1/events/:id/announcements: announcements: pages
test('announcements: pages by cursor, the newest first, and 404 for an event that is not visible', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  for (const text of ['1', '2', '3']) await announce(organizer, event.id, { text });
  const path = announcementsPath(event.id);
  const first = expectStatus(await api.get(`${path}?limit=2`, guest.token), 200).body;
  assert.deepEqual(
    first.data.map(({ text }: { text: string }) => text),
    ['3', '2'],
  );
  const second = expectStatus(
    await api.get(`${path}?limit=2&cursor=${first.nextCursor}`, guest.token),
    200,
  ).body;
  assert.deepEqual(
    second.data.map(({ text }: { text: string }) => text),
    ['1'],
  );
  assert.equal(second.nextCursor, null);
  expectProblem(await api.get(`${path}?cursor=x`, guest.token), 400, 'invalid_request');
  await change(organizer, event.id, { visibility: 'private' });
  expectProblem(await api.get(path, guest.token), 404, 'event_not_found');
  expectProblem(await api.get(path), 404, 'event_not_found');
});

// spec: 6 GET /v1/events/:id/announcements: announcements: blocks
test('announcements: across a block with the author, without those of this author', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const admin = await createAdmin(api);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  await announce(organizer, event.id, { text: 'of the organizer' });
  await announce(admin, event.id, { text: 'of the admin' });
  await block(admin, guest);
  assert.deepEqual(await texts(event.id, guest), ['of the organizer']);
});

// spec: 6 PATCH /v1/announcements/:id: announcements: changes
test('announcement: PATCH changes all of a scheduled one, and the text of one that was sent', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  const scheduled = await announce(organizer, event.id, { sendAt: inHours(2) });
  assert.deepEqual([scheduled.status, scheduled.sentAt, scheduled.recipients], ['scheduled', null, null]);
  const patch = (id: string, body: object, token = organizer.token) =>
    api.patch(`/v1/announcements/${id}`, token, body);
  const sendAt = inHours(3);
  const changed = expectStatus(
    await patch(scheduled.id, { sendAt, audience: ['going'], text: 'New' }),
    200,
  ).body;
  assert.deepEqual([changed.sendAt, changed.audience, changed.text], [sendAt, ['going'], 'New']);
  assert.notEqual(changed.editedAt, null);
  assert.deepEqual((await list(event.id, organizer))[0], changed);
  for (const body of [
    { sendAt: inHours(-1) },
    { sendAt: inDays(400) },
    { audience: [] },
    { text: '' },
    { status: 'sent' },
  ])
    expectProblem(await patch(scheduled.id, body), 400, 'invalid_request');
  expectProblem(await patch(scheduled.id, { text: 'x' }, guest.token), 404, 'announcement_not_found');
  await change(organizer, event.id, { status: 'cancelled' });
  expectProblem(await patch(scheduled.id, { sendAt }), 409, 'event_cancelled');
  await change(organizer, event.id, { status: 'scheduled' });

  const sent = await announce(organizer, event.id);
  expectProblem(await patch(sent.id, { audience: ['going'] }), 400, 'invalid_request');
  expectProblem(await patch(sent.id, { sendAt, text: 'x' }), 400, 'invalid_request');
  expectProblem(await patch(sent.id, { text: 'x' }, guest.token), 403, 'not_organizer');
  const edited = expectStatus(await patch(sent.id, { text: 'Edited' }), 200).body;
  assert.deepEqual([edited.status, edited.sentAt, edited.recipients], ['sent', sent.sentAt, 1]);
  assert.deepEqual(await texts(event.id, guest), ['Edited']);
  assert.deepEqual(expectStatus(await patch(sent.id, {}), 200).body, edited);
});

// spec: 6 DELETE /v1/announcements/:id: announcements: deletion
test('announcement: DELETE removes it; 404 for those who may not read it, 403 for others', async () => {
  const [organizer, guest, stranger] = await createUsers(api, 3);
  assert.ok(organizer && guest && stranger);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  const { id } = await announce(organizer, event.id);
  const path = `/v1/announcements/${id}`;
  expectProblem(await api.delete(path, stranger.token), 404, 'announcement_not_found');
  expectProblem(await api.delete(path, guest.token), 403, 'not_organizer');
  expectProblem(await api.delete('/v1/announcements/x', guest.token), 404, 'announcement_not_found');
  assert.deepEqual(expectStatus(await api.delete(path, organizer.token), 200).body, { success: true });
  expectProblem(await api.delete(path, organizer.token), 404, 'announcement_not_found');
  expectProblem(await api.patch(path, organizer.token, { text: 'x' }), 404, 'announcement_not_found');
  for (const person of [organizer, guest]) assert.deepEqual(await texts(event.id, person), []);
  const [row] = await api.sql<{ text: string }[]>`select text from announcements where id = ${id}`;
  assert.equal(row?.text, '');
});

// spec: 6 GET /v1/events/:id/announcements: announcements: scheduled
test('announcement: an hour later, the job sends what is due, to those who are in the lists then', async () => {
  const [organizer, left, joined] = await createUsers(api, 3);
  assert.ok(organizer && left && joined);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, left, event.id);
  const { id } = await announce(organizer, event.id, { sendAt: inHours(1) });
  await sendDue(api);
  assert.deepEqual(await texts(event.id, left), []);
  await rsvp(left, event.id, null);
  await rsvpGoing(api, joined, event.id);
  await change(organizer, event.id, { startAt: inDays(20), endAt: inDays(21) });
  await sendDue({ sql: api.sql, clock: { now: () => new Date(Date.now() + 3_601_000) } as never });
  const [sent] = await list(event.id, organizer);
  assert.deepEqual([sent?.id, sent?.status, sent?.recipients], [id, 'sent', 1]);
  assert.deepEqual([await texts(event.id, left), (await texts(event.id, joined)).length], [[], 1]);
});

// spec: 6 GET /v1/events/:id/announcements: announcements: missed
test('announcement: missed if it is more than two hours late, or its event is cancelled or hidden, or its author has no right', async () => {
  const later = { sql: api.sql, clock: { now: () => new Date(Date.now() + 3_601_000) } as never };
  const admin = await createAdmin(api);
  const statusAfter = async (
    person: Person,
    spoil: (event: { id: string }, organizer: Person) => Promise<unknown>,
    hours = 1,
  ) => {
    const organizer = await createUser(api);
    const event = await createEvent(api, organizer);
    const author = person === admin ? person : organizer;
    const { id } = await announce(author, event.id, { sendAt: inHours(1) });
    await spoil(event, organizer);
    await sendDue(
      hours === 1
        ? later
        : { sql: api.sql, clock: { now: () => new Date(Date.now() + hours * 3_600_000) } as never },
    );
    const [row] = await api.sql<{ status: string; recipients: number | null }[]>`
      select status, recipients from announcements where id = ${id}`;
    const told = await api.sql<{ decision: { what: string } }[]>`
      select decision from notification_causes where user_id = ${author.id} and kind = 'decision' and event_id = ${event.id}`;
    assert.equal(
      told[0]?.decision.what,
      row?.status === 'missed' ? 'missed' : undefined,
      'the author is told',
    );
    return row?.status;
  };
  const own = await createUser(api);
  assert.equal(await statusAfter(own, async () => {}), 'sent');
  assert.equal(await statusAfter(own, async () => {}, 2.99), 'sent');
  assert.equal(await statusAfter(own, async () => {}, 3.01), 'missed');
  assert.equal(
    await statusAfter(own, ({ id }, organizer) => change(organizer, id, { status: 'cancelled' })),
    'missed',
  );
  const hide = async ({ id }: { id: string }) =>
    expectStatus(
      await api.call('PUT', `/v1/admin/events/${id}/hidden`, { token: admin.token, body: { reason: 'x' } }),
      200,
    );
  assert.equal(await statusAfter(own, hide), 'missed');
  const suspend = async (_: unknown, { id }: Person) =>
    expectStatus(await api.post(`/v1/admin/users/${id}/suspend`, admin.token, {}), 200);
  assert.equal(await statusAfter(own, suspend), 'missed');
  const demote = () => api.sql`update users set role = 'user', version = version + 1 where id = ${admin.id}`;
  assert.equal(await statusAfter(admin, demote), 'missed');
});

// spec: 6 POST /v1/events/:id/announcements: announcements: deletion of the account
test('announcements: the deletion of an account deletes those of the person, and a copy of an event has none', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const admin = await createAdmin(api);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  await announce(organizer, event.id, { text: 'of the organizer' });
  await announce(admin, event.id, { text: 'of the admin' });
  const copy = expectStatus(
    await api.post(`/v1/events/${event.id}/duplicate`, organizer.token, { startAt: inDays(30) }),
    201,
  ).body;
  assert.deepEqual(await texts(copy.id, organizer), []);
  await createAdmin(api);
  await deleteAccount(api, admin);
  assert.deepEqual(await texts(event.id, guest), ['of the organizer']);
  await deleteAccount(api, organizer);
  assert.deepEqual(await api.sql`select 1 from announcements where subject_id = ${event.id}`, []);
});

// spec: 6 PATCH /v1/events/:id: message
test('message of a change: guests read it among the announcements, and it can be changed and deleted', async () => {
  const [organizer, guest] = await createUsers(api, 2);
  assert.ok(organizer && guest);
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  await change(organizer, event.id, { startAt: inDays(5), message: 'We begin earlier.' });
  const [read] = await list(event.id, guest);
  assert.deepEqual([read?.text, read?.author.id, read?.status], ['We begin earlier.', organizer.id, 'sent']);
  assert.equal((await list(event.id, organizer))[0]?.recipients, 1);
  const path = `/v1/announcements/${read?.id}`;
  expectStatus(await api.patch(path, organizer.token, { text: 'We begin at six.' }), 200);
  assert.deepEqual(await texts(event.id, guest), ['We begin at six.']);
  expectStatus(await api.delete(path, organizer.token), 200);
  assert.deepEqual(await texts(event.id, guest), []);
});
