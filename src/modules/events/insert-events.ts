/** Inserts events with their counters. */
import { newId } from '#base';
import { insertRows, insertValues, sql, type Transaction } from '#pg';
import { insertFanOuts } from '../../outbox/causes.ts';
import { addToEventsCount } from '../people/counters.ts';
import { changedEvents } from './changed-events.ts';
import {
  columns,
  type EventChanges,
  eventsCountOf,
  exactPlaceOf,
  isNews,
  type Occurrence,
  occurrenceColumns,
  recordEventChanges,
  updateTime,
} from './event-writes.ts';
import type { StoredFields } from './exact-place.ts';
import { listingKeysOf } from './listing-keys.ts';
import { isListed } from './policy.ts';
import { searchVector } from './search-words.ts';

/** `isAnnounced`: a public event is not new to the followers of its organizer, such as an imported one. */
export type NewEventRow = { fields: StoredFields; occurrence?: Occurrence; isAnnounced?: boolean };

/**
 * `insertDetails`: inserts further rows of the event, before the change log is locked. `isAnnounced`: as of `NewEventRow`.
 */
type Insertion = { insertDetails?: (id: string) => Promise<void>; isAnnounced?: boolean };

/**
 * Inserts an event with its counters, counts it for its organizer, and notifies the organizer's followers if it is public. The
 * transaction must hold a lock on the organizer's account.
 * @returns the id
 */
export async function insertEvent(
  tx: Transaction,
  organizerId: string,
  fields: StoredFields,
  now: Date,
  { insertDetails, isAnnounced = false }: Insertion = {},
): Promise<string> {
  const [id = ''] = await insertEvents(tx, organizerId, [{ fields, isAnnounced }], now, {
    insertDetails: async ([id = '']) => insertDetails?.(id),
  });
  return id;
}

/** `insertDetails`: as of `Insertion`. */
type Insertions = { insertDetails?: (ids: string[]) => Promise<void> };

/** Inserts events as `insertEvent` does. */
export async function insertEvents(
  tx: Transaction,
  organizerId: string,
  rows: NewEventRow[],
  now: Date,
  insertions: Insertions = {},
): Promise<string[]> {
  const { ids, changes } = await writeInsertions(tx, organizerId, rows, now, insertions);
  await recordEventChanges(tx, [changes]);
  return ids;
}

/**
 * Inserts events without recording the changes, which the transaction does at its end.
 * @returns their ids, in the same order
 */
export async function writeInsertions(
  tx: Transaction,
  organizerId: string,
  rows: NewEventRow[],
  now: Date,
  { insertDetails }: Insertions = {},
): Promise<{ ids: string[]; changes: EventChanges }> {
  // A locked account is not suspended and cannot become so before the commit.
  const events = rows.map((row) => ({
    isAnnounced: false,
    ...row,
    id: newId(),
    event: { ...row.fields, hidden: false },
  }));
  const ids = events.map(({ id }) => id);
  for (const { id, fields, event, occurrence, isAnnounced } of events)
    await tx.query(sql`
      insert into events ${insertValues({
        ...columns(fields),
        ...occurrenceColumns(occurrence),
        search: searchVector(fields),
        exact_place: exactPlaceOf(fields.exactPlace ?? null),
        id,
        organizer_id: organizerId,
        is_announced: isAnnounced || isListed(event),
        created_at: now,
        updated_at: updateTime(now),
      })}`);
  await tx.execute(
    insertRows(
      'event_counters',
      ids.map((eventId) => ({ eventId, rsvpCount: 0, goingCount: 0, lastItem: 0 })),
      { eventId: 'uuid', rsvpCount: 'int', goingCount: 'int', lastItem: 'int' },
    ),
  );
  await insertDetails?.(ids);
  await addToEventsCount(
    tx,
    organizerId,
    events.reduce((sum, { event }) => sum + eventsCountOf(event), 0),
  );
  const news = events.filter(({ event, isAnnounced }) => isNews({ ...event, isAnnounced }, now));
  if (news.length > 0)
    await tx.execute(
      insertFanOuts(
        'newEvent',
        news.map(({ id }) => id),
      ),
    );
  return {
    ids,
    changes: {
      records: [changedEvents(ids)],
      listingKeys: listingKeysOf(events.map(({ event }) => event)),
    },
  };
}
