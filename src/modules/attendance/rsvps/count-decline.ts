import { newId } from '#base';
import { sql, type Transaction } from '#pg';
import {
  insertSummaryPushes,
  listSummaryState,
  nextSummary,
  type Summary,
  selectSummary,
} from '../../../outbox/summaries.ts';
import { moveRsvpCounters } from './repo.ts';

/**
 * Counts a declined invitation among what the organizer has not read of RSVPs. The transaction must hold a lock on the counters of the
 * event. It names nobody: who declines has no RSVP. @param personId null for a person who is not known
 */
export async function countDecline(
  tx: Transaction,
  { eventId, personId }: { eventId: string; personId: string | null },
  now: Date,
): Promise<void> {
  // Nobody has blocked, or is, a person with a new id.
  const person = personId ?? newId();
  const [[event], state] = await Promise.all([
    tx.query<{ organizerId: string } & Summary>(sql`
      select e.organizer_id, ${selectSummary('rsvps', sql`c`)}
      from event_counters c join events e on e.id = c.event_id where c.event_id = ${eventId}`),
    listSummaryState(tx, 'rsvps', [{ eventId, userId: person }]),
  ]);
  if (!event) return;
  const next = nextSummary({ ...event, eventId }, [{ personId: person, amount: 1 }], state);
  const summary = next.personId === person ? { ...next, personId: null } : next;
  for (const statement of insertSummaryPushes([{ summary }], now)) await tx.execute(statement);
  await tx.execute(moveRsvpCounters([{ eventId, rsvps: 0, going: 0, extraGuests: 0, summary }]));
}
