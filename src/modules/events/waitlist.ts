/** The waitlist of an event: positions and promotion. */
import { newId } from '#base';
import { amongKeys, sql, update } from '#pg';
import { insertSelectedCauses } from '../../outbox/causes.ts';

export type BookingStatus = 'booked' | 'waiting';

/**
 * SQL expression: the position of `bookings b` in the waitlist, from 1; null for booked seats. Reads as many index
 * entries as there are bookings ahead.
 * @param keys the events of the bookings
 */
export const waitlistPosition = (keys: { eventId: string }[]) => sql`
  case b.status when 'waiting' then (
    select count(*)::int from bookings w
    where w.event_id = b.event_id${amongKeys('w.event_id', () => keys.map(({ eventId }) => eventId))} and w.status = 'waiting' and w.n <= b.n) end`;

/**
 * The statement that books waiting people whose seats are free, strictly in order: a booking that does not fit stops
 * the promotion of all bookings behind it. It also stores the causes of their notifications. Run it after each statement
 * that frees seats or removes a waiting booking.
 *
 * The transaction must hold a lock on the event's counters, or an exclusive lock on the event, so that the rows read
 * here do not change before they are written. Each waiting booking has at least one seat, so the statement reads at
 * most as many of them as there are free seats.
 */
export function promoteWaitlist(eventId: string) {
  return sql`
    with free as materialized (
      select case e.capacity when 0 then null else greatest(e.capacity - c.booked_count, 0) end as seats
      from events e join event_counters c on c.event_id = e.id
      where e.id = ${eventId}
    ), head as materialized (
      select seats, n from bookings
      where event_id = ${eventId} and status = 'waiting'
      order by n
      limit (select seats from free)
    ), last as materialized (
      select max(n) as n from (select n, sum(seats) over (order by n) as seats_so_far from head) due, free
      where free.seats is null or due.seats_so_far <= free.seats
    ), moved as (
      update bookings set status = 'booked'
      where event_id = ${eventId} and status = 'waiting' and n <= (select n from last)
      returning user_id, seats
    ), causes as (
      ${insertSelectedCauses(sql`
        select ${newId()}::uuid, m.user_id, 'bookingConfirmed', e.id, e.organizer_id, 1
        from moved m join events e on e.id = ${eventId}`)}
    )
    ${update('event_counters c', sql`booked_count = booked_count + m.seats, waiting_count = waiting_count - m.people`)}
    from (select sum(seats)::int as seats, count(*)::int as people from moved) m
    where c.event_id = ${eventId} and m.people > 0`;
}
