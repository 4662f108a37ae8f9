/** SQL of the table `imports`, which maps the entries of calendars to events. */
import { newId } from '#base';
import { type Queryable, sql, type Transaction } from '#pg';
import type { Coordinates } from '#record-index';
import type { EventRow } from './present.ts';
import { listEventRows } from './repo.ts';

/** `lacksPlace`: whether the import made it a draft because nothing said where it is. */
export type ImportedEvent = { event: EventRow; lacksPlace: boolean };

/** Returns the events of earlier imports by the keys of their entries. Locks nothing. */
export async function listImportedEvents(
  db: Queryable,
  organizerId: string,
  keys: string[],
): Promise<Map<string, ImportedEvent>> {
  const imports = await db.query<{ uid: string; eventId: string; lacksPlace: boolean }>(sql`
    select uid, event_id, lacks_place from imports
    where organizer_id = ${organizerId} and uid = any(${keys}::text[])`);
  const events = await listEventRows(
    db,
    imports.map(({ eventId }) => eventId),
  );
  const byId = new Map(events.map((event) => [event.id, event]));
  return new Map(
    imports.flatMap(({ uid, eventId, lacksPlace }) => {
      const event = byId.get(eventId);
      return event ? [[uid, { event, lacksPlace }] as const] : [];
    }),
  );
}

/** Lists the keys of a UID: the UID itself, and those of its dates. */
export async function listKeysOfUid(db: Queryable, organizerId: string, uid: string): Promise<string[]> {
  const rows = await db.query<{ uid: string }>(sql`
    select uid from imports
    where organizer_id = ${organizerId} and (uid = ${uid} or starts_with(uid, ${`${uid}\n`}))`);
  return rows.map((row) => row.uid);
}

/** Of the newest events of an organizer, so many are looked at. */
const newest = 50;

/**
 * Finds where the newest event of an organizer is that is no draft and was not imported: an import must not depend on the
 * one before it. Null without one.
 */
export async function findLastPlace(db: Queryable, organizerId: string): Promise<Coordinates | null> {
  const events = await db.query<Coordinates & { id: string }>(sql`
    select id, lat, lng from events where organizer_id = ${organizerId} and visibility <> 'private'
    order by id desc limit ${newest}`);
  const imports = await db.query<{ eventId: string }>(sql`
    select event_id from imports
    where organizer_id = ${organizerId} and event_id = any(${events.map(({ id }) => id)}::uuid[])`);
  const imported = new Set(imports.map(({ eventId }) => eventId));
  const last = events.find(({ id }) => !imported.has(id));
  return last ? { lat: last.lat, lng: last.lng } : null;
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

/** Sets the event of a key that `reserveKey` inserted, or whether its event still lacks a place. */
export async function setImportedEvent(
  tx: Transaction,
  organizerId: string,
  key: string,
  { eventId, lacksPlace }: { eventId: string; lacksPlace: boolean },
): Promise<void> {
  await tx.query(sql`
    update imports set event_id = ${eventId}, lacks_place = ${lacksPlace}
    where organizer_id = ${organizerId} and uid = ${key}`);
}
