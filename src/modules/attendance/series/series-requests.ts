/** Requests to join all dates of a series. The organizer is notified of each at the next date. */
import { sql, type Transaction } from '#pg';
import { listSummaryState, takeBack } from '../../../outbox/summaries.ts';
import { deleteRequests, type NewRequest, type RequestRow, upsertSeriesRequest } from '../requests/repo.ts';
import { moveRequestCounts, writeRequestCounts } from '../requests/summary.ts';
import { lockRsvpEvents } from '../rsvps/repo.ts';

/** Makes a request, or changes the one that the person has. A pending request counts once, however often the person changes it. */
export async function writeSeriesRequest(
  tx: Transaction,
  request: NewRequest,
  before: RequestRow | null,
  now: Date,
): Promise<void> {
  const { subjectId, userId } = request;
  const countedEventId =
    before?.status === 'pending' ? before.countedEventId : await countRequest(tx, subjectId, userId, now);
  await tx.execute(upsertSeriesRequest({ ...request, countedEventId }, now));
}

/** @returns the date at which the request counts; null without a coming date */
async function countRequest(
  tx: Transaction,
  seriesId: string,
  personId: string,
  now: Date,
): Promise<string | null> {
  const [next] = await tx.query<{ id: string }>(sql`
    select id from events where series_id = ${seriesId} and status = 'scheduled' and end_at > ${now}
    order by start_at, id limit 1`);
  const event = next && (await lockRsvpEvents(tx, [next.id], true)).get(next.id);
  if (!event) return null;
  const state = await listSummaryState(tx, 'requests', [{ eventId: event.eventId, userId: personId }]);
  const moves = moveRequestCounts([{ event, changes: [{ personId, amount: 1 }] }], state, now);
  for (const move of moves) await tx.execute(move);
  return event.eventId;
}

/**
 * Deletes a request, and takes it out of what the organizer has not read.
 * @param dates the dates whose counters the transaction locks, or has locked: with the one at which the request counts, in one pass
 */
export async function endSeriesRequest(
  tx: Transaction,
  { subjectId, userId, countedEventId: counted }: RequestRow,
  dates: { lock: string[] } | { locked: string[] },
): Promise<void> {
  const isLocked = 'lock' in dates || (counted !== null && dates.locked.includes(counted));
  if ('lock' in dates)
    await lockRsvpEvents(tx, [...new Set([...dates.lock, ...(counted ? [counted] : [])])], true);
  await tx.execute(deleteRequests([{ subjectId, userId }]));
  if (counted && isLocked) await takeBack(tx, 'requests', userId, [{ eventId: counted }], writeRequestCounts);
}
