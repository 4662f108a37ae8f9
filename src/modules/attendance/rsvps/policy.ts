/** Decides RSVPs. */
import type { UnlockedCaller, Viewer } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import { isVisible } from '../../events/policy.ts';
import type { Rsvp } from '../../events/repo.ts';
import type { Respondent, RsvpEvent } from './repo.ts';

/**
 * Sets the caller's RSVP; a `status` of null removes it. Null for `extraGuests` and `isHidden` keeps the
 * value, which is 0 and false for a new RSVP.
 */
export type RsvpCommand = {
  eventId: string;
  caller: UnlockedCaller;
  status: Rsvp | null;
  extraGuests: number | null;
  isHidden: boolean | null;
  /**
   * The organizer answers for a guest whom they added: whether the guest may see the event does not count, and the organizer is not
   * notified.
   */
  isByOrganizer?: true;
};

/** By how much an RSVP changes the counters of its event. */
type RsvpMove = { rsvps: number; going: number; extraGuests: number };

/**
 * Decides a command. An RSVP can be removed from an event that was hidden since.
 *
 * On a cancelled event, an RSVP with the status that the caller already has succeeds unless it adds guests:
 * the caller may be repeating a request whose response was lost, and can always hide.
 * @returns by how much the counters change; null if there is nothing to remove
 */
export function decideRsvp(
  { status, extraGuests, isByOrganizer }: RsvpCommand,
  viewer: Viewer,
  event: RsvpEvent,
  { rsvp: existing, standing }: Respondent,
): RsvpMove | null | Problem {
  if (!isByOrganizer && !isVisible(event, viewer, standing) && (status !== null || !existing))
    return new Problem('event_not_found');
  if (status === null && !existing) return null;
  if (status !== null && standing.isRemoved) return new Problem('removed_from_event');
  if (status !== null && event.status === 'cancelled') {
    const addsNothing = existing?.status === status && existing.extraGuests >= (extraGuests ?? 0);
    if (!addsNothing) return new Problem('event_cancelled');
  }
  const before = partOf(existing?.status ?? null, existing?.extraGuests ?? 0);
  const after = partOf(status, extraGuests ?? existing?.extraGuests ?? 0);
  return {
    rsvps: after.rsvps - before.rsvps,
    going: after.going - before.going,
    extraGuests: after.extraGuests - before.extraGuests,
  };
}

/** What an RSVP adds to the counters; a status of null is no RSVP. */
function partOf(status: Rsvp | null, extraGuests: number): RsvpMove {
  const going = Number(status === 'going');
  return { rsvps: Number(status !== null), going, extraGuests: going * extraGuests };
}
