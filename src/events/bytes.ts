/**
 * Events as the bytes of their JSON. Most of it is the same for everybody and is made once for each version of an
 * event; what differs (the caller's own fields, the distance) is appended.
 */
import fastJson, { type Schema } from 'fast-json-stringify';
import type { KeptEvent } from '../reads.ts';
import type { PersonRow } from '../users/views.ts';
import type { Listed } from './lists.ts';
import { Category, CommonEvent, ListedEvent, Template } from './schemas.ts';
import {
  type FullMine,
  type Mine,
  type MyBooking,
  rounded,
  toEvent,
  toListedEvent,
  toMyBooking,
} from './views.ts';

const shared = { schema: { Category, Template } as Record<string, Schema> };
// The schemas decide here as everywhere what may leave.
const eventJson = fastJson(CommonEvent as Schema, shared);
const listedJson = fastJson(ListedEvent as Schema, shared);

/** An object without the brace that closes it. */
const open = (json: string): Buffer => Buffer.from(json.slice(0, -1));
const close = Buffer.from('}');
const comma = Buffer.from(',');
const opening = Buffer.from('{"data":[');

/** The same few again and again. */
const mineBytes = new Map<string, Buffer>();

function ofMine({ myRsvp, isSaved }: Mine): Buffer {
  const json = `,"myRsvp":${JSON.stringify(myRsvp)},"isSaved":${isSaved}`;
  const known = mineBytes.get(json) ?? Buffer.from(json);
  mineBytes.set(json, known);
  return known;
}

const ofBooking = (booking: MyBooking | null): Buffer =>
  booking ? Buffer.from(`,${JSON.stringify(toMyBooking(booking)).slice(1, -1)}`) : notBooked;
const notBooked = Buffer.from(`,${JSON.stringify(toMyBooking(null)).slice(1, -1)}`);

/** The full record, as `Event` says. @param mine null without a viewer */
export function eventBytes(
  event: KeptEvent,
  organizer: PersonRow | null,
  mine: FullMine | null,
  publicUrl: string,
): Buffer {
  if (event.full?.organizer !== organizer) {
    event.full = { organizer, json: open(eventJson(toEvent(event.row, organizer, publicUrl))) };
  }
  const own = mine ? [ofMine(mine)] : [];
  return Buffer.concat([event.full?.json ?? close, ...own, ofBooking(mine?.booking ?? null), close]);
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
  event.listed ??= open(listedJson(toListedEvent(event.row, publicUrl)));
  if (parts.length > 1) parts.push(comma);
  parts.push(event.listed);
  if (mine) parts.push(ofMine(mine));
  if (distanceKm !== null) parts.push(Buffer.from(`,"distanceKm":${rounded(distanceKm)}`));
  if (more) parts.push(Buffer.from(more));
  parts.push(close);
}
