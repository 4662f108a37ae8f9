/** Requests to join all dates of a series whose organizer approves guests. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { minuteMs } from '#base';
import { makeDueDates } from '../../src/modules/series/make-dates.ts';
import { createNotificationClient } from '../notifications/notification-client.ts';
import { untilWaiting } from '../support/blocked-transactions.ts';
import { createAdmin, createUser, createUsers, deleteAccount, type Person } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { type ApiResponse, expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { createSeriesClient, createSeriesClock } from './series-client.ts';

const clock = createSeriesClock();
const api = await startTestApp({ clock });
const second = await api.startAnother();
const { createSeries, eventsOf, rsvpsOf, patch, remove, get, eventOn } = createSeriesClient(api);
const { inbox, deliver } = createNotificationClient(api);
const organizer = await createUser(api);

const createClosed = async (event: object = {}): Promise<string> =>
  (await createSeries(organizer, { event: eventOn('2031-01-07', { rsvpApproval: 'organizer', ...event }) }))
    .id;
const answer = (id: string, { token }: Person, body: object, server = api) =>
  server.post(`/v1/series/${id}/rsvp`, token, body);
const ask = async (id: string, person: Person, body: object = {}) =>
  expectStatus(await answer(id, person, { status: 'going', ...body, ask: true }), 200).body;
const decide = (
  id: string,
  { id: userId }: Pick<Person, 'id'>,
  status: string,
  by = organizer,
  server = api,
) => server.call('PUT', `/v1/series/${id}/requests/${userId}`, { token: by.token, body: { status } });
const list = async (id: string, query = '', by = organizer) =>
  expectStatus(await api.get(`/v1/series/${id}/requests${query}`, by.token), 200).body;
const none = [null, null, null, null];
const all = ['going', 'going', 'going', 'going'];

// spec: 6 POST /v1/series/:id/rsvp, GET /v1/series/:id/requests: requests to join all dates
test('series: 409 without an approval; the same body with ask is a request for the whole series, which adds no guest', async () => {
  const id = await createClosed();
  const person = await createUser(api);
  const body = { status: 'going', extraGuests: 2, message: 'I sing.' };
  expectProblem(await answer(id, person, body), 409, 'approval_required');
  expectProblem(await answer(id, person, { ...body, ask: false }), 409, 'approval_required');
  assert.deepEqual((await list(id)).data, []);
  assert.deepEqual(await ask(id, person, body), { myRsvp: null, affected: 0, myRequest: 'pending' });
  assert.deepEqual(await rsvpsOf(id, person), none);
  const own = await get(id, person);
  assert.deepEqual([own.myRsvp, own.myRequest], [null, 'pending']);
  assert.ok(!('myRequest' in (await get(id, await createUser(api)))));
  const { data } = await list(id);
  const [{ user, createdAt, ...rest }] = data;
  assert.deepEqual([user.id, typeof createdAt], [person.id, 'string']);
  assert.deepEqual(rest, { status: 'pending', answer: 'going', extraGuests: 2, message: 'I sing.' });
  // The requests of dates are their own.
  const [first] = await eventsOf(id);
  assert.deepEqual((await api.get(`/v1/events/${first?.id}/requests`, organizer.token)).body.data, []);
  // The organizer is notified once, at the next date.
  await ask(id, person, { extraGuests: 1 });
  const told = (await inbox(organizer)).filter(
    ({ kind, event }) => kind === 'requests' && event?.id === first?.id,
  );
  assert.deepEqual(
    told.map(({ count }) => count),
    [1],
  );
  assert.equal((await list(id)).data[0].extraGuests, 1);
  // Null withdraws.
  const withdrawn = expectStatus(await answer(id, person, { status: null }), 200).body;
  assert.deepEqual(withdrawn, { myRsvp: null, affected: 0 });
  assert.deepEqual((await list(id)).data, []);
  const left = (await inbox(organizer)).filter(
    ({ kind, event }) => kind === 'requests' && event?.id === first?.id,
  );
  assert.deepEqual(left, []);
  await assertCounters(api.sql);
});

// spec: 6 PUT /v1/series/:id/requests/:userId: requests to join all dates: approval
test('series: an approval sets the standing answer as asked, at dates that are made later and past rsvpUntil too', async () => {
  const id = await createClosed({ rsvpUntil: new Date(clock.now().getTime() + 5 * minuteMs) });
  const person = await createUser(api);
  await ask(id, person, { status: 'interested', extraGuests: 1 });
  clock.advance(6 * minuteMs);
  const decided = expectStatus(await decide(id, person, 'approved'), 200).body;
  assert.deepEqual([decided.status, decided.user.id, decided.answer], ['approved', person.id, 'interested']);
  assert.deepEqual(await rsvpsOf(id, person), Array(4).fill('interested'));
  assert.equal((await get(id, person)).myRsvp, 'interested');
  assert.deepEqual((await list(id)).data, []);
  // Repeated it is the same, and cannot be refused any more.
  expectStatus(await decide(id, person, 'approved'), 200);
  expectProblem(await decide(id, person, 'refused'), 404, 'request_not_found');
  // Who was approved changes the answer as others do, to all dates and to one.
  const changed = expectStatus(await answer(id, person, { status: null }), 200).body;
  assert.equal(changed.myRsvp, null);
  // The first date is closed for them now.
  assert.equal(expectStatus(await answer(id, person, { status: 'going' }), 200).body.affected, 3);
  const [first] = await eventsOf(id);
  assert.ok(first);
  const { id: next } = (await eventsOf(id))[1] ?? first;
  for (const status of [null, 'going'])
    expectStatus(await api.post(`/v1/events/${next}/rsvp`, person.token, { status }), 200);
  expectStatus(await api.patch(`/v1/series/${id}`, organizer.token, { rrule: 'FREQ=WEEKLY;COUNT=5' }), 200);
  assert.deepEqual(await rsvpsOf(id, person), [null, ...all]);
  await deliver();
  const told = (await inbox(person)).filter(({ kind }) => kind === 'decision') as unknown as {
    event: { id: string };
    decision: { what: string };
  }[];
  assert.deepEqual(
    told.map(({ event, decision }) => [event.id, decision.what]),
    [[first?.id, 'approved']],
  );
  await assertCounters(api.sql);
});

// spec: 6 PUT /v1/series/:id/requests/:userId: requests to join all dates: refusal
test('series: a refused request can be approved; the person cannot ask again for 24 hours', async () => {
  const id = await createClosed();
  const person = await createUser(api);
  await ask(id, person);
  expectStatus(await decide(id, person, 'refused'), 200);
  expectStatus(await decide(id, person, 'refused'), 200);
  assert.equal((await get(id, person)).myRequest, 'refused');
  assert.equal((await list(id, '?status=refused')).data.length, 1);
  expectProblem(await answer(id, person, { status: 'going', ask: true }), 409, 'request_refused');
  const refused = expectStatus(await answer(id, person, { status: null }), 200).body;
  assert.deepEqual(refused, { myRsvp: null, affected: 0, myRequest: 'refused' });
  await api.sql`update requests set refused_at = refused_at - interval '1 day' where subject_id = ${id}`;
  await ask(id, person);
  expectStatus(await decide(id, person, 'refused'), 200);
  expectStatus(await decide(id, person, 'approved'), 200);
  assert.deepEqual(await rsvpsOf(id, person), all);
});

// spec: 6 GET /v1/series/:id/requests, PUT /v1/series/:id/requests/:userId: requests to join all dates: errors
test('series: requests are a 401, 404, 403 for others than the organizer and admins, and 409 on cancelled dates', async () => {
  const id = await createClosed();
  const [person, stranger] = await createUsers(api, 2);
  assert.ok(person && stranger);
  const admin = await createAdmin(api);
  await ask(id, person);
  assert.equal((await list(id, '', admin)).data.length, 1);
  expectProblem(await api.get(`/v1/series/${id}/requests`), 401, 'token_missing');
  expectProblem(await api.get(`/v1/series/${id}/requests`, person.token), 403, 'not_organizer');
  expectProblem(await decide(id, person, 'approved', person), 403, 'not_organizer');
  expectProblem(await decide(id, stranger, 'approved'), 404, 'request_not_found');
  expectProblem(await decide(id, { id: 'x' }, 'approved'), 404, 'request_not_found');
  expectProblem(await decide(randomUUID(), person, 'approved'), 404, 'series_not_found');
  expectProblem(await decide(id, person, 'pending'), 400, 'invalid_request');
  const [first] = await eventsOf(id);
  expectStatus(await patch(first?.id ?? '', organizer, { status: 'cancelled' }, 'all'), 200);
  expectProblem(await decide(id, person, 'approved'), 409, 'event_cancelled');
  expectStatus(await patch(first?.id ?? '', organizer, { visibility: 'private' }, 'all'), 200);
  expectProblem(await decide(id, person, 'approved', stranger), 404, 'series_not_found');
  expectStatus(await decide(id, person, 'refused'), 200);
});

// spec: 6 DELETE /v1/events/:id/guests/:userId: requests to join all dates: what ends and moves them
test('series: a removal ends a request, a split takes it along, and deletions leave none', async () => {
  const id = await createClosed();
  const [removed, asking, leaving] = await createUsers(api, 3);
  assert.ok(removed && asking && leaving);
  for (const person of [removed, asking, leaving]) await ask(id, person);
  const [first, , third] = await eventsOf(id);
  const path = `/v1/events/${first?.id}/guests/${removed.id}?scope=all`;
  expectStatus(await api.delete(path, organizer.token), 200);
  expectProblem(await answer(id, removed, { status: 'going', ask: true }), 403, 'removed_from_event');
  assert.equal((await list(id)).data.length, 2);
  await deleteAccount(api, leaving);
  assert.equal((await list(id)).data.length, 1);
  await assertCounters(api.sql);
  const split = await patch(third?.id ?? '', organizer, { title: 'Choir' }, 'following');
  const later = expectStatus(split, 200).body.series.id;
  expectStatus(await decide(later, asking, 'approved'), 200);
  assert.deepEqual(await rsvpsOf(later, asking), ['going', 'going']);
  assert.deepEqual(await rsvpsOf(id, asking), [null, null]);
  await assertCounters(api.sql);
  expectStatus(await remove(first?.id ?? '', organizer, 'all'), 200);
  const left = await api.sql<{ n: number }[]>`select 1 as n from requests where user_id = ${asking.id}`;
  assert.equal(left.length, 1);
  const exported = expectStatus(await api.get('/v1/me/export', asking.token), 200).body.requests;
  assert.deepEqual(
    exported.map(({ eventId, seriesId }: Record<string, string>) => [eventId, seriesId]),
    [[null, later]],
  );
});

/** Lets requests wait for the lock of the series, one after the other, and ends it. */
async function inOrder(id: string, requests: (() => Promise<unknown>)[]): Promise<unknown[]> {
  const sent: Promise<unknown>[] = [];
  await api.sql.begin(async (tx) => {
    await tx.text(`select 1 from series where id = '${id}' for update`);
    for (const request of requests) {
      sent.push(request());
      await untilWaiting(api.sql, sent.length);
    }
  });
  return Promise.all(sent);
}

test('race: an approval while the job makes a date leaves no date without the answer', async () => {
  for (const isJobFirst of [true, false]) {
    const id = await createClosed();
    const person = await createUser(api);
    await ask(id, person);
    const last = (await eventsOf(id)).at(-1);
    await api.sql`delete from events where id = ${last?.id}`;
    await api.sql`update user_counters set events_count = events_count - 1 where user_id = ${organizer.id}`;
    await api.sql`update series set due_at = '2030-01-01' where id = ${id}`;
    const job = () => makeDueDates({ db: api.sql, clock: clock.now });
    const approval = () => decide(id, person, 'approved', organizer, second);
    await inOrder(id, isJobFirst ? [job, approval] : [approval, job]);
    await job();
    assert.deepEqual(await rsvpsOf(id, person), all);
    await assertCounters(api.sql);
  }
});

test('race: of an approval and a withdrawal at once, the second sees the first', async () => {
  for (const isApprovalFirst of [true, false]) {
    const id = await createClosed();
    const person = await createUser(api);
    await ask(id, person);
    const approval = () => decide(id, person, 'approved');
    const withdrawal = () => answer(id, person, { status: null }, second);
    const sent = isApprovalFirst ? [approval, withdrawal] : [withdrawal, approval];
    const responses = (await inOrder(id, sent)) as ApiResponse[];
    assert.deepEqual(
      responses.map(({ status }) => status),
      isApprovalFirst ? [200, 200] : [200, 404],
    );
    assert.deepEqual(await rsvpsOf(id, person), none);
    await assertCounters(api.sql);
  }
});
