import type { EventRow } from '../events/present.ts';

/** Whether an invitation to an event may still be sent. @param event null for one that is deleted */
export const mayLeave = (event: EventRow | null, now: Date): boolean =>
  event !== null && event.status === 'scheduled' && !event.hidden && event.endAt > now;

/** As `mayLeave`, of a reminder, which leaves only while answers are expected. */
export const mayRemind = (event: EventRow | null, now: Date): boolean =>
  event !== null &&
  mayLeave(event, now) &&
  event.startAt > now &&
  (event.rsvpUntil === null || event.rsvpUntil >= now);
