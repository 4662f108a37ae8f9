/** The visitor's answer to "Are you coming?": the RSVP and, at an event with seats, the seats. */
import type { Event } from '@potluck/client';

type Answered = Pick<
  Event,
  | 'enabledModules'
  | 'capacity'
  | 'bookedCount'
  | 'myBooking'
  | 'myWaitlist'
  | 'myRsvp'
  | 'myExtraGuests'
  | 'myRequest'
>;

/**
 * `seatless`: the visitor has said "I'm going", and has no seat at an event that has seats. `requested`: the visitor has asked to
 * join.
 */
export type Answer = 'going' | 'waiting' | 'seatless' | 'interested' | 'requested';

/** What a visitor can choose; `none` takes the answer back. */
export type Status = 'going' | 'interested' | 'none';

/** The limit of `extraGuests`. */
const maxExtraGuests = 10;
/** The most people of one answer, with the visitor. */
export const maxPeople = maxExtraGuests + 1;

/** Whether people take seats by coming. */
export const hasSeats = ({ enabledModules, capacity }: Answered): boolean =>
  capacity > 0 && enabledModules.includes('booking');

/** Null if the visitor has not answered. Seats count more than the RSVP, which does not follow when the waitlist moves up. */
export function answerOf(event: Answered): Answer | null {
  if (event.myBooking) return 'going';
  if (event.myWaitlist) return 'waiting';
  if (event.myRsvp === 'going' && hasSeats(event)) return 'seatless';
  return event.myRsvp ?? (event.myRequest === 'pending' ? 'requested' : null);
}

/** Whether the organizer has to approve an answer of the visitor. Approved people who have left ask as well, and join at once. */
export const needsToAsk = ({
  rsvpApproval,
  myRsvp,
  myInvitation,
}: Pick<Event, 'rsvpApproval' | 'myRsvp' | 'myInvitation'>): boolean =>
  rsvpApproval === 'organizer' && !myRsvp && !myInvitation;

const surenessOf: Record<Answer | Status, number> = {
  going: 2,
  waiting: 2,
  seatless: 2,
  interested: 1,
  requested: 0,
  none: 0,
};

/** Whether the visitor comes less surely than before, so that what they bring is in question. */
export const stepsBack = (event: Answered, status: Status): boolean =>
  surenessOf[status] < surenessOf[answerOf(event) ?? 'none'];

/** How many come with the visitor's answer, with the visitor. */
export const partyOf = ({ myBooking, myWaitlist, myExtraGuests }: Answered): number =>
  (myBooking ?? myWaitlist)?.seats ?? 1 + (myExtraGuests ?? 0);

/** Free seats; infinity if the event has no limit. */
export const seatsLeft = (event: Answered): number =>
  hasSeats(event) ? Math.max(0, event.capacity - event.bookedCount) : Number.POSITIVE_INFINITY;

/** The most people that the visitor's answer can have. A place in the waitlist cannot grow. */
export function maxPartyOf(event: Answered): number {
  if (event.myWaitlist) return event.myWaitlist.seats;
  if (event.myBooking) return Math.min(maxPeople, event.myBooking.seats + seatsLeft(event));
  return hasSeats(event) ? Math.min(maxPeople, event.capacity) : maxPeople;
}

/** The guests of an RSVP for a number of people. */
export const extraGuestsOf = (people: number): number => Math.min(people - 1, maxExtraGuests);
