/** Batches of RSVPs and claims: each request gets its own response and does not wait for unrelated locks. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { type ApiResponse, expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { connectSql, type SqlTransaction } from '../support/sql-tag.ts';

const api = await startTestApp();
const lockHolder = connectSql(api.target, 1);
after(() => lockHolder.end({ timeoutMs: 1_000 }));
const organizer = await createUser(api);
const guests = await createUsers(api, 50);
const [guest, other] = guests as [Person, Person];
const unknown = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';

const rsvp = (id: string, person: Person, status: string | null) =>
  api.post(`/v1/events/${id}/rsvp`, person.token, { status });
const claim = (id: string, person: Person, quantity = 1) =>
  api.post(`/v1/items/${id}/claim`, person.token, { quantity });
const unclaim = (id: string, person: Person) => api.delete(`/v1/items/${id}/claim`, person.token);
const change = async (id: string, fields: Record<string, unknown>) =>
  expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, fields), 200);
const times = <T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));

/**
 * Sends the `blocked` requests while another connection holds `lock`, and asserts that no request gets a
 * response before `meanwhile` has ended.
 * @returns the responses to the requests, received after the release of the lock
 */
async function whileLocked(
  lock: (tx: SqlTransaction) => Promise<unknown>,
  blocked: () => Promise<ApiResponse>[],
  meanwhile: () => Promise<unknown>,
): Promise<ApiResponse[]> {
  let completed = 0;
  const waiting = await lockHolder.begin(async (tx) => {
    await lock(tx);
    const responses = blocked().map((call) =>
      call.then((response) => {
        completed++;
        return response;
      }),
    );
    await meanwhile();
    assert.equal(completed, 0, 'a blocked request got its response before the release of the lock');
    return { responses };
  });
  return Promise.all(waiting.responses);
}

test('rsvp: concurrent RSVPs of different kinds each get their own 200, 401, 404 or 409', async () => {
  const [open, draft, cancelled] = await times(3, () => createEvent(api, organizer));
  const [revoked, admin] = [await createUser(api), await createAdmin(api)];
  for (const id of [open.id, draft.id, cancelled.id]) await rsvpGoing(api, guest, id);
  await change(draft.id, { visibility: 'private' });
  await change(cancelled.id, { status: 'cancelled' });
  expectStatus(await api.post('/v1/auth/logout', revoked.token), 200);
  const responses = await Promise.all([
    rsvp(open.id, other, 'going'),
    rsvp(open.id, organizer, 'interested'),
    rsvp(open.id, guest, null),
    rsvp(draft.id, organizer, 'going'),
    rsvp(draft.id, admin, 'interested'),
    rsvp(draft.id, guest, null),
    rsvp(cancelled.id, guest, 'going'),
    rsvp(cancelled.id, organizer, null),
    rsvp(unknown, guest, 'going'),
    rsvp(unknown, guest, null),
    rsvp(draft.id, guest, 'going'),
    rsvp(draft.id, other, null),
    rsvp(cancelled.id, other, 'going'),
    rsvp(cancelled.id, guest, 'interested'),
    rsvp(open.id, revoked, 'going'),
  ]);
  assert.deepEqual(
    responses.map(({ status, body }) => [status, body.code ?? body.myRsvp]),
    [
      ...['going', 'interested', null, 'going', 'interested', null, 'going', null].map((myRsvp) => [
        200,
        myRsvp,
      ]),
      ...Array(4).fill([404, 'event_not_found']),
      ...Array(2).fill([409, 'event_cancelled']),
      [401, 'token_invalid'],
    ],
  );
  await assertCounters(api.sql);
});

test('rsvp: 50 concurrent RSVPs to one event get the counts 1 to 50; clearing them gets the counts 49 to 0', async () => {
  const event = await createEvent(api, organizer);
  for (const [status, from] of [
    ['going', 1],
    [null, 0],
  ] as const) {
    const responses = await Promise.all(guests.map((person) => rsvp(event.id, person, status)));
    assert.deepEqual(
      responses.map((response) => expectStatus(response, 200).body.rsvpCount).sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => i + from),
    );
  }
  await assertCounters(api.sql);
});

test('rsvp: 200 without delay while another event is locked; RSVPs to the locked event get 200 after its release', async () => {
  const [locked, ...free] = await times(9, () => createEvent(api, organizer));
  const responses = await whileLocked(
    (tx) => tx`select 1 from events where id = ${locked.id} for update`,
    () => guests.slice(0, 20).map((person) => rsvp(locked.id, person, 'going')),
    async () => {
      for (const status of ['going', null]) {
        const others = await Promise.all(free.map(({ id }) => rsvp(id, guest, status)));
        for (const response of others) expectStatus(response, 200);
      }
    },
  );
  const counts = responses.map((response) => expectStatus(response, 200).body.rsvpCount);
  assert.equal(new Set(counts).size, 20);
  await assertCounters(api.sql);
});

test('rsvp: 404 for RSVPs that waited for the lock of an event that was deleted', async () => {
  const event = await createEvent(api, organizer);
  const responses = await whileLocked(
    (tx) => tx`delete from events where id = ${event.id}`,
    () => [rsvp(event.id, guest, 'going'), rsvp(event.id, other, null)],
    async () => {},
  );
  await api.sql`update user_counters set events_count = events_count - 1 where user_id = ${organizer.id}`;
  for (const response of responses) expectProblem(response, 404, 'event_not_found');
});

test('rsvp and claim: 200 and 201 without delay while another account is locked', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 50 });
  for (const person of [guest, other]) await rsvpGoing(api, person, event.id);
  const responses = await whileLocked(
    (tx) => tx`select 1 from users where id = ${guest.id} for update`,
    () => [rsvp(event.id, guest, 'interested'), claim(item.id, guest)],
    async () => {
      expectStatus(await rsvp(event.id, other, 'interested'), 200);
      expectStatus(await rsvp(event.id, other, 'going'), 200);
      expectStatus(await claim(item.id, other), 201);
    },
  );
  assert.equal(responses[0]?.status, 200);
  // The order of the two requests is not defined.
  assert.ok(responses[1]?.status === 201 || responses[1]?.body.code === 'rsvp_required');
  await assertCounters(api.sql);
});

test('rsvp and claim: 401 when the session ends while the requests wait', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const leaver = await createUser(api);
  await rsvpGoing(api, leaver, event.id);
  const responses = await whileLocked(
    (tx) => tx`delete from sessions where user_id = ${leaver.id}`,
    () => [rsvp(event.id, leaver, null), claim(item.id, leaver), unclaim(item.id, leaver)],
    async () => expectStatus(await rsvp(event.id, guest, 'going'), 200),
  );
  for (const response of responses) expectProblem(response, 401, 'token_invalid');
  const { body } = await api.get(`/v1/events/${event.id}`);
  assert.equal(body.rsvpCount, 2);
});

test('claim: concurrent requests of different kinds each get their own 200, 201, 403, 404, 409 or 422', async () => {
  const event = await createEvent(api, organizer);
  const hidden = await createEvent(api, organizer);
  const [bread, wine, wish] = [
    await createItem(api, organizer, event.id, { quantityNeeded: 5 }),
    await createItem(api, organizer, event.id, { quantityNeeded: 2 }),
    await createItem(api, organizer, event.id, { kind: 'wish' }),
  ];
  const secret = await createItem(api, organizer, hidden.id);
  for (const person of guests.slice(0, 6)) await rsvpGoing(api, person, event.id);
  for (const person of [guest, other]) await rsvpGoing(api, person, hidden.id);
  expectStatus(await claim(bread.id, guest, 2), 201);
  expectStatus(await claim(wine.id, guest, 2), 201);
  expectStatus(await claim(secret.id, guest), 201);
  await change(event.id, { enabledModules: ['bringList'] });
  await change(hidden.id, { visibility: 'private' });
  const [, , third, fourth, fifth] = guests as [Person, Person, Person, Person, Person];
  const responses = await Promise.all([
    claim(bread.id, guest),
    claim(bread.id, other, 3),
    claim(bread.id, third, 9e15),
    claim(bread.id, organizer),
    claim(wish.id, third),
    unclaim(wine.id, guest),
    unclaim(wine.id, fourth),
    claim(secret.id, other),
    unclaim(secret.id, guest),
    unclaim(secret.id, other),
    claim(`${unknown}.1`, guest),
    unclaim(`${event.id}.99`, guest),
    claim(wish.id, fifth),
  ]);
  assert.deepEqual(
    responses.map(({ status, body }) => [status, body.code]),
    [
      [409, 'already_claimed'],
      [201, undefined],
      [422, 'quantity_unavailable'],
      [403, 'rsvp_required'],
      [403, 'module_disabled'],
      [200, undefined],
      [404, 'claim_not_found'],
      [404, 'item_not_found'],
      [200, undefined],
      ...Array(3).fill([404, 'item_not_found']),
      [403, 'module_disabled'],
    ],
  );
  await assertCounters(api.sql);
});

test('claim: 201 without delay while another item is locked; claims of the locked item get 201 after its release', async () => {
  const event = await createEvent(api, organizer);
  const [locked, ...free] = await times(9, () =>
    createItem(api, organizer, event.id, { quantityNeeded: 50 }),
  );
  for (const person of guests.slice(0, 12)) await rsvpGoing(api, person, event.id);
  const n = Number(locked.id.split('.')[1]);
  const responses = await whileLocked(
    (tx) => tx`select 1 from items where event_id = ${event.id} and n = ${n} for update`,
    () => guests.slice(0, 12).map((person) => claim(locked.id, person)),
    async () => {
      for (const response of await Promise.all(free.map(({ id }) => claim(id, guest))))
        expectStatus(response, 201);
      for (const response of await Promise.all(free.map(({ id }) => unclaim(id, guest))))
        expectStatus(response, 200);
    },
  );
  for (const response of responses) expectStatus(response, 201);
  await assertCounters(api.sql);
});
