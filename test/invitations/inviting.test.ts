/** Organizers invite people: accounts, contacts, and links to pass on. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import {
  addAddress,
  createAdmin,
  createEvent,
  createUser,
  inDays,
  nextAddress,
  nextPhone,
} from '../support/factories.ts';
import { invite, readInvitation, tryInvite } from '../support/invitations.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api, { name: 'Noor' });

// spec: 5 POST /v1/events/:id/invitations: invitations
test('invite: 201 in the order of the request; contacts are compared in canonical form, and links are new each time', async () => {
  const event = await createEvent(api, organizer);
  const [user, phone] = [await createUser(api), nextPhone()];
  const people = [
    { name: 'Mara', email: 'Mara.Lind@Example.org' },
    { userId: user.id },
    { name: 'Link' },
    { phone, name: 'Ana' },
    { email: 'mara.lind@example.org' },
    { name: 'Neighbours', maxUses: 40, expiresAt: inDays(3) },
  ];
  const { data, meta } = await invite(api, organizer, event.id, people, { message: 'Come!' });
  assert.deepEqual(meta, { created: 5, existing: 1, waiting: null });
  assert.deepEqual(
    data.map(({ name, user, status, delivery, email, phone }) => [
      name,
      user?.id ?? null,
      status,
      delivery,
      email,
      phone,
    ]),
    [
      ['Mara', null, 'pending', 'queued', 'mara.lind@example.org', null],
      [null, user.id, 'pending', 'sent', null, null],
      ['Link', null, 'pending', 'none', null, null],
      ['Ana', null, 'pending', 'queued', null, phone],
      ['Mara', null, 'pending', 'queued', 'mara.lind@example.org', null],
      ['Neighbours', null, null, 'none', null, null],
    ],
  );
  assert.equal(data[0]?.id, data[4]?.id);
  for (const { url, user } of data) assert.equal(url === null, user !== null);
  assert.match(data[2]?.url ?? '', /\/i\/[\w-]{32}$/);
  assert.equal(new Set(data.map(({ url }) => url)).size, 5);
  const again = await invite(api, organizer, event.id, people);
  assert.deepEqual(again.meta, { created: 2, existing: 4, waiting: null });
  assert.equal(again.data[0]?.url, data[0]?.url);
});

test('invite: a userId and a contact of the same person are two invitations', async () => {
  const event = await createEvent(api, organizer);
  const user = await createUser(api);
  const email = await addAddress(api, user);
  const { meta } = await invite(api, organizer, event.id, [{ email }, { userId: user.id }]);
  assert.deepEqual(meta, { created: 2, existing: 0, waiting: null });
});

test('invite: 400 for fields that do not belong together, which names the field of the person, and for oneself', async () => {
  const event = await createEvent(api, organizer);
  const user = await createUser(api);
  const email = nextAddress();
  for (const person of [
    {},
    { email, phone: nextPhone() },
    { userId: user.id, name: 'Mara' },
    { email, maxUses: 2 },
    { email, country: 'SE' },
    { name: 'Link', country: 'SE' },
    { phone: nextPhone(), expiresAt: inDays(1) },
    { name: 'Link', maxUses: 0 },
    { name: 'Link', maxUses: 10_001 },
    { name: 'Link', expiresAt: '2020-01-01T00:00:00Z' },
    { email: 'not an address' },
    { phone: '12' },
  ])
    expectProblem(await tryInvite(api, organizer, event.id, [person]), 400, 'invalid_request');
  for (const [field, person] of Object.entries({ email: { email: 'x' }, phone: { phone: '12' }, name: {} })) {
    const { body } = await tryInvite(api, organizer, event.id, [{ name: 'Link' }, person]);
    assert.deepEqual(
      body.errors.map((error: { path: string }) => error.path),
      [`people.1.${field}`],
    );
  }
  expectProblem(await tryInvite(api, organizer, event.id, []), 400, 'invalid_request');
  const many = Array.from({ length: 101 }, () => ({ name: 'Link' }));
  expectProblem(await tryInvite(api, organizer, event.id, many), 400, 'invalid_request');
  const long = { message: 'x'.repeat(501) };
  expectProblem(await tryInvite(api, organizer, event.id, [{ name: 'Link' }], long), 400, 'invalid_request');
  expectProblem(await tryInvite(api, organizer, event.id, [{ userId: organizer.id }]), 400, 'self_relation');
});

test('invite: 404 for unknown and suspended people stores nothing; 403 for others; 409 for cancelled and ended events', async () => {
  const event = await createEvent(api, organizer);
  const [admin, suspended, stranger] = [await createAdmin(api), await createUser(api), await createUser(api)];
  const reason = { reason: 'Spam' };
  expectStatus(await api.post(`/v1/admin/users/${suspended.id}/suspend`, admin.token, reason), 200);
  for (const userId of [randomUUID(), suspended.id, 'nobody'])
    expectProblem(
      await tryInvite(api, organizer, event.id, [{ email: nextAddress() }, { userId }]),
      404,
      'user_not_found',
    );
  const list = expectStatus(await api.get(`/v1/events/${event.id}/invitations`, organizer.token), 200).body;
  assert.deepEqual([list.data, list.counts], [[], { pending: 0, going: 0, interested: 0, declined: 0 }]);
  expectProblem(await tryInvite(api, stranger, event.id, [{ name: 'Link' }]), 403, 'not_organizer');
  expectProblem(await tryInvite(api, organizer, randomUUID(), [{ name: 'Link' }]), 404, 'event_not_found');
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { status: 'cancelled' }), 200);
  expectProblem(await tryInvite(api, organizer, event.id, [{ name: 'Link' }]), 409, 'event_cancelled');
  const over = await createEvent(api, organizer);
  await api.sql`update events set start_at = now() - interval '2 days', end_at = now() - interval '1 day' where id = ${over.id}`;
  expectProblem(await tryInvite(api, organizer, over.id, [{ name: 'Link' }]), 409, 'event_over');
});

test('invite: 409 above 2,000 invitations of an event', async () => {
  const event = await createEvent(api, organizer);
  await api.sql`
    insert into invitations (subject_id, id, inviter_id, name, status, delivery, created_at)
    select ${event.id}, gen_random_uuid(), ${organizer.id}, 'Link', 'pending', 'none', now() from generate_series(1, 1999)`;
  expectProblem(
    await tryInvite(api, organizer, event.id, [{ name: 'A' }, { name: 'B' }]),
    409,
    'invitations_full',
  );
  await invite(api, organizer, event.id, [{ name: 'A' }]);
  expectProblem(await tryInvite(api, organizer, event.id, [{ name: 'B' }]), 409, 'invitations_full');
});

test('invite: 429 above 2,000 links of a person in a day', async () => {
  const person = await createUser(api);
  const event = await createEvent(api, person);
  await api.sql`
    insert into invitation_sends (user_id, id, subject_id, invitation_id, way, is_reminder, is_young, due_at, leaves_at)
    select ${person.id}, gen_random_uuid(), ${event.id}, gen_random_uuid(), 'link', false, true, now(), now()
    from generate_series(1, 2000)`;
  expectProblem(await tryInvite(api, person, event.id, [{ name: 'A' }]), 429, 'quota_exceeded');
});

test('invite: a request that repeats its Idempotency-Key gets the same invitations', async () => {
  const event = await createEvent(api, organizer);
  const path = `/v1/events/${event.id}/invitations`;
  const call = {
    token: organizer.token,
    body: { people: [{ name: 'Link' }] },
    headers: { 'idempotency-key': 'a' },
  };
  const [first, second] = [await api.call('POST', path, call), await api.call('POST', path, call)];
  assert.deepEqual(expectStatus(second, 201).body, expectStatus(first, 201).body);
});

// spec: 5 GET /v1/invitations/:id, PATCH /v1/invitations/:id, DELETE /v1/invitations/:id: invitations
test("invitations: the contact and the link are their maker's alone, and others organize the rest", async () => {
  const event = await createEvent(api, organizer);
  const [admin, stranger] = [await createAdmin(api), await createUser(api)];
  const { data } = await invite(api, organizer, event.id, [{ name: 'Mara', email: nextAddress() }]);
  const id = data[0]?.id ?? '';
  const seen = await readInvitation(api, admin, id);
  assert.deepEqual([seen.name, seen.email, seen.url], ['Mara', null, null]);
  expectProblem(await api.get(`/v1/invitations/${id}`, stranger.token), 403, 'not_organizer');
  expectProblem(
    await api.get(`/v1/invitations/${randomUUID()}`, organizer.token),
    404,
    'invitation_not_found',
  );
  expectProblem(await api.get('/v1/invitations/none', organizer.token), 404, 'invitation_not_found');
  const rename = { name: 'Mara L.' };
  expectProblem(await api.patch(`/v1/invitations/${id}`, admin.token, rename), 403, 'not_owner');
  assert.equal(
    expectStatus(await api.patch(`/v1/invitations/${id}`, organizer.token, rename), 200).body.name,
    'Mara L.',
  );
  const address = { email: nextAddress() };
  expectProblem(await api.patch(`/v1/invitations/${id}`, organizer.token, address), 409, 'not_failed');
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { visibility: 'private' }), 200);
  expectProblem(await api.get(`/v1/invitations/${id}`, stranger.token), 404, 'invitation_not_found');
});

// spec: 5 GET /v1/events/:id/invitations: invitations
test('invitations: a list by status with a cursor, and counts over all', async () => {
  const event = await createEvent(api, organizer);
  const people = Array.from({ length: 5 }, (_, i) => ({ name: `Link ${i}` }));
  await invite(api, organizer, event.id, [...people, { name: 'Many', maxUses: 2 }]);
  const list = async (query: string) =>
    expectStatus(await api.get(`/v1/events/${event.id}/invitations?${query}`, organizer.token), 200).body;
  const first = await list('limit=4');
  assert.deepEqual(first.counts, { pending: 5, going: 0, interested: 0, declined: 0 });
  const rest = await list(`limit=4&cursor=${first.nextCursor}`);
  const names = [...first.data, ...rest.data].map(({ name }: { name: string }) => name);
  assert.deepEqual(names, ['Many', 'Link 4', 'Link 3', 'Link 2', 'Link 1', 'Link 0']);
  assert.equal(rest.nextCursor, null);
  assert.equal((await list('status=pending')).data.length, 5);
  assert.deepEqual((await list('status=declined')).data, []);
});

test('invited: an account is invited by its id or a confirmed contact, also if it confirms the contact later, until it is withdrawn or lost', async () => {
  const event = await createEvent(api, organizer);
  const [byId, early, late] = [await createUser(api), await createUser(api), await createUser(api)];
  const [earlyEmail, lateEmail] = [await addAddress(api, early), nextAddress()];
  const { data } = await invite(api, organizer, event.id, [
    { userId: byId.id },
    { email: earlyEmail },
    { email: lateEmail },
  ]);
  const isInvited = async ({ id }: { id: string }) => {
    const rows = await api.sql<{ isInvited: boolean }[]>`
      select is_invited from event_people where event_id = ${event.id} and user_id = ${id}`;
    return rows[0]?.isInvited ?? false;
  };
  assert.deepEqual(await Promise.all([byId, early, late].map(isInvited)), [true, true, false]);
  await addAddress(api, late, lateEmail);
  assert.equal(await isInvited(late), true);
  await addAddress(api, late, nextAddress());
  assert.equal(await isInvited(late), false);
  for (const { id } of data) expectStatus(await api.delete(`/v1/invitations/${id}`, organizer.token), 200);
  assert.deepEqual(await Promise.all([byId, early, late].map(isInvited)), [false, false, false]);
  expectProblem(
    await api.delete(`/v1/invitations/${data[0]?.id}`, organizer.token),
    404,
    'invitation_not_found',
  );
});
