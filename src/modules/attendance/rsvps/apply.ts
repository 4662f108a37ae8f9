/** RSVPs in batches: RSVPs to the same event share one transaction and one update of its counters. */
import { changeStatement } from '#fresh-records';
import { RETRY_WITH_TARGET, type Statement, type Transaction } from '#pg';
import type { Admitted, BatchRules, Decided } from '../../../idempotency/batch-writer.ts';
import { Problem } from '../../../lib/errors.ts';
import {
  insertSummaryPushes,
  listSummaryStates,
  nextSummary,
  type SummaryChange,
} from '../../../outbox/summaries.ts';
import { changedEvents } from '../../events/changed-events.ts';
import { writeStandings } from '../../events/event-people.ts';
import { deleteRequests, type NewRequest, type RequestKey, upsertRequests } from '../requests/repo.ts';
import { moveRequestCounts } from '../requests/summary.ts';
import { answerInvitations, answerOf, type InvitationAnswer } from './answer-invitations.ts';
import { decideRsvp, type RsvpCommand, type RsvpDecision, type RsvpResult } from './policy.ts';
import {
  deleteRsvps,
  findRsvps,
  lockRsvpEvents,
  moveRsvpCounters,
  type Respondent,
  type RsvpCounterMove,
  type RsvpEvent,
  type RsvpKey,
  upsertRsvps,
  upsertRsvpsOfSeries,
  type WrittenOfSeries,
  type WrittenRsvp,
} from './repo.ts';

/** What the commands on one event change. `asked`: the changes of requests. */
type EventMove = Omit<RsvpCounterMove, 'summary'> & {
  event: RsvpEvent;
  changes: SummaryChange[];
  asked: SummaryChange[];
};
type LockedEvents = Map<string, RsvpEvent>;
type ReadState = Awaited<ReturnType<typeof readState>>;

/** The RSVP that a command changes: a person has at most one RSVP to an event. */
export const rsvpKey = ({ eventId, caller }: RsvpCommand): string => `${eventId} ${caller.id}`;

/** The result of a command has the event's number of RSVPs after it, as if the commands ran one after the other. */
export const rsvpRules = (now: Date): BatchRules<RsvpCommand, LockedEvents, ReadState, RsvpResult> => ({
  /** No event is hidden, cancelled or deleted, and no RSVP to it changes until the transaction ends. */
  lock: (tx, commands, mayWaitForLocks) =>
    lockRsvpEvents(tx, [...new Set(commands.map(({ eventId }) => eventId))], mayWaitForLocks),
  read: readState,
  decide: (commands, locked, state) => decideAll(commands, locked, state, now),
});

async function readState(tx: Transaction, commands: RsvpCommand[]) {
  const keys = commands.map(({ eventId, caller }) => ({ eventId, userId: caller.id }));
  const [respondents, summaryStates] = await Promise.all([
    findRsvps(tx, keys),
    listSummaryStates(tx, ['rsvps', 'requests'], keys),
  ]);
  return { respondents, summaryStates };
}

function decideAll(
  commands: Admitted<RsvpCommand>[],
  events: LockedEvents,
  { respondents, summaryStates }: ReadState,
  now: Date,
): Decided<RsvpResult> {
  const rows: ChangedRows = {
    ...{ written: [], ofSeries: [], removed: [], absent: [], asked: [], ended: [], answered: [] },
  };
  const moves = new Map<string, EventMove>();
  const counted = new Set<string>();
  const decide = ({ command, viewer, index }: Admitted<RsvpCommand>) => {
    const { eventId } = command;
    const event = events.get(eventId);
    const found = respondents[index];
    if (!found) return new Problem('event_not_found');
    if (!event) return RETRY_WITH_TARGET;
    const decision = decideRsvp(command, { viewer, event, now, ...found });
    if (decision instanceof Problem) return decision;
    if (decision.result.isKept) return { ...decision.result, rsvpCount: event.rsvpCount };
    const isUncounted = countsNot(command, decision, found, counted);
    const none = { event, eventId, rsvps: 0, going: 0, extraGuests: 0, changes: [], asked: [] };
    const sum = moves.getOrInsert(eventId, none);
    addMove(sum, command, decision, isUncounted);
    addRequestMove(sum, viewer.id, decision, found);
    addRows(rows, command, decision, isUncounted);
    // An invitation by the id of the account has the answer too.
    if (found.standing.isInvited) rows.answered.push(answerOf(command, found.rsvp));
    return { ...decision.result, rsvpCount: event.rsvpCount + sum.rsvps };
  };
  return {
    outcomes: new Map(commands.map((each) => [each.index, decide(each)])),
    statements: [...rowStatements(rows, now), ...moveStatements([...moves.values()], summaryStates, now)],
  };
}

/**
 * Whether the organizer is not notified of what a command adds, or takes back. An RSVP to a series counts once, at the first date where
 * it makes one.
 * @param counted the people of whom one has counted
 */
function countsNot(
  { caller, isByOrganizer, ofSeries }: RsvpCommand,
  { move }: RsvpDecision,
  { rsvp }: Respondent,
  counted: Set<string>,
): boolean {
  if (isByOrganizer) return true;
  if (rsvp) return rsvp.isUncounted;
  if (!ofSeries || !move) return false;
  if (!ofSeries.isNew || counted.has(caller.id)) return true;
  counted.add(caller.id);
  return false;
}

function addMove(
  sum: EventMove,
  { caller }: RsvpCommand,
  { move }: RsvpDecision,
  isUncounted: boolean,
): void {
  if (!move) return;
  sum.rsvps += move.rsvps;
  sum.going += move.going;
  sum.extraGuests += move.extraGuests;
  if (move.rsvps !== 0 && !isUncounted) sum.changes.push({ personId: caller.id, amount: move.rsvps });
}

/** A pending request counts once, however often the person changes it. */
function addRequestMove(
  { asked }: EventMove,
  personId: string,
  { request }: RsvpDecision,
  before: Respondent,
): void {
  if (request === 'made' && before.request?.status !== 'pending') asked.push({ personId, amount: 1 });
  if (request === 'ended') asked.push({ personId, amount: -1 });
}

type ChangedRows = {
  written: WrittenRsvp[];
  ofSeries: WrittenOfSeries[];
  removed: RsvpKey[];
  absent: RsvpKey[];
  asked: NewRequest[];
  ended: RequestKey[];
  answered: InvitationAnswer[];
};

function addRows(
  rows: ChangedRows,
  command: RsvpCommand,
  { move, request, isAbsent }: RsvpDecision,
  isUncounted: boolean,
): void {
  const { eventId, caller, status, extraGuests, isHidden, ask, ofSeries } = command;
  const userId = caller.id;
  const key = { subjectId: eventId, userId };
  if (request === 'ended') rows.ended.push(key);
  if (request === 'made' && status !== null)
    rows.asked.push({ ...key, answer: status, extraGuests, isHidden, message: ask?.message ?? null });
  if (isAbsent) rows.absent.push({ eventId, userId });
  if (!move) return;
  if (status === null) {
    rows.removed.push({ eventId, userId });
    return;
  }
  const row = { eventId, userId, status, extraGuests, isHidden };
  if (ofSeries) rows.ofSeries.push({ ...row, isOfSeries: true, isUncounted });
  else rows.written.push(row);
}

/** In LOCK_ORDER. An RSVP to an event without a series takes the statements that it took before there were series. */
const rowStatements = (
  { written, ofSeries, removed, absent, asked, ended, answered }: ChangedRows,
  now: Date,
): Statement[] => [
  ...(absent.length > 0 ? [writeStandings(absent, { isAbsent: true })] : []),
  ...(written.length > 0 ? [upsertRsvps(written, now)] : []),
  ...(ofSeries.length > 0 ? [upsertRsvpsOfSeries(ofSeries, now)] : []),
  ...(removed.length > 0 ? [deleteRsvps(removed)] : []),
  ...(asked.length > 0 ? [upsertRequests(asked, now)] : []),
  ...(ended.length > 0 ? [deleteRequests(ended)] : []),
  ...(answered.length > 0 ? [answerInvitations(answered, now)] : []),
];

/** The statements that write the counters of events, what organizers are notified of, and the change. */
function moveStatements(moves: EventMove[], states: ReadState['summaryStates'], now: Date): Statement[] {
  const changed = moves
    .filter(({ rsvps, going, extraGuests, changes }) => rsvps || going || extraGuests || changes.length > 0)
    .map((move) => ({ ...move, summary: nextSummary(move.event, move.changes, states.rsvps) }));
  const asked = moves.filter((move) => move.asked.length > 0);
  const eventIds = [...new Set([...changed, ...asked].map(({ eventId }) => eventId))];
  if (eventIds.length === 0) return [];
  return [
    ...insertSummaryPushes(changed, now),
    ...(changed.length > 0 ? [moveRsvpCounters(changed)] : []),
    ...moveRequestCounts(
      asked.map((move) => ({ event: move.event, changes: move.asked })),
      states.requests,
      now,
    ),
    changeStatement({ records: [changedEvents(eventIds)] }),
  ];
}
