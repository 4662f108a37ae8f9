/** The waitlist of an event: positions, and moving up. */
import { sql } from '../../db/sql.ts';

export type BookingStatus = 'booked' | 'waiting';

/** The position of `bookings b` in the waitlist, from 1, counted by an index; null if the status is `booked`. */
export const waitlistPosition = () => sql`
  case b.status when 'waiting' then (
    select count(*)::int from bookings w
    where w.event_id = b.event_id and w.status = 'waiting' and w.n <= b.n) end`;

/**
 * Books the first entries of an event's waitlist whose seats are free, strictly in order: an entry whose seats do not
 * fit blocks the entries behind it. Must run after every statement that frees seats, raises the capacity or deletes a
 * waitlist entry.
 *
 * The transaction must hold a lock on the event's counters, or an exclusive lock on the event, so the state cannot change
 * between read and write. Each entry has at least one seat, so the statement reads at most as many entries as there are
 * free seats, however long the waitlist is.
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
      returning seats
    )
    update event_counters c set booked_count = booked_count + m.seats, waiting_count = waiting_count - m.people
    from (select sum(seats)::int as seats, count(*)::int as people from moved) m
    where c.event_id = ${eventId} and m.people > 0`;
}
