/** W6: claims on one item at a time, and on many items with a small quantity. */

import { randomOf } from '../../../test/support/random.ts';
import { claimsEvent, deepItems, idOf, scarceItems, userCount } from '../../seed/ids.ts';
import { type Environment, setStep, setUser, sqlId, type WorkItem, type Writes } from '../environment.ts';
import type { Request } from '../response.ts';
import { compareWrites } from './rsvps.ts';

const claim = (environment: Environment, item: number, user: number): Request => ({
  method: 'POST',
  path: `/v1/items/${idOf('event', claimsEvent(environment.plan.events))}.${item}/claim`,
  token: environment.dataset.tokens[user - 1] ?? '',
  body: JSON.stringify({ quantity: 1 }),
});

const oneItem: WorkItem = {
  item: 'W6',
  variant: 'one item',
  bestPeer: null,
  // A person can claim an item only once.
  once: true,
  async prepare(environment) {
    const count = Math.min(environment.maxWrites, userCount * deepItems.count);
    const requests = Array.from({ length: count }, (_, step) =>
      claim(environment, 1 + Math.floor(step / userCount), 1 + (step % userCount)),
    );
    const script = `${setStep}\\set user 1 + :step % ${userCount}
      \\set item 1 + :step / ${userCount} % ${deepItems.count}\n${statement(environment)}`;
    return {
      requests,
      candidates: [{ name: 'one statement', scripts: [script] }],
      writes: writes(environment),
    };
  },
};

const manyItems: WorkItem = {
  item: 'W6',
  variant: 'many items',
  bestPeer: null,
  // Repeated claims get a 409; claims on items with nothing left get a 422.
  alsoExpected: [409, 422],
  async prepare(environment) {
    const random = randomOf(60);
    const requests = Array.from({ length: environment.maxWrites }, () =>
      claim(environment, deepItems.count + 1 + random.below(scarceItems.count), 1 + random.below(userCount)),
    );
    const [first, last] = [deepItems.count + 1, deepItems.count + scarceItems.count];
    const script = `${setUser}\\set item random(${first}, ${last})\n${statement(environment)}`;
    return {
      requests,
      candidates: [{ name: 'one statement', scripts: [script] }],
      writes: writes(environment),
    };
  },
};

const statement = ({ plan }: Environment): string => `with item as (
    select i.event_id, i.n, r.user_id
    from items i join events e on e.id = i.event_id
    join rsvps r on r.event_id = i.event_id and r.user_id = ${sqlId('user', 'user')}
    where i.event_id = '${idOf('event', claimsEvent(plan.events))}' and i.n = :item::int
      and e.status = 'scheduled' and r.status = 'going'
      and not exists (select 1 from claims c where c.event_id = i.event_id and c.n = i.n and c.user_id = r.user_id)
  ), taken as (
    update item_stock s set claimed = s.claimed + 1
    from item where s.event_id = item.event_id and s.n = item.n and s.claimed + 1 <= s.needed
    returning s.event_id, s.n, item.user_id
  )
  insert into claims (event_id, n, user_id, id, quantity, created_at)
  select event_id, n, user_id, gen_random_uuid(), 1, now() from taken;`;

function writes({ sql, plan }: Environment): Writes {
  const event = idOf('event', claimsEvent(plan.events));
  return {
    async reset() {
      await sql`delete from claims where event_id = ${event}`;
      await sql`
        update item_stock set claimed = 0, unread_claims = 0, claims_notification_id = null, claims_person_id = null
        where event_id = ${event} and claimed <> 0`;
      await sql`vacuum claims, item_stock`;
    },
    async verify(expected) {
      const [row] = await sql<[{ wrong: number; oversold: number; written: number }]>`
        select count(*) filter (where s.claimed <> coalesce(c.claimed, 0))::int as wrong,
          count(*) filter (where coalesce(c.claimed, 0) > s.needed)::int as oversold,
          coalesce(sum(c.claims), 0)::int as written
        from item_stock s left join (
          select n, sum(quantity) as claimed, count(*) as claims from claims where event_id = ${event} group by n
        ) c on c.n = s.n
        where s.event_id = ${event}`;
      if (row.oversold > 0) return `${row.oversold} items are oversold`;
      if (row.wrong > 0) return `the stock of ${row.wrong} items differs from the sum of their claims`;
      return compareWrites(row.written, expected, Number.MAX_SAFE_INTEGER);
    },
  };
}

export const claims: WorkItem[] = [oneItem, manyItems];
