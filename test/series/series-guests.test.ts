/** GET /v1/series/:id/guests: who answers a series, and its next dates. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createUser, createUsers, type Person } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { createSeriesClient, createSeriesClock, firstDate } from './series-client.ts';

const api = await startTestApp({ clock: createSeriesClock() });
const { createSeries, eventsOf, patch, eventOn } = createSeriesClient(api);
const organizer = await createUser(api);

type Row = {
  user: { id: string; name: string };
  standing: string | null;
  answers: { eventId: string; status: string | null; extraGuests: number }[];
};
const listGuests = (id: string, viewer?: Person, query = '') =>
  api.get(`/v1/series/${id}/guests${query}`, viewer?.token);
const guestsOf = async (id: string, viewer?: Person): Promise<Row[]> =>
  expectStatus(await listGuests(id, viewer, '?limit=50'), 200).body.data;
const answerAll = async (id: string, person: Person, body: object) =>
  expectStatus(await api.post(`/v1/series/${id}/rsvp`, person.token, body), 200);
const answerDate = async (id: string | undefined, person: Person, body: object) =>
  expectStatus(await api.post(`/v1/events/${id}/rsvp`, person.token, body), 200);
const everyone = { event: eventOn(firstDate, { guestListVisibility: 'everyone' }) };
const sheetOf = (rows: Row[]) =>
  rows.map(({ user, standing, answers }) => [user.id, standing, answers.map(({ status }) => status)]);

// spec: 6 GET /v1/series/:id/guests: who comes to the dates of a series
test('guests of a series: 200 with each person, the RSVP to the series, and the answers to the next dates', async () => {
  const { id } = await createSeries(organizer, everyone);
  const [a, b, stranger] = await createUsers(api, 3);
  assert.ok(a && b && stranger);
  const events = await eventsOf(id);
  await answerAll(id, a, { status: 'going', extraGuests: 2 });
  await answerDate(events[1]?.id, a, { status: null });
  await answerDate(events[2]?.id, b, { status: 'interested' });
  const rows = await guestsOf(id);
  const byId = (x: string, y: string) => (x < y ? -1 : 1);
  assert.deepEqual(
    sheetOf(rows),
    [
      [a.id, 'going', ['going', null, 'going', 'going']] as const,
      [b.id, null, [null, null, 'interested', null]] as const,
    ].sort(([x], [y]) => byId(x, y)),
  );
  assert.deepEqual(
    rows
      .find(({ user }) => user.id === a.id)
      ?.answers.map(({ eventId, extraGuests }) => [eventId, extraGuests]),
    events.map((event, i) => [event.id, i === 1 ? 0 : 2]),
  );
});

test('guests of a series: the next 12 scheduled dates, without cancelled ones', async () => {
  const { id } = await createSeries(organizer, { ...everyone, rrule: 'FREQ=WEEKLY;COUNT=14' });
  const guest = await createUser(api);
  await answerAll(id, guest, { status: 'going' });
  const events = await eventsOf(id);
  expectStatus(await patch(events[0]?.id ?? '', organizer, { status: 'cancelled' }), 200);
  const [row] = await guestsOf(id);
  assert.deepEqual(
    row?.answers.map(({ eventId }) => eventId),
    events.slice(1, 13).map((event) => event.id),
  );
});

test('guests of a series: pages have each person once', async () => {
  const { id } = await createSeries(organizer, everyone);
  const people = await createUsers(api, 5);
  for (const person of people) await answerAll(id, person, { status: 'going' });
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { data, nextCursor } = expectStatus(await listGuests(id, undefined, `?limit=2${cursor}`), 200).body;
    seen.push(...data.map((row: Row) => row.user.id));
    if (nextCursor === null) break;
    cursor = `&cursor=${nextCursor}`;
  }
  assert.deepEqual(seen, people.map((person) => person.id).sort());
  expectProblem(await listGuests(id, undefined, '?cursor=x'), 400, 'invalid_request');
});

test('guests of a series: 403 guest_list_private outside the audience; its guests are who answered it or a coming date', async () => {
  const { id } = await createSeries(organizer, {
    event: eventOn(firstDate, { guestListVisibility: 'guests' }),
  });
  const [a, b, stranger] = await createUsers(api, 3);
  assert.ok(a && b && stranger);
  const [first] = await eventsOf(id);
  await answerAll(id, a, { status: 'interested' });
  await answerDate(first?.id, b, { status: 'going' });
  for (const viewer of [a, b, organizer]) assert.equal((await guestsOf(id, viewer)).length, 2);
  for (const viewer of [stranger, undefined])
    expectProblem(await listGuests(id, viewer), 403, 'guest_list_private');
});

test('guests of a series: hidden RSVPs, blocks and private profiles are left out, except for the organizer', async () => {
  const { id } = await createSeries(organizer, everyone);
  const [hidden, blocked, closed, viewer] = await createUsers(api, 4);
  assert.ok(hidden && blocked && closed && viewer);
  await answerAll(id, hidden, { status: 'going', isHidden: true });
  for (const person of [blocked, closed]) await answerAll(id, person, { status: 'going' });
  expectStatus(await api.post(`/v1/users/${blocked.id}/block`, viewer.token), 200);
  expectStatus(await api.patch('/v1/me', closed.token, { isPrivate: true }), 200);
  assert.deepEqual(await guestsOf(id, viewer), []);
  assert.equal((await guestsOf(id, organizer)).length, 3);
});

test('guests of a series: the organizer sees invited people who have not answered; others do not', async () => {
  const { id } = await createSeries(organizer, everyone);
  const invited = await createUser(api);
  const [first] = await eventsOf(id);
  const people = [{ userId: invited.id }];
  expectStatus(await api.post(`/v1/events/${first?.id}/invitations`, organizer.token, { people }), 201);
  assert.deepEqual(sheetOf(await guestsOf(id, organizer)), [[invited.id, null, [null, null, null, null]]]);
  assert.deepEqual(await guestsOf(id), []);
});

test('guests of a series: 404 for an unknown and a private series', async () => {
  const { id } = await createSeries(organizer, { event: eventOn(firstDate, { visibility: 'private' }) });
  expectProblem(await listGuests(id), 404, 'series_not_found');
  expectProblem(await listGuests(organizer.id, organizer), 404, 'series_not_found');
});
