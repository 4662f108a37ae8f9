/** Account deletion: RSVPs, saves and bookings. */
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { DeletionHook } from '../../http/define-module.ts';
import { takeBack } from '../../outbox/summaries.ts';
import { deleteBookingsOf } from './delete-bookings.ts';

export const attendanceDeletionHooks: DeletionHook[] = [
  {
    // Relies on the events that the hook of `events` locked.
    firstTable: 'rsvps',
    run: async (tx, { userId }) => {
      await deleteRsvps(tx, userId);
      await tx.query(sql`delete from saves where user_id = ${userId}`);
      await deleteBookingsOf(tx, userId);
      return {};
    },
  },
];

/**
 * Deletes the person's RSVPs and corrects the counters of their events. Locks the counters of the person's
 * bookings in the same sorted pass: locking them later could deadlock with a transaction that locks both in
 * order.
 */
async function deleteRsvps(tx: Transaction, userId: string): Promise<void> {
  const gone = await tx.query<{ eventId: string; going: number; extraGuests: number }>(sql`
    delete from rsvps where user_id = ${userId} returning event_id, (status = 'going')::int as going,
      (status = 'going')::int * coalesce(extra_guests, 0) as extra_guests`);
  const ids = gone.map((row) => row.eventId);
  await tx.query(sql`
    select 1 from event_counters
    where event_id = any(${ids}::uuid[]) or event_id in (select event_id from bookings where user_id = ${userId})
    order by event_id for update`);
  await tx.query(sql`
    update event_counters c set rsvp_count = rsvp_count - 1, going_count = going_count - gone.going,
      extra_guests_count = extra_guests_count - gone.extra_guests, version = c.version + 1,
      ${takeBack('rsvps', sql`c`, sql`e.organizer_id`, userId)}
    from unnest(${ids}::uuid[], ${gone.map((row) => row.going)}::int[],
      ${gone.map((row) => row.extraGuests)}::int[]) gone (event_id, going, extra_guests)
    join events e on e.id = gone.event_id
    where c.event_id = gone.event_id`);
}
