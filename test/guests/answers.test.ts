import assert from 'node:assert/strict';
import test from 'node:test';
import {
  addAddress,
  createAdmin,
  createEvent,
  createItem,
  createUser,
  inDays,
  nextAddress,
  nextPhone,
  rsvpGoing,
} from '../support/factories.ts';
import { answerAsGuest, requestGuestCode, wrongCodeFor } from '../support/guests.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
const admin = await createAdmin(api);
const unknown = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';
const post = (event: string, what: 'guest-code' | 'guest-rsvp', body: unknown) =>
  api.post(`/v1/events/${event}/${what}`, undefined, body);

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: 200 for an answer with claims; the person has no account, and every field of a person', async () => {
  const event = await createEvent(api, organizer, { guestListVisibility: 'everyone' });
  const bread = await createItem(api, organizer, event.id, { quantityNeeded: 2 });
  const cake = await createItem(api, organizer, event.id, { title: 'Cake', quantityNeeded: 1 });
  const other = await createItem(api, organizer, (await createEvent(api, organizer)).id);
  const email = nextAddress();
  const code = await requestGuestCode(api, event.id, { email });
  const { body } = expectStatus(
    await post(event.id, 'guest-rsvp', {
      ...{ email, code, name: 'Mara', status: 'going', extraGuests: 2 },
      claims: [
        { itemId: bread.id, quantity: 2, note: 'rye' },
        { itemId: cake.id, quantity: 3 },
        { itemId: other.id, quantity: 1 },
      ],
    }),
    200,
  );
  assert.equal(body.myRsvp, 'going');
  assert.equal(body.rsvpCount, 1);
  assert.equal(body.myRequest, null);
  assert.deepEqual(
    { ...body.user, id: '', avatar: '' },
    { id: '', name: 'Mara', username: '', avatar: '', hasAccount: false },
  );
  assert.deepEqual(
    body.claims.map((claim: { itemId: string; quantity: number }) => [claim.itemId, claim.quantity]),
    [[bread.id, 2]],
  );
  assert.deepEqual(body.refused, [
    { itemId: cake.id, code: 'quantity_unavailable', available: 1 },
    { itemId: other.id, code: 'item_not_found', available: null },
  ]);
  const avatar = new URL(body.user.avatar);
  expectStatus(await api.get(avatar.pathname), 200);
  const guests = expectStatus(await api.get(`/v1/events/${event.id}/guests`), 200).body.data;
  assert.deepEqual(
    guests.map((guest: { user: unknown; extraGuests: number }) => [guest.user, guest.extraGuests]),
    [[{ ...body.user, bio: '', isFollowing: false }, 2]],
  );
  const record = expectStatus(await api.get(`/v1/events/${event.id}`, body.guestToken), 200).body;
  assert.deepEqual([record.myRsvp, record.myExtraGuests, record.partyCount], ['going', 2, 3]);
  await assertCounters(api.sql);
});

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: nothing is stored and nobody sees anything before the code is right', async () => {
  const event = await createEvent(api, organizer);
  const email = nextAddress();
  const code = await requestGuestCode(api, event.id, { email });
  const answer = { email, name: 'Ben', status: 'going' };
  expectProblem(
    await post(event.id, 'guest-rsvp', { ...answer, code: wrongCodeFor(code) }),
    400,
    'wrong_code',
  );
  assert.equal((await api.sql`select 1 from users where guest_of = ${event.id}`).length, 0);
  assert.equal(expectStatus(await api.get(`/v1/events/${event.id}`), 200).body.rsvpCount, 0);
  const first = expectStatus(await post(event.id, 'guest-rsvp', { ...answer, code }), 200).body;
  // A code is used up by a 200.
  expectProblem(await post(event.id, 'guest-rsvp', { ...answer, code }), 400, 'wrong_code');
  const again = await answerAsGuest(api, event.id, { email, name: 'Benjamin', status: 'interested' });
  assert.deepEqual([again.user.id, again.user.name, again.rsvpCount], [first.user.id, 'Benjamin', 1]);
});

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: 400 for the rules between fields, before anything else', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const email = nextAddress();
  const claim = { itemId: item.id, quantity: 1 };
  const base = { email, code: '123456', name: 'Ana', status: 'going' };
  const wrong: [Record<string, unknown>, string][] = [
    [{ ...base, email: undefined }, 'email'],
    [{ ...base, phone: nextPhone() }, 'phone'],
    [{ ...base, code: undefined }, 'code'],
    [{ ...base, name: undefined }, 'name'],
    [{ ...base, status: undefined }, 'status'],
    [{ ...base, status: 'declined' }, 'status'],
    [{ ...base, status: 'interested', claims: [claim] }, 'claims'],
    [{ ...base, claims: [claim, claim] }, 'claims'],
    [{ ...base, claims: Array(11).fill(claim) }, 'claims'],
    [{ ...base, extraGuests: 11 }, 'extraGuests'],
    [{ ...base, name: ' ' }, 'name'],
    [{ ...base, email: 'nobody' }, 'email'],
  ];
  for (const [body, path] of wrong) {
    const { body: problem } = expectProblem(
      await post(event.id, 'guest-rsvp', JSON.parse(JSON.stringify(body))),
      400,
      'invalid_request',
    );
    assert.equal(problem.errors[0].path, path, JSON.stringify(body));
  }
  expectProblem(await post(unknown, 'guest-rsvp', { ...base, email: 'nobody' }), 400, 'invalid_request');
});

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: 404, then 403 for the module, the flag and the way, for both operations', async () => {
  const email = nextAddress();
  const answer = { email, code: '123456', name: 'Ana', status: 'going' };
  const expectBoth = async (event: string, status: number, code: string) => {
    expectProblem(await post(event, 'guest-code', { email }), status, code);
    expectProblem(await post(event, 'guest-rsvp', answer), status, code);
  };
  await expectBoth(unknown, 404, 'event_not_found');
  await expectBoth('x', 404, 'event_not_found');
  const secret = await createEvent(api, organizer, { visibility: 'private' });
  await expectBoth(secret.id, 404, 'event_not_found');
  const off = await createEvent(api, organizer, { enabledModules: ['bringList'] });
  await expectBoth(off.id, 403, 'module_disabled');
  const event = await createEvent(api, organizer);
  assert.ok(event.enabledModules.includes('guestRsvp'), 'in the default of new events');
  const flag = (enabled: boolean) =>
    api.call('PUT', '/v1/admin/flags/guestRsvp', { token: admin.token, body: { enabled } });
  expectStatus(await flag(false), 200);
  assert.equal(expectStatus(await api.get('/v1/features'), 200).body.guestRsvp, false);
  await expectBoth(event.id, 403, 'feature_disabled');
  expectStatus(await flag(true), 200);
});

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: a code is valid for its event alone, signs in to nothing, and has a code beside it for each event', async () => {
  const [one, two] = [await createEvent(api, organizer), await createEvent(api, organizer)];
  const phone = nextPhone();
  const codes = [
    await requestGuestCode(api, one.id, { phone }),
    await requestGuestCode(api, two.id, { phone }),
  ];
  const answer = { phone, name: 'Cem', status: 'going' };
  if (codes[0] !== codes[1])
    expectProblem(await post(two.id, 'guest-rsvp', { ...answer, code: codes[0] }), 400, 'wrong_code');
  expectProblem(
    await api.post('/v1/auth/otp/verify', undefined, { phone, code: codes[0] }),
    400,
    'wrong_code',
  );
  for (const [i, event] of [one, two].entries())
    expectStatus(await post(event.id, 'guest-rsvp', { ...answer, code: codes[i] }), 200);
});

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: the link of the mail proves the address, for this event alone, and is used up by an answer', async () => {
  const event = await createEvent(api, organizer);
  const other = await createEvent(api, organizer);
  const email = nextAddress();
  const { body } = expectStatus(await post(event.id, 'guest-code', { email }), 202);
  const link = new URL(body.devLink);
  assert.equal(link.pathname, `/e/${event.id}/answer`);
  const linkToken = link.searchParams.get('token');
  const answer = { linkToken, name: 'Dua', status: 'interested' };
  expectProblem(await post(other.id, 'guest-rsvp', answer), 400, 'wrong_code');
  expectProblem(await post(event.id, 'guest-rsvp', { ...answer, email: nextAddress() }), 400, 'wrong_code');
  expectProblem(
    await api.call('POST', '/v1/auth/email/link', {
      body: { token: linkToken },
      headers: { 'sec-fetch-site': 'same-origin' },
    }),
    400,
    'wrong_code',
  );
  expectStatus(await post(event.id, 'guest-rsvp', answer), 200);
  expectProblem(await post(event.id, 'guest-rsvp', answer), 400, 'wrong_code');
});

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: 409 with the account of a contact, whose code stays valid; asAccount answers for it', async () => {
  const event = await createEvent(api, organizer);
  const person = await createUser(api, { name: 'Eva' });
  const email = await addAddress(api, person);
  const code = await requestGuestCode(api, event.id, { email });
  const answer = { email, code, name: 'Somebody', status: 'going' };
  const { body } = expectProblem(await post(event.id, 'guest-rsvp', answer), 409, 'account_exists');
  assert.equal(body.user.id, person.id);
  // Only after a right code.
  expectProblem(
    await post(event.id, 'guest-rsvp', { ...answer, code: wrongCodeFor(code) }),
    400,
    'wrong_code',
  );
  expectProblem(await post(event.id, 'guest-rsvp', { email, code }), 409, 'account_exists');
  const own = expectStatus(await post(event.id, 'guest-rsvp', { ...answer, asAccount: true }), 200).body;
  assert.deepEqual([own.user.id, own.user.name, own.user.hasAccount], [person.id, 'Eva', true]);
  assert.equal(expectStatus(await api.get(`/v1/events/${event.id}`, person.token), 200).body.myRsvp, 'going');
  // Its token is for this event alone.
  expectProblem(await api.get('/v1/auth/me', own.guestToken), 403, 'guest_session');
  const guest = expectStatus(await api.get(`/v1/events/${event.id}/guest`, own.guestToken), 200).body;
  assert.equal(guest.user.id, person.id);
  expectProblem(
    await api.patch(`/v1/events/${event.id}/guest`, own.guestToken, { name: 'X' }),
    409,
    'account_exists',
  );
});

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: the response to a request for a code is the same for the contact of an account', async () => {
  const event = await createEvent(api, organizer);
  const person = await createUser(api);
  const email = await addAddress(api, person);
  const shapeOf = async (body: unknown) => {
    const response = expectStatus(await post(event.id, 'guest-code', body), 202);
    return Object.entries(response.body).map(([name, value]) => [name, typeof value]);
  };
  assert.deepEqual(await shapeOf({ email }), await shapeOf({ email: nextAddress() }));
});

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: 409 on a cancelled event and after the end; a known guest still gets a token again', async () => {
  const event = await createEvent(api, organizer);
  const email = nextAddress();
  await answerAsGuest(api, event.id, { email, name: 'Finn', status: 'going' });
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { status: 'cancelled' }), 200);
  const late = { email: nextAddress(), name: 'Gus', status: 'going' };
  const refused = async (event: string, code: string) => {
    const given = await requestGuestCode(api, event, late);
    expectProblem(await post(event, 'guest-rsvp', { ...late, code: given }), 409, code);
    // The code stays valid, and nobody was stored.
    expectProblem(await post(event, 'guest-rsvp', { ...late, code: given }), 409, code);
    assert.equal(
      (await api.sql`select 1 from users where guest_of = ${event} and email = ${late.email}`).length,
      0,
    );
  };
  await refused(event.id, 'event_cancelled');
  const past = await createEvent(api, organizer, { startAt: inDays(-2), endAt: inDays(-1) });
  await refused(past.id, 'event_over');
  const again = expectStatus(
    await post(event.id, 'guest-rsvp', { email, code: await requestGuestCode(api, event.id, { email }) }),
    200,
  ).body;
  assert.equal(again.user.name, 'Finn');
  const stranger = nextAddress();
  const code = await requestGuestCode(api, event.id, { email: stranger });
  expectProblem(await post(event.id, 'guest-rsvp', { email: stranger, code }), 404, 'guest_not_found');
});

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: claims on at most 10 items (409), in one answer and later', async () => {
  const event = await createEvent(api, organizer);
  const items: { id: string }[] = [];
  for (let i = 0; i < 12; i++) items.push(await createItem(api, organizer, event.id, { title: `Dish ${i}` }));
  const { guestToken, claims } = await answerAsGuest(api, event.id, {
    ...{ email: nextAddress(), name: 'Hal', status: 'going' },
    claims: items.slice(0, 9).map(({ id }) => ({ itemId: id, quantity: 1 })),
  });
  assert.equal(claims.length, 9);
  const claim = (i: number) => api.post(`/v1/items/${items[i]?.id}/claim`, guestToken, { quantity: 1 });
  expectStatus(await claim(9), 201);
  expectProblem(await claim(10), 409, 'guest_claims_full');
  expectStatus(await api.delete(`/v1/items/${items[0]?.id}/claim`, guestToken), 200);
  expectStatus(await claim(11), 201);
  await assertCounters(api.sql);
});

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: of claims on two servers at once, those up to the tenth item succeed', async () => {
  const another = await api.startAnother();
  const event = await createEvent(api, organizer);
  const items: { id: string }[] = [];
  for (let i = 0; i < 17; i++) items.push(await createItem(api, organizer, event.id, { title: `Dish ${i}` }));
  const { guestToken } = await answerAsGuest(api, event.id, {
    ...{ email: nextAddress(), name: 'Hal', status: 'going' },
    claims: items.slice(0, 9).map(({ id }) => ({ itemId: id, quantity: 1 })),
  });
  const claimed = await Promise.all(
    items.slice(9).map(async ({ id }, i) => {
      const server = i % 2 ? another : api;
      return (await server.post(`/v1/items/${id}/claim`, guestToken, { quantity: 1 })).status;
    }),
  );
  assert.deepEqual(
    claimed.toSorted((a, b) => a - b),
    [201, ...Array(7).fill(409)],
  );
  await assertCounters(api.sql);
});

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: suspended, 403 for a right code; restored, an answer again', async () => {
  const event = await createEvent(api, organizer);
  const email = nextAddress();
  const { user, guestToken } = await answerAsGuest(api, event.id, { email, name: 'Ida', status: 'going' });
  const listed = expectStatus(await api.get(`/v1/admin/users?email=${email}`, admin.token), 200).body.data;
  assert.deepEqual(
    listed.map((each: { id: string; hasAccount: boolean }) => [each.id, each.hasAccount]),
    [[user.id, false]],
  );
  expectProblem(
    await api.call('PUT', `/v1/admin/users/${user.id}/role`, {
      token: admin.token,
      body: { role: 'admin' },
    }),
    404,
    'user_not_found',
  );
  expectStatus(await api.post(`/v1/admin/users/${user.id}/suspend`, admin.token, { reason: '' }), 200);
  expectProblem(await api.get(`/v1/events/${event.id}`, guestToken), 401, 'token_invalid');
  const code = await requestGuestCode(api, event.id, { email });
  const answer = { email, code, name: 'Ida', status: 'going' };
  expectProblem(await post(event.id, 'guest-rsvp', answer), 403, 'account_suspended');
  expectStatus(await api.delete(`/v1/admin/users/${user.id}/suspend`, admin.token), 200);
  assert.equal(expectStatus(await post(event.id, 'guest-rsvp', answer), 200).body.user.id, user.id);
});

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: 404 for every operation on a person, and no search finds one', async () => {
  const event = await createEvent(api, organizer, { guestListVisibility: 'everyone' });
  const { user } = await answerAsGuest(api, event.id, {
    ...{ email: nextAddress(), name: 'Jorunn Unfindable', status: 'going' },
  });
  const reader = await createUser(api);
  const path = `/v1/users/${user.id}`;
  for (const [method, path_, body] of [
    ['GET', path],
    ['POST', `${path}/follow`],
    ['DELETE', `${path}/follow`],
    ['POST', `${path}/block`],
    ['DELETE', `${path}/block`],
    ['GET', `${path}/followers`],
    ['GET', `${path}/events`],
    ['POST', `${path}/messages`, { text: 'Hello' }],
  ] as const)
    expectProblem(await api.call(method, path_, { token: reader.token, body }), 404, 'user_not_found');
  const report = { subject: { type: 'user', id: user.id }, reason: 'spam' };
  expectProblem(await api.post('/v1/reports', reader.token, report), 404, 'subject_not_found');
  const found = expectStatus(await api.get('/v1/users/search?q=unfindable', reader.token), 200).body.data;
  assert.deepEqual(found, []);
});

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: the organizer is told of the answer, as of others', async () => {
  const event = await createEvent(api, organizer);
  await answerAsGuest(api, event.id, { email: nextAddress(), name: 'Kai', status: 'going' });
  const { data } = expectStatus(await api.get('/v1/notifications', organizer.token), 200).body;
  const told = data.find(
    (each: { kind: string; event: { id: string } }) => each.kind === 'rsvps' && each.event?.id === event.id,
  );
  assert.deepEqual([told.person.name, told.person.hasAccount, told.count], ['Kai', false, 1]);
});

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: an account answers beside guests, and all count', async () => {
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, await createUser(api), event.id);
  const { rsvpCount } = await answerAsGuest(api, event.id, {
    phone: nextPhone(),
    name: 'Lea',
    status: 'going',
  });
  assert.equal(rsvpCount, 2);
});

// spec: 5 POST /v1/events/:id/guest-code, POST /v1/events/:id/guest-rsvp: guests without an account: codes and answers
test('guest: an unknown event is a 404 before a wrong link; the contact of a suspended guest is refused at other events', async () => {
  const answer = { linkToken: 'pl_x', name: 'Mia', status: 'going' };
  expectProblem(await post(unknown, 'guest-rsvp', answer), 404, 'event_not_found');
  const [one, two] = [await createEvent(api, organizer), await createEvent(api, organizer)];
  expectProblem(await post(one.id, 'guest-rsvp', answer), 400, 'wrong_code');
  expectProblem(await post('x', 'guest-rsvp', { ...answer, email: 'nobody' }), 400, 'invalid_request');
  const email = nextAddress();
  const { user } = await answerAsGuest(api, one.id, { email, name: 'Mia', status: 'going' });
  expectStatus(await api.post(`/v1/admin/users/${user.id}/suspend`, admin.token, { reason: '' }), 200);
  const code = await requestGuestCode(api, two.id, { email });
  expectProblem(
    await post(two.id, 'guest-rsvp', { email, code, name: 'Mia', status: 'going' }),
    403,
    'account_suspended',
  );
});
