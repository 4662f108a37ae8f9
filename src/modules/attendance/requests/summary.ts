/** What organizers have not read about requests: columns of the counters of the event, which are written for requests alone. */
import { type Statement, sql, updateRows } from '#pg';
import {
  insertSummaryPushes,
  nextSummary,
  type SummaryChange,
  type SummaryState,
  summaryTypes,
  writeSummary,
} from '../../../outbox/summaries.ts';

/** The columns of `event_counters` that count requests. */
export type RequestCounts = {
  unreadRequests: number;
  requestsNotificationId: string | null;
  requestsPersonId: string | null;
};

/** `RequestCounts` as columns of `event_counters c`. */
export const requestCounts = (): Statement =>
  sql`c.unread_requests, c.requests_notification_id, c.requests_person_id`;

type CountedEvent = { eventId: string; organizerId: string } & RequestCounts;
/** New requests of an event, and those that people have withdrawn. */
export type RequestMove = { event: CountedEvent; changes: SummaryChange[] };

/** The statements that write what organizers have not read. The transaction must hold the locks of the counters. */
export function moveRequestCounts(moves: RequestMove[], state: SummaryState, now: Date): Statement[] {
  const written = moves.map(({ event, changes }) => {
    const { eventId, organizerId, unreadRequests: unread } = event;
    const { requestsNotificationId: notificationId, requestsPersonId: personId } = event;
    const before = { eventId, organizerId, unread, notificationId, personId };
    return { eventId, summary: nextSummary(before, changes, state) };
  });
  if (written.length === 0) return [];
  return [...insertSummaryPushes(written, now), writeRequestCounts(written)];
}

/** As `moveRequestCounts` writes them. */
export const writeRequestCounts = (
  rows: { eventId: string; summary: ReturnType<typeof nextSummary> }[],
): Statement =>
  updateRows(
    'event_counters c',
    rows.map(({ eventId, summary }) => ({ eventId, ...summary })),
    { eventId: 'uuid' },
    summaryTypes,
    writeSummary('requests', sql`c`, sql`k`),
  );
