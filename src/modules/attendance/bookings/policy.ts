/** Decides about bookings: what a command changes, or why it is refused. */
import { newId } from '#base';
import type { Viewer } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import { isVisible } from '../../events/policy.ts';
import { isClosed, needsApproval } from '../joining.ts';
import type { BookingAccess, CounterMove } from './repo.ts';
import type { BookingRow } from './schemas.ts';

/**
 * `book` makes a booking, or with `waitlist` a place in the waitlist if the seats are not free. `resize` sets
 * the number of seats. `cancel` ends the booking or the place in the waitlist.
 */
export type BookingAction =
  | { kind: 'book'; seats: number; waitlist: boolean }
  | { kind: 'resize'; seats: number }
  | { kind: 'cancel' };

/** `bookingsEnabled`: the operator's flag `bookings`. */
export type BookingContext = { now: Date; bookingsEnabled: boolean };

/** What decides about a booking, read under the lock of the event's counters. */
type BookingState = BookingContext & {
  eventId: string;
  /** The person who books, with the current role. */
  viewer: Viewer;
  /** The event, its counters and the viewer's booking; null if there is no such event. */
  access: BookingAccess | null;
};

/**
 * The booking after the command, or at its end; how its row changes; and by how much the event's counters
 * move.
 */
export type BookingDecision = {
  booking: BookingRow;
  effect: 'insert' | 'resize' | 'delete' | null;
  move: CounterMove;
};

/** @returns the decision, or the first problem in the order 404, 403, 409 */
export function decideBooking(command: BookingAction, state: BookingState): BookingDecision | Problem {
  if (command.kind === 'book') return decideNew(command, state);
  const booking = findOwnBooking(state.access, state.viewer);
  if (booking instanceof Problem) return booking;
  return command.kind === 'cancel' ? decideEnd(booking) : decideSeats(command.seats, booking, state);
}

/** Whether a command can free seats or a place in the waitlist. All other commands only take seats. */
export const canFreeSeats = (command: BookingAction, access: BookingAccess | null): boolean =>
  command.kind === 'cancel' || (command.kind === 'resize' && command.seats < (access?.booking?.seats ?? 0));

/** The viewer's own booking, also if the event was hidden since; or the problem why there is none. */
export function findOwnBooking(access: BookingAccess | null, viewer: Viewer): BookingRow | Problem {
  if (access?.booking) return access.booking;
  return new Problem(
    access && isVisible(access, viewer, access.standing) ? 'booking_not_found' : 'event_not_found',
  );
}

function decideNew(
  { seats, waitlist }: Extract<BookingAction, { kind: 'book' }>,
  state: BookingState,
): BookingDecision | Problem {
  const { eventId, viewer, access, now } = state;
  const refusal = refuseMoreSeats(state);
  if (!access || refusal) return refusal ?? new Problem('event_not_found');
  if (access.booking) return new Problem('already_booked');
  const isFree = areFree(access, seats);
  if (!isFree && (!waitlist || exceedsCapacity(access, seats))) return noSeats(access, seats);
  const booking: BookingRow = {
    id: newId(),
    eventId,
    userId: viewer.id,
    n: access.lastBooking + 1,
    seats,
    status: isFree ? 'booked' : 'waiting',
    position: isFree ? null : access.waitingCount + 1,
    createdAt: now,
  };
  const move = { eventId, booked: isFree ? seats : 0, waiting: Number(!isFree), added: 1 };
  return { booking, effect: 'insert', move };
}

/** Fewer seats are always possible. More seats have the requirements of a new booking without `waitlist`. */
function decideSeats(seats: number, before: BookingRow, state: BookingState): BookingDecision | Problem {
  const { eventId, access } = state;
  const added = seats - before.seats;
  if (added > 0) {
    const refusal = refuseMoreSeats(state);
    if (!access || refusal) return refusal ?? new Problem('event_not_found');
    if (!areFree(access, added)) return noSeats(access, added);
  }
  const booked = before.status === 'booked' ? added : 0;
  const effect = added === 0 ? null : 'resize';
  return { booking: { ...before, seats }, effect, move: { eventId, booked, waiting: 0, added: 0 } };
}

function decideEnd(booking: BookingRow): BookingDecision {
  const isBooked = booking.status === 'booked';
  const move = {
    eventId: booking.eventId,
    booked: isBooked ? -booking.seats : 0,
    waiting: isBooked ? 0 : -1,
    added: 0,
  };
  return { booking, effect: 'delete', move };
}

/** Why the event accepts no further seats of the viewer, in any number; null if it accepts them. */
function refuseMoreSeats({ access, viewer, bookingsEnabled, now }: BookingState): Problem | null {
  if (!access || !isVisible(access, viewer, access.standing)) return new Problem('event_not_found');
  if (access.standing.isRemoved) return new Problem('removed_from_event');
  if (!bookingsEnabled) return new Problem('feature_disabled');
  if (!access.enabledModules.includes('booking')) return new Problem('module_disabled');
  if (needsApproval(access, viewer) && access.rsvp !== 'going') return new Problem('rsvp_required');
  if (access.status === 'cancelled') return new Problem('event_cancelled');
  return isClosed(access, viewer, now) ? new Problem('rsvp_closed') : null;
}

type SeatCounts = Pick<BookingAccess, 'capacity' | 'bookedCount' | 'waitingCount'>;

/** Seats are free only while the waitlist is empty. */
const areFree = ({ capacity, bookedCount, waitingCount }: SeatCounts, seats: number): boolean =>
  waitingCount === 0 && (capacity === 0 || bookedCount + seats <= capacity);

/** An entry with more seats than the capacity would block the waitlist forever. */
const exceedsCapacity = ({ capacity }: SeatCounts, seats: number): boolean =>
  capacity !== 0 && seats > capacity;

/** @param seats the seats requested in addition to those of an existing booking */
function noSeats({ capacity, bookedCount, waitingCount }: SeatCounts, seats: number): Problem {
  const left = capacity - bookedCount;
  const isQueued = waitingCount > 0 && seats <= left;
  const detail = ['No seat is left.', 'Only 1 seat is left.'][left] ?? `Only ${left} seats are left.`;
  return new Problem('no_seats', {
    detail: isQueued ? 'Others wait for the seats that are left.' : detail,
    errors: [{ path: 'seats', message: isQueued ? 'are waited for' : `is above ${left}` }],
  });
}
