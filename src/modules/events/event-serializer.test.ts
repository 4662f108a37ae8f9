import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import fastJson, { type Schema } from 'fast-json-stringify';
import { anyText } from '../../../test/support/any-text.ts';
import { namedSchemas, nameOf } from '../../http/schemas.ts';
import { type CachedEvent, toCachedEvent } from './event-cache.ts';
import { fieldRows } from './event-fields.ts';
import {
  type ListElement,
  listedJson,
  roundDistance,
  serializeCursorPage,
  serializeEvent,
  serializePage,
} from './event-serializer.ts';
import {
  type EventRow,
  toEvent,
  toListedEvent,
  type ViewerState,
  type ViewerStateOfRecord,
} from './present.ts';
import { Event, EventPage, type ListedEvent } from './schemas.ts';
import { ByStartPage } from './start-pages.ts';

const publicUrl = 'https://events.example.org';
const refs = {
  schema: Object.fromEntries(namedSchemas().map((schema) => [nameOf(schema), schema])) as Record<
    string,
    Schema
  >,
};
const serializers = {
  record: fastJson(Event as Schema, refs),
  page: fastJson(EventPage as Schema, refs),
  cursorPage: fastJson(ByStartPage as Schema, refs),
};

const instant = fc.date({ noInvalidDate: true, min: new Date(-2e12), max: new Date(2e14) });
const text = anyText({ maxLength: 60 });
const count = fc.nat(1_000_000);

/** The values of a schema without limits. */
const valuesOfType: Record<string, fc.Arbitrary<unknown>> = {
  string: text,
  boolean: fc.boolean(),
  integer: count,
  number: fc.double({ noNaN: true, min: -1_000_000, max: 1_000_000 }),
  array: fc.array(text, { maxLength: 3 }),
};
const valuesOf = ({ type = '', enum: choices }: { type?: string; enum?: string[] }) =>
  choices ? fc.constantFrom(...choices) : (valuesOfType[type] ?? fc.constant(null));

const eventRow = fc.record({
  ...Object.fromEntries(fieldRows.map(([name, { stored }]) => [name, valuesOf(stored)])),
  id: fc.uuid(),
  organizerId: fc.uuid(),
  coverUrl: fc.option(fc.webUrl()),
  coverTheme: fc.option(fc.constantFrom('moon', 'tiles')),
  startAt: instant,
  endAt: instant,
  category: fc.constantFrom('food', 'music', 'no longer there'),
  template: fc.constantFrom('potluck', 'picnic', 'no longer there'),
  hidden: fc.boolean(),
  hiddenReason: fc.option(text),
  hiddenAt: fc.option(instant),
  createdAt: instant,
  updatedAt: instant,
  sequence: count,
  rsvpCount: count,
  goingCount: count,
  partyCount: count,
  bookedCount: count,
  version: count,
  seriesId: fc.option(fc.uuid()),
  seriesDate: fc.constant('2026-12-01T18:00'),
  ownFields: fc.subarray(['title', 'startAt']),
  isAddressHidden: fc.boolean(),
  hidesOnlineUrl: fc.boolean(),
}) as fc.Arbitrary<EventRow>;
const ownFields = {
  myRsvp: fc.constantFrom('going', 'interested', null),
  isSaved: fc.boolean(),
} satisfies Record<keyof ViewerState, unknown>;
const viewerState: fc.Arbitrary<ViewerState> = fc.record(ownFields);
const viewerStateWithBooking: fc.Arbitrary<ViewerStateOfRecord> = fc.record({
  ...ownFields,
  myExtraGuests: fc.nat(10),
  isRsvpHidden: fc.boolean(),
  myRequest: fc.constantFrom('pending', 'refused', null),
  booking: fc.option(
    fc.record({
      id: fc.uuid(),
      seats: count,
      position: fc.option(fc.integer({ min: 1, max: 1_000 })),
      createdAt: instant,
    }),
  ),
  myInvitation: fc.option(
    fc.record({
      id: fc.uuid(),
      status: fc.constantFrom('pending', 'declined', null),
      reply: fc.option(text),
      message: fc.option(text),
      invitedBy: fc.constant({
        id: 'x',
        name: 'Ana',
        username: 'ana',
        bio: '',
        avatarUpload: null,
        hasAccount: true,
      }),
    }),
  ),
});
const recordViewer = fc.record({
  viewerState: fc.option(viewerStateWithBooking),
  isOrganizer: fc.boolean(),
});
const organizer = fc.record({
  id: fc.uuid(),
  name: text,
  username: text,
  bio: text,
  hasAccount: fc.boolean(),
  avatarUpload: fc.option(fc.uuid()),
});
type Source = { event: CachedEvent } & Pick<ListElement, 'distanceKm' | 'viewerState'>;
const source: fc.Arbitrary<Source> = fc.record({
  event: eventRow.map(toCachedEvent),
  distanceKm: fc.option(fc.double({ noNaN: true, min: 0, max: 20_040 })),
  viewerState: fc.option(viewerState),
});

const toElement = ({ event, ...own }: Source): ListElement => ({
  ...own,
  json: listedJson(event, publicUrl),
  place: event.row,
});
const plainElement = ({ event, distanceKm, viewerState }: Source): ListedEvent => ({
  ...toListedEvent(event.row, publicUrl),
  ...viewerState,
  ...(distanceKm !== null && { distanceKm: roundDistance(distanceKm) }),
});

test('a composed record equals the serialization by the response schema, also when its fragments are cached', () => {
  fc.assert(
    fc.property(
      eventRow,
      fc.array(fc.tuple(fc.option(organizer), recordViewer), { minLength: 1 }),
      (row, requests) => {
        const event = toCachedEvent(row);
        for (const [person, viewer] of requests) {
          const { json } = serializeEvent(event, person, viewer, publicUrl);
          assert.equal(json, serializers.record(toEvent(row, person, viewer, publicUrl)));
        }
      },
    ),
  );
});

test('the ETags of two records are equal if and only if their texts are', () => {
  fc.assert(
    fc.property(
      eventRow,
      organizer,
      recordViewer,
      recordViewer,
      fc.boolean(),
      (row, person, state, otherState, isChanged) => {
        const other = isChanged ? { ...row, goingCount: row.goingCount + 1 } : row;
        const first = serializeEvent(toCachedEvent(row), person, state, publicUrl);
        const second = serializeEvent(toCachedEvent(other), person, otherState, publicUrl);
        assert.equal(first.etag === second.etag, first.json === second.json);
      },
    ),
  );
});

test('composed pages equal the serialization by the response schema, also when their fragments are cached', () => {
  const meta = fc.record({ total: count, page: count, limit: count });
  fc.assert(
    fc.property(
      fc.array(source, { maxLength: 4 }),
      meta,
      fc.option(text),
      instant,
      (sources, meta, nextCursor, at) => {
        const data = sources.map(plainElement);
        for (let request = 0; request < 2; request++) {
          const elements = sources.map(toElement);
          assert.equal(`${serializePage(elements, meta)}`, serializers.page({ data, meta }));
          const tombstones = sources.map(({ event }) => ({
            id: event.row.id,
            reason: 'hidden' as const,
            at,
          }));
          const sync = { tombstones, nextCursor, syncedAt: nextCursor === null ? at : null };
          assert.equal(`${serializePage(elements, meta, sync)}`, serializers.page({ data, meta, sync }));
          assert.equal(
            `${serializeCursorPage(elements, nextCursor)}`,
            serializers.cursorPage({ data, nextCursor }),
          );
        }
      },
    ),
  );
});
