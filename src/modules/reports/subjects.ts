/** What can be reported, and whose it is. */
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Viewer } from '../../identity/caller.ts';
import { formatItemId, type ItemId, readId, readItemId } from '../../lib/ids.ts';
import { isVisible } from '../events/policy.ts';
import { findEvent } from '../events/repo.ts';
import { findClaimAccess } from '../items/repo.ts';

export type Subject = { type: 'event' | 'item' | 'message' | 'user'; id: string };
/** The id as it is written everywhere else, and the person who answers for it. */
type Found = { id: string; aboutId: string };

/** Null where there is no such thing for the viewer. */
export async function findSubject(
  tx: Transaction,
  { type, id }: Subject,
  viewer: Viewer,
): Promise<Found | null> {
  if (type === 'item') {
    const item = orNull(() => readItemId(id));
    return item && findItem(tx, item, viewer);
  }
  const known = orNull(() => readId(id, 'subject_not_found'));
  return known === null ? null : finders[type](tx, known, viewer);
}

type Find = (tx: Transaction, id: string, viewer: Viewer) => Promise<Found | null>;

const finders: Record<'event' | 'message' | 'user', Find> = {
  async event(tx, id, viewer) {
    const event = await findEvent(tx, id);
    return event && isVisible(event, viewer) ? { id, aboutId: event.organizerId } : null;
  },
  /** Of what was sent to them alone. */
  async message(tx, id, viewer) {
    const [row] = await tx.query<{ otherId: string }>(sql`
      select other_id from messages where user_id = ${viewer.id} and id = ${id} and not is_own`);
    return row ? { id, aboutId: row.otherId } : null;
  },
  async user(tx, id, viewer) {
    const rows = await tx.query(sql`
      select 1 from users where id = ${id} and (suspended_at is null or ${viewer.role === 'admin'})`);
    return rows.length > 0 ? { id, aboutId: id } : null;
  },
};

async function findItem(tx: Transaction, item: ItemId, viewer: Viewer): Promise<Found | null> {
  const access = await findClaimAccess(tx, item, viewer);
  return access && { id: formatItemId(item), aboutId: access.organizerId };
}

/** A malformed id names nothing. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
