/** How many series a person may organize. */
import { sql, type Transaction } from '#pg';
import { Problem } from '../../lib/errors.ts';

export const maxActive = 50;

/**
 * Requires that a person has room for another series. The lock on the counters of the person lets concurrent requests count one
 * after another. The transaction must not have locked the change log.
 * @throws Problem `series_full`
 */
export async function requireRoom(tx: Transaction, userId: string, now: Date): Promise<void> {
  await tx.query(sql`select 1 from user_counters where user_id = ${userId} for update`);
  const active = await tx.query(sql`
    select id from series where organizer_id = ${userId} and status = 'active' and due_at is not null
    union select series_id from events where organizer_id = ${userId} and series_id is not null and end_at > ${now}
      and series_id in (select id from series where organizer_id = ${userId} and status = 'active')
    limit ${maxActive}`);
  if (active.length >= maxActive) throw new Problem('series_full');
}
