/** Account deletion: the person's claims. The items of the person's own events are deleted with the events. */
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { DeletionHook } from '../../http/define-module.ts';
import { takeBack } from '../../outbox/summaries.ts';

export const itemDeletionHooks: DeletionHook[] = [
  {
    // Relies on the events that the hook of `events` locked.
    firstTable: 'item_stock',
    run: async (tx, { userId }) => {
      await deleteClaims(tx, userId);
      return {};
    },
  },
];

async function deleteClaims(tx: Transaction, userId: string): Promise<void> {
  await tx.query(sql`
    select 1 from item_stock s where (event_id, n) in (select event_id, n from claims where user_id = ${userId})
    order by event_id, n for update`);
  await tx.query(sql`
    with gone as (delete from claims where user_id = ${userId} returning event_id, n, quantity)
    update item_stock s set claimed = claimed - gone.quantity,
      ${takeBack('claims', sql`s`, sql`e.organizer_id`, userId)}
    from gone join events e on e.id = gone.event_id where s.event_id = gone.event_id and s.n = gone.n`);
}
