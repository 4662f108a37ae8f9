/** Requests to join, decided by two servers at once. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { often } from '../support/all-cases.ts';
import { connectionOf, untilBlockedBy, untilWaiting } from '../support/blocked-transactions.ts';
import { createAdmin, createEvent, createUser, createUsers, type Person } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { askToJoin, decide, rsvpPath } from '../support/requests.ts';
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
const admin = await createAdmin(api);

const createClosed = () => createEvent(api, organizer, { rsvpApproval: 'organizer' });
const record = async (event: string, { token }: Person) =>
  expectStatus(await api.get(`/v1/events/${event}`, token), 200).body;
const set = (server: TestApp, event: string, { token }: Person, body: Record<string, unknown>) =>
  server.post(rsvpPath(event), token, body);

/**
 * Sends two requests that need the lock of an event, the second when the first one waits for it, and releases the lock.
 * @returns their responses
 */
async function inOrder(
  eventId: string,
  first: () => Promise<ApiResponse>,
  then: () => Promise<ApiResponse>,
): Promise<[ApiResponse, ApiResponse]> {
  const responses = await api.sql.begin(async (tx) => {
    await tx`select 1 from event_counters where event_id = ${eventId} for update`;
    const one = first();
    await untilBlockedBy(api.sql, await connectionOf(tx));
    const other = then();
    await untilWaiting(api.sql, 2);
    return { one, other };
  });
  return [await responses.one, await responses.other];
}

test('approve and withdraw at once: the first one decides, and both servers agree', async () => {
  for (const approvesFirst of [true, false]) {
    const event = await createClosed();
    const person = await createUser(api);
    await askToJoin(api, person, event.id);
    const approve = () =>
      decide(second, organizer, { eventId: event.id, userId: person.id, status: 'approved' });
    const withdraw = () => set(api, event.id, person, { status: null });
    const [first, then] = await (approvesFirst
      ? inOrder(event.id, approve, withdraw)
      : inOrder(event.id, withdraw, approve));
    assert.deepEqual([first.status, then.status], [200, approvesFirst ? 200 : 404]);
    const { myRsvp, myRequest, rsvpCount } = await record(event.id, person);
    assert.deepEqual({ myRsvp, myRequest, rsvpCount }, { myRsvp: null, myRequest: null, rsvpCount: 0 });
  }
  await assertCounters(api.sql);
});

test('approve and remove at once: nothing is left, and the person cannot answer', async () => {
  for (const approvesFirst of [true, false]) {
    const event = await createClosed();
    const person = await createUser(api);
    await askToJoin(api, person, event.id);
    const key = { eventId: event.id, userId: person.id };
    const approve = () => decide(second, organizer, { ...key, status: 'approved' });
    const remove = () => api.delete(`/v1/events/${event.id}/guests/${person.id}`, organizer.token);
    const [first, then] = await (approvesFirst
      ? inOrder(event.id, approve, remove)
      : inOrder(event.id, remove, approve));
    assert.deepEqual([first.status, then.status], [200, approvesFirst ? 200 : 404]);
    const { myRsvp, myRequest, rsvpCount } = await record(event.id, person);
    assert.deepEqual({ myRsvp, myRequest, rsvpCount }, { myRsvp: null, myRequest: null, rsvpCount: 0 });
    for (const ask of [true, false]) {
      const answer = await set(api, event.id, person, { status: 'going', ask });
      expectProblem(answer, 403, 'removed_from_event');
    }
  }
  await assertCounters(api.sql);
});

test('two admins approve and refuse at once: the first one decides, and an approval is never taken back', async () => {
  for (const approvesFirst of [true, false]) {
    const event = await createClosed();
    const person = await createUser(api);
    await askToJoin(api, person, event.id, { extraGuests: 1 });
    const key = { eventId: event.id, userId: person.id };
    const approve = () => decide(second, organizer, { ...key, status: 'approved' });
    const refuse = () => decide(api, admin, { ...key, status: 'refused' });
    const [first, then] = await (approvesFirst
      ? inOrder(event.id, approve, refuse)
      : inOrder(event.id, refuse, approve));
    assert.deepEqual([first.status, then.status], [200, approvesFirst ? 404 : 200]);
    const { myRsvp, myRequest, partyCount } = await record(event.id, person);
    assert.deepEqual({ myRsvp, myRequest, partyCount }, { myRsvp: 'going', myRequest: null, partyCount: 2 });
    const told = await api.sql`
      select decision ->> 'what' as what from notification_causes where user_id = ${person.id} order by id`;
    assert.deepEqual(
      told.map(({ what }) => what),
      approvesFirst ? ['approved'] : ['refused', 'approved'],
    );
  }
  await assertCounters(api.sql);
});

test('approve and the deletion of the account at once: nothing of the person is left', async () => {
  const event = await createClosed();
  const person = await createUser(api);
  await askToJoin(api, person, event.id);
  const { devCode } = expectStatus(await api.post('/v1/me/delete-code', person.token), 202).body;
  const [approved, deleted] = await inOrder(
    event.id,
    () => decide(second, organizer, { eventId: event.id, userId: person.id, status: 'approved' }),
    () => api.delete('/v1/me', person.token, { confirmCode: devCode }),
  );
  assert.deepEqual([approved.status, deleted.status], [200, 200]);
  const left = await api.sql`
    select 1 from rsvps where user_id = ${person.id} union all select 1 from requests where user_id = ${person.id}`;
  assert.equal(left.length, 0);
  await assertCounters(api.sql);
});

test('a crowd answers while the field is switched: nobody who answers after a switch gets in without an approval', async () => {
  const event = await createEvent(api, organizer);
  const crowd: Person[] = [];
  const size = often(1_000, 150);
  while (crowd.length < size) crowd.push(...(await createUsers(api, 25)));
  const before = crowd.slice(0, Math.floor(size / 3));
  const answer = (person: Person, i: number) =>
    set(i % 2 === 0 ? api : second, event.id, person, { status: 'going' });
  const first = before.map(answer);
  const switched = api.patch(`/v1/events/${event.id}`, organizer.token, { rsvpApproval: 'organizer' });
  const during = crowd.slice(before.length, 2 * before.length).map(answer);
  expectStatus(await switched, 200);
  const late = await Promise.all(crowd.slice(2 * before.length).map(answer));
  assert.deepEqual([...new Set(late.map(({ status }) => status))], [409]);
  const all = await Promise.all([...first, ...during]);
  const isIn = all.map(({ status }) => status === 200);
  assert.ok(all.every(({ status, body }) => status === 200 || body.code === 'approval_required'));

  const joined = await api.sql<{ userId: string; isApproved: boolean }[]>`
    select r.user_id, coalesce(p.is_approved, false) as is_approved from rsvps r
    left join event_people p on p.event_id = r.event_id and p.user_id = r.user_id
    where r.event_id = ${event.id}`;
  // Each RSVP was there when the field was switched, so it counts as approved.
  assert.ok(joined.every(({ isApproved }) => isApproved));
  assert.deepEqual(
    joined.map(({ userId }) => userId).sort(),
    crowd
      .filter((_, i) => isIn[i])
      .map(({ id }) => id)
      .sort(),
  );
  await assertCounters(api.sql);
});
