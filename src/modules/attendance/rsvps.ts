/** RSVPs, all that wait in one transaction: each costs a share of its round trips, its commit and the counter's row. */

import { changeStatement } from '../../cache/change-log.ts';
import { RETRY_INDIVIDUALLY } from '../../db/batching.ts';
import type { Database } from '../../db/client.ts';
import { skipLockedUnless } from '../../db/locks.ts';
import { sql } from '../../db/sql.ts';
import { transaction } from '../../db/transaction.ts';
import { lockedCallers } from '../../identity/act-as.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import type { Rsvp } from '../events/repo.ts';

/** A status of null takes the answer back. */
export type Ask = { eventId: string; viewer: Caller; status: Rsvp | null };
export type Count = { rsvpCount: number };

/** An answer is one person's on one event; a batch has each at most once. */
export const keyOf = ({ eventId, viewer }: Ask): string => `${eventId} ${viewer.id}`;

/**
 * Sets answers or takes them back, in one round trip.
 * @param isAlone waits for callers and events that others hold; in a batch their asks come back as `alone`
 * @returns for each ask the event's number of RSVPs after it, as if they had come one after the other
 */
export function applyRsvps(
  db: Database,
  asks: Ask[],
  now: Date,
  mayWaitForLocks: boolean,
): Promise<(Count | Problem | typeof RETRY_INDIVIDUALLY)[]> {
  return transaction(db, async (_tx, commit) => {
    const records = [...new Set(asks.map(({ eventId }) => eventId))];
    const [found] = await commit(setRsvps(asks, now, mayWaitForLocks), changeStatement({ records }));
    const rows = new Map((found as unknown as RsvpResult[]).map((row) => [Number(row.n), row]));
    const counts = new Map<string, number>();
    return asks.map((ask, i) => {
      const row = rows.get(i + 1);
      const refusal = refusalOf(ask, row, mayWaitForLocks);
      if (refusal) return refusal;
      const rsvpCount = (counts.get(ask.eventId) ?? row?.rsvpCount ?? 0) + (row?.change ?? 0);
      counts.set(ask.eventId, rsvpCount);
      return { rsvpCount };
    });
  });
}

/** `isHeld` is null where there is no such event; `change` and `rsvpCount` (as it was before) where nothing was done. */
type RsvpResult = {
  n: string;
  hasCaller: boolean;
  isHeld: boolean | null;
  isVisible: boolean;
  change: number | null;
  rsvpCount: number | null;
};

function refusalOf(
  ask: Ask,
  row: RsvpResult | undefined,
  mayWaitForLocks: boolean,
): Problem | typeof RETRY_INDIVIDUALLY | null {
  if (!row?.hasCaller) return mayWaitForLocks ? new Problem('token_invalid') : RETRY_INDIVIDUALLY;
  // Who waited for it and does not have it waited for its deletion.
  if (row.isHeld === null || (!row.isHeld && mayWaitForLocks)) return new Problem('event_not_found');
  if (!row.isHeld) return RETRY_INDIVIDUALLY;
  if (row.change !== null) return null;
  // An answer that is taken back may be on an event that was hidden since.
  if (!row.isVisible) return new Problem('event_not_found');
  return ask.status === null ? null : new Problem('event_cancelled');
}

/**
 * Right under any concurrency, in this order:
 *
 * Callers and events are share-locked, so that the end of a session and the hiding, cancelling and deletion of an event
 * are before or after all of it; what is read of an event is its locked version. The answers that are there are locked
 * in order of keys, so that batches of two servers cannot wait for each other's half. An upsert reads the old status
 * from the very row that it overwrites (`previous`), not from the statement's snapshot, so one person racing with
 * themself cannot make the count drift; of two who take an answer back at once the second finds it gone and moves
 * nothing. The counters come last. They are locked first and then moved to numbers made of what was locked, for
 * PostgreSQL also holds the checks of a row against the version that the statement began with.
 *
 * On a cancelled event the same answer again is no new one: it may be the second try of a caller who never heard of
 * the first.
 */
function setRsvps(asks: Ask[], now: Date, mayWaitForLocks: boolean) {
  const people = asks.map(({ viewer }) => viewer);
  return sql`
    with asked as materialized (
      select * from unnest(
        ${asks.map(({ eventId }) => eventId)}::uuid[], ${people.map(({ id }) => id)}::uuid[],
        ${people.map(({ sessionId }) => sessionId)}::uuid[], ${people.map(({ accessHash }) => accessHash.toString('base64'))}::text[],
        ${asks.map(({ status }) => status)}::text[])
        with ordinality a (event_id, user_id, session_id, access_hash, status, n)
    ), callers as materialized (
      ${lockedCallers(mayWaitForLocks)}
    ), held as materialized (
      select e.id, e.status, e.visibility, e.hidden, e.organizer_id from events e
      where e.id in (select event_id from asked) and exists (select 1 from callers)
      order by e.id
      for key share of e ${skipLockedUnless(mayWaitForLocks)}
    ), allowed as materialized (
      select a.*, e.status as event_status, e.id is not null as is_held, c.n is not null as has_caller,
        c.role = 'admin' or not e.hidden and (e.visibility <> 'private' or e.organizer_id = a.user_id) as is_visible
      from asked a
      left join callers c on c.n = a.n
      left join held e on e.id = a.event_id
    ), there as materialized (
      select r.event_id, r.user_id from allowed a
      join rsvps r on r.event_id = a.event_id and r.user_id = a.user_id
      where a.has_caller and a.is_held
      order by r.event_id, r.user_id
      for update of r
    ), given as (
      insert into rsvps (event_id, user_id, status, previous, created_at)
      select a.event_id, a.user_id, a.status, null, ${now} from allowed a
      where a.status is not null and a.has_caller and a.is_held and a.is_visible
        and (select count(*) from there) >= 0
        and (a.event_status = 'scheduled' or exists (
          select 1 from rsvps r where r.event_id = a.event_id and r.user_id = a.user_id and r.status = a.status))
      order by a.event_id, a.user_id
      on conflict (event_id, user_id) do update set status = excluded.status, previous = rsvps.status
      returning event_id, user_id, (previous is null)::int as rsvps,
        (status = 'going')::int - (previous is not distinct from 'going')::int as going
    ), taken_back as (
      delete from rsvps r using allowed a, there t
      where a.status is null and t.event_id = a.event_id and t.user_id = a.user_id
        and r.event_id = a.event_id and r.user_id = a.user_id
      returning r.event_id, r.user_id, -1 as rsvps, -(r.status = 'going')::int as going
    ), changed as (
      select * from given union all select * from taken_back
    ), sums as (
      select a.event_id, coalesce(sum(ch.rsvps), 0)::int as rsvps, coalesce(sum(ch.going), 0)::int as going
      from allowed a left join changed ch on ch.event_id = a.event_id and ch.user_id = a.user_id
      where a.is_held
      group by a.event_id
    ), counters as (
      select c.event_id, c.rsvp_count, c.going_count, m.rsvps, m.going
      from sums m join event_counters c on c.event_id = m.event_id
      order by c.event_id
      for update of c
    ), moved as (
      update event_counters c set rsvp_count = m.rsvp_count + m.rsvps, going_count = m.going_count + m.going
      from counters m where c.event_id = m.event_id and (m.rsvps, m.going) <> (0, 0)
    )
    select a.n, a.has_caller, case when e.id is not null then a.is_held end as is_held,
      coalesce(a.is_visible, false) as is_visible, ch.rsvps as change, c.rsvp_count
    from allowed a
    left join events e on e.id = a.event_id
    left join changed ch on ch.event_id = a.event_id and ch.user_id = a.user_id
    left join counters c on c.event_id = a.event_id`;
}
