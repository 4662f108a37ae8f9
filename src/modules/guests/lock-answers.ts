import { sql, type Transaction } from '#pg';
import type { ItemId } from '../../lib/ids.ts';
import { lockEventCounters } from '../attendance/lock-event-counters.ts';
import { lockItems } from '../items/claims/repo.ts';

/**
 * Locks all that a change of answers and of their claims locks. The RSVP writes to the change log, whose lock no transaction holds
 * while it waits for rows.
 */
export async function lockAnswers(tx: Transaction, eventIds: string[], items: ItemId[]): Promise<void> {
  await lockEventCounters(tx, eventIds, sql`1 as locked`, true);
  await lockItems(tx, items, true);
}
