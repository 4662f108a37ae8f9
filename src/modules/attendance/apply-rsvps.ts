/** RSVPs in batches: RSVPs to the same event share one transaction and one update of its counters. */

import { changeStatement } from '#fresh-records';
import { RETRY_WITH_TARGET, type Statement, type Transaction } from '#pg';
import type { Admitted, BatchRules, Decided } from '../../idempotency/batch-writer.ts';
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

/** What the commands on one event change. */
type EventMove = Omit<RsvpCounterMove, 'summary'> & { event: RsvpEvent; changes: SummaryChange[] };
type LockedState = Awaited<ReturnType<typeof lockAndRead>>;

/** The RSVP that a command changes: a person has at most one RSVP to an event. */
export const rsvpKey = ({ eventId, caller }: RsvpCommand): string => `${eventId} ${caller.id}`;

/** The result of a command is the event's number of RSVPs after it, as if the commands ran one after the other. */
export const rsvpRules = (now: Date): BatchRules<RsvpCommand, LockedState, number> => ({
  lockAndRead,
  decide: (commands, state) => decideAll(commands, state, now),
});

/**
 * Locks events and counters, and then reads: no event is hidden, cancelled or deleted, and no RSVP to it changes until the
 * transaction ends.
 */
async function lockAndRead(tx: Transaction, commands: RsvpCommand[], mayWaitForLocks: boolean) {
  const eventIds = [...new Set(commands.map(({ eventId }) => eventId))];
  const keys = commands.map(({ eventId, caller }) => ({ eventId, userId: caller.id }));
  const [events, rsvps, summaryState] = await Promise.all([
    lockRsvpEvents(tx, eventIds, mayWaitForLocks),
    findRsvps(tx, keys),
    listSummaryState(tx, 'rsvps', keys),
  ]);
  const missing = eventIds.filter((id) => !events.has(id));
  // A statement that waits for the lock of an event and does not get it waited for the event's deletion.
  const busy =
    missing.length > 0 && !mayWaitForLocks ? await listExistingEvents(tx, missing) : new Set<string>();
  return { events, busy, rsvps, summaryState };
}

function decideAll(
  commands: Admitted<RsvpCommand>[],
  { events, busy, rsvps, summaryState }: LockedState,
  now: Date,
): Decided<number> {
  const written: WrittenRsvp[] = [];
  const removed: RsvpKey[] = [];
  const moves = new Map<string, EventMove>();
  const decide = ({ command, viewer, index }: Admitted<RsvpCommand>) => {
    const { eventId, status, extraGuests, isHidden } = command;
    const event = events.get(eventId);
    if (!event) return busy.has(eventId) ? RETRY_WITH_TARGET : new Problem('event_not_found');
    const move = decideRsvp(command, viewer, event, rsvps[index] ?? null);
    if (move instanceof Problem) return move;
    const sum = moves.get(eventId) ?? { event, eventId, rsvps: 0, going: 0, extraGuests: 0, changes: [] };
    if (move) {
      const key = { eventId, userId: viewer.id };
      if (status === null) removed.push(key);
      else written.push({ ...key, status, extraGuests, isHidden });
      sum.rsvps += move.rsvps;
      sum.going += move.going;
      sum.extraGuests += move.extraGuests;
      if (move.rsvps !== 0) sum.changes.push({ personId: viewer.id, amount: move.rsvps });
      moves.set(eventId, sum);
    }
    return event.rsvpCount + sum.rsvps;
  };
  return {
    outcomes: new Map(commands.map((each) => [each.index, decide(each)])),
    write: (_tx, finish) =>
      finish(
        ...(written.length > 0 ? [upsertRsvps(written, now)] : []),
        ...(removed.length > 0 ? [deleteRsvps(removed)] : []),
        ...moveStatements([...moves.values()], summaryState, now),
      ),
  };
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
