/** Answers without an account that are repeated with an `Idempotency-Key`. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { findRowsContaining } from '../support/database-snapshots.ts';
import { addAddress, createEvent, createItem, createUser, nextAddress } from '../support/factories.ts';
import { requestGuestCode, wrongCodeFor } from '../support/guests.ts';
import { assertCounters } from '../support/invariants.ts';
import { storeInvitation } from '../support/invitation-links.ts';
import {
  type ApiResponse,
  expectProblem,
  expectStatus,
  startTestApp,
  type TestApp,
} from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);

type Options = { on?: TestApp; key?: string; headers?: Record<string, string>; token?: string | undefined };
const post = (path: string, body: object, { on = api, key, headers = {}, token }: Options = {}) =>
  on.call('POST', path, { token, body, headers: { ...headers, ...(key && { 'idempotency-key': key }) } });

function expectReplay(again: ApiResponse, first: ApiResponse): void {
  expectStatus(first, 200);
  assert.equal(first.headers.get('idempotent-replayed'), null);
  expectStatus(again, 200);
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
}

/** No table has the token. */
async function expectUnstored(token: string): Promise<void> {
  assert.match(token, /^pg_/);
  assert.deepEqual(await findRowsContaining(api.sql, [token]), []);
}

// spec: 8 POST /v1/events/:id/guest-rsvp: repetition with `Idempotency-Key`
test('guest: with one Idempotency-Key an answer is made once, on every server, and its token is stored nowhere', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 5 });
  const email = nextAddress();
  const path = `/v1/events/${event.id}/guest-rsvp`;
  const code = await requestGuestCode(api, event.id, { email });
  const claims = [{ itemId: item.id, quantity: 2 }];
  const body = { email, code, name: 'Mara', status: 'going', claims };
  const key = randomUUID();
  const first = await post(path, body, { key });
  for (const on of [api, second, api, second, api, second])
    expectReplay(await post(path, body, { on, key }), first);
  await expectUnstored(first.body.guestToken);
  expectStatus(await api.get(`/v1/events/${event.id}/guest`, first.body.guestToken), 200);
  expectProblem(await post(path, { ...body, name: 'Nora' }, { key }), 422, 'idempotency_key_reused');
  expectProblem(await post(path, body), 400, 'wrong_code');
  expectProblem(await post(path, body, { key: randomUUID() }), 400, 'wrong_code');
  // Another contact has another scope, so its own answer is made.
  const other = nextAddress();
  const otherCode = await requestGuestCode(api, event.id, { email: other });
  expectStatus(
    await post(path, { email: other, code: otherCode, name: 'Noor', status: 'going' }, { key }),
    200,
  );
  const { body: record } = expectStatus(await api.get(`/v1/events/${event.id}`), 200);
  assert.equal(record.rsvpCount, 2);
  await assertCounters(api.sql);
});

/** Answers as a new guest, with a key. */
async function answerWithKey() {
  const event = await createEvent(api, organizer);
  const email = nextAddress();
  const path = `/v1/events/${event.id}/guest-rsvp`;
  const [key, answer] = [randomUUID(), { email, name: 'Mara', status: 'going' }];
  const code = await requestGuestCode(api, event.id, { email });
  expectStatus(await post(path, { ...answer, code }, { key }), 200);
  return { event, email, path, key, answer, code };
}

test('guest: a key that another body has used is refused, and a right code stays valid', async () => {
  const { event, email, path, key, answer } = await answerWithKey();
  const next = await requestGuestCode(api, event.id, { email });
  const changed = { ...answer, status: 'interested', code: next };
  expectProblem(await post(path, changed, { key }), 422, 'idempotency_key_reused');
  expectStatus(await post(path, changed), 200);
});

test('guest: who guesses the code of a stored answer has no more tries than others', async () => {
  const { path, key, answer, code } = await answerWithKey();
  const guess = { ...answer, code: wrongCodeFor(code) };
  for (let i = 0; i < 5; i++) expectProblem(await post(path, guess, { key }), 422, 'idempotency_key_reused');
  for (const tried of [guess, { ...answer, code }])
    expectProblem(await post(path, tried, { key }), 429, 'too_many_tries');
});

test('guest: two at once with one key on two servers are one answer', async () => {
  const event = await createEvent(api, organizer);
  const email = nextAddress();
  const code = await requestGuestCode(api, event.id, { email });
  const body = { email, code, name: 'Mara', status: 'going' };
  const key = randomUUID();
  const both = await Promise.all(
    [api, second].map((on) => post(`/v1/events/${event.id}/guest-rsvp`, body, { on, key })),
  );
  for (const each of both) expectStatus(each, 200);
  assert.deepEqual(both[0]?.body, both[1]?.body);
});

test('guest: an answer asAccount and one that only gets a token again are repeated too', async () => {
  const event = await createEvent(api, organizer);
  const account = await createUser(api);
  const email = await addAddress(api, account);
  const path = `/v1/events/${event.id}/guest-rsvp`;
  const code = await requestGuestCode(api, event.id, { email });
  const body = { email, code, name: 'Mara', status: 'going', asAccount: true };
  const key = randomUUID();
  const first = await post(path, body, { key });
  expectReplay(await post(path, body, { key, on: second }), first);
  const guest = nextAddress();
  const answer = { email: guest, name: 'Noor', status: 'going' };
  expectStatus(
    await post(path, { ...answer, code: await requestGuestCode(api, event.id, { email: guest }) }),
    200,
  );
  const again = { email: guest, code: await requestGuestCode(api, event.id, { email: guest }) };
  const renewed = await post(path, again, { key });
  expectReplay(await post(path, again, { key, on: second }), renewed);
});

// spec: 8 POST /v1/invitation/answer: repetition with `Idempotency-Key`
test('invitation: with one Idempotency-Key an answer is made once, with and without an account', async () => {
  const event = await createEvent(api, organizer, { visibility: 'private' });
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 5 });
  const path = '/v1/invitation/answer';
  const claims = [{ itemId: item.id, quantity: 2 }];
  const body = { status: 'going', extraGuests: 1, claims };
  for (const token of [undefined, (await createUser(api)).token]) {
    const invitation = await storeInvitation(api, organizer, event.id);
    const headers = { 'invitation-token': invitation.token };
    const key = randomUUID();
    const first = await post(path, body, { headers, key, token });
    for (const on of [api, second]) expectReplay(await post(path, body, { headers, key, token, on }), first);
    assert.deepEqual(first.body.refused, []);
    if (token === undefined) await expectUnstored(first.body.guestToken);
    expectProblem(
      await post(path, { ...body, extraGuests: 2 }, { headers, key, token }),
      422,
      'idempotency_key_reused',
    );
    // Without the key it is an answer of its own: a claim that exists is refused.
    const later = expectStatus(await post(path, body, { headers, token }), 200);
    assert.equal(later.body.refused.length, 1);
  }
  const declining = await storeInvitation(api, organizer, event.id);
  const headers = { 'invitation-token': declining.token };
  const key = randomUUID();
  const declined = await post(path, { status: 'declined' }, { headers, key });
  for (const on of [api, second])
    expectReplay(await post(path, { status: 'declined' }, { headers, key, on }), declined);
  expectProblem(await post(path, body, { headers, key }), 422, 'idempotency_key_reused');
  const both = await Promise.all(
    [api, second].map((on) =>
      post(path, { ...body, status: 'interested', claims: [] }, { headers, key: 'b', on }),
    ),
  );
  assert.deepEqual(both[0]?.body, both[1]?.body);
  // A repetition that comes late does not decline again, and a link is a scope of its own.
  expectReplay(await post(path, { status: 'declined' }, { headers, key }), declined);
  const seen = expectStatus(await api.call('GET', '/v1/invitation', { headers }), 200).body;
  assert.equal(seen.status, 'interested');
  const other = { 'invitation-token': (await storeInvitation(api, organizer, event.id)).token };
  const first = expectStatus(await post(path, body, { headers: other, key }), 200);
  assert.equal(first.headers.get('idempotent-replayed'), null);
  await assertCounters(api.sql);
});

// spec: 8 POST /v1/me/invitations/:id/answer: repetition with `Idempotency-Key`
test('invitation: the answer of an account is repeated', async () => {
  const event = await createEvent(api, organizer, { visibility: 'private' });
  const person = await createUser(api);
  const { id } = await storeInvitation(api, organizer, event.id, { userId: person.id });
  const path = `/v1/me/invitations/${id}/answer`;
  const key = randomUUID();
  const options = { key, token: person.token };
  const first = await post(path, { status: 'going' }, options);
  expectReplay(await post(path, { status: 'going' }, options), first);
  expectProblem(await post(path, { status: 'declined' }, options), 422, 'idempotency_key_reused');
});
