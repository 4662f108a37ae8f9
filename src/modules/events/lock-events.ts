import { lockEach } from '../../db/locks.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';

/** Locks the events of an organizer in the mode that excludes all other writes. */
export async function lockOrganizedEvents(tx: Transaction, organizerId: string): Promise<void> {
  const rows = await tx.query<{ id: string }>(sql`select id from events where organizer_id = ${organizerId}`);
  const ids = rows.map(({ id }) => id);
  await lockEach(ids, String, (id) => tx.query(sql`select 1 from events where id = ${id} for update`));
}
