/** SQL of claims. Statements without a result are sent with the end of their transaction. */
import { skipLockedUnless } from '../../db/locks.ts';
import type { Queryable } from '../../db/query.ts';
import { empty, join, type Statement, sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Viewer } from '../../identity/caller.ts';
import { formatItemId, type ItemId, newId } from '../../lib/ids.ts';
import { changeSummary, insertSummaryPushes, isNotified, summedChange } from '../../outbox/summaries.ts';
import type { Rsvp } from '../events/repo.ts';
import type { ClaimRow } from './present.ts';
import { type ItemState, itemStateColumns } from './repo.ts';

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
): Promise<Map<string, ItemState>> {
  // PostgreSQL locks row by row: if the item is skipped, its stock is not locked either.
  const rows = await tx.query<ItemId & ItemState>(sql`
    select i.event_id, i.n, ${itemStateColumns()}
    from unnest(${items.map(({ eventId }) => eventId)}::uuid[], ${items.map(({ n }) => n)}::int[]) k (event_id, n)
    join events e on e.id = k.event_id
    join items i on i.event_id = k.event_id and i.n = k.n
    join item_stock s on s.event_id = k.event_id and s.n = k.n
    order by e.id, i.n
    for key share of e, i ${skipLockedUnless(mayWaitForLocks)}
    for update of s`);
  return new Map(rows.map((row) => [formatItemId(row), row]));
}

/** What decides about a claim of one person: their RSVP to the event, and their existing claim on the item. */
export type ClaimantState = {
  rsvp: Rsvp | null;
  claim: { id: string; quantity: number; createdAt: Date } | null;
};

/**
 * Reads the state for pairs of item and person, one for each key in their order. The statement must follow `lockItems`:
 * its snapshot then has all claims on the items, because a claim is written under the lock of its stock.
 * @returns null for keys without such an item
 */
export async function listClaimantStates(
  tx: Transaction,
  keys: { item: ItemId; caller: Viewer }[],
): Promise<(ClaimantState | null)[]> {
  type StateRow = { nth: number; rsvp: Rsvp | null; id: string | null; quantity: number; createdAt: Date };
  const rows = await tx.query<StateRow>(sql`
    select k.nth::int, r.status as rsvp, c.id, c.quantity, c.created_at
    from unnest(${keys.map(({ item }) => item.eventId)}::uuid[], ${keys.map(({ item }) => item.n)}::int[],
      ${keys.map(({ caller }) => caller.id)}::uuid[]) with ordinality k (event_id, n, user_id, nth)
    join items i on i.event_id = k.event_id and i.n = k.n
    left join rsvps r on r.event_id = k.event_id and r.user_id = k.user_id
    left join claims c on c.event_id = k.event_id and c.n = k.n and c.user_id = k.user_id`);
  const states: (ClaimantState | null)[] = keys.map(() => null);
  for (const { nth, rsvp, id, quantity, createdAt } of rows)
    states[nth - 1] = { rsvp, claim: id === null ? null : { id, quantity, createdAt } };
  return states;
}

/** What a batch of claims writes. Each claim and each stock row occurs once. */
export type ClaimWrites = {
  add: ClaimRow[];
  change: ClaimRow[];
  remove: ClaimRow[];
  /** The items of the claims, with the quantity to add to their claimed quantity. */
  moves: (ItemId & { organizerId: string; by: number })[];
};

/**
 * The statement that writes a batch of claims, their stock and the organizers' notifications, or none if there is nothing
 * to write. The transaction must hold a lock on the stock. The parts write different rows, so their order does not
 * matter. A check constraint of `item_stock` is the last guard against overselling.
 * @param now the time of the new claims
 */
export function writeClaims({ add, change, remove, moves }: ClaimWrites, now: Date): Statement[] {
  if (moves.length === 0) return [];
  // PostgreSQL runs the writing parts of a WITH clause to their end, also those whose results nothing reads.
  const parts = [
    ...(add.length > 0
      ? [sql`added as (${insertClaims(add, now)} returning event_id, n, user_id, 1 as amount)`]
      : []),
    ...(change.length > 0 ? [sql`changed as (${updateClaims(change)})`] : []),
    ...(remove.length > 0
      ? [sql`removed as (${deleteClaims(remove)} returning c.event_id, c.n, c.user_id, -1 as amount)`]
      : []),
  ];
  const counted = [
    ...(add.length > 0 ? [sql`select * from added`] : []),
    ...(remove.length > 0 ? [sql`select * from removed`] : []),
  ];
  if (counted.length === 0) return [sql`with ${join(parts)} ${moveStock(moves)}`];
  return [sql`with ${join(parts)}, ${moveStockAndSummaries(moves, join(counted, ' union all '), now)}`];
}

const insertClaims = (claims: ClaimRow[], now: Date): Statement => sql`
  insert into claims (event_id, n, user_id, id, quantity, created_at)
  select *, ${now}::timestamptz
  from unnest(${claims.map(({ eventId }) => eventId)}::uuid[], ${claims.map(({ n }) => n)}::int[],
    ${claims.map(({ userId }) => userId)}::uuid[], ${claims.map(({ id }) => id)}::uuid[],
    ${claims.map(({ quantity }) => quantity)}::int[])`;

const updateClaims = (claims: ClaimRow[]): Statement => sql`
  update claims c set quantity = k.quantity
  from unnest(${claims.map(({ eventId }) => eventId)}::uuid[], ${claims.map(({ n }) => n)}::int[],
    ${claims.map(({ userId }) => userId)}::uuid[], ${claims.map(({ quantity }) => quantity)}::int[])
    k (event_id, n, user_id, quantity)
  where c.event_id = k.event_id and c.n = k.n and c.user_id = k.user_id`;

const deleteClaims = (claims: ClaimRow[]): Statement => sql`
  delete from claims c
  using unnest(${claims.map(({ eventId }) => eventId)}::uuid[], ${claims.map(({ n }) => n)}::int[],
    ${claims.map(({ userId }) => userId)}::uuid[]) k (event_id, n, user_id)
  where c.event_id = k.event_id and c.n = k.n and c.user_id = k.user_id`;

const movesOf = (moves: ClaimWrites['moves']): Statement => sql`
  unnest(${moves.map(({ eventId }) => eventId)}::uuid[], ${moves.map(({ n }) => n)}::int[],
    ${moves.map(({ by }) => by)}::int[], ${moves.map(({ organizerId }) => organizerId)}::uuid[],
    ${moves.map(() => newId())}::uuid[]) m (event_id, n, by, organizer_id, notification_id)`;

const moveStock = (moves: ClaimWrites['moves']): Statement => sql`
  update item_stock s set claimed = claimed + m.by from ${movesOf(moves)} where s.event_id = m.event_id and s.n = m.n`;

/** @param counted SQL that selects the claims that were added and removed (event_id, n, user_id, amount) */
const moveStockAndSummaries = (moves: ClaimWrites['moves'], counted: Statement, now: Date): Statement => sql`
  moves as materialized (
    select * from ${movesOf(moves)}
  ), counted as materialized (
    select m.event_id, m.n, c.amount, c.user_id as person_id,
      ${isNotified('claims', sql`m.organizer_id`, sql`c.user_id`, sql`select organizer_id from moves`)} as is_notified
    from (${counted}) c join moves m on m.event_id = c.event_id and m.n = c.n
  ), changes as materialized (
    select m.*, k.amount, k.person_id, k.gone
    from moves m left join (
      select k.event_id, k.n, ${summedChange} from counted k group by k.event_id, k.n
    ) k on k.event_id = m.event_id and k.n = m.n
  ), pushes as (
    ${insertSummaryPushes(
      'claims',
      sql`select organizer_id, event_id, (array_agg(notification_id))[1] as notification_id from changes where amount > 0
        group by organizer_id, event_id`,
      now,
      sql`select 1 from item_stock where event_id = s.event_id and unread_claims > 0`,
    )}
  )
  update item_stock s set claimed = s.claimed + m.by, ${changeSummary('claims', sql`s`, sql`m`)}
  from changes m where s.event_id = m.event_id and s.n = m.n`;

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
    select event_id, n, user_id, id, quantity, created_at from claims
    where event_id = ${eventId} ${n === undefined ? empty : sql`and n = ${n}`}
      ${after === null ? empty : sql`and (n, id) > (${after[0]}::int, ${after[1]}::uuid)`}
    order by n, id limit ${limit}`);
}
