import type { Database } from '../../db/client.ts';
import { skipLockedUnless } from '../../db/locks.ts';
import type { Queryable } from '../../db/query.ts';
import { one } from '../../db/query.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Caller, Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { formatItemId, type ItemId } from '../../lib/ids.ts';
import { isVisible } from '../events/policy.ts';
import type { EventRow } from '../events/present.ts';
import type { Rsvp, ViewerStateKey } from '../events/repo.ts';
import { type ClaimRow, defaultEmoji, type ItemRow, type MyClaim } from './present.ts';
import type { ItemChange, Kind, NewItem } from './schemas.ts';

/** The items of these events, each event's in the order in which they were added. */
export async function listItems(db: Database, eventIds: string[]): Promise<ItemRow[]> {
  return await db.query<ItemRow>(sql`
    select i.event_id, i.n, i.kind, i.title, i.description, i.emoji, i.image_url, i.link, s.needed, s.claimed
    from items i join item_stock s on s.event_id = i.event_id and s.n = i.n
    where i.event_id = any(${eventIds}::uuid[])
    order by i.event_id, i.n`);
}

/** What these people have claimed on these events. */
export async function listMyClaims(
  db: Queryable,
  keys: ViewerStateKey[],
): Promise<(ViewerStateKey & MyClaim & { n: number })[]> {
  return await db.query<ViewerStateKey & MyClaim & { n: number }>(sql`
    select c.event_id, c.user_id, c.n, c.id, c.quantity
    from unnest(${keys.map((key) => key.eventId)}::uuid[], ${keys.map((key) => key.userId)}::uuid[])
      k (event_id, user_id)
    join claims c on c.event_id = k.event_id and c.user_id = k.user_id`);
}

/**
 * Adds an item under the next number of its event; the counters' row hands each number out once, for good.
 * The event must be locked by the transaction.
 */
export async function insertItem(
  tx: Transaction,
  eventId: string,
  item: NewItem,
  now: Date,
): Promise<ItemRow> {
  const row = one(
    await tx.query<ItemRow>(sql`
    with numbered as (
      update event_counters set last_item = last_item + 1 where event_id = ${eventId} returning last_item as n
    ), item as (
      insert into items (event_id, n, kind, title, description, emoji, image_url, link, created_at)
      select ${eventId}, n, ${item.kind}, ${item.title}, ${item.description ?? null},
        ${item.emoji ?? defaultEmoji[item.kind]}, ${item.imageUrl ?? null}, ${item.link ?? null}, ${now}
      from numbered returning *
    ), stock as (
      insert into item_stock (event_id, n, needed, claimed)
      select event_id, n, ${item.quantityNeeded}, 0 from item returning needed, claimed
    )
    select item.event_id, item.n, kind, title, description, emoji, image_url, link, needed, claimed
    from item, stock`),
  );
  return row;
}

/**
 * Changes what is given and leaves the rest. Item and stock are locked as claiming locks them, so that nobody claims or
 * gives back between the look at what is claimed and the write; last, the check of the table.
 * @throws Problem `item_not_found` when it is gone, `quantity_below_claimed`
 */
export async function updateItem(
  tx: Transaction,
  { eventId, n }: ItemId,
  change: ItemChange,
): Promise<ItemRow> {
  const [before] = await tx.query<ItemRow>(sql`
    select i.event_id, i.n, i.kind, i.title, i.description, i.emoji, i.image_url, i.link, s.needed, s.claimed
    from items i join item_stock s on s.event_id = i.event_id and s.n = i.n
    where i.event_id = ${eventId} and i.n = ${n}
    for no key update of i for update of s`);
  if (!before) throw new Problem('item_not_found');
  const { quantityNeeded: needed = before.needed, ...rest } = change;
  const row = { ...before, ...rest, needed };
  if (needed < before.claimed) throw belowClaimed(before.claimed);
  await tx.query(sql`
    update items set title = ${row.title}, description = ${row.description}, emoji = ${row.emoji},
      image_url = ${row.imageUrl}, link = ${row.link}
    where event_id = ${eventId} and n = ${n}`);
  await tx.query(sql`update item_stock set needed = ${needed} where event_id = ${eventId} and n = ${n}`);
  return row;
}

const belowClaimed = (claimed: number): Problem =>
  new Problem('quantity_below_claimed', {
    detail: `${claimed} of it ${claimed === 1 ? 'is' : 'are'} claimed.`,
    errors: [{ path: 'quantityNeeded', message: `is below ${claimed}` }],
  });

/**
 * Removes the item; its claims go with it. Locks the item before its stock, as claiming does, so neither waits for the
 * other in a circle.
 */
export async function deleteItem(tx: Transaction, { eventId, n }: ItemId): Promise<boolean> {
  const found = await tx.query(sql`select 1 from items where event_id = ${eventId} and n = ${n} for update`);
  if (found.length === 0) return false;
  await tx.query(sql`delete from items where event_id = ${eventId} and n = ${n}`);
  return true;
}

/** What decides over somebody's claim, and the one that they have. */
export type ClaimAccess = Pick<
  EventRow,
  'organizerId' | 'visibility' | 'status' | 'hidden' | 'enabledModules'
> & {
  kind: Kind;
  left: number;
  rsvp: Rsvp | null;
  claim: ClaimRow | null;
};
/** Whose claim on what; the primary key of a claim. */
export type ClaimKey = { item: ItemId; viewer: Caller };

/** Null when there is no such item for the viewer. */
export async function findClaimAccess(
  db: Queryable,
  item: ItemId,
  viewer: Viewer,
): Promise<ClaimAccess | null> {
  const [access] = await listClaimAccess(db, [{ item, viewer }]);
  return access && isVisible(access, viewer) ? access : null;
}

/** One for each key, in their order; null where there is no such item. Hidden ones are here too. */
export async function listClaimAccess(
  db: Queryable,
  keys: { item: ItemId; viewer: Viewer }[],
): Promise<(ClaimAccess | null)[]> {
  const rows = await db.query<Omit<ClaimAccess, 'claim'> & ClaimRow & { nth: number }>(sql`
    select k.nth::int, e.organizer_id, e.visibility, e.status, e.hidden, e.enabled_modules, i.kind, s.needed - s.claimed as left,
      r.status as rsvp, c.id, k.event_id, k.n, k.user_id, c.quantity, c.created_at
    from unnest(${keys.map(({ item }) => item.eventId)}::uuid[], ${keys.map(({ item }) => item.n)}::int[],
      ${keys.map(({ viewer }) => viewer.id)}::uuid[]) with ordinality k (event_id, n, user_id, nth)
    join events e on e.id = k.event_id
    join items i on i.event_id = k.event_id and i.n = k.n
    join item_stock s on s.event_id = k.event_id and s.n = k.n
    left join rsvps r on r.event_id = k.event_id and r.user_id = k.user_id
    left join claims c on c.event_id = k.event_id and c.n = k.n and c.user_id = k.user_id`);
  const found = new Map(rows.map((row) => [row.nth, { ...row, claim: row.id === null ? null : row }]));
  return keys.map((_, i) => found.get(i + 1) ?? null);
}

/**
 * Share-locks items and their events, so that removing, hiding or cancelling them is before or after what the
 * transaction does, and locks their stock: the queue of all who claim one of them or give it back.
 * @returns the ids of the items that are held; one that is not is gone or, unless `isAlone`, taken by another
 */
export async function lockItems(
  tx: Transaction,
  items: ItemId[],
  mayWaitForLocks: boolean,
): Promise<Set<string>> {
  // Row by row: an item that is passed over leaves its stock alone as well.
  const rows = await tx.query<ItemId>(sql`
    select i.event_id, i.n
    from unnest(${items.map(({ eventId }) => eventId)}::uuid[], ${items.map(({ n }) => n)}::int[]) k (event_id, n)
    join events e on e.id = k.event_id
    join items i on i.event_id = k.event_id and i.n = k.n
    join item_stock s on s.event_id = k.event_id and s.n = k.n
    order by e.id, i.n
    for key share of e, i ${skipLockedUnless(mayWaitForLocks)}
    for update of s`);
  return new Set(rows.map(formatItemId));
}

/** The stock must be locked. */
export function insertClaims(claims: ClaimRow[]) {
  return sql`
    insert into claims (event_id, n, user_id, id, quantity, created_at)
    select * from unnest(${claims.map(({ eventId }) => eventId)}::uuid[], ${claims.map(({ n }) => n)}::int[],
      ${claims.map(({ userId }) => userId)}::uuid[], ${claims.map(({ id }) => id)}::uuid[],
      ${claims.map(({ quantity }) => quantity)}::int[],
      ${claims.map(({ createdAt }) => createdAt.toISOString())}::timestamptz[])`;
}

/** Writes the new quantities. The stock must be locked. */
export function updateClaims(claims: ClaimRow[]) {
  return sql`
    update claims c set quantity = k.quantity
    from unnest(${claims.map(({ eventId }) => eventId)}::uuid[], ${claims.map(({ n }) => n)}::int[],
      ${claims.map(({ userId }) => userId)}::uuid[], ${claims.map(({ quantity }) => quantity)}::int[])
      k (event_id, n, user_id, quantity)
    where c.event_id = k.event_id and c.n = k.n and c.user_id = k.user_id`;
}

/** The stock must be locked. */
export function deleteClaims(claims: ClaimRow[]) {
  return sql`
    delete from claims c
    using unnest(${claims.map(({ eventId }) => eventId)}::uuid[], ${claims.map(({ n }) => n)}::int[],
      ${claims.map(({ userId }) => userId)}::uuid[]) k (event_id, n, user_id)
    where c.event_id = k.event_id and c.n = k.n and c.user_id = k.user_id`;
}

/** Adds to what is claimed. The stock must be locked: the check of the table is the last guard, not the first. */
export function moveStock(moves: (ItemId & { by: number })[]) {
  return sql`
    update item_stock s set claimed = claimed + m.by
    from unnest(${moves.map(({ eventId }) => eventId)}::uuid[], ${moves.map(({ n }) => n)}::int[],
      ${moves.map(({ by }) => by)}::int[]) m (event_id, n, by)
    where s.event_id = m.event_id and s.n = m.n`;
}

/**
 * Claims on an event, or on one item of it: by item, and on one in the order in which they were made. Only the claims
 * of the items that a page shows are sorted: the primary key has them by item.
 */
export async function listClaims(
  db: Queryable,
  of: { eventId: string; n?: number },
  after: [n: number, id: string] | null,
  limit: number,
): Promise<ClaimRow[]> {
  return await db.query<ClaimRow>(sql`
    select event_id, n, user_id, id, quantity, created_at from claims
    where event_id = ${of.eventId} ${of.n === undefined ? sql`` : sql`and n = ${of.n}`}
      ${after === null ? sql`` : sql`and (n, id) > (${after[0]}::int, ${after[1]}::uuid)`}
    order by n, id limit ${limit}`);
}
