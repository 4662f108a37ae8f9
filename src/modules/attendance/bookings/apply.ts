/** Bookings in batches: bookings of the same event share one transaction in place of waiting for its lock. */
import { changeStatement } from '#fresh-records';
import { RETRY_WITH_TARGET, type Statement, sql, type Transaction } from '#pg';
import type { Flags } from '../../../flags/flags.ts';
import type { Admitted, BatchRules, Decided } from '../../../idempotency/batch-writer.ts';
import type { UnlockedCaller } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import {
  insertSummaryPushes,
  listSummaryState,
  nextSummary,
  type Summary,
  type SummaryChange,
  selectSummary,
} from '../../../outbox/summaries.ts';
import { changedEvents } from '../../events/changed-events.ts';
import { promoteWaitlist } from '../../events/waitlist.ts';
import { lockEventCounters } from '../lock-event-counters.ts';
import {
  type BookingAction,
  type BookingContext,
  type BookingDecision,
  canFreeSeats,
  decideBooking,
} from './policy.ts';
import {
  type BookingAccess,
  type CounterMove,
  deleteBookings,
  insertBookings,
  listBookingAccess,
  moveCounters,
  readBookings,
  updateSeats,
} from './repo.ts';
import type { BookingRow } from './schemas.ts';

/** A change of the caller's booking or place in the waitlist. */
export type BookingCommand = BookingAction & { eventId: string; caller: UnlockedCaller };

type LockedEvent = { eventId: string; organizerId: string } & Summary;
type LockedEvents = Map<string, LockedEvent>;
type ReadState = Awaited<ReturnType<typeof readState>>;

/**
 * The booking that a command changes: a person has at most one booking or place in the waitlist of an event.
 */
export const bookingKey = ({ eventId, caller }: BookingCommand): string => `${eventId} ${caller.id}`;

/**
 * The result of a command is the booking after it, or at its end.
 *
 * Commands that take seats are decided first, in their order, each with the seats that the commands before it
 * left. Then come the commands that free seats, and last the waitlist moves up. No command of the batch
 * therefore gets a seat for which the waitlist was waiting.
 */
export const bookingRules = ({
  now,
  flags,
}: {
  now: Date;
  flags: Pick<Flags, 'isOnIn'>;
}): BatchRules<BookingCommand, LockedEvents, ReadState, BookingRow> => ({
  /**
   * Share-locks events and locks their counters. So bookings, waitlist and capacity cannot change until the transaction ends:
   * no booking exceeds the capacity, no person has two, and no booking overtakes the waitlist.
   */
  lock: (tx, commands, mayWaitForLocks) =>
    lockEventCounters<LockedEvent>(
      tx,
      [...new Set(commands.map(({ eventId }) => eventId))],
      sql`e.organizer_id, ${selectSummary('bookings', sql`c`)}`,
      mayWaitForLocks,
    ),
  read: (tx, commands) => readState(tx, commands, flags),
  decide: (commands, locked, state) => decideAll(commands, locked, state, now),
});

async function readState(tx: Transaction, commands: BookingCommand[], flags: Pick<Flags, 'isOnIn'>) {
  const bookings = commands.map(({ eventId, caller }) => ({ eventId, userId: caller.id }));
  const [access, summaryState, bookingsEnabled] = await Promise.all([
    listBookingAccess(tx, bookings, { withPosition: false }),
    listSummaryState(tx, 'bookings', bookings),
    flags.isOnIn(tx, 'bookings'),
  ]);
  return { access, summaryState, bookingsEnabled };
}

function decideAll(
  commands: Admitted<BookingCommand>[],
  lockedEvents: LockedEvents,
  state: ReadState,
  now: Date,
): Decided<BookingRow> {
  const context: BookingContext = { now, bookingsEnabled: state.bookingsEnabled };
  const decisions = new Map<number, BookingDecision>();
  /** By event id, the counter moves of the batch so far. */
  const moves = new Map<string, CounterMove>();
  const decide = ({ command, viewer, index }: Admitted<BookingCommand>) => {
    const { eventId } = command;
    const access = state.access[index] ?? null;
    if (access && !lockedEvents.has(eventId)) return RETRY_WITH_TARGET;
    const moved = moves.get(eventId) ?? { eventId, booked: 0, waiting: 0, added: 0 };
    const current = access && addMove(access, moved);
    const decision = decideBooking(command, { ...context, eventId, viewer, access: current });
    if (decision instanceof Problem) return decision;
    decisions.set(index, decision);
    moves.set(eventId, sum(moved, decision.move));
    return decision.booking;
  };
  const isLast = ({ command, index }: Admitted<BookingCommand>) =>
    canFreeSeats(command, state.access[index] ?? null);
  const ordered = [...commands.filter((each) => !isLast(each)), ...commands.filter(isLast)];
  return {
    outcomes: new Map(ordered.map((each) => [each.index, decide(each)])),
    statements: statementsOf([...decisions.values()], [...moves.values()], lockedEvents, state, now),
    readBack: readBackOf(decisions),
  };
}

/** Reads again the bookings whose place the same transaction may have changed: the waitlist may have moved up. */
function readBackOf(decisions: Map<number, BookingDecision>): Decided<BookingRow>['readBack'] {
  const uncertain = [...decisions].filter(
    ([, { effect, booking }]) => (effect === 'resize' || !effect) && booking.status === 'waiting',
  );
  if (uncertain.length === 0) return undefined;
  return {
    statement: readBookings(uncertain.map(([, { booking }]) => booking)),
    outcomesOf: (rows) => {
      const found = new Map((rows as BookingRow[]).map((row) => [row.id, row]));
      return uncertain.map(([index, { booking }]) => [index, found.get(booking.id) ?? booking]);
    },
  };
}

const addMove = (access: BookingAccess, { booked, waiting, added }: CounterMove): BookingAccess => ({
  ...access,
  bookedCount: access.bookedCount + booked,
  waitingCount: access.waitingCount + waiting,
  lastBooking: access.lastBooking + added,
});

const sum = (a: CounterMove, b: CounterMove): CounterMove => ({
  eventId: a.eventId,
  booked: a.booked + b.booked,
  waiting: a.waiting + b.waiting,
  added: a.added + b.added,
});

function statementsOf(
  decisions: BookingDecision[],
  moves: CounterMove[],
  lockedEvents: LockedEvents,
  state: ReadState,
  now: Date,
): Statement[] {
  const withEffect = (wanted: BookingDecision['effect']) =>
    decisions.flatMap(({ effect, booking }) => (effect === wanted ? [booking] : []));
  const [made, resized, ended] = [withEffect('insert'), withEffect('resize'), withEffect('delete')];
  if (made.length + resized.length + ended.length === 0) return [];
  // A freed seat, or the end of a waitlist entry that did not fit, can let the waitlist move up.
  const eventsToPromote = new Set([...resized, ...ended].map(({ eventId }) => eventId));
  return [
    ...(made.length > 0 ? [insertBookings(made)] : []),
    ...(resized.length > 0 ? [updateSeats(resized)] : []),
    ...(ended.length > 0 ? [deleteBookings(ended)] : []),
    ...moveStatements(moves, { made, ended }, lockedEvents, state, now),
    ...[...eventsToPromote].map((eventId) => promoteWaitlist(eventId)),
    changeStatement({ records: [changedEvents(moves.map(({ eventId }) => eventId))] }),
  ];
}

/** The statements that write the counters of events, and what organizers are notified of. */
function moveStatements(
  moves: CounterMove[],
  { made, ended }: { made: BookingRow[]; ended: BookingRow[] },
  lockedEvents: LockedEvents,
  { summaryState }: ReadState,
  now: Date,
): Statement[] {
  const changesOf = (eventId: string): SummaryChange[] => [
    ...made.filter((row) => row.eventId === eventId).map(({ userId }) => ({ personId: userId, amount: 1 })),
    ...ended.filter((row) => row.eventId === eventId).map(({ userId }) => ({ personId: userId, amount: -1 })),
  ];
  const moved = moves.flatMap((move) => {
    const event = lockedEvents.get(move.eventId);
    return event ? [{ ...move, summary: nextSummary(event, changesOf(move.eventId), summaryState) }] : [];
  });
  return [...insertSummaryPushes(moved, now), moveCounters(moved)];
}
