/**
 * Inserts the rows of the planned events, one statement per table, and computes the counters. The same
 * transaction must have inserted the events with their items: no other transaction can see them, so no row needs a lock.
 */
import { dayMs, newId, newIdAt } from '#base';
import { raw, sql, type Transaction } from '#pg';
import type { PersonKey } from './data.ts';
import type { PlannedEvent } from './plan.ts';

/** A planned event with the id of its row in `events`. */
type InsertedEvent = PlannedEvent & { id: string };

export async function insertRows(
  tx: Transaction,
  events: InsertedEvent[],
  userIdOf: (person: PersonKey) => string,
  now: Date,
): Promise<void> {
  const rowsOf = (list: 'rsvps' | 'saves' | 'claims' | 'bookings') =>
    events.flatMap((event) =>
      event[list].map(({ person, at, ...columns }) => ({
        event_id: event.id,
        user_id: userIdOf(person),
        created_at: at,
        ...columns,
      })),
    );
  const withIds = (rows: object[]) => rows.map((row) => ({ id: newId(), ...row }));
  await insertInto(tx, 'rsvps', rowsOf('rsvps'));
  await insertInto(tx, 'saves', rowsOf('saves'));
  await insertInto(tx, 'claims', withIds(rowsOf('claims')));
  await insertInto(tx, 'bookings', withIds(rowsOf('bookings')));
  const eventIds = events.map(({ id }) => id);
  await setCounters(tx, eventIds);
  await notifyOrganizers(tx, events, userIdOf, now);
}

/** The organizers have not read the RSVPs of the last day. */
async function notifyOrganizers(
  tx: Transaction,
  events: InsertedEvent[],
  userIdOf: (person: PersonKey) => string,
  now: Date,
): Promise<void> {
  const rows = events.flatMap(({ id, organizer, rsvps }) => {
    const unread = rsvps.filter(({ at }) => at.getTime() > now.getTime() - dayMs);
    const [last] = unread.toSorted((a, b) => b.at.getTime() - a.at.getTime());
    if (!last) return [];
    const summary = { unread_rsvps: unread.length, rsvps_notification_id: newIdAt(last.at) };
    return [
      { event_id: id, unread_of: userIdOf(organizer), rsvps_person_id: userIdOf(last.person), ...summary },
    ];
  });
  const columns = raw('unread_of, unread_rsvps, rsvps_notification_id, rsvps_person_id');
  await tx.query(sql`
    update event_counters e set (${columns}) = (
      select ${columns} from jsonb_populate_recordset(null::event_counters, ${JSON.stringify(rows)}::jsonb) r
      where r.event_id = e.event_id
    ) where event_id = any(${rows.map((row) => row.event_id)}::uuid[])`);
}

/** @param rows objects by column name; all with the same columns */
async function insertInto(tx: Transaction, table: string, rows: object[]): Promise<void> {
  const columns = raw(Object.keys(rows[0] ?? {}).join(', '));
  await tx.query(sql`
    insert into ${raw(table)} (${columns})
    select ${columns} from jsonb_populate_recordset(null::${raw(table)}, ${JSON.stringify(rows)}::jsonb)`);
}

async function setCounters(tx: Transaction, eventIds: string[]): Promise<void> {
  await tx.query(sql`
    update item_stock s set claimed = (
      select coalesce(sum(quantity), 0) from claims c where c.event_id = s.event_id and c.n = s.n
    ) where event_id = any(${eventIds}::uuid[])`);
  await tx.query(sql`
    update event_counters e set (rsvp_count, going_count, extra_guests_count) = (
      select count(*), count(*) filter (where status = 'going'),
        coalesce(sum(extra_guests) filter (where status = 'going'), 0)
      from rsvps where event_id = e.event_id
    ), (booked_count, waiting_count, last_booking) = (
      select coalesce(sum(seats) filter (where status = 'booked'), 0),
        count(*) filter (where status = 'waiting'), coalesce(max(n), 0)
      from bookings where event_id = e.event_id
    ) where event_id = any(${eventIds}::uuid[])`);
}
