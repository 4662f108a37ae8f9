import { sql } from '../../db/sql.ts';

/**
 * Books those at the head of an event's waitlist whose seats are free by now, strictly in order: who stands behind
 * somebody whose seats do not fit waits on. To be called after whatever frees seats or takes somebody off the list.
 *
 * The transaction must hold the event's counters, or the event itself against everybody: then nothing of what is read
 * here can change before it is written. Each who waits wants a seat at least, so no more than the free ones are looked
 * at, however long the list is.
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
      select max(n) as n from (select n, sum(seats) over (order by n) as upto from head) due, free
      where free.seats is null or due.upto <= free.seats
    ), moved as (
      update bookings set status = 'booked'
      where event_id = ${eventId} and status = 'waiting' and n <= (select n from last)
      returning seats
    )
    update event_counters c set booked_count = booked_count + m.seats, waiting_count = waiting_count - m.people
    from (select sum(seats)::int as seats, count(*)::int as people from moved) m
    where c.event_id = ${eventId} and m.people > 0`;
}
