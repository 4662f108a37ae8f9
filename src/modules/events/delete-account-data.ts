/** Account deletion: the events that the person organizes. */
import { lockEach, sql, type Transaction } from '#pg';
import type { DeletionHook } from '../../http/define-module.ts';
import { deleteGuestsOf, lockGuestsOf } from '../accounts/guests.ts';
import { changedEvents } from './changed-events.ts';
import { deleteSubjects } from './delete-subjects.ts';
import { type ListableEvent, listingKeysOf } from './listing-keys.ts';
import { lockOrganizedEvents } from './organizer-events.ts';
import { writeTombstones } from './tombstones.ts';

export const eventDeletionHooks: DeletionHook[] = [
  {
    firstTable: 'events',
    run: async (tx, { userId }) => {
      const own = await tx.query<{ id: string }>(sql`select id from events where organizer_id = ${userId}`);
      await lockGuestsOf(
        tx,
        own.map(({ id }) => id),
      );
      const involved = await lockInvolvedEvents(tx, userId);
      const deleted = await deleteOwnedEvents(tx, userId);
      const ids = deleted.map(({ id }) => id);
      await deleteSubjects(tx, ids);
      const guests = await deleteGuestsOf(tx, ids);
      return {
        records: [changedEvents(involved), ...guests],
        listingKeys: listingKeysOf(deleted),
      };
    },
  },
];

/**
 * Locks every event that the person organizes, or has an RSVP, request, save, claim, booking or standing on, in one sorted pass: two people
 * with rows on each other's events who delete their accounts at the same time lock the events in the same order. The
 * hooks of these tables rely on the locks. The lock mode allows others to RSVP and to claim meanwhile.
 * @returns the ids of the events
 */
async function lockInvolvedEvents(tx: Transaction, userId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from events where organizer_id = ${userId}
    union select event_id from rsvps where user_id = ${userId}
    union select coalesce(counted_event_id, subject_id) from requests where user_id = ${userId}
    union select event_id from event_people where user_id = ${userId}
    union select event_id from saves where user_id = ${userId}
    union select event_id from claims where user_id = ${userId}
    union select event_id from bookings where user_id = ${userId}`);
  const ids = rows.map(({ id }) => id);
  const locked = await lockEach(ids, String, (id) =>
    tx.query(sql`select 1 from events where id = ${id} for no key update`),
  );
  return [...locked].flatMap(([id, found]) => (found.length > 0 ? [id] : []));
}

/** Locks the person's own events a second time, in the mode that excludes all other writes, and deletes them. */
async function deleteOwnedEvents(
  tx: Transaction,
  userId: string,
): Promise<(ListableEvent & { id: string })[]> {
  await lockOrganizedEvents(tx, userId);
  const events = await tx.query<ListableEvent & { id: string }>(sql`
    delete from events where organizer_id = ${userId}
    returning id, lat, lng, start_at, end_at, visibility, status, hidden`);
  await writeTombstones(
    tx,
    events.map((event) => ({ id: event.id, before: event, after: null })),
  );
  return events;
}
