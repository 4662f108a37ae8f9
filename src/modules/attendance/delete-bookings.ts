import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import { promoteWaitlist } from '../events/waitlist.ts';

/**
 * Ends all that a person has booked and waits for, in the transaction that deletes their account: what they leave goes
 * to those who wait, at once. The counters of these events must be locked, so nobody moves the person up meanwhile.
 */
export async function deleteBookingsOf(tx: Transaction, userId: string): Promise<void> {
  const left = await tx.query<{ eventId: string; waitingCount: number }>(sql`
    with gone as (
      delete from bookings where user_id = ${userId} returning event_id, seats, status
    )
    update event_counters c set
      booked_count = booked_count - case gone.status when 'booked' then gone.seats else 0 end,
      waiting_count = waiting_count - (gone.status = 'waiting')::int
    from gone where c.event_id = gone.event_id
    returning c.event_id, c.waiting_count`);
  for (const { eventId, waitingCount } of left)
    if (waitingCount > 0) await tx.execute(promoteWaitlist(eventId));
}
