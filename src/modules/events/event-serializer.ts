/**
 * Composes the JSON of events from serialized fragments. The fields that are equal for all callers are serialized once
 * for each version of an event and cached with it. The caller's own fields and the distance are appended. Each fragment
 * comes from a serializer of its declared schema, so the schemas decide which fields a response has.
 * event-serializer.test.ts compares the composed text with the serialization of the whole response.
 *
 * A record is a string, which Node sends in one piece with the headers. A page is a buffer, because encoding its text
 * for each request costs more than copying the cached bytes.
 */
import { Type } from 'typebox';
import { ByteWriter, type Coordinates } from '#record-index';
import { contentHash, weakTag } from '../../http/conditional.ts';
import { PageMeta } from '../../http/schemas.ts';
import { serializerOf } from '../../http/serialization.ts';
import type { PersonRow } from '../people/present.ts';
import type { CachedEvent } from './event-cache.ts';
import { versionOfEvent } from './event-rules.ts';
import {
  type EventRow,
  type MyBooking,
  type RecordViewer,
  toCommonEvent,
  toHidden,
  toListedEvent,
  toMyBooking,
  toMyInvitation,
  type ViewerState,
  type ViewerStateOfRecord,
} from './present.ts';
import { CommonEvent, Event, EventPage, type EventSync, ListedEvent } from './schemas.ts';

/**
 * An element of a list of events. `json`: the open JSON object of the event in lists (`listedJson`), or what writes it;
 * `distanceKm` is null unless the list is around a place; `viewerState` is null without a token.
 */
export type ListElement = {
  json: Buffer | ((page: ByteWriter) => void);
  place: Coordinates;
  distanceKm: number | null;
  viewerState: ViewerState | null;
};

const serializeCommonEvent = serializerOf(CommonEvent);
const serializeListedEvent = serializerOf(ListedEvent);
const {
  myRsvp,
  isSaved,
  myBooking,
  myWaitlist,
  myExtraGuests,
  isRsvpHidden,
  myRequest,
  myInvitation,
  hidden,
} = Event.properties;
const serializeViewerState = serializerOf(Type.Object({ myRsvp, isSaved }));
const serializeOwnRsvp = serializerOf(Type.Object({ myExtraGuests, isRsvpHidden, myRequest }));
const serializeMyBooking = serializerOf(Type.Object({ myBooking, myWaitlist }));
const serializeMyInvitation = serializerOf(Type.Object({ myInvitation }));
const serializeHidden = serializerOf(Type.Object({ hidden }));
const serializeMeta = serializerOf(PageMeta);
const serializeSync = serializerOf(Type.Object({ sync: EventPage.properties.sync }));

/** A JSON object without its closing brace. */
const open = (json: string): string => json.slice(0, -1);
/** The fields of a JSON object, to append to those of another. */
const fieldsOf = (json: string): string => `,${json.slice(1, -1)}`;

const closeObject = Buffer.from('}');
const comma = Buffer.from(',');
const openData = Buffer.from('{"data":[');

type Fragment = { json: string; bytes: Buffer };
/** There are six different states. */
const viewerStateFragments = new Map<string, Fragment>();

function viewerStateFragment({ myRsvp, isSaved }: ViewerState): Fragment {
  return viewerStateFragments.getOrInsertComputed(`${myRsvp} ${isSaved}`, () => {
    const json = fieldsOf(serializeViewerState({ myRsvp, isSaved }));
    return { json, bytes: Buffer.from(json) };
  });
}

const bookingJson = (booking: MyBooking | null): string => fieldsOf(serializeMyBooking(toMyBooking(booking)));
const noBookingJson = bookingJson(null);

type OwnRsvp = Pick<ViewerStateOfRecord, 'myExtraGuests' | 'isRsvpHidden' | 'myRequest'>;
const ownRsvpJson = (own: OwnRsvp): string => fieldsOf(serializeOwnRsvp(own));
const plainRsvpJson = ownRsvpJson({ myExtraGuests: 0, isRsvpHidden: false, myRequest: null });

const noInvitationJson = fieldsOf(serializeMyInvitation({ myInvitation: null }));
const invitationJson = (state: ViewerStateOfRecord, publicUrl: string): string =>
  state.myInvitation ? fieldsOf(serializeMyInvitation(toMyInvitation(state, publicUrl))) : noInvitationJson;

const notHiddenJson = fieldsOf(serializeHidden({ hidden: null }));
const hiddenJson = (row: EventRow): string =>
  row.hiddenAt === null ? notHiddenJson : fieldsOf(serializeHidden({ hidden: toHidden(row) }));

/** The viewer's own fields of the record, without the booking; empty without a token. */
function ownFieldsJson(state: ViewerStateOfRecord | null): string {
  if (!state) return '';
  const { myExtraGuests, isRsvpHidden, myRequest } = state;
  const isPlain = myExtraGuests === 0 && !isRsvpHidden && !myRequest;
  return (
    viewerStateFragment(state).json +
    (isPlain ? plainRsvpJson : ownRsvpJson({ myExtraGuests, isRsvpHidden, myRequest }))
  );
}

/**
 * The `Event` record, and an ETag that changes whenever the text changes and begins with the version of the event.
 */
export function serializeEvent(
  event: CachedEvent,
  organizer: PersonRow | null,
  { viewerState, isOrganizer }: RecordViewer,
  publicUrl: string,
): { json: string; etag: string } {
  let { record } = event;
  if (!record || record.organizer !== organizer) {
    const json = open(serializeCommonEvent(toCommonEvent(event.row, organizer, publicUrl)));
    record = { organizer, json, hash: versionOfEvent(event.row) + contentHash(json) };
    event.record = record;
  }
  const booking = viewerState?.booking ? bookingJson(viewerState.booking) : noBookingJson;
  const hidden = isOrganizer ? hiddenJson(event.row) : '';
  const invitation = viewerState ? invitationJson(viewerState, publicUrl) : '';
  const own = `${booking}${ownFieldsJson(viewerState)}${invitation}${hidden}`;
  const isPlain = booking === noBookingJson && !viewerState?.myInvitation;
  const isCacheable = isPlain && event.row.hiddenAt === null;
  return {
    json: `${record.json}${own}}`,
    etag: weakTag(record.hash + hashOwnFields(own, isCacheable)),
  };
}

/** The record in a response that has further fields. */
export const withOutcome = (json: string, outcome: object): string =>
  `${open(json) + fieldsOf(JSON.stringify(outcome))}}`;

/**
 * Hashes of the own fields of callers without a booking and an invitation, of events that no admin hides: one for each viewer state, for
 * organizers and others, and one without a token.
 */
const ownFieldHashes = new Map<string, string>();

function hashOwnFields(own: string, isCacheable: boolean): string {
  const cached = isCacheable ? ownFieldHashes.get(own) : undefined;
  if (cached !== undefined) return cached;
  const hash = contentHash(own).slice(0, 12);
  if (isCacheable) ownFieldHashes.set(own, hash);
  return hash;
}

/** The open JSON object of an event in lists. */
export function listedJson(event: CachedEvent, publicUrl: string): Buffer {
  event.listed ??= Buffer.from(open(serializeListedEvent(toListedEvent(event.row, publicUrl))));
  return event.listed;
}

/** Some fields of events in lists. */
export type ShownEvent = Pick<CommonEvent, 'id' | 'title' | 'startAt' | 'timezone' | 'allDay' | 'location'>;
export function parseListed({ json }: Pick<ListElement, 'json'>): ShownEvent {
  page.length = 0;
  addJson(json);
  return JSON.parse(`${page.take()}}`);
}

/** An `EventPage`. */
export const serializePage = (
  elements: ListElement[],
  meta: { total: number; page: number; limit: number },
  sync?: EventSync,
): Buffer =>
  composePage(elements, `"meta":${serializeMeta(meta)}${sync ? fieldsOf(serializeSync({ sync })) : ''}`);

/** A page of a list with a cursor. `extraJson` of an element: its further required fields, as a JSON object. */
export const serializeCursorPage = (
  elements: (ListElement & { extraJson?: string })[],
  nextCursor: string | null,
): Buffer => composePage(elements, `"nextCursor":${JSON.stringify(nextCursor)}`);

/** The page that is being composed. */
const page = new ByteWriter();

/** In km, to 10 metres, the precision of an address. */
export const roundDistance = (km: number): number => Math.round(km * 100) / 100;

/** Required fields come before optional ones, as in the output of fast-json-stringify. */
function composePage(elements: (ListElement & { extraJson?: string })[], lastField: string): Buffer {
  page.length = 0;
  page.add(openData);
  for (const [i, { json, distanceKm, viewerState, extraJson }] of elements.entries()) {
    if (i > 0) page.add(comma);
    addJson(json);
    if (extraJson) page.addText(fieldsOf(extraJson));
    if (viewerState) page.add(viewerStateFragment(viewerState).bytes);
    if (distanceKm !== null) page.addText(`,"distanceKm":${roundDistance(distanceKm)}`);
    page.add(closeObject);
  }
  page.addText(`],${lastField}}`);
  return page.take();
}

function addJson(json: ListElement['json']): void {
  if (typeof json === 'function') json(page);
  else page.add(json);
}
