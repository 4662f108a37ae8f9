/** Events, their lists and calendars. */
import { randomUUID } from 'node:crypto';
import { createUser, eventBody } from '../support/factories.ts';
import { optionalFields } from './event-fields.ts';
import { box, collapse, cursorPage, eventFilters, limit, page, yesOrNo } from './fields.ts';
import {
  asking,
  needed,
  numeric,
  type Operation,
  of,
  open,
  optional,
  privateRead,
  required,
  row,
  rowsOfOwners,
  rowsOfReaders,
  text,
} from './operation.ts';
import {
  coordinates,
  flag,
  idList,
  integer,
  line,
  number,
  object,
  oneOf,
  opaque,
  prose,
  timestamp,
  timestampOrDay,
} from './rules.ts';
import { scope } from './series.ts';

/** The map has a box that is required. */
const inBox = { bbox: text(box) };
export const categories = oneOf(
  'music',
  'food',
  'sports',
  'outdoors',
  'arts',
  'film',
  'games',
  'family',
  'learning',
  'tech',
  'community',
  'party',
  'wellbeing',
  'other',
);
const location = object({
  required: { address: line(1, 300), lat: number(-90, 90), lng: number(-180, 180) },
  optional: { isExact: flag },
});
export const requiredOfEvents = {
  title: line(1, 140),
  startAt: timestamp,
  endAt: timestamp,
  location,
  category: categories,
};
export const optionalOfEvents = Object.fromEntries(
  Object.entries(optionalFields).map(([name, { rule }]) => [name, rule]),
);

export const eventOperations: Record<string, Operation> = {
  'GET /v1/categories': open(),
  'GET /v1/features': open(),
  'GET /v1/templates': open(),
  'GET /v1/places': {
    ...open(),
    ...asking({ q: needed(prose(300)), near: text(coordinates(2)), street: yesOrNo, limit }),
    ...row({ path: () => '/v1/places?q=oslo' }),
  },

  'GET /v1/events': {
    ...optional(),
    ...asking({
      collapse,
      ...eventFilters,
      ...inBox,
      order: text(oneOf('start', 'relevance', 'updated')),
      updatedSince: text(timestampOrDay),
      ...page,
      ...cursorPage,
    }),
  },
  'GET /v1/events/search': {
    ...optional(),
    ...asking({ q: needed(prose(200)), collapse, ...page }),
    ...row({ path: () => '/v1/events/search?q=harbour' }),
  },
  'GET /v1/events/suggest': {
    ...optional(),
    ...asking({ q: needed(prose(100)) }),
    ...row({ path: () => '/v1/events/suggest?q=harbor' }),
  },
  'GET /v1/events/map': {
    ...optional(),
    ...asking({
      bbox: needed(box),
      zoom: { ...numeric(integer(0, 22)), isRequired: true },
      collapse,
      ...eventFilters,
    }),
    ...row({ path: () => '/v1/events/map?bbox=-180,-90,180,90&zoom=0' }),
  },

  'GET /v1/events/highlights': {
    ...optional(),
    ...asking({ ids: needed(idList(50)) }),
    ...row({ path: ({ event }) => `/v1/events/highlights?ids=${event}` }),
  },

  'POST /v1/events': {
    ...required(201),
    ...of(requiredOfEvents, optionalOfEvents),
    example: () => eventBody(),
  },
  'GET /v1/events/{id}': {
    ...optional(),
    rows: { '': {}, unlisted: { event: { visibility: 'unlisted' } }, private: privateRead },
  },
  'PATCH /v1/events/{id}': {
    ...required(),
    ...asking({ scope }),
    ...of(
      {},
      {
        ...requiredOfEvents,
        ...optionalOfEvents,
        status: oneOf('scheduled', 'cancelled'),
        message: prose(1_000, { min: 1 }),
        inviteGuests: flag,
      },
    ),
    // A message needs a change of which the guests are notified.
    example: () => ({
      title: 'Moved indoors',
      location: { address: `Hall ${randomUUID()}`, lat: 59.9, lng: 10.7 },
    }),
    ...rowsOfOwners(200),
  },
  'POST /v1/events/{id}/duplicate': {
    ...required(201),
    ...of({ startAt: timestamp }, { endAt: timestamp }),
    example: () => ({ startAt: '2040-05-01T18:00:00Z' }),
    ...rowsOfOwners(201),
  },
  'DELETE /v1/events/{id}': { ...required(), ...asking({ scope }), ...rowsOfOwners(200) },
  'GET /v1/events/{id}/cover.svg': { ...open(), ...asking({ category: text(opaque), theme: text(opaque) }) },
  'GET /v1/events/{id}/live': {
    ...optional(),
    ...asking({ once: yesOrNo, lastEventId: text(opaque) }),
    ...rowsOfReaders,
  },

  'GET /v1/events.ics': { ...optional(), ...asking({ ...eventFilters, ...inBox }) },
  'GET /v1/events/{id}/calendar.ics': { ...optional(), ...rowsOfReaders },
  'POST /v1/me/calendar': required(201),
  'GET /v1/me/calendar': required(),
  'DELETE /v1/me/calendar': required(),
  'GET /v1/calendars/{secret}.ics': {
    ...open(),
    rows: {
      '': {
        // A person of its own: other rows revoke the calendar of a shared person.
        path: async ({ api }) => {
          const { body } = await api.post('/v1/me/calendar', (await createUser(api)).token);
          return new URL(body.url).pathname;
        },
      },
      unknown: { statuses: Array(8).fill(404), path: () => `/v1/calendars/pc_${'A'.repeat(54)}.ics` },
    },
  },
};
