/** Deletes events, with what refers to them. */
import { isOneOf, sql, type Transaction } from '#pg';
import { deleteEventNotifications } from '../../outbox/delete-notifications.ts';
import { deleteGuestsOf } from '../accounts/guests.ts';
import { addToEventsCount } from '../people/counters.ts';
import { changedEvents } from './changed-events.ts';
import { deleteSubjects } from './delete-subjects.ts';
import { type EventChanges, eventsCountOf, noChanges, recordEventChanges } from './event-writes.ts';
import { listingKeysOf } from './listing-keys.ts';
import type { EventRow } from './present.ts';
import { writeTombstones } from './tombstones.ts';

/**
 * Deletes events of one organizer with their guests without an account; foreign keys delete most rows that refer to them.
 * @param events the locked rows. The transaction must hold the lock of `lockGuestsOf`
 */
export const deleteEvents = async (tx: Transaction, events: EventRow[]): Promise<void> =>
  recordEventChanges(tx, [await writeDeletions(tx, events)]);

/** Deletes events as `deleteEvents` does, without recording the changes. */
export async function writeDeletions(tx: Transaction, events: EventRow[]): Promise<EventChanges> {
  const [first] = events;
  if (!first) return noChanges;
  const ids = events.map(({ id }) => id);
  const { organizerId } = first;
  await writeTombstones(
    tx,
    events.map((event) => ({ id: event.id, before: event, after: null })),
  );
  await tx.query(sql`delete from events where ${isOneOf(sql`id`, ids)}`);
  await deleteSubjects(tx, ids);
  await tx.query(
    // The key stays: an import of the same entry does not bring the event back.
    sql`update imports set content = null where organizer_id = ${organizerId} and ${isOneOf(sql`event_id`, ids)}`,
  );
  await addToEventsCount(tx, organizerId, -events.reduce((sum, event) => sum + eventsCountOf(event), 0));
  for (const id of ids) await deleteEventNotifications(tx, id, organizerId);
  const guests = await deleteGuestsOf(tx, ids);
  return { records: [changedEvents(ids), ...guests], listingKeys: listingKeysOf(events) };
}
