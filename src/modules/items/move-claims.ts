import { lockEach, sql, type Transaction } from '#pg';
import type { ItemId } from '../../lib/ids.ts';
import type { MovedPerson } from '../attendance/move-attendance.ts';
import { stockKeyOf } from './claims/repo.ts';

/**
 * Makes the claims of a guest those of another person, on the items on which that person has none. Under the locks of the stock,
 * both the quantities and the claims of others stay as they are.
 */
export async function moveClaims(tx: Transaction, { eventId, from, to }: MovedPerson): Promise<void> {
  const items = await tx.query<ItemId>(sql`
    select event_id, n from claims where event_id = ${eventId} and user_id = ${from}`);
  await lockEach(items, stockKeyOf, ({ n }) =>
    tx.query(sql`select 1 from item_stock where event_id = ${eventId} and n = ${n} for update`),
  );
  await tx.query(sql`
    update claims c set user_id = ${to} where c.event_id = ${eventId} and c.user_id = ${from}
      and not exists (select 1 from claims o where o.event_id = ${eventId} and o.n = c.n and o.user_id = ${to})`);
  await tx.query(sql`
    update item_stock set claims_version = claims_version + 1,
      claims_person_id = case claims_person_id when ${from}::uuid then ${to}::uuid else claims_person_id end
    where event_id = ${eventId} and n = any(${items.map(({ n }) => n)}::int[])`);
}
