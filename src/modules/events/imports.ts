/** SQL of the table `imports`, which maps the entries of calendars to events. */
import { newId } from '#base';
import { type Queryable, sql, type Transaction } from '#pg';
import type { Coordinates } from '#record-index';
import type { EventRow } from './present.ts';
import { listEventRows } from './repo.ts';

/**
 * What an earlier import made of an entry. `event`: null if it was deleted since. `content`: what the file said; null for an import of
 * an earlier version.
 */
export type ImportedEvent<Content = unknown> = {
  event: EventRow | null;
  content: Content | null;
};

/** Returns the events of earlier imports by the keys of their entries. Locks nothing. */
export async function listImportedEvents<Content>(
  db: Queryable,
  organizerId: string,
  keys: string[],
): Promise<Map<string, ImportedEvent<Content>>> {
  const imports = await db.query<{
    uid: string;
    eventId: string;
    content: Content | null;
  }>(sql`
    select uid, event_id, content from imports
    where organizer_id = ${organizerId} and uid = any(${keys}::text[])`);
  const events = await listEventRows(
    db,
    imports.map(({ eventId }) => eventId),
  );
  const byId = new Map(events.map((event) => [event.id, event]));
  return new Map(
    imports.map(({ uid, eventId, content }) => [uid, { content, event: byId.get(eventId) ?? null }]),
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
    select id, lat, lng from events
    where organizer_id = ${organizerId} and visibility <> 'private' and location_kind = 'place'
    order by id desc limit ${newest}`);
  const imports = await db.query<{ eventId: string }>(sql`
    select event_id from imports
    where organizer_id = ${organizerId} and event_id = any(${events.map(({ id }) => id)}::uuid[])`);
  const imported = new Set(imports.map(({ eventId }) => eventId));
  const last = events.find(({ id }) => !imported.has(id));
  return last ? { lat: last.lat, lng: last.lng } : null;
}

/**
 * Locks the key of an entry, and inserts it if it is new: an import of the same entry at the same time waits here.
 * @returns the event of the key; null for a new one, and if the event was deleted
 */
export async function lockKey(tx: Transaction, organizerId: string, key: string): Promise<string | null> {
  const [row] = await tx.query<{ eventId: string }>(sql`
    insert into imports (organizer_id, uid, event_id) values (${organizerId}, ${key}, ${newId()})
    on conflict (organizer_id, uid) do update set uid = excluded.uid returning event_id`);
  const [event] = await tx.query<{ id: string }>(sql`select id from events where id = ${row?.eventId}`);
  return event?.id ?? null;
}

/** Sets the event of a locked key, and what the file said of it. */
export async function setImportedEvent(
  tx: Transaction,
  organizerId: string,
  key: string,
  { eventId, content }: { eventId: string; content: object | null },
): Promise<void> {
  await tx.query(sql`
    update imports set event_id = ${eventId}, content = ${content && JSON.stringify(content)}::jsonb, lacks_place = false
    where organizer_id = ${organizerId} and uid = ${key}`);
}
