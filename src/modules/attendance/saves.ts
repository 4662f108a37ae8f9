/** Saved events. */
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Viewer } from '../../identity/caller.ts';
import { visibleCondition } from '../events/policy.ts';

/**
 * Saves an event for a person or removes it from the saved events. A repetition changes nothing. An event
 * that was hidden after the person saved it can still be removed.
 * @returns false if there is no such event for the viewer
 */
export async function setSaved(
  tx: Transaction,
  eventId: string,
  viewer: Viewer,
  saved: boolean,
  now: Date,
): Promise<boolean> {
  const [event] = await tx.query<{ isVisible: boolean }>(sql`
    select ${visibleCondition(viewer)} as is_visible from events e where e.id = ${eventId} for key share`);
  if (!saved) {
    const count = await tx.execute(
      sql`delete from saves where event_id = ${eventId} and user_id = ${viewer.id}`,
    );
    return count > 0 || event?.isVisible === true;
  }
  if (!event?.isVisible) return false;
  await tx.query(sql`
    insert into saves (event_id, user_id, created_at) values (${eventId}, ${viewer.id}, ${now})
    on conflict do nothing`);
  return true;
}
