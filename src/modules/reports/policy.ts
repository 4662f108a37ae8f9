/** Decides what a person may report, and finds the person whom the report concerns. */
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Viewer } from '../../identity/caller.ts';
import { formatItemId, type ItemId, readId, readItemId } from '../../lib/ids.ts';
import { isVisible } from '../events/policy.ts';
import { findEvent } from '../events/repo.ts';
import { findItemState } from '../items/repo.ts';

export type Subject = { type: 'event' | 'item' | 'message' | 'user'; id: string };
/** The id in its canonical form, and the person whom a report of the subject concerns. */
type ReportableSubject = { id: string; aboutId: string };

/** Finds a subject; null if it does not exist or the viewer may not report it. */
export async function findSubject(
  tx: Transaction,
  { type, id }: Subject,
  viewer: Viewer,
): Promise<ReportableSubject | null> {
  if (type === 'item') {
    const item = orNull(() => readItemId(id));
    return item && findItem(tx, item, viewer);
  }
  const canonicalId = orNull(() => readId(id, 'subject_not_found'));
  return canonicalId === null ? null : finders[type](tx, canonicalId, viewer);
}

type Find = (tx: Transaction, id: string, viewer: Viewer) => Promise<ReportableSubject | null>;

const finders: Record<'event' | 'message' | 'user', Find> = {
  async event(tx, id, viewer) {
    const event = await findEvent(tx, id);
    return event && isVisible(event, viewer) ? { id, aboutId: event.organizerId } : null;
  },
  /** A message can be reported by its recipient alone. */
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

async function findItem(tx: Transaction, item: ItemId, viewer: Viewer): Promise<ReportableSubject | null> {
  const state = await findItemState(tx, item, viewer);
  return state && { id: formatItemId(item), aboutId: state.organizerId };
}

/** Treats a malformed id as the id of a missing subject. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
