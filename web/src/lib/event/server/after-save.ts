/** Where an organizer continues after an event was saved, and what the page says there. */
import type { Event } from '@potluck/client';
import type { SavedChanges } from '#lib/event/saved-changes.ts';
import type { PageFields } from '#lib/server/read-fields.ts';

/** The address of the event's page: it says that the event is published, or which changes the guests are told. */
export function pathAfterSave(before: Event, after: Event): string {
  const path = `/e/${after.id}`;
  if (after.visibility === 'private' || after.status === 'cancelled') return path;
  if (before.visibility === 'private') return `${path}?published`;
  const changes = {
    time: before.startAt !== after.startAt || before.endAt !== after.endAt || before.allDay !== after.allDay,
    place:
      before.locationKind !== after.locationKind ||
      JSON.stringify(before.location) !== JSON.stringify(after.location),
  };
  const changed = Object.entries(changes).flatMap(([name, isChanged]) => (isChanged ? [name] : []));
  // Organizers are not told what they do themselves.
  const told = after.rsvpCount - Number(after.myRsvp !== null);
  return changed.length > 0 ? `${path}?changed=${changed.join()}&told=${told}` : path;
}

/** What an address of `pathAfterSave` says about the changes; null for another address. */
export function readChanges(query: PageFields): SavedChanges | null {
  if (!query.has('changed')) return null;
  const changed = query.text('changed').split(',');
  return {
    time: changed.includes('time'),
    place: changed.includes('place'),
    told: Number(query.text('told')) || 0,
  };
}
