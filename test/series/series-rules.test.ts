/** Changes of the rule of a series. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createUser, rsvpGoing } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { at, createSeriesClient, createSeriesClock } from './series-client.ts';

const api = await startTestApp({ clock: createSeriesClock() });
const { createSeries, eventsOf, datesOf, patch, remove, get } = createSeriesClient(api);
const organizer = await createUser(api);
const change = (id: string, body: object, { query = '', headers = {}, person = organizer } = {}) =>
  api.call('PATCH', `/v1/series/${id}${query}`, { token: person.token, body, headers });
const none = { kept: 0, moved: 0, made: 0, cancelled: 0, deleted: 0 };

// spec: 6 PATCH /v1/series/:id: a new rule
test('rule: a Tuesday that becomes a Wednesday keeps its event and everything in it', async () => {
  const { id } = await createSeries(organizer);
  const guest = await createUser(api);
  const before = await eventsOf(id);
  await rsvpGoing(api, guest, before[1]?.id ?? '');
  const { body } = expectStatus(await change(id, { rrule: 'FREQ=WEEKLY;BYDAY=WE;COUNT=4' }), 200);
  assert.deepEqual(body.changes, { ...none, moved: 4 });
  assert.deepEqual([body.startAt, body.until], [at('2031-01-08T18:00'), '2031-01-29T18:00']);
  const after = await eventsOf(id);
  assert.deepEqual(
    after.map(({ id, startAt, series }) => [id, series?.date, startAt]),
    ['2031-01-08', '2031-01-15', '2031-01-22', '2031-01-29'].map((day, i) => [
      before[i]?.id,
      `${day}T18:00`,
      at(`${day}T18:00`),
    ]),
  );
  const record = expectStatus(await api.get(`/v1/events/${before[1]?.id}`, guest.token), 200).body;
  assert.deepEqual([record.myRsvp, record.rsvpCount], ['going', 1]);
});

test('rule: a date without a counterpart is cancelled if somebody answered or it was changed, and deleted otherwise', async () => {
  const { id } = await createSeries(organizer);
  const guest = await createUser(api);
  const [, second, third, fourth] = await eventsOf(id);
  await rsvpGoing(api, guest, second?.id ?? '');
  await rsvpGoing(api, organizer, fourth?.id ?? '');
  expectStatus(await patch(third?.id ?? '', organizer, { title: 'Rehearsal' }), 200);
  const { body } = expectStatus(await change(id, { rrule: 'FREQ=WEEKLY;COUNT=1' }), 200);
  assert.deepEqual(body.changes, { ...none, kept: 1, cancelled: 2, deleted: 1 });
  assert.deepEqual(
    (await eventsOf(id)).map(({ status, series }) => [series?.date, status]),
    [
      ['2031-01-07T18:00', 'scheduled'],
      ['2031-01-14T18:00', 'cancelled'],
      ['2031-01-21T18:00', 'cancelled'],
    ],
  );
});

test('rule: new dates are made before the response; equal dates are kept', async () => {
  const { id } = await createSeries(organizer);
  const { body } = expectStatus(await change(id, { rrule: 'FREQ=WEEKLY;BYDAY=TU,TH;COUNT=5' }), 200);
  assert.deepEqual(body.changes, { ...none, kept: 3, made: 2, deleted: 1 });
  assert.deepEqual(await datesOf(id), [
    '2031-01-07T18:00',
    '2031-01-09T18:00',
    '2031-01-14T18:00',
    '2031-01-16T18:00',
    '2031-01-21T18:00',
  ]);
});

test('rule: the new rule begins in the period of the old first date, and what it leaves out comes from it', async () => {
  const { id } = await createSeries(organizer);
  expectStatus(await change(id, { rrule: 'FREQ=MONTHLY;COUNT=2' }), 200);
  assert.deepEqual(await datesOf(id), ['2031-01-07T18:00', '2031-02-07T18:00']);
  const { body } = expectStatus(await change(id, { rrule: 'FREQ=WEEKLY;BYDAY=MO;COUNT=2' }), 200);
  assert.equal(body.startAt, at('2031-01-06T18:00'));
});

test('dates: extra ones are made, excluded ones go; what was deleted singly stays excluded', async () => {
  const { id } = await createSeries(organizer);
  const [, second] = await eventsOf(id);
  expectStatus(await remove(second?.id ?? '', organizer), 200);
  const dates = { extraDates: ['2031-01-10T10:00'], excludedDates: ['2031-01-21T18:00'] };
  const { body } = expectStatus(await change(id, dates), 200);
  assert.deepEqual(body.excludedDates, ['2031-01-14T18:00', '2031-01-21T18:00']);
  assert.deepEqual(await datesOf(id), ['2031-01-07T18:00', '2031-01-10T10:00', '2031-01-28T18:00']);
  expectStatus(await change(id, { excludedDates: [] }), 200);
  assert.deepEqual((await datesOf(id)).includes('2031-01-14T18:00'), false);
  expectStatus(await change(id, { rrule: 'FREQ=WEEKLY;COUNT=5' }), 200);
  assert.deepEqual((await datesOf(id)).includes('2031-01-14T18:00'), false);
});

test('dryRun: 200 with what would change, and nothing changes', async () => {
  const { id } = await createSeries(organizer);
  const [before, dates] = [await get(id), await datesOf(id)];
  const rrule = 'FREQ=WEEKLY;BYDAY=WE;COUNT=6';
  const dry = expectStatus(await change(id, { rrule }, { query: '?dryRun=true' }), 200).body;
  assert.deepEqual(dry.changes, { ...none, moved: 4, made: 2 });
  assert.deepEqual([await get(id), await datesOf(id)], [before, dates]);
  const { body } = expectStatus(await change(id, { rrule }), 200);
  assert.deepEqual(body.changes, dry.changes);
});

test('rule: 412 for another version; 403 for others; 404 for an unknown series; 400 for a bad rule', async () => {
  const { id } = await createSeries(organizer);
  const etag = (await api.get(`/v1/series/${id}`, organizer.token)).headers.get('etag') ?? '';
  const rrule = 'FREQ=WEEKLY;COUNT=3';
  expectStatus(await change(id, { rrule }, { headers: { 'if-match': etag } }), 200);
  expectProblem(await change(id, { rrule }, { headers: { 'if-match': etag } }), 412, 'precondition_failed');
  expectProblem(await change(id, { rrule }, { person: await createUser(api) }), 403, 'not_organizer');
  expectProblem(await change('none', { rrule }), 404, 'series_not_found');
  for (const bad of ['FREQ=SECONDLY', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'])
    expectProblem(await change(id, { rrule: bad }), 400, 'invalid_request');
});
