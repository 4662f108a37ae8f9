/** Account deletion: the person's claims. The items of the person's own events are deleted with the events. */
import { lockEach, sql, type Transaction } from '#pg';
import type { DeletionHook } from '../../http/define-module.ts';
import type { ItemId } from '../../lib/ids.ts';
import { takeBack } from '../../outbox/summaries.ts';
import { moveStock, type StockMove, stockKeyOf } from './claims/repo.ts';

export const itemDeletionHooks: DeletionHook[] = [
  {
    // Relies on the events that the hook of `events` locked.
    firstTable: 'item_stock',
    run: async (tx, { userId }) => {
      await deleteClaims(tx, userId);
    },
  },
];

/** The account is locked, so the person makes no further claim. */
async function deleteClaims(tx: Transaction, userId: string): Promise<void> {
  const items = await tx.query<ItemId>(sql`select event_id, n from claims where user_id = ${userId}`);
  await lockEach(items, stockKeyOf, ({ eventId, n }) =>
    tx.query(sql`select 1 from item_stock where event_id = ${eventId} and n = ${n} for update`),
  );
  const moves = await tx.query<Omit<StockMove, 'summary'>>(sql`
    delete from claims where user_id = ${userId} returning event_id, n, -quantity as by`);
  await takeBack(tx, 'claims', userId, moves, moveStock);
}
