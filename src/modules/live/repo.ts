import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import type { EventRow } from '../events/present.ts';
import type { ItemRow } from '../items/present.ts';

/** What is known of an event already; `print` is empty when nothing is. */
export type Known = { id: string; print: string };

export type LiveRow = Pick<
  EventRow,
  | 'id'
  | 'organizerId'
  | 'visibility'
  | 'hidden'
  | 'title'
  | 'startAt'
  | 'endAt'
  | 'allDay'
  | 'timezone'
  | 'capacity'
  | 'status'
  | 'updatedAt'
  | 'rsvpCount'
  | 'goingCount'
  | 'bookedCount'
> & {
  items: Omit<ItemRow, 'eventId'>[] | null;
  /** Differs when anything of the row does. */
  print: string;
};

/** Numbers of items, from the newest back: one event must not cost what a thousand others do. */
const newestItems = 500;

/**
 * Of these events, those that are not as they are known, with the newest of their items; null for one that is not
 * there. One statement, so that counts and items are of the same moment. What has not changed is compared in the
 * database and costs no transfer.
 */
export async function listLiveRows(db: Database, known: Known[]): Promise<Map<string, LiveRow | null>> {
  const ids = known.map(({ id }) => id);
  const rows = await db.query<LiveRow & { asked: string }>(sql`
    select a.id as asked, e.*
    from unnest(${ids}::uuid[], ${known.map(({ print }) => print)}::text[]) a (id, print)
    left join (
      select e.id, e.organizer_id, e.visibility, e.hidden, e.title, e.start_at, e.end_at, e.all_day, e.timezone,
        e.capacity, e.status, e.updated_at, c.rsvp_count, c.going_count, c.booked_count, l.items,
        md5(row(e.organizer_id, e.visibility, e.hidden, e.title, e.start_at, e.end_at, e.all_day, e.timezone,
          e.capacity, e.status, e.updated_at, c.rsvp_count, c.going_count, c.booked_count,
          l.items::text)::text) as print
      from events e
      join event_counters c on c.event_id = e.id
      left join (
        select i.event_id, json_agg(json_build_object('n', i.n, 'kind', i.kind, 'title', i.title,
          'description', i.description, 'emoji', i.emoji, 'imageUrl', i.image_url, 'link', i.link,
          'needed', s.needed, 'claimed', s.claimed) order by i.n) as items
        from event_counters c
        join items i on i.event_id = c.event_id and i.n > c.last_item - ${newestItems}
        join item_stock s on s.event_id = i.event_id and s.n = i.n
        where c.event_id = any(${ids}::uuid[])
        group by i.event_id
      ) l on l.event_id = e.id
      where e.id = any(${ids}::uuid[])
    ) e on e.id = a.id
    where e.print is distinct from a.print`);
  return new Map(rows.map((row) => [row.asked, row.id === null ? null : row]));
}
