/** Locks what the removal of a guest concerns: the event, or of a series all its coming dates. */
import { sql, type Transaction } from '#pg';
import type { Caller } from '../../../identity/caller.ts';
import { findRequests, type RequestRow } from '../../attendance/requests/repo.ts';
import type { EventRow } from '../../events/present.ts';
import { requireOwnEvent } from '../../events/require-own-event.ts';
import { listComingIds, lockOccurrences, lockSeriesOf } from '../../events/series/occurrences.ts';
import { findSeriesStanding, writeSeriesStanding } from '../../events/series/series-people.ts';
import { deleteSeriesRsvp } from '../../events/series/series-rsvps.ts';

/** `this`: the event. `all`: also the coming dates of its series. */
export const removalScopes = ['this', 'all'] as const;

/** The event, and the coming dates of its series. */
export const listDates = async (
  tx: Transaction,
  { id, seriesId }: Pick<EventRow, 'id' | 'seriesId'>,
  now: Date,
): Promise<string[]> => {
  const coming = seriesId === null ? [] : await listComingIds(tx, seriesId, now);
  return [...new Set([id, ...coming])].sort();
};

/** `hadAny`: whether the person had an RSVP to the series, or something else there. `request`: the one to the series. */
type LockedDates = {
  events: EventRow[];
  hadAny: boolean;
  request: RequestRow | null;
  seriesId: string | null;
};

/**
 * Of a series, removes the person from it. Its lock excludes the job, which would make a date with an RSVP of the person.
 * @throws Problem `event_not_found`, `not_organizer`; `invalid_request` for an event without a series
 */
export async function lockDates(
  tx: Transaction,
  { eventId, userId }: { eventId: string; userId: string },
  scope: (typeof removalScopes)[number],
  organizer: Caller,
  now: Date,
): Promise<LockedDates> {
  if (scope === 'this')
    return {
      events: [await requireOwnEvent(tx, eventId, organizer)],
      hadAny: false,
      request: null,
      seriesId: null,
    };
  const { series } = await lockSeriesOf(tx, eventId, organizer);
  const key = { seriesId: series.id, userId };
  const before = await findSeriesStanding(tx, series.id, userId);
  const [request = null] = await findRequests(tx, series.id, [userId]);
  const hadRsvp = await deleteSeriesRsvp(tx, series.id, userId);
  await writeSeriesStanding(tx, key, { isInvited: false, isApproved: false, isRemoved: true });
  const events = await lockOccurrences(tx, series.id, sql`(e.end_at > ${now} or e.id = ${eventId})`);
  const hadAny = hadRsvp || request !== null || before.isInvited || before.isRemoved;
  return { events, hadAny, request, seriesId: series.id };
}
