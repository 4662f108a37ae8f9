import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import type { EventRow } from '../events/present.ts';
import type { ItemRow } from '../items/present.ts';
import type { LiveCounts, LiveEvent } from './schemas.ts';

/** The version of an event that the caller has; `fingerprint` is empty if it has none. */
type KnownVersion = { id: string; fingerprint: string };

type Shown = keyof LiveEvent | keyof LiveCounts;
export type LiveRow = Pick<EventRow, Shown | 'organizerId' | 'visibility' | 'hidden'> & {
  items: Omit<ItemRow, 'eventId'>[] | null;
  /** A hash of all other fields. */
  fingerprint: string;
};

const columns = sql`
  e.organizer_id, e.visibility, e.hidden, e.title, e.start_at, e.end_at, e.all_day, e.timezone, e.capacity, e.status,
  e.updated_at, c.rsvp_count, c.going_count, c.booked_count`;

/** The newest items of an event. The limit bounds the cost of one event. */
const maxItems = 500;

/**
 * Lists the events that differ from their known versions, with their newest items; null for an event that
 * does not exist. Counts and items belong to the same snapshot, because one statement reads them. The
 * database compares the fingerprints, so unchanged events are not transferred.
 */
export async function listLiveRows(
  db: Database,
  known: KnownVersion[],
): Promise<Map<string, LiveRow | null>> {
  const ids = known.map(({ id }) => id);
  const rows = await db.query<LiveRow & { requestedId: string }>(sql`
    select k.id as requested_id, e.*
    from unnest(${ids}::uuid[], ${known.map(({ fingerprint }) => fingerprint)}::text[]) k (id, fingerprint)
    left join (
      select e.id, ${columns}, c.going_count + c.extra_guests_count as party_count, l.items,
        md5(row(${columns}, c.extra_guests_count, l.items::text)::text) as fingerprint
      from events e
      join event_counters c on c.event_id = e.id
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
      where e.id = any(${ids}::uuid[])
    ) e on e.id = k.id
    where e.fingerprint is distinct from k.fingerprint`);
  return new Map(rows.map((row) => [row.requestedId, row.id === null ? null : row]));
}
