/** Deletes the bookings of a deleted account. */
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import { inChunks } from '../../lib/chunks.ts';
import { takeBack } from '../../outbox/summaries.ts';
import { promoteWaitlist } from '../events/waitlist.ts';
import { type CounterMove, moveCounters } from './booking-repo.ts';

/**
 * Deletes all bookings and waitlist entries of a person, in the transaction that deletes the account. The
 * freed seats go to the waitlists in the same transaction. The transaction must hold a lock on the counters
 * of these events, so no other transaction books the person from a waitlist in the meantime.
 */
export async function deleteBookingsOf(tx: Transaction, userId: string): Promise<void> {
  const moves = await tx.query<CounterMove>(sql`
    delete from bookings where user_id = ${userId} returning event_id,
      case status when 'booked' then -seats else 0 end as booked, -(status = 'waiting')::int as waiting, 0 as added`);
  await takeBack(tx, 'bookings', userId, moves, moveCounters);
  for (const some of inChunks(moves)) {
    const waiting = await tx.query<{ eventId: string }>(sql`
      select event_id from event_counters
      where event_id = any(${some.map(({ eventId }) => eventId)}::uuid[]) and waiting_count > 0`);
    for (const { eventId } of waiting) await tx.execute(promoteWaitlist(eventId));
  }
}
