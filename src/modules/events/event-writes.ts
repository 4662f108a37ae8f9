/** What insertions, changes and deletions of events have in common. */
import { type ChangedRecords, type ListingKey, recordChange } from '#fresh-records';
import { columnOf, type Statement, sql, type Transaction, transactionTime } from '#pg';
import { cellOf } from '#record-index';
import { dateIn, dayNumber } from '../../lib/time-zones.ts';
import { type EventFieldName, type EventFields, fieldNames } from './event-fields.ts';
import type { ExactPlace } from './exact-place.ts';
import { isListed } from './policy.ts';
import type { EventRow } from './present.ts';

/** What a write changed outside its own tables, for the change log. */
export type EventChanges = { records: ChangedRecords[]; listingKeys: ListingKey[] };

/** Records what writes changed, as the last step of a transaction: other transactions wait for its lock. */
export const recordEventChanges = (tx: Transaction, changes: EventChanges[]): Promise<void> =>
  recordChange(tx, {
    records: changes.flatMap(({ records }) => records),
    listingKeys: changes.flatMap(({ listingKeys }) => listingKeys),
  });

export const noChanges: EventChanges = { records: [], listingKeys: [] };

/** What an event is of a series. `date`: its identity, the local start that the rule gives. `ownFields`: those changed for it alone. */
export type Occurrence = { seriesId: string; seriesDate: string; ownFields: EventFieldName[] };

export const occurrenceColumns = (occurrence: Partial<Occurrence> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(occurrence).map(([name, value]) => [columnOf(name), value]));

/** How much an event adds to its organizer's `eventsCount`: 1 or 0. */
export const eventsCountOf = (event: Pick<EventRow, 'visibility' | 'status' | 'hidden'>): number =>
  Number(isListed(event));

/** Whether the followers of the organizer are to be notified of an event that a transaction writes. */
export const isNews = (
  event: Pick<EventRow, 'visibility' | 'status' | 'hidden' | 'isAnnounced' | 'endAt'>,
  now: Date,
): boolean => isListed(event) && !event.isAnnounced && event.endAt > now;

/** Never before the time of the transaction, by which clients find what has changed (readSettledTime). */
export const updateTime = (now: Date): Statement => sql`greatest(${transactionTime}, ${now}::timestamptz)`;

export const columns = (fields: EventFields): Record<string, unknown> => ({
  ...Object.fromEntries(fieldNames.map((name) => [columnOf(name), fields[name]])),
  cell: cellOf(fields.lat, fields.lng),
  ...daysOf(fields),
});

/** The local days of an all-day event, by which lists of days select it: `end_day` is the day after the last one. */
const daysOf = ({ allDay, startAt, endAt, timezone }: EventFields) => ({
  first_day: allDay ? dayNumber(dateIn(startAt, timezone)) : null,
  end_day: allDay ? dayNumber(dateIn(endAt, timezone)) : null,
});

export const exactPlaceOf = (place: ExactPlace | null): Statement =>
  sql`${place && JSON.stringify(place)}::jsonb`;
