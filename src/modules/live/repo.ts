import { type Database, type Statement, sql } from '#pg';
import type { EventRow } from '../events/present.ts';
import type { ItemRow } from '../items/present.ts';
import type { LiveCounts, LiveEvent } from './schemas.ts';

/** An event, and the version of its state that the caller has. */
type KnownVersion = { id: string; version: string };

type Shown = keyof LiveEvent | Exclude<keyof LiveCounts, 'commentsVersion'>;
export type LiveRow = Pick<EventRow, Shown | 'organizerId' | 'visibility' | 'hidden'> & {
  commentsVersion: number;
  items: Omit<ItemRow, 'eventId'>[] | null;
  /** Changes whenever one of the other fields does. */
  version: string;
};

const columns = sql`
  e.organizer_id, e.visibility, e.hidden, e.title, e.start_at, e.end_at, e.all_day, e.timezone, e.capacity, e.status,
  e.updated_at, c.rsvp_count, c.going_count, c.booked_count, coalesce(k.version, 0) as comments_version`;

/** The newest items of an event. The limit bounds the cost of one event. */
const maxItems = 500;

/**
 * The number of items of some events, and of the changes of these items. Both together are different after each change: of
 * items that stay, only the number of changes grows, and an item that is added raises `last_item`. Servers of the last release
 * raise `claims_version` alone.
 */
const selectItemVersions = (ids: string[]): Statement => sql`
  select event_id, count(*) as items, sum(version + claims_version) as changes from item_stock
  where event_id = any(${ids}::uuid[]) group by event_id`;

/** The version of a state, of `events e`, `event_counters c`, `selectItemVersions` as `s` and `comment_counters k`. */
const version = sql`concat_ws(' ', e.version, c.version, c.last_item, s.items, s.changes, coalesce(k.version, 0))`;

/**
 * Lists the ids of those events that are not in the version that is known, or do not exist. It reads no texts, so an event
 * that does not change costs little, however long its list of items is.
 */
export async function listChanged(db: Database, known: KnownVersion[]): Promise<string[]> {
  const ids = known.map(({ id }) => id);
  const rows = await db.query<{ id: string }>(sql`
    select k.id from unnest(${ids}::uuid[], ${known.map(({ version }) => version)}::text[]) k (id, version)
    left join (
      select e.id, ${version} as version
      from events e
      join event_counters c on c.event_id = e.id
      left join (${selectItemVersions(ids)}) s on s.event_id = e.id
      left join comment_counters k on k.event_id = e.id
      where e.id = any(${ids}::uuid[])
    ) e on e.id = k.id
    where e.version is distinct from k.version`);
  return rows.map(({ id }) => id);
}

/**
 * Lists the states of events with their newest items; null for an event that does not exist. Counts, items and versions
 * belong to the same snapshot, because one statement reads them.
 */
export async function listLiveRows(db: Database, ids: string[]): Promise<Map<string, LiveRow | null>> {
  const rows = await db.query<LiveRow>(sql`
    select e.id, ${columns}, c.going_count + c.extra_guests_count as party_count, l.items, ${version} as version
    from events e
    join event_counters c on c.event_id = e.id
    left join (${selectItemVersions(ids)}) s on s.event_id = e.id
    left join comment_counters k on k.event_id = e.id
    left join (
      select i.event_id, json_agg(json_build_object('n', i.n, 'kind', i.kind, 'title', i.title,
        'description', i.description, 'emoji', i.emoji, 'imageUrl', i.image_url, 'link', i.link,
        'needed', s.needed, 'claimed', s.claimed, 'claimsVersion', s.claims_version) order by i.n) as items
      from event_counters c
      join items i on i.event_id = c.event_id and i.n > c.last_item - ${maxItems}
      join item_stock s on s.event_id = i.event_id and s.n = i.n
      where c.event_id = any(${ids}::uuid[])
      group by i.event_id
    ) l on l.event_id = e.id
    where e.id = any(${ids}::uuid[])`);
  const found = new Map(rows.map((row) => [row.id, row]));
  return new Map(ids.map((id) => [id, found.get(id) ?? null]));
}
