/**
 * Applies batches of bookings: bookings of the same event share one transaction in place of waiting for its
 * lock.
 */
import { changeStatement } from '../../cache/change-log.ts';
import type { Database } from '../../db/client.ts';
import type { LockWaits } from '../../db/locks.ts';
import {
  RETRY_IN_NEXT_BATCH,
  RETRY_INDIVIDUALLY,
  RETRY_WITH_TARGET,
  type Retry,
} from '../../db/run-batch.ts';
import { type Statement, sql } from '../../db/sql.ts';
import { type Transaction, transaction } from '../../db/transaction.ts';
import { type BatchEntry, storeResults } from '../../idempotency/idempotent-batcher.ts';
import {
  findStoredResponses,
  lockKeys,
  type Replay,
  refuseKeyInUse,
} from '../../idempotency/stored-responses.ts';
import { lockCallers } from '../../identity/act-as.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import {
  insertSummaryPushes,
  listSummaryState,
  nextSummary,
  type Summary,
  type SummaryChange,
  selectSummary,
} from '../../outbox/summaries.ts';
import { changedEvents } from '../events/changed-events.ts';
import { promoteWaitlist } from '../events/waitlist.ts';
import {
  type BookingAction,
  type BookingContext,
  type BookingDecision,
  canFreeSeats,
  decideBooking,
} from './booking-policy.ts';
import {
  type BookingAccess,
  type CounterMove,
  deleteBookings,
  insertBookings,
  listBookingAccess,
  moveCounters,
  readBookings,
  updateSeats,
} from './booking-repo.ts';
import { lockEventCounters } from './lock-event-counters.ts';
import type { BookingRow } from './present-booking.ts';

/** A change of the caller's booking or place in the waitlist. */
export type BookingCommand = BookingAction & { eventId: string; caller: Caller };

type Entry = BatchEntry<BookingCommand, BookingRow>;
type Outcome = BookingRow | Replay | Problem | Retry;

/**
 * The booking that a command changes: a person has at most one booking or place in the waitlist of an event.
 */
export const bookingKey = ({ eventId, caller }: BookingCommand): string => `${eventId} ${caller.id}`;

/**
 * Decides a batch of commands and writes the result.
 *
 * Callers and events are share-locked and the counters of the events are locked before a later statement
 * reads the state. So bookings, waitlist and capacity cannot change until the transaction ends: no booking
 * exceeds the capacity, no person has two, and no booking overtakes the waitlist.
 *
 * Commands that take seats are decided first, in their order, each with the seats that the commands before it
 * left. Then come the commands that free seats, and last the waitlist moves up. No command of the batch
 * therefore gets a seat for which the waitlist was waiting.
 * @param waits commands that need the lock of an event for which it does not wait come back as `RETRY_WITH_TARGET`, those
 *   that need the lock of their caller as `RETRY_INDIVIDUALLY`, and of an idempotency key as `RETRY_IN_NEXT_BATCH`
 * @returns for each command the booking after it, or at its end, or why the command had no effect
 */
export function applyBookings(
  db: Database,
  entries: Entry[],
  context: BookingContext,
  waits: LockWaits,
): Promise<Outcome[]> {
  return transaction(
    db,
    async (tx, commit) => {
      const locked = await lockAndRead(tx, entries, context.now, waits);
      const { outcomes, decisions, moves } = decideAll(entries, locked, context, waits);
      const decided = [...decisions.values()];
      const results = entries.map((_, i) => decisions.get(i)?.booking);
      const storing = storeResults(entries, results, context.now);
      const writing = statementsOf(decided, [...moves.values()], locked, context.now);
      // The waitlist may have moved up: read the positions, and who is booked now.
      const uncertain = [...decisions].filter(
        ([, { effect, booking }]) => (effect === 'resize' || !effect) && booking.status === 'waiting',
      );
      const reading = uncertain.length > 0 ? [readBookings(uncertain.map(([, { booking }]) => booking))] : [];
      const ending = commit(...writing, ...reading, ...storing);
      const rows = await (storing.length > 0 ? refuseKeyInUse(ending) : ending);
      const current = (rows[writing.length] ?? []) as unknown as BookingRow[];
      for (const [i, { booking }] of uncertain)
        outcomes[i] = current.find(({ id }) => id === booking.id) ?? booking;
      return outcomes;
    },
    { planOnce: true },
  );
}

type LockedEvent = { organizerId: string } & Summary;
type LockedState = Awaited<ReturnType<typeof lockAndRead>>;

async function lockAndRead(tx: Transaction, entries: Entry[], now: Date, waits: LockWaits) {
  const callers = entries.map(({ command }) => command.caller);
  const eventIds = [...new Set(entries.map(({ command }) => command.eventId))];
  const bookings = entries.map(({ command }) => ({ eventId: command.eventId, userId: command.caller.id }));
  const keys = entries.map(({ stored }) => stored?.key ?? null);
  const lockedKeys = lockKeys(tx, keys, waits === 'all');
  if (waits === 'all') await lockedKeys;
  // The statements are pipelined and run in this order, so the reads see the locked versions.
  const [hasKey, roles, lockedEvents, responses, states, summaryState] = await Promise.all([
    lockedKeys,
    lockCallers(tx, callers, waits === 'all'),
    lockEventCounters<LockedEvent>(
      tx,
      eventIds,
      sql`e.organizer_id, ${selectSummary('bookings', sql`c`)}`,
      waits !== 'none',
    ),
    findStoredResponses(tx, keys, now),
    listBookingAccess(tx, bookings, { withPosition: false }),
    listSummaryState(
      tx,
      'bookings',
      bookings.map(({ eventId, userId }) => ({ eventId, personId: userId })),
    ),
  ]);
  return { hasKey, roles, lockedEvents, responses, states, summaryState };
}

function decideAll(
  entries: Entry[],
  { hasKey, roles, lockedEvents, responses, states }: LockedState,
  context: BookingContext,
  waits: LockWaits,
) {
  const decisions = new Map<number, BookingDecision>();
  /** By event id, the counter moves of the batch so far. */
  const moves = new Map<string, CounterMove>();
  const decideOne = ({ command }: Entry, i: number): Outcome => {
    const { eventId, caller } = command;
    const [access, role, response] = [states[i] ?? null, roles[i], responses[i]];
    if (!hasKey[i]) return RETRY_IN_NEXT_BATCH;
    if (!role) return waits === 'all' ? new Problem('token_invalid') : RETRY_INDIVIDUALLY;
    if (response) return response;
    if (access && !lockedEvents.has(eventId)) return RETRY_WITH_TARGET;
    const moved = moves.get(eventId) ?? { eventId, booked: 0, waiting: 0, added: 0 };
    const viewer = { id: caller.id, role };
    const current = access && addMove(access, moved);
    const decision = decideBooking(command, { ...context, eventId, viewer, access: current });
    if (decision instanceof Problem) return decision;
    decisions.set(i, decision);
    moves.set(eventId, sum(moved, decision.move));
    return decision.booking;
  };
  const outcomes: Outcome[] = [];
  const isLast = entries.map(({ command }, i) => canFreeSeats(command, states[i] ?? null));
  for (const last of [false, true]) {
    for (const [i, entry] of entries.entries()) if (isLast[i] === last) outcomes[i] = decideOne(entry, i);
  }
  return { outcomes, decisions, moves };
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
  locked: LockedState,
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
    ...moveStatements(moves, { made, ended }, locked, now),
    ...[...eventsToPromote].map((eventId) => promoteWaitlist(eventId)),
    changeStatement({ records: [changedEvents(moves.map(({ eventId }) => eventId))] }),
  ];
}

/** The statements that write the counters of events, and what organizers are notified of. */
function moveStatements(
  moves: CounterMove[],
  { made, ended }: { made: BookingRow[]; ended: BookingRow[] },
  { lockedEvents, summaryState }: LockedState,
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
