/** SQL of the table `imports`, which maps the entries of calendars to events and series. */
import { newId } from '#base';
import { isOneOf, type Queryable, sql, type Transaction } from '#pg';
import type { Coordinates } from '#record-index';
import type { EventRow } from './present.ts';
import { listEventRows } from './repo.ts';
import { listSeriesRows, type Series } from './series/repo.ts';
import { compare } from './series/schedule.ts';

/**
 * What an earlier import made of an entry. `event`: null if it was deleted since. `series`: of an entry that repeats, its series in the
 * order of their dates: several if a person has split it here, none if it was deleted. `content`: what the file said; null for an
 * import of an earlier version. `hash`: of what it said. `isLeftOut`: the person left the entry out of a review, so it has no event.
 */
export type ImportedEvent<Content = unknown> = {
  event: EventRow | null;
  series: Series[] | null;
  content: Content | null;
  hash: string | null;
  isLeftOut: boolean;
};

type ImportRow<Content> = {
  uid: string;
  eventId: string;
  seriesId: string | null;
  partOf: string | null;
  content: Content | null;
  hash: string | null;
  isLeftOut: boolean;
};

/** Returns what earlier imports made, by the keys of the entries. Locks nothing. */
export async function listImportedEvents<Content>(
  db: Queryable,
  organizerId: string,
  keys: string[],
): Promise<Map<string, ImportedEvent<Content>>> {
  const imports = await db.query<ImportRow<Content>>(sql`
    select uid, event_id, series_id, part_of, content, hash, is_left_out from imports
    where organizer_id = ${organizerId} and (uid = any(${keys}::text[]) or part_of = any(${keys}::text[]))`);
  const events = await listEventRows(
    db,
    imports.flatMap(({ eventId, seriesId }) => (seriesId === null ? [eventId] : [])),
  );
  const seriesIds = imports.flatMap(({ seriesId }) => seriesId ?? []);
  const series =
    seriesIds.length === 0 ? [] : await listSeriesRows(db, sql`where ${isOneOf(sql`id`, seriesIds)}`);
  const byId = new Map(events.map((event) => [event.id, event]));
  const seriesOf = Map.groupBy(imports, ({ uid, partOf }) => partOf ?? uid);
  return new Map(
    imports
      .filter(({ partOf }) => partOf === null)
      .map(({ uid, eventId, seriesId, partOf: _, ...said }) => {
        const parts = new Set(seriesOf.get(uid)?.map((row) => row.seriesId));
        const ofEntry = series.filter(({ id }) => parts.has(id)).sort(byFirstDate);
        return [
          uid,
          { ...said, event: byId.get(eventId) ?? null, series: seriesId === null ? null : ofEntry },
        ];
      }),
  );
}

/** Sorts the parts of a series that was split. */
export const byFirstDate = (a: Series, b: Series): number => compare(a.schedule.first, b.schedule.first);

/** A date of a series that an earlier import made as a single event. `exists`: whether the event was not deleted since. */
export type ImportedDate = { key: string; eventId: string; exists: boolean };

/** Lists what earlier versions imported of series: the event of the UID, and those of its dates, by the key of the UID. */
export async function listImportedDates(
  db: Queryable,
  organizerId: string,
  keys: string[],
): Promise<Map<string, ImportedDate[]>> {
  if (keys.length === 0) return new Map();
  const rows = await db.query<Omit<ImportedDate, 'exists'> & { base: string }>(sql`
    select uid as key, event_id, split_part(uid, ${'\n'}, 1) as base from imports
    where organizer_id = ${organizerId} and series_id is null and split_part(uid, ${'\n'}, 1) = any(${keys}::text[])
    order by uid`);
  const existing = await listExistingIds(
    db,
    rows.map(({ eventId }) => eventId),
  );
  return Map.groupBy(
    rows.map((row) => ({ ...row, exists: existing.has(row.eventId) })),
    ({ base }) => base,
  );
}

async function listExistingIds(db: Queryable, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(sql`select id from events where ${isOneOf(sql`id`, ids)}`);
  return new Set(rows.map(({ id }) => id));
}

/** Lists the keys of a UID: the UID itself, and those of its dates. */
export async function listKeysOfUid(db: Queryable, organizerId: string, uid: string): Promise<string[]> {
  const rows = await db.query<{ uid: string }>(sql`
    select uid from imports
    where organizer_id = ${organizerId} and part_of is null and (uid = ${uid} or starts_with(uid, ${`${uid}\n`}))`);
  return rows.map((row) => row.uid);
}

/** Of the newest events of an organizer, so many are looked at. */
const newest = 50;

/**
 * Finds where the newest event of an organizer is that is no draft and was not imported: an import must not depend on the
 * one before it. Null without one.
 */
export async function findLastPlace(db: Queryable, organizerId: string): Promise<Coordinates | null> {
  const events = await db.query<Coordinates & { id: string; seriesId: string | null }>(sql`
    select id, series_id, lat, lng from events
    where organizer_id = ${organizerId} and visibility <> 'private' and location_kind = 'place'
    order by id desc limit ${newest}`);
  const imports = await db.query<{ eventId: string }>(sql`
    select event_id from imports
    where organizer_id = ${organizerId}
      and event_id = any(${events.flatMap(({ id, seriesId }) => [id, seriesId ?? id])}::uuid[])`);
  const imported = new Set(imports.map(({ eventId }) => eventId));
  const last = events.find(({ id, seriesId }) => !imported.has(id) && !imported.has(`${seriesId}`));
  return last ? { lat: last.lat, lng: last.lng } : null;
}

/**
 * Locks the key of an entry, and inserts it if it is new: an import of the same entry at the same time waits here.
 * @returns the event of the key; null for a new one, and if the event was deleted
 */
export async function lockKey(tx: Transaction, organizerId: string, key: string): Promise<string | null> {
  const eventId = await lockRow(tx, organizerId, key);
  const [event] = await tx.query<{ id: string }>(sql`select id from events where id = ${eventId}`);
  return event?.id ?? null;
}

/** @returns the `event_id` of the row, which no event has if the row is new */
async function lockRow(tx: Transaction, organizerId: string, key: string): Promise<string | undefined> {
  const [row] = await tx.query<{ eventId: string }>(sql`
    insert into imports (organizer_id, uid, event_id) values (${organizerId}, ${key}, ${newId()})
    on conflict (organizer_id, uid) do update set uid = excluded.uid returning event_id`);
  return row?.eventId;
}

/** The ids of the series of a key in ascending order, without those that were deleted. */
export async function listSeriesOfKey(db: Queryable, organizerId: string, key: string): Promise<string[]> {
  const rows = await db.query<{ seriesId: string }>(sql`
    select series_id from imports
    where organizer_id = ${organizerId} and (uid = ${key} or part_of = ${key}) and series_id is not null`);
  const ids = rows.map(({ seriesId }) => seriesId);
  if (ids.length === 0) return [];
  const series = await db.query<{ id: string }>(sql`
    select id from series where ${isOneOf(sql`id`, ids)} order by id`);
  return series.map(({ id }) => id);
}

/** Locks the key of a series as `lockKey` does. @returns as `listSeriesOfKey` */
export async function lockSeriesKey(tx: Transaction, organizerId: string, key: string): Promise<string[]> {
  await lockRow(tx, organizerId, key);
  return await listSeriesOfKey(tx, organizerId, key);
}

/** Sets the series of a locked key, and what the file said of it. The id of a series is that of no event. */
export async function setImportedSeries(
  tx: Transaction,
  organizerId: string,
  key: string,
  { seriesId, content, hash }: { seriesId: string; content: object; hash: string | null },
): Promise<void> {
  await tx.query(sql`
    update imports set event_id = ${seriesId}, series_id = ${seriesId}, content = ${JSON.stringify(content)}::jsonb, hash = ${hash},
      is_left_out = false, lacks_place = false
    where organizer_id = ${organizerId} and uid = ${key}`);
}

/** What the file said before. The key must be locked. */
export async function findSaid<Content>(
  tx: Transaction,
  organizerId: string,
  key: string,
): Promise<Content | null> {
  const [row] = await tx.query<{ content: Content | null }>(sql`
    select content from imports where organizer_id = ${organizerId} and uid = ${key}`);
  return row?.content ?? null;
}

/** Stores what the file says of a series now. The key must be locked. */
export const setSeriesContent = async (
  tx: Transaction,
  organizerId: string,
  key: string,
  { content, hash, isAbsent }: SaidOfEntry & { content: object },
): Promise<void> => {
  await tx.query(sql`
    update imports set content = ${JSON.stringify(content)}::jsonb, hash = ${hash},
      is_absent = coalesce(${isAbsent ?? null}::bool, is_absent)
    where organizer_id = ${organizerId} and uid = ${key}`);
};

/** What a file said of an entry that became a single event. */
export type LockedDate<Content> = { key: string; eventId: string; content: Content | null };

/** Locks what earlier imports made of a series: the event of its locked key, and those of its dates. */
export const lockImportedDates = <Content>(
  tx: Transaction,
  organizerId: string,
  key: string,
): Promise<LockedDate<Content>[]> =>
  tx.query<LockedDate<Content>>(sql`
    select uid as key, event_id, content from imports
    where organizer_id = ${organizerId} and series_id is null and (uid = ${key} or starts_with(uid, ${`${key}\n`}))
    order by uid for update`);

/** Forgets the keys of events that have become dates of a series. */
export const deleteImportedDates = async (
  tx: Transaction,
  organizerId: string,
  keys: string[],
): Promise<void> => {
  await tx.query(sql`delete from imports where organizer_id = ${organizerId} and uid = any(${keys}::text[])`);
};

/** Forgets what a file said of a series that is deleted. Its key stays, so that an import of the same entry does not bring it back. */
export const forgetSeriesContent = async (tx: Transaction, { id, organizerId }: Series): Promise<void> => {
  await tx.query(
    sql`update imports set content = null where organizer_id = ${organizerId} and series_id = ${id}`,
  );
};

/** Lets later imports know both parts of a series that is split. */
export async function copySeriesKey(
  tx: Transaction,
  { id, organizerId }: Series,
  laterId: string,
): Promise<void> {
  await tx.query(sql`
    insert into imports (organizer_id, uid, event_id, series_id, part_of)
    select organizer_id, uid || ${`\n+${laterId}`}, ${laterId}, ${laterId}, coalesce(part_of, uid) from imports
    where organizer_id = ${organizerId} and series_id = ${id}`);
}

/**
 * What is stored of an entry beside its event. `hash`: null if something of what the file said was not taken over. `isAbsent`: whether
 * its event is cancelled because the entry is missing in its source; undefined if that does not change.
 */
type SaidOfEntry = { content: object | null; hash: string | null; isAbsent?: boolean | undefined };

/** Sets the event of a locked key, and what the file said of it. */
export async function setImportedEvent(
  tx: Transaction,
  organizerId: string,
  key: string,
  { eventId, content, hash, isAbsent }: SaidOfEntry & { eventId: string },
): Promise<void> {
  await tx.query(sql`
    update imports set event_id = ${eventId}, content = ${content && JSON.stringify(content)}::jsonb, hash = ${hash},
      is_absent = coalesce(${isAbsent ?? null}::bool, is_absent), is_left_out = false, lacks_place = false
    where organizer_id = ${organizerId} and uid = ${key}`);
}

/** Remembers an entry that the person leaves out. That of an event that exists or was deleted stays as it is. */
export async function rememberLeftOut(
  tx: Transaction,
  organizerId: string,
  key: string,
  { content, hash }: SaidOfEntry,
): Promise<void> {
  const said = content && JSON.stringify(content);
  await tx.query(sql`
    insert into imports (organizer_id, uid, event_id, content, hash, is_left_out)
    values (${organizerId}, ${key}, ${newId()}, ${said}::jsonb, ${hash}, true)
    on conflict (organizer_id, uid) do update set content = excluded.content, hash = excluded.hash where imports.is_left_out`);
}
