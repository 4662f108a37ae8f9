import type { Transaction } from '#pg';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { requireOrganizer } from './policy.ts';
import type { EventRow } from './present.ts';
import { findEventForUpdate } from './repo.ts';

/**
 * Locks an event that the caller may change.
 * @throws Problem `event_not_found`, `not_organizer`
 */
export async function requireOwnEvent(tx: Transaction, id: string, caller: Caller): Promise<EventRow> {
  const row = await findEventForUpdate(tx, id, caller);
  if (!row) throw new Problem('event_not_found');
  requireOrganizer(row, caller);
  return row;
}
