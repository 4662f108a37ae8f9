/**
 * Events as JSON. Most of it is the same for everybody and is made once for each version of an event; what differs (the
 * caller's own fields, the distance) is appended. A record is a text, which Node sends together with the headers in one
 * piece; a page is bytes, of which there are too many to encode anew each time.
 */
import fastJson, { type Schema } from 'fast-json-stringify';
import { contentHash, weakTag } from '../../http/conditional.ts';
import type { Listed } from '../discovery/event-lists.ts';
import type { PersonRow } from '../users/present.ts';
import type { CachedEvent } from './event-cache.ts';
import {
  type MyBooking,
  rounded,
  toEvent,
  toListedEvent,
  toMyBooking,
  type ViewerState,
  type ViewerStateWithBooking,
} from './present.ts';
import { Category, CommonEvent, ListedEvent, Template } from './schemas.ts';

const shared = { schema: { Category, Template } as Record<string, Schema> };
// The schemas decide here as everywhere what may leave.
const commonJson = fastJson(CommonEvent as Schema, shared);
const listedJson = fastJson(ListedEvent as Schema, shared);

/** An object without the brace that closes it. */
const open = (json: string): string => json.slice(0, -1);
const close = Buffer.from('}');
const comma = Buffer.from(',');
const opening = Buffer.from('{"data":[');

/** The same few again and again. */
const mineBytes = new Map<string, Buffer>();

const mineJson = ({ myRsvp, isSaved }: ViewerState): string =>
  `,"myRsvp":${JSON.stringify(myRsvp)},"isSaved":${isSaved}`;

function ofMine(mine: ViewerState): Buffer {
  const json = mineJson(mine);
  const known = mineBytes.get(json) ?? Buffer.from(json);
  mineBytes.set(json, known);
  return known;
}

const bookingJson = (booking: MyBooking | null): string =>
  `,${JSON.stringify(toMyBooking(booking)).slice(1, -1)}`;
const notBooked = bookingJson(null);

/** The full record, as `Event` says. @param mine null without a viewer */
export const eventJson = (
  event: CachedEvent,
  organizer: PersonRow | null,
  mine: ViewerStateWithBooking | null,
  publicUrl: string,
): string => eventRecord(event, organizer, mine, publicUrl).json;

/** The full record and its ETag, which changes whenever the record of this viewer does. */
export function eventRecord(
  event: CachedEvent,
  organizer: PersonRow | null,
  mine: ViewerStateWithBooking | null,
  publicUrl: string,
): { json: string; etag: string } {
  let { full } = event;
  if (!full || full.organizer !== organizer) {
    const json = open(commonJson(toEvent(event.row, organizer, publicUrl)));
    full = { organizer, json, hash: contentHash(json) };
    event.full = full;
  }
  const booking = mine?.booking ? bookingJson(mine.booking) : notBooked;
  const own = `${mine ? mineJson(mine) : ''}${booking}`;
  // Both parts that the record consists of. The first is hashed once for each version of the event.
  return { json: `${full.json}${own}}`, etag: weakTag(full.hash + ownHash(own, booking === notBooked)) };
}

/** The same few for everybody who has not booked. */
const ownHashes = new Map<string, string>();

function ownHash(own: string, isCommon: boolean): string {
  const known = isCommon ? ownHashes.get(own) : undefined;
  if (known !== undefined) return known;
  const made = contentHash(own).slice(0, 12);
  if (isCommon) ownHashes.set(own, made);
  return made;
}

/** A page of a list, as `EventPage` says. */
export function pageBytes(
  listed: Listed[],
  meta: { total: number; page: number; limit: number },
  publicUrl: string,
): Buffer {
  const parts: Buffer[] = [opening];
  for (const element of listed) addElement(parts, element, publicUrl);
  parts.push(Buffer.from(`],"meta":${JSON.stringify(meta)}}`));
  return Buffer.concat(parts);
}

/** A page of a list that goes on by a cursor. @param more JSON of an element's own further fields, from `,"` on */
export function cursorPageBytes(
  listed: (Listed & { more?: string })[],
  nextCursor: string | null,
  publicUrl: string,
): Buffer {
  const parts: Buffer[] = [opening];
  for (const element of listed) addElement(parts, element, publicUrl);
  parts.push(Buffer.from(`],"nextCursor":${JSON.stringify(nextCursor)}}`));
  return Buffer.concat(parts);
}

function addElement(
  parts: Buffer[],
  { event, distanceKm, mine, more }: Listed & { more?: string },
  publicUrl: string,
): void {
  event.listed ??= Buffer.from(open(listedJson(toListedEvent(event.row, publicUrl))));
  if (parts.length > 1) parts.push(comma);
  parts.push(event.listed);
  if (mine) parts.push(ofMine(mine));
  if (distanceKm !== null) parts.push(Buffer.from(`,"distanceKm":${rounded(distanceKm)}`));
  if (more) parts.push(Buffer.from(more));
  parts.push(close);
}
