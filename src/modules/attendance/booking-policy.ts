import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { isVisible } from '../events/policy.ts';
import type { BookingAccess, Move } from './booking-repo.ts';
import type { BookingRow } from './present-booking.ts';

/** `waitlist`: wait when the seats are not free. */
export type GrantCommand =
  | { kind: 'book'; seats: number; waitlist: boolean }
  | { kind: 'resize'; seats: number }
  | { kind: 'cancel' };
export type Wisher = { eventId: string; viewer: Viewer };
/** `isOn`: whether the flag lets anybody book. */
export type DecisionContext = { now: Date; isOn: boolean };
/** The booking as it is then, or was at its end; what is to be done with it; and by how much the counters move. */
export type Decision = { booking: BookingRow; effect: 'insert' | 'resize' | 'delete' | null; move: Move };

/** The decision, or the first refusal in the order 404, 403, 409. */
export function decide(
  wish: GrantCommand,
  wisher: Wisher,
  access: BookingAccess | null,
  circumstances: DecisionContext,
): Decision | Problem {
  if (wish.kind === 'book') return decideNew(wish, wisher, access, circumstances);
  const booking = bookingOf(access, wisher.viewer);
  if (!access || booking instanceof Problem) return booking as Problem;
  return wish.kind === 'cancel'
    ? decideEnd(booking)
    : decideSeats(wish.seats, wisher, access, booking, circumstances);
}

/** Whether it leaves seats or a place to others; the rest only takes. */
export const frees = (wish: GrantCommand, access: BookingAccess | null): boolean =>
  wish.kind === 'cancel' || (wish.kind === 'resize' && wish.seats < (access?.booking?.seats ?? 0));

/** The caller's own, though the event was hidden since: it is theirs. Else why there is none. */
export function bookingOf(access: BookingAccess | null, viewer: Viewer): BookingRow | Problem {
  if (access?.booking) return access.booking;
  return new Problem(access && isVisible(access, viewer) ? 'booking_not_found' : 'event_not_found');
}

function decideNew(
  { seats, waitlist }: Extract<GrantCommand, { kind: 'book' }>,
  { eventId, viewer }: Wisher,
  access: BookingAccess | null,
  { now, isOn }: DecisionContext,
): Decision | Problem {
  const refusal = whyNoMore(access, viewer, isOn);
  if (!access || refusal) return refusal ?? new Problem('event_not_found');
  if (access.booking) return new Problem('already_booked');
  const isFree = areFree(access, seats);
  if (!isFree && (!waitlist || neverFits(access, seats))) return noSeats(access, seats);
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

/** Fewer seats are always possible. More are like a new booking: what is free, while nobody waits, the caller neither. */
function decideSeats(
  seats: number,
  { eventId, viewer }: Wisher,
  access: BookingAccess,
  before: BookingRow,
  { isOn }: DecisionContext,
): Decision | Problem {
  const more = seats - before.seats;
  const booking = { ...before, seats };
  if (more > 0) {
    const refusal = whyNoMore(access, viewer, isOn);
    if (refusal) return refusal;
    if (!areFree(access, more)) return noSeats(access, more);
  }
  const booked = before.status === 'booked' ? more : 0;
  return { booking, effect: more === 0 ? null : 'resize', move: { eventId, booked, waiting: 0, added: 0 } };
}

function decideEnd(booking: BookingRow): Decision {
  const isBooked = booking.status === 'booked';
  const move = {
    eventId: booking.eventId,
    booked: isBooked ? -booking.seats : 0,
    waiting: isBooked ? 0 : -1,
    added: 0,
  };
  return { booking, effect: 'delete', move };
}

/** Why the event gives no more seats, whoever asks for how many; null when it does. */
function whyNoMore(access: BookingAccess | null, viewer: Viewer, isOn: boolean): Problem | null {
  if (!access || !isVisible(access, viewer)) return new Problem('event_not_found');
  if (!isOn) return new Problem('feature_disabled');
  if (!access.enabledModules.includes('booking')) return new Problem('module_disabled');
  return access.status === 'cancelled' ? new Problem('event_cancelled') : null;
}

type Seats = Pick<BookingAccess, 'capacity' | 'bookedCount' | 'waitingCount'>;

/** Free, and nobody waits for them. */
const areFree = ({ capacity, bookedCount, waitingCount }: Seats, seats: number): boolean =>
  waitingCount === 0 && (capacity === 0 || bookedCount + seats <= capacity);

/** Whoever waited for that many would hold up everybody for good. */
const neverFits = ({ capacity }: Seats, seats: number): boolean => capacity !== 0 && seats > capacity;

/** @param seats those that are wanted on top */
function noSeats({ capacity, bookedCount, waitingCount }: Seats, seats: number): Problem {
  const left = capacity - bookedCount;
  const isQueued = waitingCount > 0 && seats <= left;
  const detail = ['No seat is left.', 'Only 1 seat is left.'][left] ?? `Only ${left} seats are left.`;
  return new Problem('no_seats', {
    detail: isQueued ? 'Others wait for the seats that are left.' : detail,
    errors: [{ path: 'seats', message: isQueued ? 'are waited for' : `is above ${left}` }],
  });
}
