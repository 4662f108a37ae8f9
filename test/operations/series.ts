/** Series of events. */
import { eventBody } from '../support/factories.ts';
import { expectStatus } from '../support/setup.ts';
import { audience, audienceList, hello, sendAt, words } from './announcements.ts';
import { cursorPage, yesOrNo } from './fields.ts';
import { invitee } from './invitations.ts';
import { newItem } from './items.ts';
import {
  asking,
  type Operation,
  of,
  optional,
  ownersOnly,
  privateRead,
  privateRow,
  type RowContext,
  required,
  text,
} from './operation.ts';
import { flag, integer, listOf, object, oneOf, prose, type Rule } from './rules.ts';

const fullMinute = { startAt: '2040-05-01T18:00:00Z', endAt: '2040-05-01T20:00:00Z' };

/** Which rules and dates a series takes depends on its event, and is tested in test/series/. */
const openIf = (isShaped: (value: unknown) => boolean, good: unknown[], bad: unknown[]): Rule => ({
  judge: (value) => (isShaped(value) ? 'open' : 'shape'),
  good,
  bad,
});
const isText = (value: unknown) => typeof value === 'string' && value.length >= 1 && [...value].length <= 500;
const rrule = openIf(isText, ['FREQ=DAILY;COUNT=2', 'FREQ=WEEKLY', 'x'], ['', null, 0, 'x'.repeat(501), []]);
const isDate = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\d(T\d\d:\d\d)?$/.test(value);
const dates = openIf(
  (value) => Array.isArray(value) && value.length <= 500 && value.every(isDate),
  [[], ['2040-05-02T18:00', '2040-05-01']],
  [null, 'x', ['x'], [null], {}, Array(501).fill('2040-05-01')],
);
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const event = openIf(isObject, [eventBody({ ...fullMinute })], [null, 'x', []]);
const items = listOf(object(newItem), 0, 30);
const repetition = of({ rrule }, { extraDates: dates, excludedDates: dates });

const weekly = { rrule: 'FREQ=WEEKLY;COUNT=2' };

/** The rows of the matrix make more series than a person may have. Other rows lock series at the same time. */
const makeRoom = ({ api, organizer }: RowContext) => api.sql`
  update series set status = 'ended', due_at = null where id in (
    select id from series where organizer_id = ${organizer.id} and status = 'active' order by id for update skip locked)`;

const madeBy =
  (tail: string, fields: Record<string, unknown> = {}) =>
  async (context: RowContext): Promise<string> => {
    const { api, organizer } = context;
    await makeRoom(context);
    const body = { event: eventBody({ ...fullMinute, ...fields }), ...weekly };
    const made = await api.post('/v1/series', organizer.token, body);
    return `/v1/series/${expectStatus(made, 201).body.id}${tail}`;
  };
/** The request of the organizer, who has none. */
const ownRequest =
  (fields: Record<string, unknown> = {}) =>
  async (context: RowContext): Promise<string> =>
    `${await madeBy('/requests', fields)(context)}/${context.organizer.id}`;
const rowsOf = (tail: string) => ({
  '': { path: madeBy(tail) },
  private: { ...privateRead, path: madeBy(tail, { visibility: 'private' }) },
});
const ownRowsOf = (tail: string, status = 200) => ({
  '': { statuses: ownersOnly(status), path: madeBy(tail) },
  private: privateRow(status, { path: madeBy(tail, { visibility: 'private' }) }),
});
const repeatable =
  (visibility: string) =>
  async (context: RowContext): Promise<string> => {
    const { api, organizer } = context;
    await makeRoom(context);
    const made = await api.post('/v1/events', organizer.token, eventBody({ ...fullMinute, visibility }));
    return `/v1/events/${expectStatus(made, 201).body.id}/repeat`;
  };

/** Which occurrences a change concerns. */
export const scope = text(oneOf('this', 'following', 'all'));

export const seriesOperations: Record<string, Operation> = {
  'POST /v1/series': {
    ...required(201),
    ...of({ event, rrule }, { extraDates: dates, excludedDates: dates, items }),
    example: () => ({ event: eventBody(fullMinute), ...weekly }),
  },
  'GET /v1/series/{id}': { ...optional(), rows: rowsOf('') },
  'GET /v1/series/{id}/events': {
    ...optional(),
    ...asking({ when: text(oneOf('upcoming', 'past')), ...cursorPage }),
    rows: rowsOf('/events'),
  },
  'GET /v1/series/{id}/calendar.ics': { ...optional(), rows: rowsOf('/calendar.ics') },
  'PATCH /v1/series/{id}': {
    ...required(),
    ...asking({ dryRun: yesOrNo }),
    ...of({}, { rrule, extraDates: dates, excludedDates: dates }),
    example: () => ({ rrule: 'FREQ=DAILY;COUNT=3' }),
    rows: ownRowsOf(''),
  },
  'POST /v1/series/{id}/rsvp': {
    ...required(),
    ...of(
      { status: oneOf('going', 'interested', null) },
      { extraGuests: integer(0, 10), isHidden: flag, ask: flag, message: prose(300) },
    ),
    example: () => ({ status: 'going' }),
    rows: {
      '': { path: madeBy('/rsvp') },
      private: privateRow(200, { path: madeBy('/rsvp', { visibility: 'private' }) }),
    },
  },
  'GET /v1/series/{id}/guests': {
    ...optional(),
    ...asking(cursorPage),
    rows: {
      '': { statuses: [403, 401, 403, 403, 200, 403, 200, 401], path: madeBy('/guests') },
      'for everyone': { path: madeBy('/guests', { guestListVisibility: 'everyone' }) },
      private: { ...privateRead, path: madeBy('/guests', { visibility: 'private' }) },
    },
  },
  'POST /v1/series/{id}/announcements': {
    ...required(201),
    ...of({ text: words }, { audience, sendAt }),
    example: hello,
    rows: ownRowsOf('/announcements', 201),
  },
  'GET /v1/series/{id}/announcements': {
    ...optional(),
    ...asking(cursorPage),
    rows: rowsOf('/announcements'),
  },
  'GET /v1/series/{id}/announcements/recipients': {
    ...required(),
    ...asking({ audience: text(audienceList) }),
    rows: ownRowsOf('/announcements/recipients'),
  },
  'GET /v1/series/{id}/requests': {
    ...required(),
    ...asking({ status: text(oneOf('pending', 'refused')), ...cursorPage }),
    rows: ownRowsOf('/requests'),
  },
  'PUT /v1/series/{id}/requests/{userId}': {
    ...required(),
    ...of({ status: oneOf('approved', 'refused') }),
    example: () => ({ status: 'approved' }),
    rows: {
      'without one': { statuses: [401, 401, 403, 403, 404, 403, 404, 401], path: ownRequest() },
      private: { ...privateRow(404), path: ownRequest({ visibility: 'private' }) },
    },
  },
  'POST /v1/series/{id}/invitations': {
    ...required(201),
    ...of({ people: listOf(invitee, 1, 100) }, { message: prose(500) }),
    example: () => ({ people: [{ name: 'Mara' }], message: 'Bring a friend!' }),
    rows: ownRowsOf('/invitations', 201),
  },
  'GET /v1/series/{id}/invitations': {
    ...required(),
    ...asking({ status: text(oneOf('pending', 'going', 'interested', 'declined')), ...cursorPage }),
    rows: ownRowsOf('/invitations'),
  },
  'POST /v1/series/{id}/invitations/remind': {
    ...required(202),
    rows: ownRowsOf('/invitations/remind', 202),
  },
  'GET /v1/me/series': { ...required(), ...asking(cursorPage) },
  'PUT /v1/series/{id}/items': {
    ...required(),
    ...of({ items }),
    example: () => ({ items: [{ title: 'Plates', kind: 'bring', quantityNeeded: 2 }] }),
    rows: ownRowsOf('/items'),
  },
  'POST /v1/events/{id}/repeat': {
    ...required(201),
    ...repetition,
    example: () => weekly,
    rows: {
      '': { statuses: ownersOnly(201), path: repeatable('public') },
      private: privateRow(201, { path: repeatable('private') }),
    },
  },
};
