/** SQL of bookings. Statements without a result are sent with the end of their transaction. */
import {
  byPosition,
  type Database,
  deleteRows,
  empty,
  insertRows,
  type Queryable,
  rowsOf,
  type Statement,
  sql,
  updateRows,
} from '#pg';
import { type NewSummary, summaryTypes, writeSummary } from '../../../outbox/summaries.ts';
import { type Standing, standingColumns } from '../../events/policy.ts';
import type { EventRow } from '../../events/present.ts';
import type { Rsvp } from '../../events/repo.ts';
import { type BookingStatus, waitlistPosition } from '../../events/waitlist.ts';
import type { BookingRow } from './schemas.ts';

type BookingKey = { eventId: string; userId: string };
const bookingKey = { eventId: 'uuid', userId: 'uuid' } as const;

/** The state that decides about a booking of a person at an event. */
export type BookingAccess = Pick<
  EventRow,
  | 'organizerId'
  | 'visibility'
  | 'hidden'
  | 'status'
  | 'enabledModules'
  | 'capacity'
  | 'bookedCount'
  | 'rsvpUntil'
  | 'rsvpApproval'
> & {
  /** Entries in the waitlist. */
  waitingCount: number;
  /** The highest `n` of a booking. */
  lastBooking: number;
  /** The existing booking of the person. */
  booking: BookingRow | null;
  /** The RSVP of the person, read only where the organizer approves guests. */
  rsvp: Rsvp | null;
  standing: Standing;
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
  const position = withPosition ? waitlistPosition(keys) : sql`null::int`;
  const events = keys.map(({ eventId, userId }) => ({ id: eventId, userId }));
  const rows = await db.query<
    Omit<BookingAccess, 'booking' | 'status' | 'standing'> &
      Standing &
      BookingRow & { nth: number; eventStatus: EventRow['status'] }
  >(sql`
    select k.nth::int, e.organizer_id, e.visibility, e.hidden, e.status as event_status, e.enabled_modules, e.capacity,
      e.rsvp_until, e.rsvp_approval, r.status as rsvp,
      c.booked_count, c.waiting_count, c.last_booking,
      b.id, e.id as event_id, k.user_id, b.n, b.seats, b.status, b.position, b.created_at, ${standingColumns()}
    from ${rowsOf('events e', events, { id: 'uuid' }, { userId: 'uuid' })}
    join event_counters c on c.event_id = e.id
    left join (select b.*, ${position} as position from bookings b) b on b.event_id = e.id and b.user_id = k.user_id
    left join rsvps r on e.rsvp_approval = 'organizer' and r.event_id = e.id and r.user_id = k.user_id
    left join event_people p on p.event_id = e.id and p.user_id = k.user_id`);
  return byPosition(rows, keys.length).map(
    (row) => row && { ...row, status: row.eventStatus, booking: row.id === null ? null : row, standing: row },
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
export const insertBookings = (rows: BookingRow[]): Statement =>
  insertRows('bookings', rows, {
    ...bookingKey,
    id: 'uuid',
    n: 'int',
    seats: 'int',
    status: 'text',
    createdAt: 'timestamptz',
  });

/** By how much the counters of an event change: booked seats, waitlist entries, and the highest `n`. */
export type CounterMove = { eventId: string; booked: number; waiting: number; added: number };

/**
 * Adds to the counters of events, and writes what the organizers have not read. The transaction must hold a lock on the
 * counters.
 */
export const moveCounters = (moves: (CounterMove & { summary: NewSummary })[]): Statement =>
  updateRows(
    'event_counters c',
    moves.map(({ summary, ...move }) => ({ ...move, ...summary })),
    { eventId: 'uuid' },
    { booked: 'int', waiting: 'int', added: 'int', ...summaryTypes },
    sql`booked_count = c.booked_count + k.booked, waiting_count = c.waiting_count + k.waiting,
      last_booking = c.last_booking + k.added, ${writeSummary('bookings', sql`c`, sql`k`)}`,
  );

/**
 * Writes the `seats` of existing bookings. The transaction must hold a lock on the counters of their events.
 */
export const updateSeats = (rows: BookingRow[]): Statement =>
  updateRows('bookings b', rows, bookingKey, { seats: 'int' }, sql`seats = k.seats`);

/** Deletes bookings. The transaction must hold a lock on the counters of their events. */
export const deleteBookings = (rows: BookingKey[]): Statement => deleteRows('bookings b', rows, bookingKey);

/** Reads bookings with their positions in the waitlist. Deleted bookings are left out. */
export function readBookings(keys: BookingKey[]): Statement {
  const rows = sql`select b.*, ${waitlistPosition(keys)} as position from bookings b`;
  return sql`
    select b.id, b.event_id, b.user_id, b.n, b.seats, b.status, b.position, b.created_at
    from ${rowsOf({ rows, as: 'b' }, keys, bookingKey)}`;
}
