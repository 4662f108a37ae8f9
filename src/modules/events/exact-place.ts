/**
 * The exact place of an event that hides its address. It is in no cache, and no row of events has it: it is read here alone,
 * for a person who may see it (decision 75).
 */
import { isOneOf, type Queryable, sql } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import type { EventFields } from './event-fields.ts';
import type { EventRow } from './present.ts';
import type { ShownPlace } from './public-place.ts';

const parts = ['address', 'lat', 'lng', 'isExact', 'onlineUrl'] as const;
/** `moves`: how often it changed. Added to the `sequence` of calendars of those who see it. */
export type ExactPlace = Pick<EventFields, (typeof parts)[number]> & { moves: number };

/** The fields as they are stored: those of the place are public. `exactPlace`: undefined for one that stays. */
export type StoredFields = EventFields & { exactPlace?: ExactPlace | null };

/** The fields with the public place, and beside them the entered one, if the event hides it. */
export function toStored(
  entered: EventFields,
  shownPlace: ShownPlace,
  before: ExactPlace | null = null,
): StoredFields {
  if (entered.addressVisibility !== 'going') return { ...entered, exactPlace: null };
  const { address, lat, lng, isExact, onlineUrl } = entered;
  const place = { address, lat, lng, isExact, onlineUrl };
  const hasMoved = before !== null && parts.some((part) => before[part] !== place[part]);
  const moves = (before?.moves ?? 0) + Number(hasMoved);
  return { ...entered, ...shownPlace(entered), onlineUrl: null, exactPlace: { ...place, moves } };
}

/** The event with its exact place. @param place null for an event that hides none */
export function withExactPlace<E extends EventRow>(event: E, place: ExactPlace | null): E {
  if (!place) return event;
  const { moves, ...shown } = place;
  return { ...event, ...shown, sequence: event.sequence + moves, isAddressHidden: false };
}

export async function findExactPlace(db: Queryable, id: string): Promise<ExactPlace | null> {
  const [row] = await db.query<{ exactPlace: ExactPlace | null }>(
    sql`select exact_place from events where id = ${id}`,
  );
  return row?.exactPlace ?? null;
}

/** The exact places of locked events, by the id of the event; of those that hide none, nothing. */
export async function listExactPlaces(tx: Queryable, events: EventRow[]): Promise<Map<string, ExactPlace>> {
  const ids = events.filter(({ isAddressHidden }) => isAddressHidden).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const rows = await tx.query<{ id: string; exactPlace: ExactPlace }>(
    sql`select id, exact_place from events where ${isOneOf(sql`id`, ids)} and exact_place is not null`,
  );
  return new Map(rows.map((row) => [row.id, row.exactPlace]));
}

/** A person who reads events. */
export type Reader = Pick<Viewer, 'id' | 'role'>;

/** The exact places of those events of which a person may read it, by the id of the event: the organizer, admins, and who goes or has seats. */
export async function listExactPlacesFor(
  db: Queryable,
  { id, role }: Reader,
  eventIds: string[],
): Promise<Map<string, ExactPlace>> {
  if (eventIds.length === 0) return new Map();
  const rows = await db.query<{ id: string; exactPlace: ExactPlace }>(sql`
    select e.id, e.exact_place from events e
    where ${isOneOf(sql`e.id`, eventIds)} and e.exact_place is not null
      and (${role === 'admin'} or e.organizer_id = ${id} or e.id in (
        select event_id from rsvps where user_id = ${id} and status = 'going'
        union all select event_id from bookings where user_id = ${id} and status = 'booked'))`);
  return new Map(rows.map((row) => [row.id, row.exactPlace]));
}

/** A row with its public place. `exactPlace`: undefined if a change leaves it. */
export type PlacedEvent = EventRow & { exactPlace?: ExactPlace | null };
