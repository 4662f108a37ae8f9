/** What organizers write to the guests of all dates of a series. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { sendAnnouncements } from '../../src/modules/announcements/send-announcements.ts';
import { inHours } from '../announcements/announcement-client.ts';
import { startNewsServer } from '../mail/news-client.ts';
import { createNotificationClient } from '../notifications/notification-client.ts';
import {
  addAddress,
  createItem,
  createUser,
  createUsers,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { expectProblem, expectStatus } from '../support/setup.ts';
import { createSeriesClient } from './series-client.ts';

const { api, news, clock } = await startNewsServer();
const { createSeries, eventsOf, patch, remove, eventOn } = createSeriesClient(api);
const { inbox } = createNotificationClient(api);
const organizer = await createUser(api);
const day = Temporal.Now.plainDateISO('UTC').add({ days: 20 }).toString();
const create = (event: object = {}, rrule = 'FREQ=WEEKLY;COUNT=4') =>
  createSeries(organizer, { event: eventOn(day, { ...event }), rrule });

const pathOf = (id: string) => `/v1/series/${id}/announcements`;
const announce = async (id: string, fields: object = {}, by: Person = organizer) =>
  expectStatus(await api.post(pathOf(id), by.token, { text: 'Bring scores!', ...fields }), 201).body;
const texts = async (id: string, person?: Person): Promise<string[]> =>
  expectStatus(await api.get(pathOf(id), person?.token), 200).body.data.map(
    ({ text }: { text: string }) => text,
  );
const told = async (person: Person) =>
  (await inbox(person))
    .filter(({ kind }) => kind === 'announcement')
    .map(({ event, count, announcement }) => [event?.id, count, announcement?.text]);
const answerAll = async (id: string, person: Person) =>
  expectStatus(await api.post(`/v1/series/${id}/rsvp`, person.token, { status: 'going' }), 200);

// spec: 6 POST /v1/series/:id/announcements, GET /v1/series/:id/announcements, GET /v1/series/:id/announcements/recipients: reach for all dates
test('series: an announcement is one notification and one mail, about the nearest date that concerns the person', async () => {
  const { id } = await create();
  const [first, second, third, fourth] = await eventsOf(id);
  assert.ok(first && second && third && fourth);
  const [all, one, bringing, stranger] = await createUsers(api, 4);
  assert.ok(all && one && bringing && stranger);
  for (const person of [all, one]) await addAddress(api, person);
  await answerAll(id, all);
  await rsvpGoing(api, one, third.id);
  const item = await createItem(api, organizer, second.id);
  await rsvpGoing(api, bringing, second.id);
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, bringing.token, { quantity: 1 }), 201);
  await news.mailed();
  const counted = await api.get(`${pathOf(id)}/recipients`, organizer.token);
  assert.equal(expectStatus(counted, 200).body.recipients, 3);
  const only = await api.get(`${pathOf(id)}/recipients?audience=claimants`, organizer.token);
  assert.equal(only.body.recipients, 1);
  const sent = await announce(id);
  assert.deepEqual(
    [sent.status, sent.recipients, sent.author.id, sent.audience],
    ['sent', 3, organizer.id, ['going', 'interested', 'waiting', 'claimants']],
  );
  const mailed = await news.mailed();
  assert.equal(mailed.length, 2);
  assert.deepEqual(await told(all), [[first.id, 4, 'Bring scores!']]);
  assert.deepEqual(await told(one), [[third.id, 1, 'Bring scores!']]);
  assert.deepEqual(await told(bringing), [[second.id, 1, 'Bring scores!']]);
  assert.deepEqual(await told(stranger), []);
  assert.deepEqual(await told(organizer), []);
  assert.deepEqual(await texts(id, all), ['Bring scores!']);
  assert.deepEqual(await texts(id, stranger), []);
  assert.deepEqual(await texts(id), []);
  // The announcements of a date are its own.
  const ofDate = await api.get(`/v1/events/${first.id}/announcements`, all.token);
  assert.deepEqual(ofDate.body.data, []);
  // The latest unread one replaces the one before.
  await announce(id, { text: 'And pencils!' });
  await news.deliver();
  assert.deepEqual(await told(one), [[third.id, 2, 'And pencils!']]);
});

// spec: 6 POST /v1/series/:id/announcements: reach for all dates: errors
test('series: announcements are a 400, 401, 404, 403 and 409, as those of events', async () => {
  const { id } = await create();
  const [first] = await eventsOf(id);
  const other = await createUser(api);
  const send = (body: object, token: string | undefined = organizer.token, series = id) =>
    api.post(pathOf(series), token, body);
  for (const body of [{}, { text: ' \n' }, { text: 'x', sendAt: inHours(-1) }, { text: 'x', audience: [] }])
    expectProblem(await send(body), 400, 'invalid_request');
  const late = { text: 'x', sendAt: inHours(24 * 60) };
  expectProblem(await send(late), 400, 'invalid_request');
  expectProblem(await api.post(pathOf(id), undefined, { text: 'x' }), 401, 'token_missing');
  for (const unknown of [randomUUID(), 'x']) {
    expectProblem(await send({ text: 'x' }, other.token, unknown), 404, 'series_not_found');
    expectProblem(await api.get(pathOf(unknown), other.token), 404, 'series_not_found');
    expectProblem(await api.get(`${pathOf(unknown)}/recipients`, other.token), 404, 'series_not_found');
  }
  expectProblem(await send({ text: 'x' }, other.token), 403, 'not_organizer');
  expectProblem(await api.get(`${pathOf(id)}/recipients`, other.token), 403, 'not_organizer');
  expectStatus(await patch(first?.id ?? '', organizer, { status: 'cancelled' }, 'all'), 200);
  expectProblem(await send({ text: 'x', sendAt: inHours(1) }), 409, 'event_cancelled');
  expectStatus(await send({ text: 'Sorry!' }), 201);
  const hidden = await create({ visibility: 'private' });
  expectProblem(await send({ text: 'x' }, other.token, hidden.id), 404, 'series_not_found');
  expectProblem(await api.get(pathOf(hidden.id), other.token), 404, 'series_not_found');
  expectProblem(await send({ text: 'x' }, organizer.token, first?.id), 404, 'series_not_found');
});

// spec: 6 POST /v1/series/:id/announcements: reach for all dates: limits
test('series: the sixth announcement of a day is a 429; those of its dates count for themselves', async () => {
  const author = await createUser(api);
  const { id } = await createSeries(author, { event: eventOn(day) });
  for (let i = 0; i < 5; i++) await announce(id, {}, author);
  expectProblem(await api.post(pathOf(id), author.token, { text: 'x' }), 429, 'quota_exceeded');
  const [first] = await eventsOf(id);
  expectStatus(await api.post(`/v1/events/${first?.id}/announcements`, author.token, { text: 'x' }), 201);
});

// spec: 6 POST /v1/series/:id/announcements: reach for all dates: scheduled
test('series: a scheduled announcement goes to the guests at that time; it is missed if all dates are cancelled', async () => {
  const { id } = await create();
  const guest = await createUser(api);
  const { id: scheduled, status } = await announce(id, { sendAt: inHours(1) });
  assert.equal(status, 'scheduled');
  assert.deepEqual(await texts(id, guest), []);
  const cancelled = await create();
  const [ofCancelled] = await eventsOf(cancelled.id);
  const author = await createUser(api);
  await answerAll(cancelled.id, author);
  const missed = await announce(cancelled.id, { sendAt: inHours(1) });
  expectStatus(await patch(ofCancelled?.id ?? '', organizer, { status: 'cancelled' }, 'all'), 200);
  await answerAll(id, guest);
  clock.advance(3_601_000);
  await sendAnnouncements({ db: api.sql, clock: clock.now });
  await news.deliver();
  assert.deepEqual(await texts(id, guest), ['Bring scores!']);
  assert.equal((await told(guest)).length, 1);
  const own = expectStatus(await api.get(pathOf(cancelled.id), organizer.token), 200).body.data;
  assert.deepEqual(
    own.map((row: { id: string; status: string }) => [row.id, row.status]),
    [[missed.id, 'missed']],
  );
  assert.equal((await told(author)).length, 0);
  assert.ok((await inbox(organizer)).some(({ kind }) => kind === 'decision'));
  expectStatus(
    await api.patch(`/v1/announcements/${scheduled}`, organizer.token, { text: 'Bring songs!' }),
    200,
  );
  assert.deepEqual(await texts(id, guest), ['Bring songs!']);
  const stranger = await createUser(api);
  expectProblem(
    await api.patch(`/v1/announcements/${scheduled}`, stranger.token, { text: 'x' }),
    404,
    'announcement_not_found',
  );
  expectProblem(await api.delete(`/v1/announcements/${scheduled}`, guest.token), 403, 'not_organizer');
  expectStatus(await api.delete(`/v1/announcements/${scheduled}`, organizer.token), 200);
  assert.deepEqual(await texts(id, guest), []);
  assert.deepEqual(await told(guest), []);
});

// spec: 6 DELETE /v1/events/:id: reach for all dates: deletion
test('series: its deletion, and that of its organizer, deletes its announcements and those of its dates', async () => {
  const author = await createUser(api);
  const other = await createUser(api);
  const made = [
    await createSeries(author, { event: eventOn(day) }),
    await createSeries(other, { event: eventOn(day) }),
  ];
  for (const [i, by] of [author, other].entries()) {
    const id = made[i]?.id ?? '';
    await announce(id, {}, by);
    const [first] = await eventsOf(id);
    expectStatus(await api.post(`/v1/events/${first?.id}/announcements`, by.token, { text: 'x' }), 201);
  }
  const left = async (by: Person) =>
    (await api.sql<{ id: string }[]>`select id from announcements where author_id = ${by.id}`).length;
  assert.deepEqual([await left(author), await left(other)], [2, 2]);
  const [first] = await eventsOf(made[0]?.id ?? '');
  expectStatus(await remove(first?.id ?? '', author, 'all'), 200);
  assert.deepEqual([await left(author), await left(other)], [0, 2]);
  const exported = expectStatus(await api.get('/v1/me/export', other.token), 200).body.announcements;
  assert.deepEqual(
    exported.map(({ eventId, seriesId }: { eventId: string; seriesId: string }) => [
      eventId !== null,
      seriesId === made[1]?.id,
    ]),
    [
      [false, true],
      [true, false],
    ],
  );
});
