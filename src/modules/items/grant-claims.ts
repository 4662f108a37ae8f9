/** The fast path of claims: makes the claims of a batch that nothing refuses with one statement. */

import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import { transaction } from '../../db/transaction.ts';
import { lockedCallers } from '../../identity/act-as.ts';
import type { Caller } from '../../identity/caller.ts';
import { type ItemId, newId } from '../../lib/ids.ts';
import { moduleOf } from '../events/catalogue.ts';
import type { ClaimRow } from './present.ts';

type GrantCommand = { item: ItemId; viewer: Caller; quantity: number };

/**
 * Grants what plainly can be granted: where everybody's wish for an item in this batch fits into what is left of it.
 * Who is not granted anything is told nothing here; `claims.ts` decides over them and knows why.
 * @returns for each wish its claim, or null
 */
export async function grantClaims(
  db: Database,
  commands: GrantCommand[],
  now: Date,
): Promise<(ClaimRow | null)[]> {
  if (commands.length === 0) return [];
  const claims = commands.map(({ item, viewer, quantity }) => ({
    id: newId(),
    ...item,
    userId: viewer.id,
    quantity,
    createdAt: now,
  }));
  const granted = await transaction(db, async (_tx, commit) => {
    const [rows] = await commit(insertPlainClaims(commands, claims, now));
    return new Set((rows as unknown as { id: string }[]).map(({ id }) => id));
  });
  return claims.map((claim) => (granted.has(claim.id) ? claim : null));
}

/**
 * Right under any concurrency: callers, events and items are share-locked and the stock is locked, in one order; who
 * would have to wait for a caller, event or item is passed over. What is left is read from the locked stock, and the
 * new number is made of it. A claim of the same person that another server has just committed is not seen here; then
 * the primary key refuses the batch as a whole.
 */
function insertPlainClaims(commands: GrantCommand[], claims: ClaimRow[], now: Date) {
  const people = commands.map(({ viewer }) => viewer);
  return sql`
    with asked as materialized (
      select * from unnest(
        ${claims.map(({ eventId }) => eventId)}::uuid[], ${claims.map(({ n }) => n)}::int[],
        ${people.map(({ id }) => id)}::uuid[], ${people.map(({ sessionId }) => sessionId)}::uuid[],
        ${people.map(({ accessHash }) => accessHash.toString('base64'))}::text[], ${claims.map(({ id }) => id)}::uuid[],
        ${claims.map(({ quantity }) => quantity)}::int[])
        with ordinality a (event_id, item_n, user_id, session_id, access_hash, id, quantity, n)
    ), callers as materialized (
      ${lockedCallers(false)}
    ), held as materialized (
      select i.event_id, i.n, i.kind, e.status, e.visibility, e.hidden, e.organizer_id, e.enabled_modules, s.needed, s.claimed
      from (select distinct event_id, item_n as n from asked) k
      join events e on e.id = k.event_id
      join items i on i.event_id = k.event_id and i.n = k.n
      join item_stock s on s.event_id = k.event_id and s.n = k.n
      where exists (select 1 from callers)
      order by e.id, i.n
      for key share of e, i skip locked
      for update of s
    ), plain as materialized (
      select a.event_id, a.item_n as n, a.user_id, a.id, a.quantity, h.needed - h.claimed as left,
        sum(a.quantity) over (partition by a.event_id, a.item_n) as wanted
      from asked a
      join callers on callers.n = a.n
      join held h on h.event_id = a.event_id and h.n = a.item_n
      join rsvps r on r.event_id = a.event_id and r.user_id = a.user_id and r.status = 'going'
      where h.status = 'scheduled'
        and (callers.role = 'admin' or not h.hidden and (h.visibility <> 'private' or h.organizer_id = a.user_id))
        and (case h.kind when 'bring' then ${moduleOf.bring} else ${moduleOf.wish} end) = any(h.enabled_modules)
        and not exists (
          select 1 from claims c where c.event_id = a.event_id and c.n = a.item_n and c.user_id = a.user_id)
    ), granted as (
      insert into claims (event_id, n, user_id, id, quantity, created_at)
      select event_id, n, user_id, id, quantity, ${now} from plain where wanted <= plain.left
      order by event_id, n, user_id
      returning event_id, n, id, quantity
    ), moved as (
      update item_stock s set claimed = h.claimed + g.quantity
      from (select event_id, n, sum(quantity)::int as quantity from granted group by event_id, n) g
      join held h on h.event_id = g.event_id and h.n = g.n
      where s.event_id = g.event_id and s.n = g.n
    )
    select id from granted`;
}
