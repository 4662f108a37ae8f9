/** What an import reads and writes beside the events themselves: which entry became which event. */
import type { Queryable } from '../../db/query.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import { newId } from '../../lib/ids.ts';
import type { EventRow } from '../../modules/events/present.ts';
import { listEventRows } from '../../modules/events/repo.ts';

/** The events that entries became in earlier imports, by the entries' keys; as they are now, unlocked. */
export async function listImported(
  db: Queryable,
  organizerId: string,
  keys: string[],
): Promise<Map<string, EventRow>> {
  const imports = await db.query<{ uid: string; eventId: string }>(sql`
    select uid, event_id from imports where organizer_id = ${organizerId} and uid = any(${keys}::text[])`);
  const ids = imports.map(({ eventId }) => eventId);
  const events = await listEventRows(db, ids);
  const byId = new Map(events.map((event) => [event.id, event]));
  return new Map(
    imports.flatMap(({ uid, eventId }) => {
      const event = byId.get(eventId);
      return event ? [[uid, event] as const] : [];
    }),
  );
}

/** Share-locks the account, so that it outlives the transaction; false when it is gone or suspended. */
export async function holdAccount(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.query(
    sql`select 1 from users where id = ${id} and suspended_at is null for key share`,
  );
  return rows.length === 1;
}

/**
 * Takes an entry's key for an event that the transaction is about to make. Of two imports at once the second waits
 * here for the first, and is then told no.
 */
export async function reserveKey(tx: Transaction, organizerId: string, key: string): Promise<boolean> {
  const count = await tx.execute(sql`
    insert into imports (organizer_id, uid, event_id) values (${organizerId}, ${key}, ${newId()})
    on conflict do nothing`);
  return count === 1;
}

export async function setImported(
  tx: Transaction,
  organizerId: string,
  key: string,
  eventId: string,
): Promise<void> {
  await tx.query(
    sql`update imports set event_id = ${eventId} where organizer_id = ${organizerId} and uid = ${key}`,
  );
}
