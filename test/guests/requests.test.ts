/** Guests without an account who ask to join. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { addAddress, createEvent, createItem, createUser, nextAddress } from '../support/factories.ts';
import { requestGuestCode } from '../support/guests.ts';
import { assertCounters } from '../support/invariants.ts';
import { decide, requestsPath, rsvpPath } from '../support/requests.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);

const createClosed = () => createEvent(api, organizer, { rsvpApproval: 'organizer' });
const answer = (event: string, body: Record<string, unknown>) =>
  api.post(`/v1/events/${event}/guest-rsvp`, undefined, { name: 'Mara', status: 'going', ...body });
const list = async (event: string) =>
  expectStatus(await api.get(requestsPath(event), organizer.token), 200).body.data;
async function ask(event: string, email: string, more: Record<string, unknown> = {}) {
  const code = await requestGuestCode(api, event, { email });
  return expectStatus(await answer(event, { email, code, ask: true, ...more }), 200).body;
}

// spec: 5 POST /v1/events/:id/guest-rsvp: 409 `approval_required`; requests
test('guest: 409 without an approval, which stores nobody and keeps the code; with ask a request without claims', async () => {
  const event = await createClosed();
  const item = await createItem(api, organizer, event.id);
  const email = nextAddress();
  const code = await requestGuestCode(api, event.id, { email });
  const body = {
    email,
    code,
    extraGuests: 1,
    message: 'Ana told me.',
    claims: [{ itemId: item.id, quantity: 1 }],
  };
  expectProblem(await answer(event.id, body), 409, 'approval_required');
  assert.equal((await api.sql`select 1 from users where guest_of = ${event.id}`).length, 0);

  const asked = expectStatus(await answer(event.id, { ...body, ask: true }), 200).body;
  assert.deepEqual([asked.myRsvp, asked.myRequest, asked.rsvpCount, asked.claims], [null, 'pending', 0, []]);
  assert.deepEqual(asked.refused, [{ itemId: item.id, code: 'rsvp_required', available: 3 }]);
  const [request] = await list(event.id);
  assert.deepEqual(
    [request.user.id, request.user.hasAccount, request.extraGuests, request.message],
    [asked.user.id, false, 1, 'Ana told me.'],
  );
  const record = await api.get(`/v1/events/${event.id}`, asked.guestToken);
  assert.equal(expectStatus(record, 200).body.myRequest, 'pending');

  const key = { eventId: event.id, userId: asked.user.id };
  expectStatus(await decide(api, organizer, { ...key, status: 'approved' }), 200);
  const own = expectStatus(await api.get(`/v1/events/${event.id}/guest`, asked.guestToken), 200).body;
  assert.deepEqual([own.myRsvp, own.extraGuests], ['going', 1]);
  expectProblem(await api.get(requestsPath(event.id), asked.guestToken), 403, 'guest_session');
  await assertCounters(api.sql);
});

test('guest: a request ends with null, and with the guest', async () => {
  const event = await createClosed();
  const email = nextAddress();
  const asked = await ask(event.id, email);
  const taken = await api.post(rsvpPath(event.id), asked.guestToken, { status: null });
  assert.equal(expectStatus(taken, 200).body.myRequest, null);
  const again = await ask(event.id, email, { status: 'interested' });
  assert.equal((await list(event.id))[0].answer, 'interested');
  expectStatus(await api.delete(`/v1/events/${event.id}/guest`, again.guestToken), 200);
  assert.deepEqual(await list(event.id), []);
  await assertCounters(api.sql);
});

// spec: 5 POST /v1/me/guests/:id/take-over: moves the request
test('take-over: the request of the guest becomes that of the account, unless the account has an answer', async () => {
  for (const isApproved of [false, true]) {
    const event = await createClosed();
    const account = await createUser(api);
    const email = nextAddress();
    const asked = await ask(event.id, email, { message: 'Me' });
    await addAddress(api, account, email);
    if (isApproved) {
      await api.sql`insert into event_people (event_id, user_id, is_approved) values (${event.id}, ${account.id}, true)`;
      expectStatus(await api.post(rsvpPath(event.id), account.token, { status: 'going' }), 200);
    }
    expectStatus(await api.post(`/v1/me/guests/${asked.user.id}/take-over`, account.token, {}), 200);
    const requests = await list(event.id);
    assert.deepEqual(
      requests.map(({ user }: { user: { id: string } }) => user.id),
      isApproved ? [] : [account.id],
    );
    const record = expectStatus(await api.get(`/v1/events/${event.id}`, account.token), 200).body;
    assert.deepEqual([record.myRsvp, record.myRequest], isApproved ? ['going', null] : [null, 'pending']);
    await assertCounters(api.sql);
  }
});

test('take-over: an approval of the guest is one of the account', async () => {
  const event = await createClosed();
  const account = await createUser(api);
  const email = nextAddress();
  const asked = await ask(event.id, email);
  const key = { eventId: event.id, userId: asked.user.id };
  expectStatus(await decide(api, organizer, { ...key, status: 'approved' }), 200);
  await addAddress(api, account, email);
  expectStatus(await api.post(`/v1/me/guests/${asked.user.id}/take-over`, account.token, {}), 200);
  for (const status of [null, 'going'])
    expectStatus(await api.post(rsvpPath(event.id), account.token, { status }), 200);
  await assertCounters(api.sql);
});
