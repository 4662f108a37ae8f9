/**
 * Many rows at once, for events that the transaction has just made and nobody else sees: no lock and no guard is
 * needed, and each counter is set from the rows that it counts.
 */

import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import { newId } from '../../lib/ids.ts';
import type { Rsvp } from '../../modules/events/repo.ts';
import type { BookingStatus } from '../../modules/events/waitlist.ts';
import { defaultEmoji } from '../../modules/items/present.ts';
import type { NewItem } from '../../modules/items/schemas.ts';

type Of = { eventId: string };
type By = { userId: string; at: Date };

export async function insertRsvps(tx: Transaction, rsvps: (Of & By & { status: Rsvp })[]): Promise<void> {
  await tx.query(sql`
    insert into rsvps (event_id, user_id, status, previous, created_at)
    select event_id, user_id, status, null, created_at
    from unnest(
      ${rsvps.map((row) => row.eventId)}::uuid[], ${rsvps.map((row) => row.userId)}::uuid[],
      ${rsvps.map((row) => row.status)}::text[], ${rsvps.map((row) => row.at.toISOString())}::timestamptz[]
    ) as row (event_id, user_id, status, created_at)`);
  await tx.query(sql`
    update event_counters c set rsvp_count = r.answers, going_count = r.going
    from (
      select event_id, count(*) as answers, count(*) filter (where status = 'going') as going
      from rsvps where event_id = any(${rsvps.map((row) => row.eventId)}::uuid[]) group by event_id
    ) r
    where c.event_id = r.event_id`);
}

export async function insertSaves(tx: Transaction, saves: (Of & By)[]): Promise<void> {
  await tx.query(sql`
    insert into saves (event_id, user_id, created_at)
    select * from unnest(
      ${saves.map((row) => row.eventId)}::uuid[], ${saves.map((row) => row.userId)}::uuid[],
      ${saves.map((row) => row.at.toISOString())}::timestamptz[])`);
}

/** `n` must count from 1 within each event. */
export async function insertItems(tx: Transaction, items: (Of & { n: number; item: NewItem; at: Date })[]) {
  const eventIds = items.map((row) => row.eventId);
  const numbers = items.map((row) => row.n);
  await tx.query(sql`
    insert into items (event_id, n, kind, title, description, emoji, image_url, link, created_at)
    select event_id, n, kind, title, description, emoji, image_url, link, created_at
    from unnest(
      ${eventIds}::uuid[], ${numbers}::int[], ${items.map(({ item }) => item.kind)}::text[],
      ${items.map(({ item }) => item.title)}::text[], ${items.map(({ item }) => item.description ?? null)}::text[],
      ${items.map(({ item }) => item.emoji ?? defaultEmoji[item.kind])}::text[],
      ${items.map(({ item }) => item.imageUrl ?? null)}::text[], ${items.map(({ item }) => item.link ?? null)}::text[],
      ${items.map((row) => row.at.toISOString())}::timestamptz[]
    ) as row (event_id, n, kind, title, description, emoji, image_url, link, created_at)`);
  await tx.query(sql`
    insert into item_stock (event_id, n, needed, claimed)
    select event_id, n, needed, 0
    from unnest(${eventIds}::uuid[], ${numbers}::int[], ${items.map(({ item }) => item.quantityNeeded)}::int[])
      as row (event_id, n, needed)`);
  await tx.query(sql`
    update event_counters c set last_item = i.last
    from (
      select event_id, max(n) as last from items where event_id = any(${eventIds}::uuid[]) group by event_id
    ) i
    where c.event_id = i.event_id`);
}

export async function insertClaims(tx: Transaction, claims: (Of & By & { n: number; quantity: number })[]) {
  const eventIds = claims.map((row) => row.eventId);
  await tx.query(sql`
    insert into claims (event_id, n, user_id, id, quantity, created_at)
    select * from unnest(
      ${eventIds}::uuid[], ${claims.map((row) => row.n)}::int[], ${claims.map((row) => row.userId)}::uuid[],
      ${claims.map(() => newId())}::uuid[], ${claims.map((row) => row.quantity)}::int[],
      ${claims.map((row) => row.at.toISOString())}::timestamptz[])`);
  await tx.query(sql`
    update item_stock s set claimed = c.sum
    from (
      select event_id, n, sum(quantity) as sum from claims
      where event_id = any(${eventIds}::uuid[]) group by event_id, n
    ) c
    where s.event_id = c.event_id and s.n = c.n`);
}

/** `n` must count from 1 within each event, and who is booked must have come before who waits. */
export async function insertBookings(
  tx: Transaction,
  bookings: (Of & By & { n: number; seats: number; status: BookingStatus })[],
): Promise<void> {
  const eventIds = bookings.map((row) => row.eventId);
  await tx.query(sql`
    insert into bookings (event_id, user_id, id, n, seats, status, created_at)
    select * from unnest(
      ${eventIds}::uuid[], ${bookings.map((row) => row.userId)}::uuid[], ${bookings.map(() => newId())}::uuid[],
      ${bookings.map((row) => row.n)}::int[], ${bookings.map((row) => row.seats)}::int[],
      ${bookings.map((row) => row.status)}::text[],
      ${bookings.map((row) => row.at.toISOString())}::timestamptz[])`);
  await tx.query(sql`
    update event_counters c set booked_count = b.seats, waiting_count = b.waiting, last_booking = b.last
    from (
      select event_id, coalesce(sum(seats) filter (where status = 'booked'), 0) as seats,
        count(*) filter (where status = 'waiting') as waiting, max(n) as last
      from bookings where event_id = any(${eventIds}::uuid[]) group by event_id
    ) b
    where c.event_id = b.event_id`);
}
