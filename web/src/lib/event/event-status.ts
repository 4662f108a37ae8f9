import type { Event } from '@potluck/client';

type Timed = Pick<Event, 'endAt' | 'status'>;

export const isOver = ({ endAt }: Pick<Event, 'endAt'>): boolean => Date.parse(endAt) <= Date.now();

/** Whether the event takes no more answers, bookings and claims. */
export const isClosed = (event: Timed): boolean => event.status === 'cancelled' || isOver(event);

/** Whether the time to answer is over for everybody but the organizer. */
export const isLate = ({ rsvpUntil }: Pick<Event, 'rsvpUntil'>): boolean =>
  rsvpUntil !== null && Date.parse(rsvpUntil) < Date.now();

/** Whether a person may change an event. */
export const mayOrganize = (
  { organizer }: Pick<Event, 'organizer'>,
  me: { id: string; role: string } | null,
): boolean => me !== null && (me.id === organizer.id || me.role === 'admin');
