/** Applies batches of RSVPs: RSVPs to the same event share one transaction and one update of its counters. */
import { changeStatement } from '../../cache/change-log.ts';
import { RETRY_INDIVIDUALLY } from '../../db/batching.ts';
import type { Database } from '../../db/client.ts';
import { transaction } from '../../db/transaction.ts';
import { Problem } from '../../lib/errors.ts';
import { changedEvents } from '../events/changed-events.ts';
import { type RsvpCommand, type RsvpOutcome, setRsvps } from './rsvp-repo.ts';

/**
 * The RSVP that a command changes: a person has at most one RSVP to an event, and a batch has each at most
 * once.
 */
export const rsvpKey = ({ eventId, caller }: RsvpCommand): string => `${eventId} ${caller.id}`;

/**
 * Sets and removes RSVPs in one round trip.
 * @param mayWaitForLocks waits for locks of other transactions. If not set, commands that need such a lock
 *   come back as `RETRY_INDIVIDUALLY`
 * @returns for each command the event's number of RSVPs after it, as if the commands ran one after the other
 */
export function applyRsvps(
  db: Database,
  commands: RsvpCommand[],
  now: Date,
  mayWaitForLocks: boolean,
): Promise<(number | Problem | typeof RETRY_INDIVIDUALLY)[]> {
  return transaction(db, async (_tx, commit) => {
    const records = [changedEvents([...new Set(commands.map(({ eventId }) => eventId))])];
    const [found] = await commit(setRsvps(commands, now, mayWaitForLocks), changeStatement({ records }));
    const rows = new Map((found as unknown as RsvpOutcome[]).map((row) => [Number(row.n), row]));
    const counts = new Map<string, number>();
    return commands.map((command, i) => {
      const row = rows.get(i + 1);
      const refusal = refusalOf(command, row, mayWaitForLocks);
      if (refusal) return refusal;
      const rsvpCount = (counts.get(command.eventId) ?? row?.rsvpCount ?? 0) + (row?.change ?? 0);
      counts.set(command.eventId, rsvpCount);
      return rsvpCount;
    });
  });
}

/** Why a command had no effect; null if it succeeded. */
function refusalOf(
  command: RsvpCommand,
  row: RsvpOutcome | undefined,
  mayWaitForLocks: boolean,
): Problem | typeof RETRY_INDIVIDUALLY | null {
  if (!row?.hasCaller) return mayWaitForLocks ? new Problem('token_invalid') : RETRY_INDIVIDUALLY;
  // A statement that waits for the lock of an event and does not get it waited for the event's deletion.
  if (row.isLocked === null || (!row.isLocked && mayWaitForLocks)) return new Problem('event_not_found');
  if (!row.isLocked) return RETRY_INDIVIDUALLY;
  if (row.change !== null) return null;
  // An RSVP can be removed from an event that was hidden since, so visibility is checked last.
  if (!row.isVisible) return new Problem('event_not_found');
  return command.status === null ? null : new Problem('event_cancelled');
}
