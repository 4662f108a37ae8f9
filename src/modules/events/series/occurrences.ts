/** Locks a series with the occurrences that a change or a deletion concerns. */
import { isOneOf, lockEach, type Queryable, type Statement, sql, type Transaction } from '#pg';
import type { Caller } from '../../../identity/caller.ts';
import { invalid, Problem } from '../../../lib/errors.ts';
import type { ExactPlace } from '../exact-place.ts';
import type { EventRow } from '../present.ts';
import { listEventRows } from '../repo.ts';
import { findOwnEvent } from '../require-own-event.ts';
import { lockSeries, type Series } from './repo.ts';
import { type LocalTime, readDate } from './schedule.ts';

/** An event that is an occurrence. */
export type OccurrenceRow = EventRow & { seriesId: string; seriesDate: string };

/** `before`: the locked row, with its public place; `entered`: with the place that was entered. */
export type Occurrence = {
  before: OccurrenceRow & { exactPlace: ExactPlace | null };
  entered: OccurrenceRow;
};

/** The date that the series gives an occurrence. Its own times may differ. */
export function dateOf({ seriesDate, allDay }: OccurrenceRow): LocalTime {
  // An occurrence that alone is all-day keeps the date of its series.
  const date = readDate(seriesDate, true) ?? readDate(seriesDate, false);
  if (!date) throw new Error(`an occurrence has the date ${seriesDate}, allDay is ${allDay}`);
  return date;
}

export const isOccurrence = (event: EventRow): event is OccurrenceRow =>
  event.seriesId !== null && event.seriesDate !== null;

/** The ids of the occurrences of a series that have not ended, the first one first. */
export async function listComingIds(db: Queryable, seriesId: string, now: Date): Promise<string[]> {
  const coming = await db.query<{ id: string }>(sql`
    select id from events where series_id = ${seriesId} and end_at > ${now} order by start_at, id`);
  return coming.map(({ id }) => id);
}

/** The occurrences of some series on some dates. */
export async function listOccurrencesOn(
  db: Queryable,
  seriesIds: string[],
  dates: string[],
): Promise<EventRow[]> {
  if (seriesIds.length === 0) return [];
  const found = await db.query<{ id: string }>(sql`
    select id from events where ${isOneOf(sql`series_id`, seriesIds)} and series_date = any(${dates}::text[])`);
  return found.length === 0
    ? []
    : await listEventRows(
        db,
        found.map(({ id }) => id),
      );
}

/**
 * Locks the series of an event. A split can give the event to another series while this waits; a series that a split makes has a
 * higher id, so series are locked in ascending order.
 * @throws Problem `event_not_found`, `not_organizer`; `invalid_request` for an event without a series
 */
export async function lockSeriesOf(
  tx: Transaction,
  eventId: string,
  caller: Caller,
): Promise<{ series: Series; event: OccurrenceRow }> {
  for (let locked: Series | null = null; ; ) {
    const event = await findOwnEvent(tx, eventId, caller);
    if (!isOccurrence(event)) throw invalid('scope', 'must be this for an event without a series');
    if (locked?.id === event.seriesId) return { series: locked, event };
    locked = await lockSeries(tx, event.seriesId);
    // The account of the organizer is deleted.
    if (!locked) throw new Problem('event_not_found');
  }
}

/**
 * Locks occurrences of a series, which must be locked: none is added meanwhile.
 * @param condition on `events e`
 * @returns them in the order of their dates
 */
export async function lockOccurrences(
  tx: Transaction,
  seriesId: string,
  condition: Statement,
): Promise<OccurrenceRow[]> {
  const found = await tx.query<{ id: string }>(
    sql`select e.id from events e where e.series_id = ${seriesId} and ${condition}`,
  );
  const ids = found.map(({ id }) => id);
  await lockEach(ids, String, (id) => tx.query(sql`select 1 from events where id = ${id} for update`));
  const rows = ids.length === 0 ? [] : await listEventRows(tx, ids);
  return rows.filter(isOccurrence).sort((a, b) => (a.seriesDate < b.seriesDate ? -1 : 1));
}
