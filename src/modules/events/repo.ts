import { recordChange } from '../../cache/change-log.ts';
import type { Queryable } from '../../db/query.ts';
import { assignments, insertValues, sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Viewer } from '../../identity/caller.ts';
import { cellOf } from '../../lib/grid-cells.ts';
import { newId } from '../../lib/ids.ts';
import { changesCalendar, type EventFields } from './event-fields.ts';
import { listingKeysOf } from './listing-keys.ts';
import { isListed, isVisible, visibleCondition } from './policy.ts';
import type { EventRow, MyBooking, ViewerState, ViewerStateWithBooking } from './present.ts';
import { searchVector } from './search-words.ts';
import { promoteWaitlist, waitlistPosition } from './waitlist.ts';

/** Events by id, in any order; what is not there is left out. */
export async function listEventRows(db: Queryable, ids: string[]): Promise<EventRow[]> {
  return await db.query<EventRow>(sql`
    select e.id, e.organizer_id, e.title, e.description, e.cover_url, e.start_at, e.end_at, e.all_day, e.timezone,
      e.address, e.lat, e.lng, e.category, e.template, e.price::float8 as price,
      e.price > 0 or e.is_price_known as is_price_known, e.currency, e.capacity, e.visibility, e.status, e.hidden,
      e.enabled_modules, e.created_at, e.updated_at, e.sequence, c.rsvp_count, c.going_count, c.booked_count
    from events e join event_counters c on c.event_id = e.id
    where e.id = any(${ids}::uuid[])`);
}

export async function findEvent(db: Queryable, id: string): Promise<EventRow | null> {
  return (await listEventRows(db, [id]))[0] ?? null;
}

export type ViewerStateKey = { eventId: string; userId: string };

/**
 * What each of these people has to do with each of these events, in their order. Only what is there comes as rows: of
 * the events of a list most people have answered few.
 */
export async function listViewerStates(db: Queryable, keys: ViewerStateKey[]): Promise<ViewerState[]> {
  const rows = await db.query<ViewerState & { n: number }>(sql`
    select k.n::int, r.status as my_rsvp, s.user_id is not null as is_saved
    from unnest(${keys.map((key) => key.eventId)}::uuid[], ${keys.map((key) => key.userId)}::uuid[])
      with ordinality k (event_id, user_id, n)
    left join rsvps r on r.event_id = k.event_id and r.user_id = k.user_id
    left join saves s on s.event_id = k.event_id and s.user_id = k.user_id
    where r.status is not null or s.user_id is not null`);
  const found = new Map(rows.map(({ n, myRsvp, isSaved }) => [n, { myRsvp, isSaved }]));
  return keys.map((_, i) => found.get(i + 1) ?? nothing);
}

export const nothing: ViewerState = { myRsvp: null, isSaved: false };

/** The same for one event each, with the booking and, for who waits, the place in the waitlist. */
export async function listViewerStatesWithBookings(
  db: Queryable,
  keys: ViewerStateKey[],
): Promise<ViewerStateWithBooking[]> {
  const rows = await db.query<
    ViewerState & MyBooking & { n: number; status: 'booked' | 'waiting' | null }
  >(sql`
    select k.n::int, r.status as my_rsvp, s.user_id is not null as is_saved,
      b.id, b.seats, b.status, ${waitlistPosition()} as position, b.created_at
    from unnest(${keys.map((key) => key.eventId)}::uuid[], ${keys.map((key) => key.userId)}::uuid[])
      with ordinality k (event_id, user_id, n)
    left join rsvps r on r.event_id = k.event_id and r.user_id = k.user_id
    left join saves s on s.event_id = k.event_id and s.user_id = k.user_id
    left join bookings b on b.event_id = k.event_id and b.user_id = k.user_id
    where r.status is not null or s.user_id is not null or b.user_id is not null`);
  const found = new Map(
    rows.map((row) => [row.n, { myRsvp: row.myRsvp, isSaved: row.isSaved, booking: row.status && row }]),
  );
  return keys.map((_, i) => found.get(i + 1) ?? noViewerStateWithBooking);
}

export const noViewerStateWithBooking: ViewerStateWithBooking = { ...nothing, booking: null };

/**
 * What the viewer may see of an event, locked against other changes and against whatever is just being hung on it.
 */
export async function findEventForUpdate(
  tx: Transaction,
  id: string,
  viewer: Viewer,
): Promise<EventRow | null> {
  await tx.query(sql`select 1 from events where id = ${id} for update`);
  const event = await findEvent(tx, id);
  return event && isVisible(event, viewer) ? event : null;
}

/** 1 when the event adds to its organizer's `eventsCount`. */
export const countsAsPublic = (event: Pick<EventRow, 'visibility' | 'status' | 'hidden'>): number =>
  Number(isListed(event));

/** Makes the event, its counters, and counts it for its organizer, whose account the transaction must hold. */
export async function insertEvent(
  tx: Transaction,
  organizerId: string,
  fields: EventFields,
  now: Date,
): Promise<string> {
  const id = newId();
  // Whose account is held is not suspended, and will not be before this is over.
  const shown = { ...fields, hidden: false };
  await tx.query(sql`
    insert into events ${insertValues({ ...columns(fields), id, organizer_id: organizerId, created_at: now, updated_at: now })}`);
  await tx.query(
    sql`insert into event_counters (event_id, rsvp_count, going_count, last_item) values (${id}, 0, 0, 0)`,
  );
  await moveEventsCount(tx, organizerId, countsAsPublic(shown));
  await recordChange(tx, { records: [id], listingKeys: listingKeysOf([shown]) });
  return id;
}

/** `before` must be the locked row: its organizer's count moves by the difference, and who waits for seats moves up. */
export async function updateEvent(
  tx: Transaction,
  before: EventRow,
  fields: EventFields,
  now: Date,
): Promise<void> {
  const after = { ...fields, hidden: before.hidden };
  const sequence = before.sequence + Number(changesCalendar(before, fields));
  await tx.query(
    sql`update events set ${assignments({ ...columns(fields), sequence, updated_at: now })} where id = ${before.id}`,
  );
  if (fields.capacity !== before.capacity) await tx.execute(promoteWaitlist(before.id));
  await moveEventsCount(tx, before.organizerId, countsAsPublic(after) - countsAsPublic(before));
  await recordChange(tx, { records: [before.id], listingKeys: listingKeysOf([before, after]) });
}

/** Takes everything along that hangs on the event; `event` must be the locked row. */
export async function deleteEvent(tx: Transaction, event: EventRow): Promise<void> {
  await tx.query(sql`delete from events where id = ${event.id}`);
  await tx.query(
    sql`delete from imports where organizer_id = ${event.organizerId} and event_id = ${event.id}`,
  );
  await moveEventsCount(tx, event.organizerId, -countsAsPublic(event));
  await recordChange(tx, { records: [event.id], listingKeys: listingKeysOf([event]) });
}

async function moveEventsCount(tx: Transaction, organizerId: string, by: number): Promise<void> {
  if (by === 0) return;
  await tx.query(
    sql`update user_counters set events_count = events_count + ${by} where user_id = ${organizerId}`,
  );
}

function columns(fields: EventFields) {
  return {
    title: fields.title,
    description: fields.description,
    cover_url: fields.coverUrl,
    start_at: fields.startAt,
    end_at: fields.endAt,
    all_day: fields.allDay,
    timezone: fields.timezone,
    address: fields.address,
    lat: fields.lat,
    lng: fields.lng,
    cell: cellOf(fields.lat, fields.lng),
    category: fields.category,
    template: fields.template,
    price: fields.price,
    is_price_known: fields.isPriceKnown,
    currency: fields.currency,
    capacity: fields.capacity,
    visibility: fields.visibility,
    status: fields.status,
    enabled_modules: fields.enabledModules,
    search: searchVector(fields),
  };
}

export type Rsvp = 'going' | 'interested';

/** False when the event is not there for the viewer. Twice is once; what was hidden since can still be dropped. */
export async function setSaved(
  tx: Transaction,
  eventId: string,
  viewer: Viewer,
  saved: boolean,
  now: Date,
): Promise<boolean> {
  const [event] = await tx.query<{ isVisible: boolean }>(sql`
    select ${visibleCondition(viewer)} as is_visible from events e where e.id = ${eventId} for key share`);
  if (!saved) {
    const count = await tx.execute(
      sql`delete from saves where event_id = ${eventId} and user_id = ${viewer.id}`,
    );
    return count > 0 || event?.isVisible === true;
  }
  if (!event?.isVisible) return false;
  await tx.query(sql`
    insert into saves (event_id, user_id, created_at) values (${eventId}, ${viewer.id}, ${now})
    on conflict do nothing`);
  return true;
}
