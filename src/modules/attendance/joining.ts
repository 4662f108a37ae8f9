/** What an event demands of people who answer it or take seats: that they come in time, and that its organizer lets them join. */
import type { Viewer } from '../../identity/caller.ts';
import { isOrganizer } from '../events/audience.ts';
import type { EventRow } from '../events/present.ts';

type JoinedEvent = Pick<EventRow, 'organizerId' | 'rsvpUntil' | 'rsvpApproval'>;

/** Whether the deadline has passed for the viewer: it is inclusive, and does not bind organizers. */
export const isClosed = (event: JoinedEvent, viewer: Viewer, now: Date): boolean =>
  event.rsvpUntil !== null && now > event.rsvpUntil && !isOrganizer(event, viewer);

/** Whether the organizer decides if the viewer joins. */
export const needsApproval = (event: JoinedEvent, viewer: Viewer): boolean =>
  event.rsvpApproval === 'organizer' && !isOrganizer(event, viewer);
