/** SQL of the table `imports`, which maps the entries of calendars to events. */
import type { Queryable } from '../../db/query.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import { newId } from '../../lib/ids.ts';
import type { EventRow } from './present.ts';
import { listEventRows } from './repo.ts';

/** Returns the events of earlier imports by the keys of their entries. Locks nothing. */
export async function listImportedEvents(
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

/**
 * Inserts the key of an entry before its event exists. A concurrent import of the same entry waits here.
 * @returns false if the key exists
 */
export async function reserveKey(tx: Transaction, organizerId: string, key: string): Promise<boolean> {
  const count = await tx.execute(sql`
    insert into imports (organizer_id, uid, event_id) values (${organizerId}, ${key}, ${newId()})
    on conflict do nothing`);
  return count === 1;
}

/** Sets the event of a key that `reserveKey` inserted. */
export async function setImportedEvent(
  tx: Transaction,
  organizerId: string,
  key: string,
  eventId: string,
): Promise<void> {
  await tx.query(
    sql`update imports set event_id = ${eventId} where organizer_id = ${organizerId} and uid = ${key}`,
  );
}
