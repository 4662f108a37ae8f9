import { sql, type Transaction, update } from '#pg';
import { lockEventCounters } from './lock-event-counters.ts';

/** `from`: a guest without an account, whose row the transaction has locked. `to`: a person whose account it has locked. */
export type MovedPerson = { eventId: string; from: string; to: string };

/**
 * Makes the RSVP, the request and the booking of a guest those of another person, where that person has none. The counters of the event stay
 * the same: its lock keeps others from changing them meanwhile, and both people from answering.
 */
export async function moveAttendance(tx: Transaction, { eventId, from, to }: MovedPerson): Promise<void> {
  // As the deletion of the guest does.
  await tx.query(sql`select 1 from events where id = ${eventId} for no key update`);
  await lockEventCounters(tx, [eventId], sql`1 as locked`, true);
  const requests = await tx.execute(sql`
    update requests q set user_id = ${to} where q.subject_id = ${eventId} and q.user_id = ${from}
      and not exists (select 1 from requests o where o.subject_id = ${eventId} and o.user_id = ${to})
      and not exists (select 1 from rsvps o where o.event_id = ${eventId} and o.user_id = ${to})`);
  await tx.query(sql`
    update rsvps r set user_id = ${to} where r.event_id = ${eventId} and r.user_id = ${from}
      and not exists (select 1 from rsvps o where o.event_id = ${eventId} and o.user_id = ${to})`);
  await tx.query(sql`
    update bookings b set user_id = ${to} where b.event_id = ${eventId} and b.user_id = ${from}
      and not exists (select 1 from bookings o where o.event_id = ${eventId} and o.user_id = ${to})`);
  await tx.query(sql`
    ${update(
      'event_counters',
      sql`rsvps_person_id = case rsvps_person_id when ${from}::uuid then ${to}::uuid else rsvps_person_id end,
        requests_person_id = case requests_person_id when ${from}::uuid then ${requests > 0 ? to : from}::uuid else requests_person_id end,
        bookings_person_id = case bookings_person_id when ${from}::uuid then ${to}::uuid else bookings_person_id end`,
    )}
    where event_id = ${eventId}`);
}
