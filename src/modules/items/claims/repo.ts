/** SQL of claims. Statements without a result are sent with the end of their transaction. */
import {
  byPosition,
  deleteRows,
  empty,
  insertRows,
  joinedBy,
  lockRows,
  type Queryable,
  rowsOf,
  type Statement,
  skipLockedUnless,
  sql,
  type Transaction,
  updateRows,
} from '#pg';
import type { UnlockedCaller } from '../../../identity/caller.ts';
import { formatItemId, type ItemId } from '../../../lib/ids.ts';
import {
  type NewSummary,
  type Summary,
  selectSummary,
  summaryTypes,
  writeSummary,
} from '../../../outbox/summaries.ts';
import { type Standing, standingColumns } from '../../events/policy.ts';
import type { Rsvp } from '../../events/repo.ts';
import type { ClaimRow } from '../present.ts';
import { type ItemState, itemStateColumns } from '../repo.ts';

export type LockedItem = ItemId & ItemState & Summary;

const itemKey = { eventId: 'uuid', n: 'int' } as const;
const claimKey = { ...itemKey, userId: 'uuid' } as const;
const claimValues = { quantity: 'int', note: 'text' } as const;

/** The key of an item; its order is that of the rows. */
export const stockKeyOf = ({ eventId, n }: ItemId): string => `${eventId} ${String(n).padStart(10, '0')}`;

/**
 * Share-locks items and their events, so that they cannot be deleted, hidden or cancelled until the transaction ends,
 * and locks their stock rows, which serializes the claims on an item. Locks rows in ascending order of their keys.
 * @returns the state of the locked items by item id. PostgreSQL reads a row again after it waited for the row's lock, so
 *   the state is the current one. An item is missing if there is no such item or, unless `mayWaitForLocks` is set, if
 *   another transaction holds its lock
 */
export async function lockItems(
  tx: Transaction,
  items: ItemId[],
  mayWaitForLocks: boolean,
): Promise<Map<string, LockedItem>> {
  // PostgreSQL locks row by row: if the item is skipped, its stock is not locked either.
  const rows = await lockRows<LockedItem, ItemId>(
    tx,
    items,
    stockKeyOf,
    (some) => sql`
      select k.nth::int, i.event_id, i.n, ${itemStateColumns()}, ${selectSummary('claims', sql`s`)}
      from ${rowsOf('items i', some, itemKey)}
      join events e on e.id = i.event_id
      join item_stock s on s.event_id = i.event_id and s.n = i.n
      order by e.id, i.n
      for key share of e, i ${skipLockedUnless(mayWaitForLocks)}
      for update of s`,
  );
  return new Map(rows.flatMap((item) => (item ? [[formatItemId(item), item] as const] : [])));
}

/** What decides about a claim of one person: their RSVP to the event, their standing, and their existing claim on the item. */
export type ClaimantState = {
  rsvp: Rsvp | null;
  standing: Standing;
  claim: Pick<ClaimRow, 'id' | 'quantity' | 'note' | 'createdAt'> | null;
};

/**
 * Reads the state for pairs of item and person, one for each key in their order. The statement must follow `lockItems`:
 * its snapshot then has all claims on the items, because a claim is written under the lock of its stock.
 * @returns null for keys without such an item
 */
export async function listClaimantStates(
  tx: Transaction,
  keys: { item: ItemId; caller: UnlockedCaller }[],
): Promise<(ClaimantState | null)[]> {
  type StateRow = Omit<ClaimRow, 'id'> & Standing & { nth: number; rsvp: Rsvp | null; id: string | null };
  const claims = keys.map(({ item, caller }) => ({ ...item, userId: caller.id }));
  const eventId = joinedBy('i', 'event_id');
  const rows = await tx.query<StateRow>(sql`
    select k.nth::int, r.status as rsvp, c.id, c.quantity, c.note, c.created_at, ${standingColumns()}
    from ${rowsOf('items i', claims, itemKey, { userId: 'uuid' })}
    left join rsvps r on r.event_id = ${eventId} and r.user_id = k.user_id
    left join claims c on c.event_id = ${eventId} and c.n = k.n and c.user_id = k.user_id
    left join event_people p on p.event_id = ${eventId} and p.user_id = k.user_id`);
  return byPosition(rows, keys.length).map((row) => {
    if (!row) return null;
    const { rsvp, id, quantity, note, createdAt } = row;
    return { rsvp, standing: row, claim: id === null ? null : { id, quantity, note, createdAt } };
  });
}

/** How many items of the event each of these people has claims on; one for each key, in their order. */
export async function countClaimedItems(
  tx: Transaction,
  keys: { eventId: string; userId: string }[],
): Promise<number[]> {
  if (keys.length === 0) return [];
  const rows = await tx.query<{ nth: number; count: number }>(sql`
    select k.nth::int, count(*)::int as count
    from ${rowsOf('claims c', keys, { eventId: 'uuid', userId: 'uuid' })} group by k.nth`);
  return byPosition(rows, keys.length).map((row) => row?.count ?? 0);
}

/** By how much the claimed quantity of an item changes, and what its organizer has not read. */
export type StockMove = ItemId & { by: number; summary: NewSummary };

/** The transaction must hold a lock on the stock of the items, as for the following statements. */
export const insertClaims = (claims: ClaimRow[]): Statement =>
  insertRows('claims', claims, { ...claimKey, id: 'uuid', ...claimValues, createdAt: 'timestamptz' });

export const updateClaims = (claims: ClaimRow[]): Statement =>
  updateRows('claims c', claims, claimKey, claimValues, sql`quantity = k.quantity, note = k.note`);

export const deleteClaims = (claims: ClaimRow[]): Statement => deleteRows('claims c', claims, claimKey);

/** A check constraint of `item_stock` is the last guard against overselling. */
export const moveStock = (moves: StockMove[]): Statement =>
  updateRows(
    'item_stock s',
    moves.map(({ summary, ...move }) => ({ ...move, ...summary })),
    itemKey,
    { by: 'int', ...summaryTypes },
    sql`claimed = s.claimed + k.by, claims_version = s.claims_version + 1, ${writeSummary('claims', sql`s`, sql`k`)}`,
  );

/** The events of which the organizer has not read claims. */
export const selectEventsWithUnreadClaims = (eventIds: string[]): Statement => sql`
  select distinct event_id from item_stock where event_id = any(${eventIds}::uuid[]) and unread_claims > 0`;

/**
 * Lists claims on an event or, with `n`, on one of its items, ordered by item and then by the time of the claim.
 * The primary key begins with the item, so PostgreSQL sorts only the claims of the items of the page.
 * @param after the item number and claim id at the end of the previous page
 */
export async function listClaims(
  db: Queryable,
  { eventId, n }: { eventId: string; n?: number },
  after: [n: number, id: string] | null,
  limit: number,
): Promise<ClaimRow[]> {
  return db.query<ClaimRow>(sql`
    select event_id, n, user_id, id, quantity, note, created_at from claims
    where event_id = ${eventId} ${n === undefined ? empty : sql`and n = ${n}`}
      ${after === null ? empty : sql`and (n, id) > (${after[0]}::int, ${after[1]}::uuid)`}
    order by n, id limit ${limit}`);
}
