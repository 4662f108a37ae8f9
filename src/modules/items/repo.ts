/** SQL of items, and of the state that decides about claims. */
import {
  isOneOf,
  one,
  type Queryable,
  rowsOf,
  type Statement,
  sql,
  type Transaction,
  update,
  updateRows,
} from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { formatItemId, type ItemId } from '../../lib/ids.ts';
import { isVisible, type Standing, standingColumns } from '../events/policy.ts';
import type { EventRow } from '../events/present.ts';
import type { ViewerStateKey } from '../events/repo.ts';
import { type ItemListSize, requireItemCapacity, textBytes } from './item-limits.ts';
import { type ClaimRow, defaultEmoji, type ItemRow, type MyClaim } from './present.ts';
import type { ItemChange, Kind, NewItem } from './schemas.ts';

/** The columns of `ItemRow`, of `items i` and `item_stock s`. */
const itemColumns = (): Statement => sql`
  i.event_id, i.n, i.kind, i.title, i.description, i.emoji, i.image_url, i.link, s.needed, s.claimed, s.claims_version`;

/** Lists the items of events, ordered by event and then by the time at which they were added. */
export async function listItems(db: Queryable, eventIds: string[]): Promise<ItemRow[]> {
  return db.query<ItemRow>(sql`
    select ${itemColumns()}
    from items i join item_stock s on s.event_id = i.event_id and s.n = i.n
    where ${isOneOf(sql`i.event_id`, eventIds)}
    order by i.event_id, i.n`);
}

/** Lists the claims of people on the items of events. Pairs without a claim have no row. */
export async function listMyClaims(
  db: Queryable,
  keys: ViewerStateKey[],
): Promise<(ViewerStateKey & MyClaim & { n: number })[]> {
  return db.query<ViewerStateKey & MyClaim & { n: number }>(sql`
    select c.event_id, c.user_id, c.n, c.id, c.quantity, c.note
    from ${rowsOf('claims c', keys, { eventId: 'uuid', userId: 'uuid' })}`);
}

/** The claims of a person at an event, by item. */
export const listClaimsOf = (db: Queryable, { eventId, userId }: ViewerStateKey): Promise<ClaimRow[]> =>
  listClaimsOfPeople(db, eventId, [userId]);

/** The claims of people at an event, by item. */
export const listClaimsOfPeople = (db: Queryable, eventId: string, userIds: string[]): Promise<ClaimRow[]> =>
  db.query<ClaimRow>(sql`
    select id, event_id, n, user_id, quantity, note, created_at from claims
    where event_id = ${eventId} and ${isOneOf(sql`user_id`, userIds)} order by n, user_id`);

/** Erases what people wrote about their claims. */
export async function eraseNotes(tx: Transaction, keys: ViewerStateKey[]): Promise<void> {
  await tx.execute(updateRows('claims c', keys, { eventId: 'uuid', userId: 'uuid' }, {}, sql`note = null`));
}

/** What is left of items, by their ids. */
export async function listAvailable(db: Queryable, items: ItemId[]): Promise<Map<string, number>> {
  if (items.length === 0) return new Map();
  const rows = await db.query<ItemId & { available: number }>(sql`
    select s.event_id, s.n, s.needed - s.claimed as available
    from ${rowsOf('item_stock s', items, { eventId: 'uuid', n: 'int' })}`);
  return new Map(rows.map((row) => [formatItemId(row), row.available]));
}

/**
 * Reads the size of an event's item list. A transaction that adds an item or changes the texts of one calls this after
 * it has locked the row of the event, exclusively towards other such transactions, and writes before it commits.
 * Such transactions on one event therefore run one after the other, on any number of servers. This statement has a
 * snapshot of its own (READ COMMITTED) that is newer than the lock, so it contains the writes of all transactions that
 * held the lock before. Two concurrent additions cannot both see the last free space.
 */
export async function measureItems(tx: Transaction, eventId: string): Promise<ItemListSize> {
  const rows = await tx.query<ItemListSize>(sql`
    select count(*)::int as items, coalesce(sum(octet_length(title) + coalesce(octet_length(description), 0)
      + octet_length(emoji) + coalesce(octet_length(image_url), 0) + coalesce(octet_length(link), 0)), 0)::int as bytes
    from items where event_id = ${eventId}`);
  return one(rows);
}

/** Locks the row of an event, as adding an item does. Claims and RSVPs are not delayed. */
async function lockItemList(tx: Transaction, eventId: string): Promise<void> {
  await tx.query(sql`select 1 from events where id = ${eventId} for no key update`);
}

/** What a new item consists of. */
type ItemValues = Omit<ItemRow, 'eventId' | 'n' | 'claimed' | 'claimsVersion'>;

/** The values of an item that a request describes. */
export const toItemValues = ({ quantityNeeded, emoji, ...item }: NewItem): ItemValues => ({
  description: null,
  imageUrl: null,
  link: null,
  ...item,
  emoji: emoji ?? defaultEmoji[item.kind],
  needed: quantityNeeded,
});

/** What `toItemValues` reads, of an item that exists. */
export const toNewItem = ({
  needed,
  kind,
  title,
  description,
  emoji,
  imageUrl,
  link,
}: ItemValues): NewItem => ({
  ...{ kind, title, description, emoji, imageUrl, link },
  quantityNeeded: needed,
});

/**
 * Adds items under the next numbers of their event, in the given order. The counter in `event_counters` assigns each
 * number once, also after items are deleted. The transaction must hold a lock on the event, or have inserted it.
 * @returns the items in the same order
 * @throws Problem `item_list_full` if not all of them fit
 */
export async function insertItems(
  tx: Transaction,
  eventId: string,
  items: ItemValues[],
  now: Date,
): Promise<ItemRow[]> {
  const bytes = items.reduce((sum, item) => sum + textBytes(item), 0);
  requireItemCapacity(await measureItems(tx, eventId), { items: items.length, bytes });
  return await tx.query<ItemRow>(sql`
    with numbered as (
      update event_counters set last_item = last_item + ${items.length} where event_id = ${eventId} returning last_item
    ), given as (
      select (last_item - ${items.length} + g.position)::int as n, g.*
      from unnest(${items.map(({ kind }) => kind)}::text[], ${items.map(({ title }) => title)}::text[],
        ${items.map(({ description }) => description)}::text[], ${items.map(({ emoji }) => emoji)}::text[],
        ${items.map(({ imageUrl }) => imageUrl)}::text[], ${items.map(({ link }) => link)}::text[],
        ${items.map(({ needed }) => needed)}::int[])
        with ordinality g (kind, title, description, emoji, image_url, link, needed, position)
      cross join numbered
    ), added as (
      insert into items (event_id, n, kind, title, description, emoji, image_url, link, created_at)
      select ${eventId}, n, kind, title, description, emoji, image_url, link, ${now} from given
    ), stock as (
      insert into item_stock (event_id, n, needed, claimed) select ${eventId}, n, needed, 0 from given
    )
    select ${eventId}::uuid as event_id, n, kind, title, description, emoji, image_url, link, needed, 0 as claimed,
      0 as claims_version
    from given order by n`);
}

const selectItem = ({ eventId, n }: ItemId): Statement => sql`
  select ${itemColumns()}
  from items i join item_stock s on s.event_id = i.event_id and s.n = i.n
  where i.event_id = ${eventId} and i.n = ${n}`;

/**
 * Changes the given fields of an item. Locks the item and its stock in the same order as claims do, so the claimed
 * quantity cannot change between the check and the write. A check constraint of the table guards the same rule.
 * @param check receives the locked row and may throw
 * @throws Problem `item_not_found` if the item was deleted, `quantity_below_claimed`, `item_list_full`
 */
export async function updateItem(
  tx: Transaction,
  { eventId, n }: ItemId,
  change: ItemChange,
  check: (before: ItemRow) => void,
): Promise<ItemRow> {
  const { quantityNeeded, ...texts } = change;
  const changesTexts = Object.keys(texts).length > 0;
  if (changesTexts) await lockItemList(tx, eventId);
  const [before] = await tx.query<ItemRow>(sql`
    ${selectItem({ eventId, n })} for no key update of i for update of s`);
  if (!before) throw new Problem('item_not_found');
  check(before);
  const needed = quantityNeeded ?? before.needed;
  const emoji = texts.emoji === null ? defaultEmoji[before.kind] : (texts.emoji ?? before.emoji);
  const row = { ...before, ...texts, emoji, needed };
  if (needed < before.claimed) throw belowClaimed(before.claimed);
  if (changesTexts) {
    const added = { items: 0, bytes: textBytes(row) - textBytes(before) };
    requireItemCapacity(await measureItems(tx, eventId), added);
  }
  await tx.query(sql`
    update items set title = ${row.title}, description = ${row.description}, emoji = ${row.emoji},
      image_url = ${row.imageUrl}, link = ${row.link}
    where event_id = ${eventId} and n = ${n}`);
  await tx.query(sql`
    ${update('item_stock s', sql`needed = ${needed}`)} where s.event_id = ${eventId} and s.n = ${n}`);
  return row;
}

const belowClaimed = (claimed: number): Problem =>
  new Problem('quantity_below_claimed', {
    detail: `${claimed} of it ${claimed === 1 ? 'is' : 'are'} claimed.`,
    errors: [{ path: 'quantityNeeded', rule: 'minimum', limit: claimed, message: `is below ${claimed}` }],
  });

/**
 * Deletes an item with its stock and claims. Locks the item before its stock, as claims do, so the two cannot deadlock.
 * @returns false if there is no such item
 */
export async function deleteItem(
  tx: Transaction,
  { eventId, n }: ItemId,
  check: (before: ItemRow) => void,
): Promise<boolean> {
  await tx.query(sql`select 1 from items where event_id = ${eventId} and n = ${n} for update`);
  const [before] = await tx.query<ItemRow>(selectItem({ eventId, n }));
  if (!before) return false;
  check(before);
  await tx.query(sql`delete from items where event_id = ${eventId} and n = ${n}`);
  return true;
}

/** What decides about a claim on an item, for all people alike. */
export type ItemState = Pick<
  EventRow,
  'organizerId' | 'visibility' | 'status' | 'hidden' | 'enabledModules'
> & {
  kind: Kind;
  /** The quantity needed minus the quantity claimed. */
  left: number;
};

/** The columns of `ItemState`, of `events e`, `items i` and `item_stock s`. */
export const itemStateColumns = (): Statement =>
  sql`e.organizer_id, e.visibility, e.status, e.hidden, e.enabled_modules, i.kind, s.needed - s.claimed as left`;

/** Returns null if there is no such item, or the viewer may not see its event. */
export async function findItemState(
  db: Queryable,
  { eventId, n }: ItemId,
  viewer: Viewer,
): Promise<ItemState | null> {
  const [state] = await db.query<ItemState & Standing>(sql`
    select ${itemStateColumns()}, ${standingColumns()}
    from items i
    join events e on e.id = i.event_id
    join item_stock s on s.event_id = i.event_id and s.n = i.n
    left join event_people p on p.event_id = i.event_id and p.user_id = ${viewer.id}
    where i.event_id = ${eventId} and i.n = ${n}`);
  return state && isVisible(state, viewer, state) ? state : null;
}
