/** Bookings, all that wait in one transaction: a crowd costs a share of its round trips, its commit and the queue. */
import { changeStatement } from '../../cache/change-log.ts';
import { RETRY_INDIVIDUALLY } from '../../db/batching.ts';
import type { Database } from '../../db/client.ts';
import type { Transaction } from '../../db/transaction.ts';
import { transaction } from '../../db/transaction.ts';
import { refuseKeyInUse } from '../../idempotency/idempotency.ts';
import {
  findStoredResponses,
  type IdempotencyKey,
  type Replay,
  type StoredResponse,
  storeResponses,
} from '../../idempotency/stored-responses.ts';
import { lockCallers } from '../../identity/act-as.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { promoteWaitlist } from '../events/waitlist.ts';
import { type Decision, type DecisionContext, decide, frees, type GrantCommand } from './booking-policy.ts';
import * as queries from './booking-repo.ts';
import { type BookingRow, toBooking } from './present-booking.ts';

export type Ask = { eventId: string; viewer: Caller; wish: GrantCommand; once?: IdempotencyKey };
export type Outcome = BookingRow | Replay | Problem | typeof RETRY_INDIVIDUALLY;

/** A person has one booking or place in the waitlist of an event; a batch without keys has one ask for it at most. */
export const keyOf = ({ eventId, viewer }: Ask): string => `${eventId} ${viewer.id}`;

/**
 * Decides over each ask and does it.
 *
 * Never above capacity, never twice and never past somebody who waits, whatever else goes on: callers and events are
 * share-locked and the events' counters are locked, the queue of everybody who moves a seat of the event, before a later
 * statement reads what decides. So bookings, waitlist and capacity stay as they were read until all is written.
 *
 * Those who take seats come first, in the order in which they came, each with what the ones before left; then those who
 * leave some; then who waits moves up. All of them came at once, so that is an order as good as any, and nobody in the
 * batch is given what somebody has waited for.
 * @param isAlone waits for callers and events that others hold; in a batch their asks come back as `alone`
 * @returns for each ask its booking, as it is then or was at its end, or why there is none
 */
export function writeBookings(
  db: Database,
  asks: Ask[],
  circumstances: DecisionContext,
  mayWaitForLocks: boolean,
): Promise<Outcome[]> {
  return transaction(db, async (tx, commit) => {
    const { now } = circumstances;
    const read = await lockAndRead(tx, asks, now, mayWaitForLocks);
    const { outcomes, decisions, moves } = decideAll(asks, read, circumstances, mayWaitForLocks);
    const answers = asks.flatMap(({ once }, i) => {
      const decision = decisions.get(i);
      return once && decision ? [{ key: once, response: answerOf(decision.booking) }] : [];
    });
    const keeping = storeResponses(answers, now);
    const writing = writes([...decisions.values()], [...moves.values()]);
    // Who waited is to be told where they stand, or may be booked now.
    const unsure = [...decisions].filter(
      ([, { effect, booking }]) => (effect === 'resize' || !effect) && booking.status === 'waiting',
    );
    const reading = unsure.length > 0 ? [queries.readBookings(unsure.map(([, { booking }]) => booking))] : [];
    const ending = commit(...writing, ...reading, ...keeping);
    const results = await (keeping.length > 0 ? refuseKeyInUse(ending) : ending);
    const settled = (results[writing.length] ?? []) as unknown as BookingRow[];
    for (const [i, { booking }] of unsure)
      outcomes[i] = settled.find(({ id }) => id === booking.id) ?? booking;
    return outcomes;
  });
}

/** The answer to a booking that was made, as it is kept. */
export const answerOf = (booking: BookingRow): StoredResponse => ({
  status: 201,
  body: JSON.stringify(toBooking(booking)),
});

type Read = Awaited<ReturnType<typeof lockAndRead>>;

async function lockAndRead(tx: Transaction, asks: Ask[], now: Date, mayWaitForLocks: boolean) {
  const viewers = asks.map(({ viewer }) => viewer);
  const events = [...new Set(asks.map(({ eventId }) => eventId))];
  const keys = asks.map(({ eventId, viewer }) => ({ eventId, userId: viewer.id }));
  const once = asks.map((ask) => ask.once ?? null);
  // Sent together and run in this order: what the last ones read is what the others locked.
  const [roles, held, kept, found] = await Promise.all([
    lockCallers(tx, viewers, mayWaitForLocks),
    queries.lockQueues(tx, events, mayWaitForLocks),
    findStoredResponses(tx, once, now),
    queries.listBookingAccess(tx, keys, 'left out'),
  ]);
  return { roles, held, kept, found };
}

function decideAll(
  asks: Ask[],
  { roles, held, kept, found }: Read,
  circumstances: DecisionContext,
  mayWaitForLocks: boolean,
) {
  const decisions = new Map<number, Decision>();
  /** By event, what the batch has moved so far. */
  const moves = new Map<string, queries.Move>();
  const seen = new Set<string>();
  const decideOne = (ask: Ask, i: number): Outcome => {
    const [access, role, first] = [found[i], roles[i], kept[i]];
    if (!role) return mayWaitForLocks ? new Problem('token_invalid') : RETRY_INDIVIDUALLY;
    if (first) return first;
    if (access && !held.has(ask.eventId)) return RETRY_INDIVIDUALLY;
    // With two keys of theirs a person may ask twice in one batch.
    if (seen.size === seen.add(keyOf(ask)).size) return RETRY_INDIVIDUALLY;
    const { eventId, wish } = ask;
    const before = moves.get(eventId) ?? { eventId, booked: 0, waiting: 0, added: 0 };
    const wisher = { eventId, viewer: { id: ask.viewer.id, role } };
    const decision = decide(wish, wisher, access ? after(access, before) : null, circumstances);
    if (decision instanceof Problem) return decision;
    decisions.set(i, decision);
    moves.set(eventId, sum(before, decision.move));
    return decision.booking;
  };
  const outcomes: Outcome[] = [];
  const isLate = asks.map(({ wish }, i) => frees(wish, found[i] ?? null));
  for (const late of [false, true]) {
    for (const [i, ask] of asks.entries()) if (isLate[i] === late) outcomes[i] = decideOne(ask, i);
  }
  return { outcomes, decisions, moves };
}

const after = (access: queries.BookingAccess, { booked, waiting, added }: queries.Move) => ({
  ...access,
  bookedCount: access.bookedCount + booked,
  waitingCount: access.waitingCount + waiting,
  lastBooking: access.lastBooking + added,
});

const sum = (a: queries.Move, b: queries.Move): queries.Move => ({
  eventId: a.eventId,
  booked: a.booked + b.booked,
  waiting: a.waiting + b.waiting,
  added: a.added + b.added,
});

/** The statements that make it so. */
function writes(decisions: Decision[], moves: queries.Move[]) {
  const of = (eventQuery: Decision['effect']) =>
    decisions.flatMap(({ effect, booking }) => (effect === eventQuery ? [booking] : []));
  const [made, resized, ended] = [of('insert'), of('resize'), of('delete')];
  if (made.length + resized.length + ended.length === 0) return [];
  // Whoever left a seat or a place may have stood in the way.
  const left = new Set([...resized, ...ended].map(({ eventId }) => eventId));
  return [
    ...(made.length > 0 ? [queries.insertBookings(made)] : []),
    ...(resized.length > 0 ? [queries.updateSeats(resized)] : []),
    ...(ended.length > 0 ? [queries.deleteBookings(ended)] : []),
    queries.moveCounters(moves),
    ...[...left].map((eventId) => promoteWaitlist(eventId)),
    changeStatement({ records: moves.map(({ eventId }) => eventId) }),
  ];
}
