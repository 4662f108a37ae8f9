/** Decides RSVPs. */
import type { UnlockedCaller, Viewer } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import { isVisible } from '../../events/policy.ts';
import type { OpenRequest, Rsvp } from '../../events/repo.ts';
import { isClosed, needsApproval } from '../joining.ts';
import { isRefused } from '../requests/policy.ts';
import type { ExistingRsvp, Respondent, RsvpEvent } from './repo.ts';

/**
 * Sets the caller's RSVP; a `status` of null removes it, and withdraws a request. Null for `extraGuests` and `isHidden` keeps the
 * value, which is 0 and false for a new RSVP. `ask`: makes a request where the RSVP needs the approval of the organizer.
 */
export type RsvpCommand = {
  eventId: string;
  caller: UnlockedCaller;
  status: Rsvp | null;
  extraGuests: number | null;
  isHidden: boolean | null;
  ask?: { message: string | null } | null | undefined;
  /**
   * The organizer answers for a guest whom they added, or approves a request to a series: the guest need not see the event nor be
   * approved, the deadline does not count, and the organizer is not notified.
   */
  isByOrganizer?: true;
  /**
   * The command comes from an RSVP to the series of the event: it changes no answer to the event itself. `isNew`: the organizer is
   * notified of the first RSVP that it makes.
   */
  ofSeries?: { isNew: boolean };
};

/** The person has this RSVP and this request after the command. `isKept`: of a command of a series that changes nothing. */
export type RsvpResult = {
  myRsvp: Rsvp | null;
  rsvpCount: number;
  myRequest: OpenRequest | null;
  isKept?: true;
};

/** By how much an RSVP changes the counters of its event. */
type RsvpMove = { rsvps: number; going: number; extraGuests: number };

/**
 * `move`: null if the RSVP stays as it is. `request`: whether the request is made, or ends; null if it stays as it is. `isAbsent`: the
 * person answers a date of a series with no RSVP.
 */
export type RsvpDecision = {
  move: RsvpMove | null;
  request: 'made' | 'ended' | null;
  isAbsent?: true;
  result: Omit<RsvpResult, 'rsvpCount'>;
};

/** What decides about an RSVP. */
export type RsvpState = { viewer: Viewer; event: RsvpEvent; now: Date } & Respondent;

/**
 * Decides a command. An RSVP can be removed from an event that was hidden since, and a request withdrawn.
 * @returns the decision, or the first problem in the order 404, 403, 409
 */
export function decideRsvp(command: RsvpCommand, state: RsvpState): RsvpDecision | Problem {
  const { status, extraGuests, isByOrganizer } = command;
  const { viewer, event, rsvp, request, standing } = state;
  if (command.ofSeries && keepsAnswer(command, state)) return keep(state);
  const isPending = request?.status === 'pending';
  if (!isByOrganizer && !isVisible(event, viewer, standing) && (status !== null || !(rsvp || isPending)))
    return new Problem('event_not_found');
  if (status === null) {
    const myRequest = request?.status === 'refused' ? 'refused' : null;
    const move = rsvp && moveOf(rsvp, null);
    const isAbsent = event.seriesId !== null && !command.ofSeries;
    const result = { myRsvp: null, myRequest } as const;
    return { move, request: isPending ? 'ended' : null, ...(isAbsent && { isAbsent }), result };
  }
  if (standing.isRemoved) return new Problem('removed_from_event');
  const late = refuseLate(command, state);
  if (late) return late;
  // An RSVP, also one to the series, was approved, or none was needed when it was made.
  const isOfApproved = rsvp !== null || command.ofSeries?.isNew === false;
  const isApproved = isByOrganizer || isOfApproved || standing.isInvited || standing.isApproved;
  if (needsApproval(event, viewer) && !isApproved) return decideRequest(command, state);
  const move = moveOf(rsvp, { status, extraGuests: extraGuests ?? rsvp?.extraGuests ?? 0 });
  const isOpen = request !== null && request.status !== 'approved';
  return { move, request: isOpen ? 'ended' : null, result: { myRsvp: status, myRequest: null } };
}

/** An RSVP to a series leaves dates that the person has answered for themselves, with an RSVP or with none, and those that are closed. */
function keepsAnswer(
  { status, isByOrganizer }: RsvpCommand,
  { event, viewer, now, rsvp, isAbsent }: RsvpState,
): boolean {
  const isAnswered = rsvp ? !rsvp.isOfSeries : isAbsent;
  if (isAnswered || status === null) return isAnswered;
  return event.status === 'cancelled' || (!isByOrganizer && isClosed(event, viewer, now));
}

const keep = ({ rsvp, request }: RsvpState): RsvpDecision => ({
  ...{ move: null, request: null },
  result: {
    myRsvp: rsvp?.status ?? null,
    myRequest: request && request.status !== 'approved' ? request.status : null,
    isKept: true,
  },
});

/**
 * Refuses what adds people to an event that is cancelled, or that nobody can answer any more. What the caller has already is
 * no addition: the caller may be repeating a request whose response was lost, and can always hide.
 */
function refuseLate(
  { status, extraGuests, isByOrganizer }: RsvpCommand,
  { event, viewer, now, rsvp }: RsvpState,
) {
  const addsNobody = rsvp !== null && rsvp.extraGuests >= (extraGuests ?? 0);
  if (event.status === 'cancelled' && !(addsNobody && rsvp.status === status))
    return new Problem('event_cancelled');
  const isLess = addsNobody && (rsvp.status === status || status === 'interested');
  return !isByOrganizer && !isLess && isClosed(event, viewer, now) ? new Problem('rsvp_closed') : null;
}

/** Decides about an RSVP that the organizer has to approve. */
function decideRequest({ ask }: RsvpCommand, { request, now }: RsvpState): RsvpDecision | Problem {
  if (!ask) return new Problem('approval_required');
  if (isRefused(request, now)) return new Problem('request_refused');
  return { move: null, request: 'made', result: { myRsvp: null, myRequest: 'pending' } };
}

type CountedRsvp = Pick<ExistingRsvp, 'status' | 'extraGuests'>;

/** By how much the counters change. */
export function moveOf(before: CountedRsvp | null, after: CountedRsvp | null): RsvpMove {
  const [from, to] = [partOf(before), partOf(after)];
  return {
    rsvps: to.rsvps - from.rsvps,
    going: to.going - from.going,
    extraGuests: to.extraGuests - from.extraGuests,
  };
}

/** What an RSVP adds to the counters. */
function partOf(rsvp: CountedRsvp | null): RsvpMove {
  const going = Number(rsvp?.status === 'going');
  return { rsvps: Number(rsvp !== null), going, extraGuests: going * (rsvp?.extraGuests ?? 0) };
}
