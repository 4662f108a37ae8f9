/** RSVPs to all dates of a series. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { minuteMs } from '#base';
import { makeDueDates } from '../../src/modules/series/make-dates.ts';
import { createAdmin, createUser, createUsers, deleteAccount, type Person } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { at, createSeriesClient, createSeriesClock, firstDate } from './series-client.ts';

const clock = createSeriesClock();
const api = await startTestApp({ clock });
const { createSeries, eventsOf, rsvpsOf, patch, remove, get, eventOn } = createSeriesClient(api);
const organizer = await createUser(api);
/** Shorter than an access token lasts. */
const aWhile = 20 * minuteMs;

/** Takes away the last date, and lets the job make it again. @returns its id */
async function makeLastAgain(id: string): Promise<string> {
  const last = (await eventsOf(id)).at(-1);
  await api.sql`delete from events where id = ${last?.id}`;
  await api.sql`update user_counters set events_count = events_count - 1 where user_id = ${organizer.id}`;
  await api.sql`update series set due_at = '2030-01-01' where id = ${id}`;
  await makeDueDates({ db: api.sql, clock: clock.now });
  const made = (await eventsOf(id)).at(-1);
  assert.ok(made && made.id !== last?.id);
  return made.id;
}

const answer = (id: string, person: Person, body: object) =>
  api.post(`/v1/series/${id}/rsvp`, person.token, body);
const answerAll = async (id: string, person: Person, status: string | null = 'going', more = {}) =>
  expectStatus(await answer(id, person, { status, ...more }), 200).body;
const answerDate = async (id: string | undefined, person: Person, status: string | null) =>
  expectStatus(await api.post(`/v1/events/${id}/rsvp`, person.token, { status }), 200).body;
const recordOf = async (id: string | undefined, viewer?: Person) =>
  expectStatus(await api.get(`/v1/events/${id}`, viewer?.token), 200).body;
const countsOf = async (id: string): Promise<number[]> =>
  Promise.all((await eventsOf(id)).map(async (event) => (await recordOf(event.id)).rsvpCount));
const unreadRsvps = async (person: Person) => {
  const { data } = expectStatus(await api.get('/v1/notifications', person.token), 200).body;
  return data
    .filter(({ kind }: { kind: string }) => kind === 'rsvps')
    .map(({ event, count }: { event: { id: string }; count: number }) => [event.id, count]);
};

// spec: 6 POST /v1/series/:id/rsvp: an RSVP to all dates of a series
test('series RSVP: 200 with the number of dates; each coming date has the RSVP, its guests and whether it is hidden', async () => {
  const { id } = await createSeries(organizer);
  const guest = await createUser(api);
  const result = await answerAll(id, guest, 'going', { extraGuests: 2, isHidden: true });
  assert.deepEqual(result, { myRsvp: 'going', affected: 4 });
  const [first] = await eventsOf(id);
  const record = await recordOf(first?.id, guest);
  assert.deepEqual([record.myRsvp, record.myExtraGuests, record.isRsvpHidden], ['going', 2, true]);
  assert.deepEqual(await rsvpsOf(id, guest), ['going', 'going', 'going', 'going']);
  assert.equal(record.partyCount, 3);
  assert.equal((await get(id, guest)).myRsvp, 'going');
  assert.equal((await get(id, organizer)).myRsvp, null);
  assert.equal('myRsvp' in (await get(id)), false);
  await assertCounters(api.sql);
});

test('series RSVP: repeated, it answers the same; another status changes the dates', async () => {
  const { id } = await createSeries(organizer);
  const guest = await createUser(api);
  const first = await answerAll(id, guest, 'going', { extraGuests: 1 });
  assert.deepEqual(await answerAll(id, guest), first);
  assert.equal((await answerAll(id, guest, 'interested')).affected, 4);
  const [event] = await eventsOf(id);
  const record = await recordOf(event?.id, guest);
  assert.deepEqual([record.myRsvp, record.myExtraGuests], ['interested', 1]);
  assert.deepEqual(await countsOf(id), [1, 1, 1, 1]);
  await assertCounters(api.sql);
});

test('series RSVP: an answer to one date is kept, with null too, before and after; null ends the others', async () => {
  const { id } = await createSeries(organizer);
  const guest = await createUser(api);
  const [first, second, third] = await eventsOf(id);
  await answerDate(first?.id, guest, 'interested');
  await answerDate(second?.id, guest, null);
  assert.equal((await answerAll(id, guest)).affected, 2);
  assert.deepEqual(await rsvpsOf(id, guest), ['interested', null, 'going', 'going']);
  await answerDate(third?.id, guest, null);
  assert.equal((await answerAll(id, guest)).affected, 1);
  assert.deepEqual(await rsvpsOf(id, guest), ['interested', null, null, 'going']);
  assert.deepEqual(await answerAll(id, guest, null), { myRsvp: null, affected: 1 });
  assert.deepEqual(await rsvpsOf(id, guest), ['interested', null, null, null]);
  assert.deepEqual(await answerAll(id, guest, null), { myRsvp: null, affected: 0 });
  assert.equal((await get(id, guest)).myRsvp, null);
  await assertCounters(api.sql);
});

test('series RSVP: the same answer to one date makes it one of its own', async () => {
  const { id } = await createSeries(organizer);
  const guest = await createUser(api);
  await answerAll(id, guest);
  const [first] = await eventsOf(id);
  await answerDate(first?.id, guest, 'going');
  await answerAll(id, guest, null);
  assert.deepEqual(await rsvpsOf(id, guest), ['going', null, null, null]);
});

test('series RSVP: cancelled dates, and those past their rsvpUntil, stay as they are', async () => {
  const { id } = await createSeries(organizer, {
    event: eventOn(firstDate, { rsvpUntil: at('2031-01-06T18:00') }),
  });
  const guest = await createUser(api);
  const [first, second] = await eventsOf(id);
  expectStatus(await patch(second?.id ?? '', organizer, { status: 'cancelled' }), 200);
  expectStatus(await patch(first?.id ?? '', organizer, { rsvpUntil: at('2030-12-31T13:10') }), 200);
  clock.advance(aWhile);
  assert.equal((await answerAll(id, guest)).affected, 2);
  assert.deepEqual(await rsvpsOf(id, guest), [null, null, 'going', 'going']);
  clock.advance(-aWhile);
});

test('series RSVP: the job gives new dates the RSVPs, except of suspended people, and notifies nobody', async () => {
  const { id } = await createSeries(organizer, { rrule: 'FREQ=MONTHLY' });
  const [guest, suspended] = await createUsers(api, 2);
  assert.ok(guest && suspended);
  await answerAll(id, guest, 'going', { extraGuests: 1 });
  await answerAll(id, suspended);
  const unread = await unreadRsvps(organizer);
  const admin = await createAdmin(api);
  const account = `/v1/admin/users/${suspended.id}`;
  expectStatus(await api.post(`${account}/suspend`, admin.token, { reason: 'Spam.' }), 200);
  const made = await makeLastAgain(id);
  const record = await recordOf(made, guest);
  assert.deepEqual([record.rsvpCount, record.goingCount, record.partyCount], [1, 1, 2]);
  assert.deepEqual([record.myRsvp, record.myExtraGuests], ['going', 1]);
  assert.deepEqual(await unreadRsvps(organizer), unread);
  // An account that is restored has its RSVP to the dates that were made meanwhile, and to later ones.
  expectStatus(await api.delete(`${account}/suspend`, admin.token), 200);
  assert.equal((await recordOf(made)).rsvpCount, 2);
  assert.deepEqual(await unreadRsvps(organizer), unread);
  assert.equal((await recordOf(await makeLastAgain(id))).rsvpCount, 2);
  await assertCounters(api.sql);
});

test('series RSVP: a new rule makes dates with the RSVPs, and sets or removes none of the others', async () => {
  const { id } = await createSeries(organizer, { rrule: 'FREQ=WEEKLY;COUNT=3' });
  const guest = await createUser(api);
  await answerAll(id, guest);
  const [, second] = await eventsOf(id);
  await answerDate(second?.id, guest, null);
  const change = { rrule: 'FREQ=WEEKLY;COUNT=5' };
  const { changes } = expectStatus(await api.patch(`/v1/series/${id}`, organizer.token, change), 200).body;
  assert.deepEqual([changes.kept, changes.made], [3, 2]);
  assert.deepEqual(await rsvpsOf(id, guest), ['going', null, 'going', 'going', 'going']);
});

test('series RSVP: a split takes it along; null in the later series ends it there alone', async () => {
  const { id } = await createSeries(organizer);
  const guest = await createUser(api);
  await answerAll(id, guest);
  const [, , third] = await eventsOf(id);
  const { body } = expectStatus(
    await patch(third?.id ?? '', organizer, { title: 'Choir' }, 'following'),
    200,
  );
  const later = body.series.id;
  assert.equal((await get(later, guest)).myRsvp, 'going');
  assert.deepEqual(await rsvpsOf(later, guest), ['going', 'going']);
  const longer = { rrule: 'FREQ=WEEKLY;COUNT=3' };
  expectStatus(await api.patch(`/v1/series/${later}`, organizer.token, longer), 200);
  assert.deepEqual(await rsvpsOf(later, guest), ['going', 'going', 'going']);
  assert.equal((await answerAll(later, guest, null)).affected, 3);
  assert.deepEqual(await rsvpsOf(id, guest), ['going', 'going']);
  assert.equal((await get(id, guest)).myRsvp, 'going');
  await assertCounters(api.sql);
});

test("series RSVP: it counts once in the organizer's unread RSVPs, of the next date; null takes that back", async () => {
  const host = await createUser(api);
  const { id } = await createSeries(host);
  const [guest, other] = await createUsers(api, 2);
  assert.ok(guest && other);
  const [first, second] = await eventsOf(id);
  await answerAll(id, guest);
  assert.deepEqual(await unreadRsvps(host), [[first?.id, 1]]);
  await answerDate(second?.id, other, 'going');
  // What did not count is not taken back.
  await answerDate(second?.id, guest, null);
  assert.deepEqual(
    new Map(await unreadRsvps(host)),
    new Map([
      [first?.id, 1],
      [second?.id, 1],
    ]),
  );
  await answerAll(id, guest, null);
  assert.deepEqual(await unreadRsvps(host), [[second?.id, 1]]);
});

test('series RSVP: the organizer is not told across a block', async () => {
  const host = await createUser(api);
  const { id } = await createSeries(host);
  const guest = await createUser(api);
  expectStatus(await api.post(`/v1/users/${guest.id}/block`, host.token), 200);
  await answerAll(id, guest);
  assert.deepEqual(await unreadRsvps(host), []);
});

test('series RSVP: 401 without a token; 404 for an unknown and a private series; 400 for another status', async () => {
  const { id } = await createSeries(organizer, { event: eventOn(firstDate, { visibility: 'private' }) });
  const guest = await createUser(api);
  expectProblem(
    await api.post(`/v1/series/${id}/rsvp`, undefined, { status: 'going' }),
    401,
    'token_missing',
  );
  expectProblem(await answer(id, guest, { status: 'going' }), 404, 'series_not_found');
  expectProblem(await answer(organizer.id, guest, { status: 'going' }), 404, 'series_not_found');
  expectProblem(await answer(id, guest, { status: 'declined' }), 400, 'invalid_request');
  expectProblem(await answer(id, guest, {}), 400, 'invalid_request');
});

test('series RSVP: 409 approval_required where the organizer approves guests', async () => {
  const { id } = await createSeries(organizer, {
    event: eventOn(firstDate, { rsvpApproval: 'organizer' }),
  });
  const guest = await createUser(api);
  expectProblem(await answer(id, guest, { status: 'going' }), 409, 'approval_required');
  assert.deepEqual(await countsOf(id), [0, 0, 0, 0]);
  assert.equal((await answerAll(id, organizer)).affected, 4);
});

test('series RSVP: it counts as approved if the series asks for approval later', async () => {
  const { id } = await createSeries(organizer, { rrule: 'FREQ=WEEKLY;COUNT=2' });
  const guest = await createUser(api);
  await answerAll(id, guest);
  const [first] = await eventsOf(id);
  expectStatus(await patch(first?.id ?? '', organizer, { rsvpApproval: 'organizer' }, 'all'), 200);
  const longer = { rrule: 'FREQ=WEEKLY;COUNT=3' };
  expectStatus(await api.patch(`/v1/series/${id}`, organizer.token, longer), 200);
  assert.deepEqual(await rsvpsOf(id, guest), ['going', 'going', 'going']);
  const [, , third] = await eventsOf(id);
  await answerDate(third?.id, guest, null);
  await answerDate(third?.id, guest, 'going');
});

test('series RSVP: a removal from one date keeps the others; with scope=all it ends the RSVP for good', async () => {
  const { id } = await createSeries(organizer, { rrule: 'FREQ=WEEKLY;COUNT=3' });
  const guest = await createUser(api);
  await answerAll(id, guest);
  const [first, second] = await eventsOf(id);
  const removeGuest = (eventId: string | undefined, scope: string) =>
    api.delete(`/v1/events/${eventId}/guests/${guest.id}?scope=${scope}`, organizer.token);
  expectStatus(await removeGuest(first?.id, 'this'), 200);
  assert.deepEqual(await rsvpsOf(id, guest), [null, 'going', 'going']);
  assert.equal((await answerAll(id, guest)).affected, 2);
  expectStatus(await removeGuest(second?.id, 'all'), 200);
  assert.deepEqual(await rsvpsOf(id, guest), [null, null, null]);
  assert.equal((await get(id, guest)).myRsvp, null);
  expectProblem(await answer(id, guest, { status: 'going' }), 403, 'removed_from_event');
  const longer = { rrule: 'FREQ=WEEKLY;COUNT=4' };
  expectStatus(await api.patch(`/v1/series/${id}`, organizer.token, longer), 200);
  const added = (await eventsOf(id)).at(-1);
  const late = await api.post(`/v1/events/${added?.id}/rsvp`, guest.token, { status: 'going' });
  expectProblem(late, 403, 'removed_from_event');
  const told = await api.sql`
    select event_id as id from notification_causes where user_id = ${guest.id} and kind = 'decision'`;
  assert.deepEqual(told.map(({ id }) => id).sort(), [first?.id, second?.id].sort());
  await assertCounters(api.sql);
});

test('series RSVP: 400 at scope for a removal with scope=all from an event without a series', async () => {
  const single = await api.post('/v1/events', organizer.token, eventOn(firstDate));
  const guest = await createUser(api);
  const path = `/v1/events/${expectStatus(single, 201).body.id}`;
  expectStatus(await api.post(`${path}/rsvp`, guest.token, { status: 'going' }), 200);
  const response = await api.delete(`${path}/guests/${guest.id}?scope=all`, organizer.token);
  assert.equal(expectProblem(response, 400, 'invalid_request').body.errors[0].path, 'scope');
});

test('series RSVP: the deletion of an account ends it, and takes back what it counted', async () => {
  const host = await createUser(api);
  const { id } = await createSeries(host, { rrule: 'FREQ=WEEKLY;COUNT=2' });
  const [guest, other] = await createUsers(api, 2);
  assert.ok(guest && other);
  await answerAll(id, guest);
  const [, second] = await eventsOf(id);
  await answerDate(second?.id, other, 'going');
  await deleteAccount(api, guest);
  assert.deepEqual(await countsOf(id), [0, 1]);
  assert.deepEqual(await unreadRsvps(host), [[second?.id, 1]]);
  const longer = { rrule: 'FREQ=WEEKLY;COUNT=3' };
  expectStatus(await api.patch(`/v1/series/${id}`, host.token, longer), 200);
  assert.deepEqual(await countsOf(id), [0, 1, 0]);
  await assertCounters(api.sql);
});

test('series RSVP: it books no seats', async () => {
  const { id } = await createSeries(organizer, { event: eventOn(firstDate, { capacity: 1 }) });
  const [a, b] = await createUsers(api, 2);
  assert.ok(a && b);
  for (const guest of [a, b]) await answerAll(id, guest);
  const [first] = await eventsOf(id);
  const { bookedCount, rsvpCount } = await recordOf(first?.id);
  assert.deepEqual([bookedCount, rsvpCount], [0, 2]);
});

test('series RSVP: dates that have ended keep what they have', async () => {
  const today = { startAt: at('2030-12-31T13:05'), endAt: at('2030-12-31T13:10') };
  const { id } = await createSeries(organizer, { event: eventOn('2030-12-31', today) });
  const guest = await createUser(api);
  const [first] = await eventsOf(id);
  assert.equal((await answerAll(id, guest)).affected, 4);
  clock.advance(aWhile);
  assert.equal((await answerAll(id, guest, null)).affected, 3);
  assert.equal((await recordOf(first?.id, guest)).myRsvp, 'going');
  assert.equal((await answerAll(id, guest, 'interested')).affected, 3);
  assert.equal((await recordOf(first?.id, guest)).myRsvp, 'going');
  clock.advance(-aWhile);
});

test('series RSVP: it ends with a series that is deleted, and can be removed from one that is private since', async () => {
  const { id } = await createSeries(organizer);
  const guest = await createUser(api);
  await answerAll(id, guest);
  const [first] = await eventsOf(id);
  expectStatus(await patch(first?.id ?? '', organizer, { visibility: 'private' }, 'all'), 200);
  expectProblem(await answer(id, guest, { status: 'interested' }), 404, 'series_not_found');
  assert.deepEqual(await answerAll(id, guest, null), { myRsvp: null, affected: 4 });
  expectProblem(await answer(id, guest, { status: null }), 404, 'series_not_found');
  expectStatus(await remove(first?.id ?? '', organizer, 'all'), 200);
});

test("series RSVP: the caller's calendar has the dates of the RSVP alone; an answer to one date is one date", async () => {
  const { id } = await createSeries(organizer, { event: eventOn(firstDate, { title: 'Choir practice' }) });
  const guest = await createUser(api);
  const [first, second] = await eventsOf(id);
  const calendar = expectStatus(await api.post('/v1/me/calendar', guest.token), 201).body;
  const count = async () => {
    const text = await (await fetch(`${api.url}${new URL(calendar.url).pathname}`)).text();
    return [...text.matchAll(/BEGIN:VEVENT/g)].length;
  };
  await answerDate(first?.id, guest, 'going');
  assert.equal(await count(), 1);
  await answerAll(id, guest);
  await answerDate(second?.id, guest, null);
  assert.equal(await count(), 3);
});

// spec: 6 DELETE /v1/admin/users/:id/suspend: dates of series that were made meanwhile follow
test('series RSVP: dates made during a suspension follow when it ends; single answers and closed dates stay', async () => {
  const { id } = await createSeries(organizer, {
    event: eventOn(firstDate, { rsvpApproval: 'organizer' }),
    rrule: 'FREQ=WEEKLY;COUNT=2',
  });
  const guest = await createUser(api);
  await answerAll(id, guest, 'going', { ask: true });
  expectStatus(
    await api.call('PUT', `/v1/series/${id}/requests/${guest.id}`, {
      token: organizer.token,
      body: { status: 'approved' },
    }),
    200,
  );
  const [first] = await eventsOf(id);
  await answerDate(first?.id, guest, null);
  const admin = await createAdmin(api);
  const account = `/v1/admin/users/${guest.id}`;
  expectStatus(await api.post(`${account}/suspend`, admin.token, {}), 200);
  const change = { rrule: 'FREQ=WEEKLY;COUNT=5' };
  expectStatus(await api.patch(`/v1/series/${id}`, organizer.token, change), 200);
  const [, , third] = await eventsOf(id);
  expectStatus(await patch(third?.id ?? '', organizer, { status: 'cancelled' }), 200);
  assert.deepEqual(await countsOf(id), [0, 1, 0, 0, 0]);
  expectStatus(await api.delete(`${account}/suspend`, admin.token), 200);
  assert.deepEqual(await countsOf(id), [0, 1, 0, 1, 1]);
  await assertCounters(api.sql);
  // A cancelled date that takes place again follows too.
  expectStatus(await patch(third?.id ?? '', organizer, { status: 'scheduled' }), 200);
  assert.deepEqual(await countsOf(id), [0, 1, 1, 1, 1]);
  await assertCounters(api.sql);
});

// spec: 6 PATCH /v1/events/:id: a cancelled date of a series that takes place again
test('series RSVP: a restored date has the answers that were made and changed meanwhile, and none that ended', async () => {
  const { id } = await createSeries(organizer);
  const [changed, added, ended, single, absent, removed] = await createUsers(api, 6);
  assert.ok(changed && added && ended && single && absent && removed);
  for (const person of [changed, ended, single, absent, removed]) await answerAll(id, person);
  const [, second] = await eventsOf(id);
  assert.ok(second);
  await answerDate(second.id, single, 'interested');
  await answerDate(second.id, absent, null);
  const path = `/v1/events/${second.id}/guests/${removed.id}`;
  expectStatus(await api.delete(path, organizer.token), 200);
  const unread = await unreadRsvps(organizer);
  expectStatus(await patch(second.id, organizer, { status: 'cancelled' }), 200);
  assert.equal((await answerAll(id, changed, 'interested', { extraGuests: 2 })).affected, 3);
  await answerAll(id, added, 'going', { extraGuests: 1 });
  await answerAll(id, ended, null);
  expectStatus(await patch(second.id, organizer, { status: 'scheduled' }), 200);
  const rsvpAt = async (person: Person) => {
    const { myRsvp, myExtraGuests } = await recordOf(second.id, person);
    return [myRsvp, myExtraGuests];
  };
  assert.deepEqual(await rsvpAt(changed), ['interested', 2]);
  assert.deepEqual(await rsvpAt(added), ['going', 1]);
  for (const person of [ended, absent, removed]) assert.equal((await rsvpAt(person))[0], null);
  assert.deepEqual(await rsvpAt(single), ['interested', 0]);
  assert.equal((await recordOf(second.id)).rsvpCount, 3);
  const told = (await unreadRsvps(organizer)).filter(([eventId]: [string]) => eventId === second.id);
  assert.deepEqual(
    told,
    unread.filter(([eventId]: [string]) => eventId === second.id),
  );
  // With all dates, too.
  expectStatus(await patch(second.id, organizer, { status: 'cancelled' }, 'all'), 200);
  const late = await createUser(api);
  assert.equal((await answerAll(id, late)).affected, 0);
  expectStatus(await patch(second.id, organizer, { status: 'scheduled' }, 'all'), 200);
  assert.deepEqual(await rsvpsOf(id, late), ['going', 'going', 'going', 'going']);
  await assertCounters(api.sql);
});
