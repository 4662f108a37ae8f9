import type { Database } from '../../db/client.ts';
import { skipLockedUnless } from '../../db/locks.ts';
import type { Queryable } from '../../db/query.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { EventRow } from '../events/present.ts';
import { waitlistPosition } from '../events/waitlist.ts';
import type { BookingRow, BookingStatus } from './present-booking.ts';

export type BookingKey = { eventId: string; userId: string };

/** What decides over a booking. */
export type BookingAccess = Pick<
  EventRow,
  'organizerId' | 'visibility' | 'hidden' | 'status' | 'enabledModules' | 'capacity' | 'bookedCount'
> & {
  waitingCount: number;
  lastBooking: number;
  /** The person's own. */
  booking: BookingRow | null;
};

/**
 * Share-locks events, so that hiding, cancelling, deleting them and changing their capacity is before or after what the
 * transaction does, and locks their counters: the one queue of all who book, change, cancel or leave. What is read of
 * bookings and counters in a later statement stays so until the transaction ends.
 * @returns the ids of the events that are held; one that is not is gone or, unless `isAlone`, taken by another
 */
export async function lockQueues(
  tx: Transaction,
  eventIds: string[],
  mayWaitForLocks: boolean,
): Promise<Set<string>> {
  // Row by row: an event that is passed over leaves its counters alone as well.
  const rows = await tx.query<{ id: string }>(sql`
    select e.id from events e join event_counters c on c.event_id = e.id
    where e.id = any(${eventIds}::uuid[])
    order by e.id
    for key share of e ${skipLockedUnless(mayWaitForLocks)}
    for no key update of c`);
  return new Set(rows.map(({ id }) => id));
}

/**
 * One for each key, in their order; null where there is no such event. Hidden ones are here too.
 * @param position a place in a long waitlist has to be counted: `left out` is null for everybody
 */
export async function listBookingAccess(
  db: Queryable,
  keys: BookingKey[],
  position: 'counted' | 'left out',
): Promise<(BookingAccess | null)[]> {
  const place = position === 'counted' ? waitlistPosition() : sql`null::int`;
  const rows = await db.query<
    Omit<BookingAccess, 'booking' | 'status'> & BookingRow & { nth: number; eventStatus: EventRow['status'] }
  >(sql`
    select k.nth::int, e.organizer_id, e.visibility, e.hidden, e.status as event_status, e.enabled_modules, e.capacity,
      c.booked_count, c.waiting_count, c.last_booking,
      b.id, k.event_id, k.user_id, b.n, b.seats, b.status, ${place} as position, b.created_at
    from unnest(${keys.map(({ eventId }) => eventId)}::uuid[], ${keys.map(({ userId }) => userId)}::uuid[])
      with ordinality k (event_id, user_id, nth)
    join events e on e.id = k.event_id
    join event_counters c on c.event_id = k.event_id
    left join bookings b on b.event_id = k.event_id and b.user_id = k.user_id`);
  const found = new Map(
    rows.map((row) => [row.nth, { ...row, status: row.eventStatus, booking: row.id === null ? null : row }]),
  );
  return keys.map((_, i) => found.get(i + 1) ?? null);
}

/** A page in the order in which people came, after the n of the page before; one more than `limit` tells of a next. */
export async function listBookings(
  db: Database,
  eventId: string,
  { status, after, limit }: { status: BookingStatus | undefined; after: number; limit: number },
): Promise<BookingRow[]> {
  return await db.query<BookingRow>(sql`
    select b.id, b.event_id, b.user_id, b.n, b.seats, b.status, b.created_at,
      case b.status when 'waiting' then (
        (select count(*) from bookings w where w.event_id = ${eventId} and w.status = 'waiting' and w.n <= ${after})
        + count(*) filter (where b.status = 'waiting') over (order by b.n))::int end as position
    from (
      select * from bookings
      where event_id = ${eventId} and n > ${after} ${status ? sql`and status = ${status}` : sql``}
      order by n limit ${limit + 1}
    ) b
    order by b.n`);
}

/** The counters must be locked. */
export function insertBookings(rows: BookingRow[]) {
  return sql`
    insert into bookings (event_id, user_id, id, n, seats, status, created_at)
    select * from unnest(${rows.map(({ eventId }) => eventId)}::uuid[], ${rows.map(({ userId }) => userId)}::uuid[],
      ${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ n }) => n)}::int[], ${rows.map(({ seats }) => seats)}::int[],
      ${rows.map(({ status }) => status)}::text[],
      ${rows.map(({ createdAt }) => createdAt.toISOString())}::timestamptz[])`;
}

/** By how much the counters of events move. */
export type Move = { eventId: string; booked: number; waiting: number; added: number };

/** The counters must be locked. */
export function moveCounters(moves: Move[]) {
  return sql`
    update event_counters c set booked_count = booked_count + m.booked, waiting_count = waiting_count + m.waiting,
      last_booking = last_booking + m.added
    from unnest(${moves.map(({ eventId }) => eventId)}::uuid[], ${moves.map(({ booked }) => booked)}::int[],
      ${moves.map(({ waiting }) => waiting)}::int[], ${moves.map(({ added }) => added)}::int[])
      m (event_id, booked, waiting, added)
    where c.event_id = m.event_id`;
}

/** Sets the seats of bookings to theirs. The counters must be locked. */
export function updateSeats(rows: BookingRow[]) {
  return sql`
    update bookings b set seats = k.seats
    from unnest(${rows.map(({ eventId }) => eventId)}::uuid[], ${rows.map(({ userId }) => userId)}::uuid[],
      ${rows.map(({ seats }) => seats)}::int[]) k (event_id, user_id, seats)
    where b.event_id = k.event_id and b.user_id = k.user_id`;
}

/** The counters must be locked. */
export function deleteBookings(rows: BookingKey[]) {
  return sql`
    delete from bookings b
    using unnest(${rows.map(({ eventId }) => eventId)}::uuid[], ${rows.map(({ userId }) => userId)}::uuid[])
      k (event_id, user_id)
    where b.event_id = k.event_id and b.user_id = k.user_id`;
}

/** As they are by then. */
export function readBookings(keys: BookingKey[]) {
  return sql`
    select b.id, b.event_id, b.user_id, b.n, b.seats, b.status, ${waitlistPosition()} as position, b.created_at
    from unnest(${keys.map(({ eventId }) => eventId)}::uuid[], ${keys.map(({ userId }) => userId)}::uuid[])
      k (event_id, user_id)
    join bookings b on b.event_id = k.event_id and b.user_id = k.user_id`;
}
