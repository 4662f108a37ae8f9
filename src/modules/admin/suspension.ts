/** Suspending an account, and restoring it: who is suspended is out at once, and what they made is out of sight. */

import { type ListingKey, recordChange } from '../../cache/change-log.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import { Problem } from '../../lib/errors.ts';
import { listSessionKeys } from '../auth/session-repo.ts';
import { type ListableEvent, listingKeysOf } from '../events/listing-keys.ts';

type State = { role: 'user' | 'admin'; suspendedAt: Date | null };

/**
 * Ends all sessions and hides all events. The account is locked against everything that its owner writes (actAs holds
 * a share lock on it) and against their signing in: whatever was under way is over and found here, and whatever comes
 * after finds no session.
 * @returns false when it was suspended already
 * @throws Problem `user_not_found`, `is_admin`
 */
export async function suspend(tx: Transaction, userId: string, now: Date): Promise<boolean> {
  await takeTime(tx);
  // Before the lock too: two admins who suspended each other would wait for one another.
  refuseAdmin(await findState(tx, userId, false));
  const state = await findState(tx, userId, true);
  refuseAdmin(state);
  if (state.suspendedAt) return false;
  await tx.query(sql`update users set suspended_at = ${now} where id = ${userId}`);
  const sessions = await listSessionKeys(tx, userId);
  await tx.query(sql`delete from sessions where user_id = ${userId}`);
  const { ids, listingKeys } = await setHidden(tx, userId, true);
  await recordChange(tx, { records: [userId, ...sessions, ...ids], listingKeys });
  return true;
}

/**
 * Shows again what suspending hid; sessions do not come back.
 * @returns false when it was not suspended
 * @throws Problem `user_not_found`
 */
export async function restore(tx: Transaction, userId: string): Promise<boolean> {
  await takeTime(tx);
  const { suspendedAt } = await findState(tx, userId, true);
  if (!suspendedAt) return false;
  await tx.query(sql`update users set suspended_at = null where id = ${userId}`);
  const { ids, listingKeys } = await setHidden(tx, userId, false);
  await recordChange(tx, { records: [userId, ...ids], listingKeys });
  return true;
}

/** As long as it takes for whoever organized ten thousand events. */
async function takeTime(tx: Transaction): Promise<void> {
  await tx.query(sql`set local statement_timeout = '60s'`);
  await tx.query(sql`set local lock_timeout = '30s'`);
}

async function findState(tx: Transaction, userId: string, isLocked: boolean): Promise<State> {
  const [row] = await tx.query<State>(sql`
    select role, suspended_at from users where id = ${userId} ${isLocked ? sql`for update` : sql``}`);
  if (!row) throw new Problem('user_not_found');
  return row;
}

function refuseAdmin({ role }: State): void {
  if (role === 'admin') throw new Problem('is_admin');
}

/**
 * Events first, in the order of all who lock several, then the organizer's count of those that lists show.
 * @returns the ids of the events that changed, and where lists show them or did
 */
async function setHidden(
  tx: Transaction,
  userId: string,
  hidden: boolean,
): Promise<{ ids: string[]; listingKeys: ListingKey[] }> {
  await tx.query(sql`select 1 from events where organizer_id = ${userId} order by id for update`);
  const rows = await tx.query<ListableEvent & { id: string }>(sql`
    update events set hidden = ${hidden} where organizer_id = ${userId} and hidden <> ${hidden}
    returning id, lat, lng, start_at, end_at, visibility, status`);
  const listingKeys = listingKeysOf(rows.map((row) => ({ ...row, hidden: false })));
  await tx.query(sql`
    update user_counters set events_count = events_count + ${hidden ? -listingKeys.length : listingKeys.length}
    where user_id = ${userId}`);
  return { ids: rows.map(({ id }) => id), listingKeys };
}
