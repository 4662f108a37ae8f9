/** SQL of the table `imports` about the entries of one source: which are missing, and what they said. */
import { isOneOf, type Queryable, sql, type Transaction } from '#pg';
import { byFirstDate } from './imports.ts';
import type { EventRow } from './present.ts';
import { listEventRows } from './repo.ts';
import { listSeriesRows, type Series } from './series/repo.ts';

/**
 * An entry of a source that is known. `event`: null of a series, if it was deleted, and if the person left the entry out. `series`: in
 * the order of their dates, several if a person has split it here, none if it was deleted; null for a single event. `coming`: the
 * statuses of its events that have not ended. `content`: what the source said; null after the deletion. `missingSince`: the first of
 * the fetches in which it is missing.
 */
export type SourceImport<Content> = {
  key: string;
  event: EventRow | null;
  series: Series[] | null;
  coming: EventRow['status'][];
  content: Content | null;
  hash: string | null;
  missingSince: Date | null;
  isAbsent: boolean;
};

/** Lists the entries of a source that are known. Locks nothing. */
export async function listSourceImports<Content>(
  db: Queryable,
  organizerId: string,
  keyPrefix: string,
  now: Date,
): Promise<SourceImport<Content>[]> {
  const rows = await db.query<Row<Content>>(sql`
    select uid as key, event_id, series_id, content, hash, missing_since, is_absent from imports
    where organizer_id = ${organizerId} and starts_with(uid, ${keyPrefix}) and part_of is null order by uid`);
  const events = await listEventRows(
    db,
    rows.map(({ eventId }) => eventId),
  );
  const byId = new Map(events.map((event) => [event.id, event]));
  const seriesOf = await listSeriesByKey(db, organizerId, keyPrefix, now);
  return rows.map(({ eventId, seriesId, ...row }) => {
    const event = byId.get(eventId) ?? null;
    const parts = seriesId === null ? null : (seriesOf.get(row.key) ?? []);
    const coming = parts
      ? parts.flatMap((part) => part.coming)
      : event && event.endAt > now
        ? [event.status]
        : [];
    return { ...row, event, series: parts?.map(({ series }) => series) ?? null, coming };
  });
}

type Row<Content> = Omit<SourceImport<Content>, 'event' | 'series' | 'coming'> & {
  eventId: string;
  seriesId: string | null;
};
type Part = { series: Series; coming: EventRow['status'][] };

async function listSeriesByKey(
  db: Queryable,
  organizerId: string,
  keyPrefix: string,
  now: Date,
): Promise<Map<string, Part[]>> {
  const rows = await db.query<{ key: string; seriesId: string }>(sql`
    select coalesce(part_of, uid) as key, series_id from imports
    where organizer_id = ${organizerId} and starts_with(uid, ${keyPrefix}) and series_id is not null`);
  if (rows.length === 0) return new Map();
  const ids = [...new Set(rows.map(({ seriesId }) => seriesId))];
  const [series, coming] = await Promise.all([
    listSeriesRows(db, sql`where ${isOneOf(sql`id`, ids)}`),
    db.query<{ seriesId: string; status: EventRow['status'] }>(sql`
      select distinct series_id, status from events where ${isOneOf(sql`series_id`, ids)} and end_at > ${now}`),
  ]);
  const keyOf = new Map(rows.map(({ key, seriesId }) => [seriesId, key]));
  const parts = series.sort(byFirstDate).map((one) => ({
    series: one,
    coming: coming.flatMap(({ seriesId, status }) => (seriesId === one.id ? [status] : [])),
  }));
  return Map.groupBy(parts, (part) => keyOf.get(part.series.id) ?? '');
}

/** How many events came from each source of a person, by the beginning of the keys. */
export async function countSourceEvents(db: Queryable, organizerId: string): Promise<Map<string, number>> {
  const rows = await db.query<{ prefix: string; count: number }>(sql`
    with i as materialized (
      select split_part(uid, ' ', 1) || ' ' as prefix, event_id from imports
      where organizer_id = ${organizerId} and starts_with(uid, 'source:')
    ), e as materialized (
      select id as key, id from events where organizer_id = ${organizerId}
      union all select series_id, id from events where organizer_id = ${organizerId} and series_id is not null
    )
    select i.prefix, count(distinct e.id)::int as count from i join e on e.key = i.event_id group by i.prefix`);
  return new Map(rows.map(({ prefix, count }) => [prefix, count]));
}

/** Gives an entry the key under which its source has it now, unless that key exists. */
export const renameKey = async (
  tx: Transaction,
  organizerId: string,
  { from, to }: { from: string; to: string },
): Promise<void> => {
  await tx.execute(sql`
    update imports set uid = ${to}, missing_since = null
    where organizer_id = ${organizerId} and uid = ${from}
      and not exists (select 1 from imports i where i.organizer_id = ${organizerId} and i.uid = ${to})`);
  await tx.execute(sql`
    update imports set part_of = ${to} where organizer_id = ${organizerId} and part_of = ${from}`);
};

/** `said`: entries that change nothing, with what they say now. */
export type SourceFindings = {
  missing: string[];
  present: string[];
  said: { key: string; content: object; hash: string | null }[];
  fetchedAt: Date;
};

/** Stores which entries of a source a good fetch lacks, and which it has again. */
export async function setFindings(
  tx: Transaction,
  organizerId: string,
  { missing, present, said, fetchedAt }: SourceFindings,
): Promise<void> {
  if (missing.length > 0)
    await tx.execute(sql`
      update imports set missing_since = ${fetchedAt}
      where organizer_id = ${organizerId} and uid = any(${missing}::text[]) and missing_since is null`);
  if (present.length > 0)
    await tx.execute(sql`
      update imports set missing_since = null where organizer_id = ${organizerId} and uid = any(${present}::text[])`);
  for (const { key, content, hash } of said)
    await tx.execute(sql`
      update imports set content = ${JSON.stringify(content)}::jsonb, hash = ${hash}
      where organizer_id = ${organizerId} and uid = ${key} and content is not null`);
}

/** An entry that is there again, whose event a person had restored meanwhile. */
export const endAbsence = async (tx: Transaction, organizerId: string, keys: string[]): Promise<void> => {
  if (keys.length === 0) return;
  await tx.execute(sql`
    update imports set is_absent = false where organizer_id = ${organizerId} and uid = any(${keys}::text[])`);
};
