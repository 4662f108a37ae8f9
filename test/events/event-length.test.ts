/** The length of events: at most 366 days, except for events that last longer already. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { expectFieldError } from '../operations/openapi-operations.ts';
import {
  calendar,
  calendarEntry,
  createImporter,
  errorsOf,
  importCounts,
} from '../support/calendar-files.ts';
import { createEvent, createUser, eventBody } from '../support/factories.ts';
import { type ApiResponse, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const { importFile, importForNewUser } = createImporter(api);
const organizer = await createUser(api);

const create = (fields: object) => api.post('/v1/events', organizer.token, eventBody({ ...fields }));
const change = (id: string, fields: object) => api.patch(`/v1/events/${id}`, organizer.token, fields);
const duplicate = (id: string, fields: object) =>
  api.post(`/v1/events/${id}/duplicate`, organizer.token, fields);

function expectTooLong(response: ApiResponse): void {
  expectFieldError(response, 'endAt', 'an event of more than 366 days');
  assert.equal(response.body.errors[0].message, 'must be at most 366 days after startAt');
}

const startAt = '2031-01-01T12:00:00Z';
/** 366 days after `startAt`. */
const endAt = '2032-01-02T12:00:00Z';
const second = '2032-01-02T12:00:01Z';

/** 366 days that have an hour more: summer time ends on the last Sunday of October, in 2023 on the 29th. */
const wholeDays = {
  startAt: '2023-10-28T00:00:00+02:00',
  endAt: '2024-10-28T00:00:00+01:00',
  timezone: 'Europe/Oslo',
  allDay: true,
};
/** A day more. */
const dayMore = { ...wholeDays, endAt: '2024-10-29T00:00:00+01:00' };

/** Stores an event of three years: one that lasts longer than the rule allows. */
async function createLongEvent(fields: object = {}): Promise<string> {
  const event = await createEvent(api, organizer, { startAt, endAt, ...fields });
  const end = new Date(Date.parse(event.startAt) + 1_096 * 86_400_000);
  await api.sql`update events set end_at = ${end} where id = ${event.id}`;
  return event.id;
}

test('create: 201 for exactly 366 days, 400 naming endAt for more', async () => {
  expectStatus(await create({ startAt, endAt }), 201);
  expectTooLong(await create({ startAt, endAt: second }));
  expectTooLong(await create({ startAt: '1900-01-01T00:00:00Z', endAt: '9999-12-31T23:59:59Z' }));
});

test('create: an all-day event has at most 366 calendar days, also if these have an hour more', async () => {
  expectStatus(await create(wholeDays), 201);
  expectTooLong(await create(dayMore));
  expectTooLong(await create({ ...wholeDays, allDay: false }));
});

test('change: 400 naming endAt when startAt, endAt or allDay alone makes the event too long', async () => {
  const { id } = await createEvent(api, organizer, { startAt, endAt });
  expectTooLong(await change(id, { endAt: second }));
  expectTooLong(await change(id, { startAt: '2031-01-01T11:59:59Z' }));
  expectStatus(await change(id, { startAt: '2031-01-02T12:00:00Z' }), 200);
  expectStatus(await change(id, { endAt: '2032-01-03T12:00:00Z' }), 200);
  const days = await createEvent(api, organizer, wholeDays);
  expectTooLong(await change(days.id, { endAt: dayMore.endAt }));
  expectStatus(await change(days.id, { timezone: 'Asia/Tokyo' }), 200);
  expectStatus(await change(days.id, { allDay: false }), 200);
});

test('change: an event that lasts longer already can be changed, moved and shortened, and not lengthened', async () => {
  const id = await createLongEvent();
  expectStatus(await change(id, { title: 'Still here', timezone: 'Asia/Tokyo', status: 'cancelled' }), 200);
  expectTooLong(await change(id, { endAt: '2034-01-02T12:00:00Z' }));
  expectTooLong(await change(id, { startAt: '2030-12-31T12:00:00Z' }));
  expectStatus(await change(id, { startAt: '2031-01-02T12:00:00Z', endAt: '2034-01-02T12:00:00Z' }), 200);
  expectStatus(await change(id, { endAt: '2033-06-01T00:00:00Z' }), 200);
  expectTooLong(await change(id, { endAt: '2033-06-01T00:00:01Z' }));
  const days = await createLongEvent({
    startAt: '2031-01-01T00:00:00Z',
    endAt: '2031-01-02T00:00:00Z',
    timezone: 'UTC',
    allDay: true,
  });
  // The clock changes between the dates, so the days are an hour shorter or longer in the new zone.
  for (const timezone of ['Europe/Oslo', 'America/Sao_Paulo', 'Australia/Lord_Howe'])
    expectStatus(await change(days, { timezone }), 200);
});

test('duplicate: 400 naming endAt for an event of more than 366 days, 201 with a closer endAt', async () => {
  const id = await createLongEvent();
  expectTooLong(await duplicate(id, { startAt }));
  expectStatus(await duplicate(id, { startAt, endAt }), 201);
  const { id: dayId } = await createEvent(api, organizer, wholeDays);
  expectStatus(await duplicate(dayId, { startAt: '2027-03-01T00:00:00+01:00' }), 201);
});

test('import: an entry of more than 366 days ends after 366, and the report says so', async () => {
  const file = calendar(
    calendarEntry({ SUMMARY: 'A', DTSTART: '20310101T120000Z', DTEND: '20320102T120000Z' }),
    calendarEntry({ SUMMARY: 'B', DTSTART: '20310101T120000Z', DTEND: '20320102T120001Z' }),
    calendarEntry({ SUMMARY: 'C', DTSTART: '20310101T120000Z', DTEND: undefined, DURATION: 'P53W' }),
    calendarEntry({
      SUMMARY: 'D',
      DTSTART: undefined,
      DTEND: undefined,
      'DTSTART;VALUE=DATE': '20231028',
      'DTEND;VALUE=DATE': '20241028',
    }),
    calendarEntry({
      SUMMARY: 'E',
      DTSTART: undefined,
      DTEND: undefined,
      'DTSTART;VALUE=DATE': '20231028',
      'DTEND;VALUE=DATE': '20241029',
    }),
  );
  const { report, events, phone } = await importForNewUser(file);
  assert.deepEqual(
    events.map(({ title }) => title),
    ['A', 'B', 'C', 'D', 'E'],
  );
  assert.deepEqual(errorsOf(report), []);
  const reason = 'lasts more than 366 days; its end is after so many';
  assert.deepEqual(
    report.warnings.map((warning) => [warning.title, warning.reason]),
    ['B', 'C', 'E'].map((title) => [title, reason]),
  );
  assert.deepEqual(importCounts(await importFile(file, phone)), [0, 0, 5, 0]);
});
