/** SQL of bookings. Statements without a result are sent with the end of their transaction. */
import type { Database } from '../../db/client.ts';
import { byPosition, type Queryable } from '../../db/query.ts';
import { empty, onNodesOf, type Statement, sql } from '../../db/sql.ts';
import { moveSummary, type SummaryMove, unnestMoves } from '../../outbox/summaries.ts';
import type { EventRow } from '../events/present.ts';
import { type BookingStatus, waitlistPosition } from '../events/waitlist.ts';
import type { BookingRow } from './present-booking.ts';

type BookingKey = { eventId: string; userId: string };

/** The state that decides about a booking of a person at an event. */
export type BookingAccess = Pick<
  EventRow,
  'organizerId' | 'visibility' | 'hidden' | 'status' | 'enabledModules' | 'capacity' | 'bookedCount'
> & {
  /** Entries in the waitlist. */
  waitingCount: number;
  /** The highest `n` of a booking. */
  lastBooking: number;
  /** The existing booking of the person. */
  booking: BookingRow | null;
};

/**
 * Reads the state for pairs of event and person, one for each key in their order. Includes events that the
 * person may not see.
 * @param options.withPosition counts the entries before the person in the waitlist; otherwise `position` is
 *   null
 * @returns undefined for keys without such an event
 */
export async function listBookingAccess(
  db: Queryable,
  keys: BookingKey[],
  { withPosition }: { withPosition: boolean },
): Promise<(BookingAccess | undefined)[]> {
  const position = withPosition ? waitlistPosition() : sql`null::int`;
  const eventIds = keys.map(({ eventId }) => eventId);
  const rows = await db.query<
    Omit<BookingAccess, 'booking' | 'status'> & BookingRow & { nth: number; eventStatus: EventRow['status'] }
  >(sql`
    select k.nth::int, e.organizer_id, e.visibility, e.hidden, e.status as event_status, e.enabled_modules, e.capacity,
      c.booked_count, c.waiting_count, c.last_booking,
      b.id, k.event_id, k.user_id, b.n, b.seats, b.status, b.position, b.created_at
    from unnest(${eventIds}::uuid[], ${keys.map(({ userId }) => userId)}::uuid[])
      with ordinality k (event_id, user_id, nth)
    join events e on e.id = k.event_id
    join event_counters c on c.event_id = e.id
    left join (select b.*, ${position} as position from bookings b) b on b.event_id = e.id and b.user_id = k.user_id
    where ${onNodesOf(sql`e.id`, eventIds)}`);
  return byPosition(rows, keys.length).map(
    (row) => row && { ...row, status: row.eventStatus, booking: row.id === null ? null : row },
  );
}

/**
 * Lists bookings and waitlist entries in the order in which they were made.
 * @param options.after the `n` at the end of the previous page; 0 for the first page
 * @returns up to `limit + 1` bookings; the last one shows that there is a next page
 */
export async function listBookings(
  db: Database,
  eventId: string,
  { status, after, limit }: { status: BookingStatus | undefined; after: number; limit: number },
): Promise<BookingRow[]> {
  return db.query<BookingRow>(sql`
    select b.id, b.event_id, b.user_id, b.n, b.seats, b.status, b.created_at,
      case b.status when 'waiting' then (
        (select count(*) from bookings w where w.event_id = ${eventId} and w.status = 'waiting' and w.n <= ${after})
        + count(*) filter (where b.status = 'waiting') over (order by b.n))::int end as position
    from (
      select * from bookings
      where event_id = ${eventId} and n > ${after} ${status ? sql`and status = ${status}` : empty}
      order by n limit ${limit + 1}
    ) b
    order by b.n`);
}

/** Inserts bookings. The transaction must hold a lock on the counters of their events. */
export function insertBookings(rows: BookingRow[]) {
  return sql`
    insert into bookings (event_id, user_id, id, n, seats, status, created_at)
    select * from unnest(${rows.map(({ eventId }) => eventId)}::uuid[], ${rows.map(({ userId }) => userId)}::uuid[],
      ${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ n }) => n)}::int[], ${rows.map(({ seats }) => seats)}::int[],
      ${rows.map(({ status }) => status)}::text[],
      ${rows.map(({ createdAt }) => createdAt.toISOString())}::timestamptz[])`;
}

/** By how much the counters of an event change: booked seats, waitlist entries, and the highest `n`. */
export type CounterMove = { eventId: string; booked: number; waiting: number; added: number };

/**
 * Adds to the counters of events, and writes what the organizers have not read. The transaction must hold a lock on the
 * counters.
 */
export function moveCounters(moves: (CounterMove & { summary: SummaryMove })[]): Statement {
  const eventIds = moves.map(({ eventId }) => eventId);
  return sql`
    update event_counters c set booked_count = c.booked_count + m.booked, waiting_count = c.waiting_count + m.waiting,
      last_booking = c.last_booking + m.added, version = c.version + 1, ${moveSummary('bookings', sql`c`, sql`m`)}
    from unnest(${eventIds}::uuid[], ${moves.map(({ booked }) => booked)}::int[],
      ${moves.map(({ waiting }) => waiting)}::int[], ${moves.map(({ added }) => added)}::int[],
      ${unnestMoves(moves.map(({ summary }) => summary))})
      m (event_id, booked, waiting, added, organizer_id, amount, notification_id, person_id, gone)
    where c.event_id = m.event_id and ${onNodesOf(sql`c.event_id`, eventIds)}`;
}

/**
 * Writes the `seats` of existing bookings. The transaction must hold a lock on the counters of their events.
 */
export function updateSeats(rows: BookingRow[]) {
  const eventIds = rows.map(({ eventId }) => eventId);
  return sql`
    update bookings b set seats = k.seats
    from unnest(${eventIds}::uuid[], ${rows.map(({ userId }) => userId)}::uuid[],
      ${rows.map(({ seats }) => seats)}::int[]) k (event_id, user_id, seats)
    where b.event_id = k.event_id and b.user_id = k.user_id and ${onNodesOf(sql`b.event_id`, eventIds)}`;
}

/** Deletes bookings. The transaction must hold a lock on the counters of their events. */
export function deleteBookings(rows: BookingKey[]) {
  const eventIds = rows.map(({ eventId }) => eventId);
  return sql`
    delete from bookings b
    using unnest(${eventIds}::uuid[], ${rows.map(({ userId }) => userId)}::uuid[]) k (event_id, user_id)
    where b.event_id = k.event_id and b.user_id = k.user_id and ${onNodesOf(sql`b.event_id`, eventIds)}`;
}

/** Reads bookings with their positions in the waitlist. Deleted bookings are left out. */
export function readBookings(keys: BookingKey[]) {
  return sql`
    select b.id, b.event_id, b.user_id, b.n, b.seats, b.status, b.position, b.created_at
    from unnest(${keys.map(({ eventId }) => eventId)}::uuid[], ${keys.map(({ userId }) => userId)}::uuid[])
      k (event_id, user_id)
    join (select b.*, ${waitlistPosition()} as position from bookings b) b
      on b.event_id = k.event_id and b.user_id = k.user_id`;
}
