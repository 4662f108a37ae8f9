/** Deletes the bookings of a deleted account. */
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import { takeBack } from '../../outbox/summaries.ts';
import { promoteWaitlist } from '../events/waitlist.ts';

/**
 * Deletes all bookings and waitlist entries of a person, in the transaction that deletes the account. The
 * freed seats go to the waitlists in the same transaction. The transaction must hold a lock on the counters
 * of these events, so no other transaction books the person from a waitlist in the meantime.
 */
export async function deleteBookingsOf(tx: Transaction, userId: string): Promise<void> {
  const freed = await tx.query<{ eventId: string; waitingCount: number }>(sql`
    with deleted as (
      delete from bookings where user_id = ${userId} returning event_id, seats, status
    )
    update event_counters c set
      booked_count = booked_count - case d.status when 'booked' then d.seats else 0 end,
      waiting_count = waiting_count - (d.status = 'waiting')::int,
      version = c.version + 1,
      ${takeBack('bookings', sql`c`, sql`e.organizer_id`, userId)}
    from deleted d join events e on e.id = d.event_id where c.event_id = d.event_id
    returning c.event_id, c.waiting_count`);
  for (const { eventId, waitingCount } of freed)
    if (waitingCount > 0) await tx.execute(promoteWaitlist(eventId));
}
