/** Applies batches of RSVPs: RSVPs to the same event share one transaction and one update of its counters. */
import { changeStatement } from '../../cache/change-log.ts';
import type { Database } from '../../db/client.ts';
import type { LockWaits } from '../../db/locks.ts';
import { RETRY_INDIVIDUALLY, RETRY_WITH_TARGET } from '../../db/run-batch.ts';
import type { Statement } from '../../db/sql.ts';
import { type Transaction, transaction } from '../../db/transaction.ts';
import { lockCallers } from '../../identity/act-as.ts';
import { Problem } from '../../lib/errors.ts';
import {
  insertSummaryPushes,
  listSummaryState,
  nextSummary,
  type SummaryChange,
  type SummaryState,
} from '../../outbox/summaries.ts';
import { changedEvents } from '../events/changed-events.ts';
import { decideRsvp, type RsvpCommand } from './rsvp-policy.ts';
import {
  deleteRsvps,
  findRsvps,
  listExistingEvents,
  lockRsvpEvents,
  moveRsvpCounters,
  type RsvpCounterMove,
  type RsvpEvent,
  type RsvpKey,
  upsertRsvps,
  type WrittenRsvp,
} from './rsvp-repo.ts';

type Outcome = number | Problem | typeof RETRY_INDIVIDUALLY | typeof RETRY_WITH_TARGET;

/** What the commands on one event change. */
type EventMove = Omit<RsvpCounterMove, 'summary'> & { event: RsvpEvent; changes: SummaryChange[] };

/**
 * The RSVP that a command changes: a person has at most one RSVP to an event, and a batch has each at most
 * once.
 */
export const rsvpKey = ({ eventId, caller }: RsvpCommand): string => `${eventId} ${caller.id}`;

/**
 * Sets and removes RSVPs in two round trips. The first locks callers, events and counters, and then reads: no session
 * ends, no event is hidden, cancelled or deleted, and no RSVP to it changes until the transaction ends. The second
 * writes and commits.
 * @param waits commands that need the lock of an event for which it does not wait come back as `RETRY_WITH_TARGET`, those
 *   that need the lock of their caller as `RETRY_INDIVIDUALLY`
 * @returns for each command the event's number of RSVPs after it, as if the commands ran one after the other
 */
export function applyRsvps(
  db: Database,
  commands: RsvpCommand[],
  now: Date,
  waits: LockWaits,
): Promise<Outcome[]> {
  return transaction(
    db,
    async (tx, commit) => {
      const locked = await lockAndRead(tx, commands, waits);
      const { outcomes, written, removed, moves } = decideAll(commands, locked, waits);
      await commit(
        ...(written.length > 0 ? [upsertRsvps(written, now)] : []),
        ...(removed.length > 0 ? [deleteRsvps(removed)] : []),
        ...moveStatements(moves, locked.summaryState, now),
      );
      return outcomes;
    },
    { planOnce: true },
  );
}

type LockedState = Awaited<ReturnType<typeof lockAndRead>>;

async function lockAndRead(tx: Transaction, commands: RsvpCommand[], waits: LockWaits) {
  const callers = commands.map(({ caller }) => caller);
  const eventIds = [...new Set(commands.map(({ eventId }) => eventId))];
  const keys = commands.map(({ eventId, caller }) => ({ eventId, userId: caller.id }));
  // The statements are pipelined and run in this order, so the reads see what the locks guard.
  const [roles, events, rsvps, summaryState] = await Promise.all([
    lockCallers(tx, callers, waits === 'all'),
    lockRsvpEvents(tx, eventIds, waits !== 'none'),
    findRsvps(tx, keys),
    listSummaryState(
      tx,
      'rsvps',
      keys.map(({ eventId, userId }) => ({ eventId, personId: userId })),
    ),
  ]);
  const missing = eventIds.filter((id) => !events.has(id));
  // A statement that waits for the lock of an event and does not get it waited for the event's deletion.
  const busy =
    missing.length > 0 && waits === 'none' ? await listExistingEvents(tx, missing) : new Set<string>();
  return { roles, events, busy, rsvps, summaryState };
}

function decideAll(commands: RsvpCommand[], { roles, events, busy, rsvps }: LockedState, waits: LockWaits) {
  const written: WrittenRsvp[] = [];
  const removed: RsvpKey[] = [];
  const moves = new Map<string, EventMove>();
  const outcomes = commands.map((command, i): Outcome => {
    const { eventId, caller, status, extraGuests, isHidden } = command;
    const [role, event] = [roles[i], events.get(eventId)];
    if (!role) return waits === 'all' ? new Problem('token_invalid') : RETRY_INDIVIDUALLY;
    if (!event) return busy.has(eventId) ? RETRY_WITH_TARGET : new Problem('event_not_found');
    const existing = rsvps[i] ?? null;
    const move = decideRsvp(command, { id: caller.id, role }, event, existing);
    if (move instanceof Problem) return move;
    const sum = moves.get(eventId) ?? { event, eventId, rsvps: 0, going: 0, extraGuests: 0, changes: [] };
    if (move) {
      const key = { eventId, userId: caller.id };
      if (status === null) removed.push(key);
      else written.push({ ...key, status, extraGuests, isHidden });
      sum.rsvps += move.rsvps;
      sum.going += move.going;
      sum.extraGuests += move.extraGuests;
      if (move.rsvps !== 0) sum.changes.push({ personId: caller.id, amount: move.rsvps });
      moves.set(eventId, sum);
    }
    return event.rsvpCount + sum.rsvps;
  });
  return { outcomes, written, removed, moves: [...moves.values()] };
}

/** The statements that write the counters of events, what organizers are notified of, and the change. */
function moveStatements(moves: EventMove[], state: SummaryState, now: Date): Statement[] {
  const changed = moves
    .filter(({ rsvps, going, extraGuests, changes }) => rsvps || going || extraGuests || changes.length > 0)
    .map((move) => ({ ...move, summary: nextSummary(move.event, move.changes, state) }));
  if (changed.length === 0) return [];
  return [
    ...insertSummaryPushes(changed, now),
    moveRsvpCounters(changed),
    changeStatement({ records: [changedEvents(changed.map(({ eventId }) => eventId))] }),
  ];
}
