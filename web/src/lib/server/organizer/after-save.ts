/** Where an organizer continues after an event was saved, and what the page says there. */
import type { Event } from '@potluck/client';

/** The address of the event's page: it says that the event is published, or which changes the guests are told. */
export function pathAfterSave(before: Event, after: Event): string {
  const path = `/e/${after.id}`;
  if (after.visibility === 'private' || after.status === 'cancelled') return path;
  if (before.visibility === 'private') return `${path}?published`;
  const changes = {
    time: before.startAt !== after.startAt || before.endAt !== after.endAt || before.allDay !== after.allDay,
    place: JSON.stringify(before.location) !== JSON.stringify(after.location),
  };
  const changed = Object.entries(changes).flatMap(([name, isChanged]) => (isChanged ? [name] : []));
  // Organizers are not told what they do themselves.
  const told = after.rsvpCount - Number(after.myRsvp !== null);
  return changed.length > 0 ? `${path}?changed=${changed.join()}&told=${told}` : path;
}
