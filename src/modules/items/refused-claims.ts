/**
 * Refuses claims on items that are used up without the locks and the commit of a transaction, which cost a multiple of a
 * read: when many people want the last one, nearly all claims are refused.
 *
 * The read begins after the request has arrived, and has every claim that was acknowledged before. So there was a moment
 * during the request at which the claim would have been refused under the locks too. What the read does not refuse is
 * decided under the locks.
 */
import { LRUCache } from 'lru-cache';
import { createLoader } from '../../db/batching.ts';
import { isLive } from '../../identity/sessions.ts';
import type { Problem } from '../../lib/errors.ts';
import { formatItemId } from '../../lib/ids.ts';
import type { AttendanceServices } from '../attendance/services.ts';
import { type ClaimCommand, claimKey } from './apply-claims.ts';
import { listClaimStates } from './claim-repo.ts';
import { refuseClaim } from './policy.ts';

/** Items in memory that seem used up. */
const maxItems = 10_000;

/** The items that claims are refused on. For all others, a read in addition would slow down claims that succeed. */
export const createUsedUpItems = (): LRUCache<string, true> => new LRUCache({ max: maxItems });

/** Finds the Problem that refuses a claim; null if only the transaction can tell. */
export type RefusalFinder = (command: ClaimCommand) => Promise<Problem | null>;

export function createRefusalFinder(
  { db, sessions, flags, clock }: AttendanceServices,
  usedUp: LRUCache<string, true>,
): RefusalFinder {
  const loadState = createLoader((commands: ClaimCommand[]) => listClaimStates(db, commands), {
    keyOf: claimKey,
  });

  return async (command) => {
    if (!usedUp.has(formatItemId(command.item))) return null;
    const { id, sessionId, accessHash } = command.caller;
    const [session, state, claimsEnabled] = await Promise.all([
      sessions.find({ userId: id, sessionId }),
      loadState(command),
      flags.isOn('claims'),
    ]);
    const isSignedIn = session && isLive(session, { userId: id, hash: accessHash }, clock());
    // The transaction responds to a session that has ended, or whose account is suspended.
    if (!isSignedIn || session.isSuspended) return null;
    const viewer = { id, role: session.role };
    return state && refuseClaim(command, { viewer, ...state, claimsEnabled });
  };
}
