/** What organizers have not read, after what a person did is taken back. */
import { sql } from '../db/sql.ts';
import type { Transaction } from '../db/transaction.ts';
import type { SummaryKind } from './kinds.ts';
import { listSummaryState, type SummaryMove, summaryMove } from './summaries.ts';

/**
 * The moves of summaries that take back what a person did at events.
 * @returns moves by event id
 */
export async function summariesWithout(
  tx: Transaction,
  kind: SummaryKind,
  personId: string,
  eventIds: string[],
): Promise<Map<string, SummaryMove>> {
  const [state, events] = await Promise.all([
    listSummaryState(
      tx,
      kind,
      eventIds.map((eventId) => ({ eventId, personId })),
    ),
    tx.query<{ eventId: string; organizerId: string }>(sql`
      select id as event_id, organizer_id from events where id = any(${eventIds}::uuid[])`),
  ]);
  return new Map(
    events.map((event) => [event.eventId, summaryMove(event, [{ personId, amount: -1 }], state)]),
  );
}
