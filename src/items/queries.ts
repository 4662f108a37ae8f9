import type { Sql, Tx } from '../db/connect.ts';
import { visibleTo } from '../events/access.ts';
import { moduleOf } from '../events/catalogue.ts';
import type { Viewer } from '../http/viewer.ts';
import { type ItemId, newId } from '../ids.ts';
import type { Kind, NewItem } from './schemas.ts';
import { type ClaimRow, defaultEmoji, type ItemRow } from './views.ts';

export async function listItems(
  sql: Sql,
  eventId: string,
  kind: Kind | null,
  viewer: Viewer | null,
): Promise<ItemRow[]> {
  return await sql<ItemRow[]>`
    select i.event_id, i.n, i.kind, i.title, i.description, i.emoji, i.image_url, i.link, s.needed, s.claimed,
      c.id as claim_id, c.quantity as claim_quantity
    from items i
    join item_stock s on s.event_id = i.event_id and s.n = i.n
    left join claims c on c.event_id = i.event_id and c.n = i.n and c.user_id = ${viewer?.id ?? null}
    where i.event_id = ${eventId} and i.kind = coalesce(${kind}, i.kind)
    order by i.n`;
}

/**
 * Adds an item under the next number of its event; the counters' row hands each number out once, for good.
 * The event must be locked by the transaction.
 */
export async function insertItem(tx: Tx, eventId: string, item: NewItem, now: Date): Promise<ItemRow> {
  const [row] = await tx<[ItemRow]>`
    with numbered as (
      update event_counters set last_item = last_item + 1 where event_id = ${eventId} returning last_item as n
    ), item as (
      insert into items (event_id, n, kind, title, description, emoji, image_url, link, created_at)
      select ${eventId}, n, ${item.kind}, ${item.title}, ${item.description ?? null},
        ${item.emoji ?? defaultEmoji[item.kind]}, null, ${item.link ?? null}, ${now}
      from numbered returning *
    ), stock as (
      insert into item_stock (event_id, n, needed, claimed)
      select event_id, n, ${item.quantityNeeded}, 0 from item returning needed, claimed
    )
    select item.event_id, item.n, kind, title, description, emoji, image_url, link, needed, claimed,
      null as claim_id, null as claim_quantity
    from item, stock`;
  return row;
}

/**
 * Removes the item; its claims go with it. Locks the item before its stock, as claiming does, so neither waits for the
 * other in a circle.
 */
export async function deleteItem(tx: Tx, { eventId, n }: ItemId): Promise<boolean> {
  const found = await tx`select 1 from items where event_id = ${eventId} and n = ${n} for update`;
  if (found.length === 0) return false;
  await tx`delete from items where event_id = ${eventId} and n = ${n}`;
  return true;
}

/** What decides over a claim; null when there is no such item for the viewer. */
export type ClaimAccess = {
  organizerId: string;
  status: string;
  enabledModules: string[];
  kind: Kind;
  rsvp: string | null;
  hasClaim: boolean;
  left: number;
};

export async function findClaimAccess(
  sql: Sql | Tx,
  { eventId, n }: ItemId,
  viewer: Viewer,
): Promise<ClaimAccess | null> {
  const [row] = await sql<ClaimAccess[]>`
    select e.organizer_id, e.status, e.enabled_modules, i.kind, r.status as rsvp,
      c.id is not null as has_claim, s.needed - s.claimed as left
    from items i
    join events e on e.id = i.event_id
    join item_stock s on s.event_id = i.event_id and s.n = i.n
    left join rsvps r on r.event_id = i.event_id and r.user_id = ${viewer.id}
    left join claims c on c.event_id = i.event_id and c.n = i.n and c.user_id = ${viewer.id}
    where i.event_id = ${eventId} and i.n = ${n} and ${visibleTo(sql, viewer)}`;
  return row ?? null;
}

/**
 * Takes the quantity and writes the claim, in one statement of one key.
 *
 * Never oversold: everybody who claims the item waits for its row of `item_stock`, and PostgreSQL checks
 * `claimed + quantity <= needed` again on the row as the one before left it. Never twice: the claim's primary key is
 * (item, person), so a second one fails as a whole with 23505, stock included. The item is share-locked before its
 * stock, so its removal is before or after.
 * @param quantity at most `beyondAnyItem`
 * @returns null when something refuses it; `findClaimAccess` tells what
 * @throws PostgresError of `claims_pkey` when the person already claimed
 */
export async function insertClaim(
  tx: Tx,
  { eventId, n }: ItemId,
  viewer: Viewer,
  quantity: number,
  now: Date,
): Promise<ClaimRow | null> {
  const [row] = await tx<ClaimRow[]>`
    with item as (
      select i.event_id, i.n
      from items i
      join events e on e.id = i.event_id
      join rsvps r on r.event_id = i.event_id and r.user_id = ${viewer.id}
      where i.event_id = ${eventId} and i.n = ${n} and e.status = 'scheduled' and r.status = 'going'
        and (case i.kind when 'bring' then ${moduleOf.bring} else ${moduleOf.wish} end) = any(e.enabled_modules)
        and ${visibleTo(tx, viewer)}
        and not exists (select 1 from claims c where c.event_id = i.event_id and c.n = i.n and c.user_id = ${viewer.id})
      for key share of e, i
    ), taken as (
      update item_stock s set claimed = s.claimed + ${quantity}
      from item where s.event_id = item.event_id and s.n = item.n and s.claimed + ${quantity} <= s.needed
      returning s.event_id, s.n
    )
    insert into claims (event_id, n, user_id, id, quantity, created_at)
    select event_id, n, ${viewer.id}, ${newId()}, ${quantity}, ${now} from taken
    returning id, event_id, n, user_id, quantity, created_at`;
  return row ?? null;
}

/** Stands for every quantity that is more than any item needs; with what is claimed it still fits an int. */
export const beyondAnyItem = 1_000_000_000;

/** Holds all that decides over the viewer's claim, in the order of locks, so that a look and a claim see the same. */
export async function lockForClaim(tx: Tx, { eventId, n }: ItemId, viewer: Viewer): Promise<void> {
  await tx`select 1 from events where id = ${eventId} for key share`;
  await tx`select 1 from rsvps where event_id = ${eventId} and user_id = ${viewer.id} for share`;
  await tx`select 1 from items where event_id = ${eventId} and n = ${n} for key share`;
  await tx`select 1 from item_stock where event_id = ${eventId} and n = ${n} for update`;
}

/**
 * Gives a claim back. The stock is locked before the claim, as claiming does; of two at once the second finds the
 * claim gone and moves nothing.
 * @returns false when there is no claim
 */
export async function deleteClaim(tx: Tx, { eventId, n }: ItemId, viewer: Viewer): Promise<boolean> {
  await tx`select 1 from item_stock where event_id = ${eventId} and n = ${n} for update`;
  const { count } = await tx`
    with gone as (
      delete from claims where event_id = ${eventId} and n = ${n} and user_id = ${viewer.id} returning quantity
    )
    update item_stock s set claimed = claimed - gone.quantity
    from gone where s.event_id = ${eventId} and s.n = ${n}`;
  return count > 0;
}
