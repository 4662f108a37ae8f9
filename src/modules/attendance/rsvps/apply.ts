/** RSVPs in batches: RSVPs to the same event share one transaction and one update of its counters. */
import { changeStatement } from '#fresh-records';
import { RETRY_WITH_TARGET, type Statement, type Transaction } from '#pg';
import type { Admitted, BatchRules, Decided } from '../../../idempotency/batch-writer.ts';
import { Problem } from '../../../lib/errors.ts';
import {
  insertSummaryPushes,
  listSummaryState,
  nextSummary,
  type SummaryChange,
  type SummaryState,
} from '../../../outbox/summaries.ts';
import { changedEvents } from '../../events/changed-events.ts';
import { decideRsvp, type RsvpCommand } from './policy.ts';
import {
  deleteRsvps,
  findRsvps,
  lockRsvpEvents,
  moveRsvpCounters,
  type RsvpCounterMove,
  type RsvpEvent,
  type RsvpKey,
  upsertRsvps,
  type WrittenRsvp,
} from './repo.ts';

/** What the commands on one event change. */
type EventMove = Omit<RsvpCounterMove, 'summary'> & { event: RsvpEvent; changes: SummaryChange[] };
type LockedEvents = Map<string, RsvpEvent>;
type ReadState = Awaited<ReturnType<typeof readState>>;

/** The RSVP that a command changes: a person has at most one RSVP to an event. */
export const rsvpKey = ({ eventId, caller }: RsvpCommand): string => `${eventId} ${caller.id}`;

/** The result of a command is the event's number of RSVPs after it, as if the commands ran one after the other. */
export const rsvpRules = (now: Date): BatchRules<RsvpCommand, LockedEvents, ReadState, number> => ({
  /** No event is hidden, cancelled or deleted, and no RSVP to it changes until the transaction ends. */
  lock: (tx, commands, mayWaitForLocks) =>
    lockRsvpEvents(tx, [...new Set(commands.map(({ eventId }) => eventId))], mayWaitForLocks),
  read: readState,
  decide: (commands, locked, state) => decideAll(commands, locked, state, now),
});

async function readState(tx: Transaction, commands: RsvpCommand[]) {
  const keys = commands.map(({ eventId, caller }) => ({ eventId, userId: caller.id }));
  const [rsvps, summaryState] = await Promise.all([findRsvps(tx, keys), listSummaryState(tx, 'rsvps', keys)]);
  return { rsvps, summaryState };
}

function decideAll(
  commands: Admitted<RsvpCommand>[],
  events: LockedEvents,
  { rsvps, summaryState }: ReadState,
  now: Date,
): Decided<number> {
  const written: WrittenRsvp[] = [];
  const removed: RsvpKey[] = [];
  const moves = new Map<string, EventMove>();
  const decide = ({ command, viewer, index }: Admitted<RsvpCommand>) => {
    const { eventId, status, extraGuests, isHidden, isByOrganizer } = command;
    const event = events.get(eventId);
    const found = rsvps[index];
    if (!found) return new Problem('event_not_found');
    if (!event) return RETRY_WITH_TARGET;
    const move = decideRsvp(command, viewer, event, found);
    if (move instanceof Problem) return move;
    const sum = moves.get(eventId) ?? { event, eventId, rsvps: 0, going: 0, extraGuests: 0, changes: [] };
    if (move) {
      const key = { eventId, userId: viewer.id };
      if (status === null) removed.push(key);
      else written.push({ ...key, status, extraGuests, isHidden });
      sum.rsvps += move.rsvps;
      sum.going += move.going;
      sum.extraGuests += move.extraGuests;
      if (move.rsvps !== 0 && !isByOrganizer) sum.changes.push({ personId: viewer.id, amount: move.rsvps });
      moves.set(eventId, sum);
    }
    return event.rsvpCount + sum.rsvps;
  };
  return {
    outcomes: new Map(commands.map((each) => [each.index, decide(each)])),
    statements: [
      ...(written.length > 0 ? [upsertRsvps(written, now)] : []),
      ...(removed.length > 0 ? [deleteRsvps(removed)] : []),
      ...moveStatements([...moves.values()], summaryState, now),
    ],
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
