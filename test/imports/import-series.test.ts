/** Series in imported files: each becomes a series here, and later imports change it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createSeriesClock } from '../series/series-client.ts';
import { calendar, calendarEntry } from '../support/calendar-files.ts';
import { createUser, type Person, rsvpGoing } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { createImportClient } from './import-client.ts';

const clock = createSeriesClock('2027-01-01T12:00:00Z');
const api = await startTestApp({ clock });
const { review, entriesOf, publish, take, patch } = createImportClient(api);
const unlisted = '?visibility=unlisted';

type Fields = Record<string, string | undefined>;
const utc = (fields: Fields = {}): string =>
  calendarEntry({ UID: 'choir@x', SUMMARY: 'Choir', DESCRIPTION: 'Sing', ...fields });
/** An entry in the zone of Oslo. */
const oslo = (start: string, fields: Fields = {}): string =>
  utc({
    ...{ DTSTART: undefined, DTEND: undefined },
    ...{ 'DTSTART;TZID=Europe/Oslo': start, DURATION: 'PT2H' },
    ...fields,
  });
const ofDate = (date: string, start: string, fields: Fields = {}): string =>
  oslo(start, { 'RECURRENCE-ID;TZID=Europe/Oslo': date, ...fields });
const weekly = (fields: Fields = {}): string =>
  oslo('20270105T180000', { RRULE: 'FREQ=WEEKLY;COUNT=4', ...fields });

/** The events of a person: start, title, status, date in the series, whether it was changed alone. */
async function datesOf(person: Person) {
  const rows = await api.sql<{ id: string }[]>`
    select id from events where organizer_id = ${person.id} order by start_at, title`;
  const events = [];
  for (const { id } of rows)
    events.push(expectStatus(await api.get(`/v1/events/${id}`, person.token), 200).body);
  return events;
}
const startsOf = async (person: Person): Promise<string[]> =>
  (await datesOf(person)).map(({ startAt }) => startAt.slice(0, 16));
const seriesOf = async (person: Person) =>
  expectStatus(await api.get('/v1/me/series', person.token), 200).body.data;
const one = async (person: Person, ...parts: string[]) => {
  const entries = await take(person, calendar(...parts), unlisted);
  assert.equal(entries.length, 1);
  return entries[0];
};
const statesOf = async (person: Person, ...parts: string[]) =>
  (await take(person, calendar(...parts), unlisted)).map(({ state }) => state);

test('series: one entry shows rule, dates and the next starts; published it is a series', async () => {
  const person = await createUser(api);
  const { id, counts } = await review(
    person,
    calendar(weekly({ 'EXDATE;TZID=Europe/Oslo': '20270112T180000' })),
    unlisted,
  );
  assert.equal(counts.new, 1);
  const [entry] = await entriesOf(person, id);
  const { next, ...series } = entry?.series ?? {};
  assert.deepEqual(series, {
    rrule: 'FREQ=WEEKLY;COUNT=4',
    extraDates: [],
    excludedDates: ['2027-01-12T18:00'],
    changedDates: [],
    ruleText: 'Every Tuesday, 4 times',
  });
  assert.deepEqual(next, [
    '2027-01-05T17:00:00.000Z',
    '2027-01-19T17:00:00.000Z',
    '2027-01-26T17:00:00.000Z',
  ]);
  assert.deepEqual(
    [entry?.event.startAt, entry?.event.timezone],
    ['2027-01-05T17:00:00.000Z', 'Europe/Oslo'],
  );
  await publish(person, id);
  const [published] = await entriesOf(person, id);
  assert.deepEqual(await startsOf(person), ['2027-01-05T17:00', '2027-01-19T17:00', '2027-01-26T17:00']);
  const [made] = await seriesOf(person);
  assert.deepEqual(
    [made.title, made.rrule, made.excludedDates],
    ['Choir', 'FREQ=WEEKLY;COUNT=4', ['2027-01-12T18:00']],
  );
  assert.equal(made.next.id, published?.eventId);
  await assertCounters(api.sql);
});

test('series: the same file changes nothing; a series counts once towards the quota of the day', async () => {
  const person = await createUser(api);
  const file = [weekly(), ofDate('20270112T180000', '20270113T190000')];
  assert.deepEqual(await statesOf(person, ...file), ['new']);
  const before = await datesOf(person);
  assert.deepEqual(await statesOf(person, ...file), ['same']);
  assert.deepEqual(await datesOf(person), before);
  const [{ used }] = (await api.sql`
    select used from daily_counts where user_id = ${person.id} and kind = 'imports'`) as [{ used: number }];
  assert.equal(used, 1);
});

test('series: EXDATE matches by instant in any zone; a date removes its local day', async () => {
  const person = await createUser(api);
  await one(
    person,
    weekly({
      EXDATE: '20270105T170000Z',
      'EXDATE;TZID=America/New_York': '20270112T120000',
      'EXDATE;VALUE=DATE': '20270119',
    }),
  );
  assert.deepEqual(await startsOf(person), ['2027-01-26T17:00']);
});

test('series: overrides in any order change their date alone; cancelled ones are cancelled', async () => {
  const person = await createUser(api);
  await one(
    person,
    ofDate('20270112T180000', '20270113T190000', { SUMMARY: 'Choir in church' }),
    weekly(),
    ofDate('20270119T180000', '20270119T180000', { STATUS: 'CANCELLED' }),
  );
  const events = await datesOf(person);
  assert.deepEqual(
    events.map(({ startAt, title, status, series }) => [
      startAt.slice(0, 16),
      title,
      status,
      series.date,
      series.isChanged,
    ]),
    [
      ['2027-01-05T17:00', 'Choir', 'scheduled', '2027-01-05T18:00', false],
      ['2027-01-13T18:00', 'Choir in church', 'scheduled', '2027-01-12T18:00', true],
      ['2027-01-19T17:00', 'Choir', 'cancelled', '2027-01-19T18:00', true],
      ['2027-01-26T17:00', 'Choir', 'scheduled', '2027-01-26T18:00', false],
    ],
  );
});

test('series: an override without its series is an event, and a date of the series that comes later', async () => {
  const person = await createUser(api);
  const alone = ofDate('20270112T180000', '20270113T190000');
  await one(person, alone);
  const [event] = await datesOf(person);
  assert.equal(event.series, null);
  assert.deepEqual(await statesOf(person, weekly(), alone), ['changed']);
  const events = await datesOf(person);
  assert.deepEqual(
    events.map(({ startAt }) => startAt.slice(0, 16)),
    ['2027-01-05T17:00', '2027-01-13T18:00', '2027-01-19T17:00', '2027-01-26T17:00'],
  );
  assert.deepEqual([events[1].id, events[1].series.date], [event.id, '2027-01-12T18:00']);
  // And again without the series: it changes that date.
  assert.deepEqual(await statesOf(person, ofDate('20270119T180000', '20270120T180000')), ['changed']);
  assert.ok((await startsOf(person)).includes('2027-01-20T17:00'));
  assert.equal((await datesOf(person)).length, 4);
  await assertCounters(api.sql);
});

test('series: of overrides of one date the highest SEQUENCE, then LAST-MODIFIED, then the last', async () => {
  const person = await createUser(api);
  const change = (date: string, title: string, fields: Fields) =>
    ofDate(date, date, { SUMMARY: title, ...fields });
  await take(
    person,
    calendar(
      weekly(),
      change('20270105T180000', 'second', { SEQUENCE: '2', 'LAST-MODIFIED': '20260101T000000Z' }),
      change('20270105T180000', 'first', { SEQUENCE: '1', 'LAST-MODIFIED': '20260301T000000Z' }),
      change('20270112T180000', 'later', { 'LAST-MODIFIED': '20260301T000000Z' }),
      change('20270112T180000', 'earlier', { 'LAST-MODIFIED': '20260101T000000Z' }),
      change('20270119T180000', 'one', {}),
      change('20270119T180000', 'last', {}),
    ),
    unlisted,
  );
  assert.deepEqual(
    (await datesOf(person)).map(({ title }) => title),
    ['second', 'later', 'last', 'Choir'],
  );
});

test('series: RANGE=THISANDFUTURE is a split', async () => {
  const person = await createUser(api);
  const following = oslo('20270120T190000', {
    'RECURRENCE-ID;TZID=Europe/Oslo;RANGE=THISANDFUTURE': '20270119T180000',
    SUMMARY: 'Late choir',
  });
  const entries = await take(
    person,
    calendar(weekly({ RRULE: 'FREQ=WEEKLY;BYDAY=TU;COUNT=5' }), following),
    unlisted,
  );
  assert.equal(entries.length, 2);
  assert.deepEqual(
    (await datesOf(person)).map(({ startAt, title }) => [startAt.slice(0, 16), title]),
    [
      ['2027-01-05T17:00', 'Choir'],
      ['2027-01-12T17:00', 'Choir'],
      ['2027-01-20T18:00', 'Late choir'],
      ['2027-01-27T18:00', 'Late choir'],
      ['2027-02-03T18:00', 'Late choir'],
    ],
  );
  assert.equal((await seriesOf(person)).length, 2);
});

test('series: RANGE=THISANDFUTURE in a later file splits the series; its events keep ids and answers', async () => {
  const person = await createUser(api);
  const guest = await createUser(api);
  const master = weekly({ RRULE: 'FREQ=WEEKLY;BYDAY=TU;COUNT=5' });
  const guests = ofDate('20270126T180000', '20270126T200000', { SUMMARY: 'Guests' });
  await one(person, master, guests);
  const before = await datesOf(person);
  await rsvpGoing(api, guest, before[3].id);
  expectStatus(await api.delete(`/v1/events/${before[4].id}`, person.token), 200);
  const following = oslo('20270120T190000', {
    'RECURRENCE-ID;TZID=Europe/Oslo;RANGE=THISANDFUTURE': '20270119T180000',
    SUMMARY: 'Late choir',
  });
  await statesOf(person, master, following, guests);
  const after = await datesOf(person);
  assert.deepEqual(
    after.map(({ id, startAt, title, goingCount }) => [id, startAt.slice(5, 16), title, goingCount]),
    [
      [before[0].id, '01-05T17:00', 'Choir', 0],
      [before[1].id, '01-12T17:00', 'Choir', 0],
      [before[2].id, '01-20T18:00', 'Late choir', 0],
      [before[3].id, '01-26T19:00', 'Guests', 1],
    ],
  );
  assert.equal(new Set(after.map(({ series }) => series.id)).size, 2);
  assert.deepEqual(await statesOf(person, master, following, guests), ['same', 'same']);
  await assertCounters(api.sql);
});

test('series: RDATE, also with periods; a DTSTART outside of its rule is a date of its own', async () => {
  const person = await createUser(api);
  await one(
    person,
    oslo('20270106T180000', {
      RRULE: 'FREQ=WEEKLY;BYDAY=TU;COUNT=2',
      'RDATE;TZID=Europe/Oslo': '20270301T180000',
      'RDATE;VALUE=PERIOD': '20270302T170000Z/PT3H,20270303T170000Z/20270303T210000Z',
    }),
  );
  assert.deepEqual(
    (await datesOf(person)).map(({ startAt, endAt }) => [startAt.slice(0, 16), endAt.slice(0, 16)]),
    [
      ['2027-01-06T17:00', '2027-01-06T19:00'],
      ['2027-01-12T17:00', '2027-01-12T19:00'],
      ['2027-01-19T17:00', '2027-01-19T19:00'],
      ['2027-03-01T17:00', '2027-03-01T19:00'],
      ['2027-03-02T17:00', '2027-03-02T20:00'],
      ['2027-03-03T17:00', '2027-03-03T21:00'],
    ],
  );
});

test('series: of COUNT with UNTIL the earlier counts', async () => {
  const person = await createUser(api);
  await one(person, weekly({ RRULE: 'FREQ=WEEKLY;COUNT=2;UNTIL=20270401T000000Z' }));
  await one(person, weekly({ UID: 'other@x', RRULE: 'FREQ=WEEKLY;COUNT=9;UNTIL=20270112T230000Z' }));
  assert.deepEqual(
    (await seriesOf(person))
      .map(({ rrule, until }: { rrule: string; until: string }) => [rrule, until])
      .sort(),
    [
      ['FREQ=WEEKLY;COUNT=2', '2027-01-12T18:00'],
      ['FREQ=WEEKLY;UNTIL=20270112T230000Z', '2027-01-12T18:00'],
    ],
  );
});

test('series: of a rule that no series can have, the next 60 dates are single events, with a reason', async () => {
  const person = await createUser(api);
  const file = calendar(weekly({ RRULE: 'FREQ=DAILY;BYHOUR=9,18' }));
  const entries = await take(person, file, unlisted);
  assert.equal(entries.length, 60);
  assert.ok(entries.every(({ series, reason }) => series === null && reason?.includes('BYHOUR')));
  assert.deepEqual((await startsOf(person)).slice(0, 3), [
    '2027-01-05T17:00',
    '2027-01-06T08:00',
    '2027-01-06T17:00',
  ]);
  assert.equal((await seriesOf(person)).length, 0);
  assert.ok((await take(person, file, unlisted)).every(({ state }) => state === 'same'));
});

test('series: in UTC with X-WR-TIMEZONE repeats in that zone, and says so; without one it stays in UTC', async () => {
  const person = await createUser(api);
  const dates = { DTSTART: '20270325T170000Z', DTEND: '20270325T190000Z', RRULE: 'FREQ=WEEKLY;COUNT=2' };
  const entry = await one(person, 'X-WR-TIMEZONE:Europe/Oslo\r\n', utc(dates));
  assert.deepEqual(await startsOf(person), ['2027-03-25T17:00', '2027-04-01T16:00']);
  assert.match(entry?.reason ?? '', /UTC.*Europe\/Oslo/);
  const other = await createUser(api);
  await one(other, utc(dates));
  assert.deepEqual(await startsOf(other), ['2027-03-25T17:00', '2027-04-01T17:00']);
});

test('series: a changed master changes the series; what was changed for a date or here stays', async () => {
  const person = await createUser(api);
  await one(person, weekly());
  const [first, second] = await datesOf(person);
  expectStatus(await api.patch(`/v1/events/${second.id}`, person.token, { title: 'Ours' }), 200);
  assert.deepEqual(await statesOf(person, weekly({ SUMMARY: 'Big choir', DESCRIPTION: 'Loud' })), [
    'changed',
  ]);
  const events = await datesOf(person);
  assert.deepEqual(
    events.map(({ title, description }) => [title, description]),
    [
      ['Big choir', 'Loud'],
      ['Ours', 'Loud'],
      ['Big choir', 'Loud'],
      ['Big choir', 'Loud'],
    ],
  );
  assert.equal(events[0].id, first.id);
  // Of all dates, a person changes the title: it stays until the file has another one.
  expectStatus(
    await api.patch(`/v1/events/${first.id}?scope=all`, person.token, { description: 'Quiet' }),
    200,
  );
  assert.deepEqual(await statesOf(person, weekly({ SUMMARY: 'Large choir', DESCRIPTION: 'Loud' })), [
    'changed',
  ]);
  assert.deepEqual((await datesOf(person)).map(({ title, description }) => [title, description])[0], [
    'Large choir',
    'Quiet',
  ]);
  assert.deepEqual(await statesOf(person, weekly({ SUMMARY: 'Large choir', DESCRIPTION: 'Loud' })), ['same']);
  await assertCounters(api.sql);
});

test('series: a changed time and a changed day move the events, with everything in them', async () => {
  const person = await createUser(api);
  const guest = await createUser(api);
  await one(person, weekly());
  const before = await datesOf(person);
  await rsvpGoing(api, guest, before[1].id);
  assert.deepEqual(await statesOf(person, oslo('20270105T190000', { RRULE: 'FREQ=WEEKLY;COUNT=4' })), [
    'changed',
  ]);
  const later = await datesOf(person);
  assert.deepEqual(
    later.map(({ id }) => id),
    before.map(({ id }) => id),
  );
  assert.deepEqual(
    later.map(({ startAt }) => startAt.slice(5, 16)),
    ['01-05T18:00', '01-12T18:00', '01-19T18:00', '01-26T18:00'],
  );
  assert.deepEqual(await statesOf(person, oslo('20270106T190000', { RRULE: 'FREQ=WEEKLY;COUNT=3' })), [
    'changed',
  ]);
  const moved = await datesOf(person);
  assert.deepEqual(
    moved.map(({ id }) => id),
    before.slice(0, 3).map(({ id }) => id),
  );
  assert.deepEqual(
    moved.map(({ startAt, goingCount }) => [startAt.slice(5, 16), goingCount]),
    [
      ['01-06T18:00', 0],
      ['01-13T18:00', 1],
      ['01-20T18:00', 0],
    ],
  );
  await assertCounters(api.sql);
});

test('series: a changed override changes its date alone; without it, the date is as the others again', async () => {
  const person = await createUser(api);
  await one(person, weekly(), ofDate('20270112T180000', '20270112T190000', { SUMMARY: 'Guests' }));
  assert.deepEqual(
    await statesOf(person, weekly(), ofDate('20270112T180000', '20270112T200000', { SUMMARY: 'Guests' })),
    ['changed'],
  );
  const events = await datesOf(person);
  assert.deepEqual(
    events.map(({ startAt, title, series }) => [startAt.slice(5, 16), title, series.isChanged]),
    [
      ['01-05T17:00', 'Choir', false],
      ['01-12T19:00', 'Guests', true],
      ['01-19T17:00', 'Choir', false],
      ['01-26T17:00', 'Choir', false],
    ],
  );
  assert.deepEqual(await statesOf(person, weekly()), ['changed']);
  const [, second] = await datesOf(person);
  assert.deepEqual(
    [second.startAt.slice(5, 16), second.title, second.series.isChanged],
    ['01-12T17:00', 'Choir', false],
  );
});

test('series: METHOD:CANCEL and STATUS:CANCELLED cancel a series and a date', async () => {
  const person = await createUser(api);
  await one(person, weekly());
  await statesOf(person, 'METHOD:CANCEL\r\n', ofDate('20270112T180000', '20270112T180000'));
  const statuses = async () => (await datesOf(person)).map(({ status }) => status);
  assert.deepEqual(await statuses(), ['scheduled', 'cancelled', 'scheduled', 'scheduled']);
  assert.deepEqual(await statesOf(person, 'METHOD:CANCEL\r\n', utc({ UID: 'never@x' })), ['same']);
  await statesOf(person, 'METHOD:CANCEL\r\n', utc());
  assert.deepEqual(await statuses(), ['cancelled', 'cancelled', 'cancelled', 'cancelled']);
  const other = await createUser(api);
  await one(other, weekly());
  assert.deepEqual(await statesOf(other, weekly({ STATUS: 'CANCELLED' })), ['changed']);
  assert.deepEqual(new Set((await datesOf(other)).map(({ status }) => status)), new Set(['cancelled']));
  assert.deepEqual(await statesOf(other, weekly({ UID: 'new@x', STATUS: 'CANCELLED' })), ['same']);
  await assertCounters(api.sql);
});

test('series: what was deleted here does not return: a date, and the series', async () => {
  const person = await createUser(api);
  await one(person, weekly());
  const [, second] = await datesOf(person);
  expectStatus(await api.delete(`/v1/events/${second.id}`, person.token), 200);
  assert.deepEqual(await statesOf(person, weekly()), ['same']);
  assert.deepEqual(await statesOf(person, weekly({ SUMMARY: 'Other', RRULE: 'FREQ=WEEKLY;COUNT=5' })), [
    'changed',
  ]);
  assert.deepEqual(
    (await startsOf(person)).map((at) => at.slice(5, 10)),
    ['01-05', '01-19', '01-26', '02-02'],
  );
  const [first] = await datesOf(person);
  expectStatus(await api.delete(`/v1/events/${first.id}?scope=all`, person.token), 200);
  const { id } = await review(person, calendar(weekly()), unlisted);
  assert.deepEqual(
    (await entriesOf(person, id)).map(({ state }) => state),
    ['skipped'],
  );
  expectStatus(await patch(person, id, 1, { skip: false }), 200);
  await publish(person, id);
  assert.equal((await datesOf(person)).length, 4);
});

test('series: a person who splits a series keeps both parts; the file changes both and doubles none', async () => {
  const person = await createUser(api);
  await one(person, weekly());
  const [, , third] = await datesOf(person);
  expectStatus(await api.patch(`/v1/events/${third.id}?scope=following`, person.token, { capacity: 9 }), 200);
  assert.deepEqual(
    await statesOf(
      person,
      weekly({ SUMMARY: 'Big choir', RRULE: 'FREQ=WEEKLY;COUNT=6', EXDATE: '20270126T170000Z' }),
    ),
    ['changed'],
  );
  assert.deepEqual(
    (await datesOf(person)).map(({ startAt, title }) => [startAt.slice(5, 10), title]),
    [
      ['01-05', 'Big choir'],
      ['01-12', 'Big choir'],
      ['01-19', 'Big choir'],
    ],
  );
});

test('series: events of earlier imports become dates of the series, and keep what was changed here', async () => {
  const person = await createUser(api);
  // As an earlier version imported it: one event of the series.
  await one(person, oslo('20270105T180000'));
  const [old] = await datesOf(person);
  expectStatus(await api.patch(`/v1/events/${old.id}`, person.token, { title: 'Ours' }), 200);
  assert.deepEqual(await statesOf(person, weekly({ DESCRIPTION: 'New' })), ['changed']);
  const events = await datesOf(person);
  assert.deepEqual(
    events.map(({ startAt, title, description }) => [startAt.slice(5, 10), title, description]),
    [
      ['01-05', 'Ours', 'New'],
      ['01-12', 'Choir', 'New'],
      ['01-19', 'Choir', 'New'],
      ['01-26', 'Choir', 'New'],
    ],
  );
  assert.deepEqual(
    [events[0].id, events[0].series.date, events[0].series.isChanged],
    [old.id, '2027-01-05T18:00', true],
  );
  assert.deepEqual(await statesOf(person, weekly({ DESCRIPTION: 'New' })), ['same']);
  // A person who has made a series of the event keeps that series.
  const other = await createUser(api);
  await one(other, oslo('20270105T180000'));
  const [event] = await datesOf(other);
  expectStatus(
    await api.post(`/v1/events/${event.id}/repeat`, other.token, { rrule: 'FREQ=WEEKLY;COUNT=2' }),
    201,
  );
  await statesOf(other, weekly());
  assert.deepEqual(
    (await startsOf(other)).map((at) => at.slice(5, 10)),
    ['01-05', '01-12'],
  );
  await assertCounters(api.sql);
});

test('series: PATCH moves the dates with the event; 400 for a start that is no date of the rule', async () => {
  const person = await createUser(api);
  const { id } = await review(
    person,
    calendar(weekly({ RRULE: 'FREQ=WEEKLY;BYDAY=TU;COUNT=4', EXDATE: '20270112T170000Z' })),
    unlisted,
  );
  const at = (day: string, hour: string) => ({
    startAt: `2027-01-${day}T${hour}:00:00+01:00`,
    endAt: `2027-01-${day}T21:00:00+01:00`,
  });
  const problem = await patch(person, id, 1, at('06', '18'));
  expectProblem(problem, 400, 'invalid_request');
  assert.equal(problem.body.errors[0].path, 'startAt');
  const { series } = expectStatus(await patch(person, id, 1, { ...at('05', '19'), title: 'Mine' }), 200).body;
  assert.deepEqual(series.excludedDates, ['2027-01-12T19:00']);
  await publish(person, id);
  assert.deepEqual(
    (await datesOf(person)).map(({ startAt, title }) => [startAt.slice(5, 16), title]),
    [
      ['01-05T18:00', 'Mine'],
      ['01-19T18:00', 'Mine'],
      ['01-26T18:00', 'Mine'],
    ],
  );
});

test('series: refused when none of its dates is coming; failed above 10,000 dates', async () => {
  const person = await createUser(api);
  const over = weekly({ 'DTSTART;TZID=Europe/Oslo': '20200107T180000' });
  const { id } = await review(person, calendar(over));
  const [entry] = await entriesOf(person, id);
  assert.deepEqual(
    [entry?.state, entry?.reason],
    ['refused', '"Choir" repeats, and none of its dates is coming'],
  );
  const many = Array.from({ length: 200 }, (_, i) => weekly({ UID: `${i}@many`, RRULE: 'FREQ=DAILY' }));
  const failed = await review(person, calendar(...many));
  assert.deepEqual([failed.status, failed.problem.code], ['failed', 'payload_too_large']);
});

test('series: a series of this server is a duplicate for those who see it, and so is one with an event near its next date', async () => {
  const person = await createUser(api);
  await one(person, weekly());
  const [event] = await datesOf(person);
  const file = expectStatus(await api.get(`/v1/series/${event.series.id}/calendar.ics`), 200).body as string;
  const reader = await createUser(api);
  const { id } = await review(reader, file, unlisted);
  const [entry] = await entriesOf(reader, id);
  assert.deepEqual([entry?.state, entry?.duplicates], ['doubtful', [event.id]]);
  // Of the person's own events, the next date of another series is one.
  const other = await review(person, calendar(weekly({ UID: 'again@x' })), unlisted);
  assert.deepEqual((await entriesOf(person, other.id))[0]?.duplicates, [event.id]);
  // A person who may not see a series reads nothing of it.
  for (const { id } of await datesOf(person))
    expectStatus(await api.patch(`/v1/events/${id}`, person.token, { visibility: 'private' }), 200);
  const hidden = await review(reader, file, unlisted);
  assert.deepEqual((await entriesOf(reader, hidden.id))[0]?.duplicates, []);
});

test('series: what was changed here for a date stays, until the file has another value, which the review shows', async () => {
  const person = await createUser(api);
  const own = (title: string, start = '20270112T190000') =>
    ofDate('20270112T180000', start, { SUMMARY: title });
  await one(person, weekly(), own('Guests'));
  const [, second] = await datesOf(person);
  expectStatus(await api.patch(`/v1/events/${second.id}`, person.token, { title: 'Ours' }), 200);
  assert.deepEqual(await statesOf(person, weekly(), own('Guests', '20270112T200000')), ['changed']);
  const [, moved] = await datesOf(person);
  assert.deepEqual([moved.title, moved.startAt.slice(5, 16)], ['Ours', '01-12T19:00']);
  const { id } = await review(person, calendar(weekly(), own('Friends', '20270112T200000')), unlisted);
  const [entry] = await entriesOf(person, id);
  assert.deepEqual([entry?.state, entry?.series.changedDates[0].event.title], ['changed', 'Friends']);
  expectStatus(await patch(person, id, 1, { skip: true }), 200);
  await publish(person, id);
  assert.equal((await datesOf(person))[1].title, 'Ours');
  // What was left out does not come again.
  assert.deepEqual(await statesOf(person, weekly(), own('Friends', '20270112T200000')), ['same']);
});
