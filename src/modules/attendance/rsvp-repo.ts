/** SQL of RSVPs. */
import { skipLockedUnless } from '../../db/locks.ts';
import { type Statement, sql } from '../../db/sql.ts';
import { lockedCallers } from '../../identity/act-as.ts';
import type { Caller } from '../../identity/caller.ts';
import { newId } from '../../lib/ids.ts';
import { changeSummary, insertSummaryPushes, isNotified, summedChange } from '../../outbox/summaries.ts';
import { visibleToCondition } from '../events/policy.ts';
import type { Rsvp } from '../events/repo.ts';

/**
 * Sets the caller's RSVP; a `status` of null removes it. Null for `extraGuests` and `isHidden` keeps the
 * value, which is 0 and false for a new RSVP.
 */
export type RsvpCommand = {
  eventId: string;
  caller: Caller;
  status: Rsvp | null;
  extraGuests: number | null;
  isHidden: boolean | null;
};

/** What `setRsvps` did for a command. */
export type RsvpOutcome = {
  /** The number of the command, from 1; a bigint, which the driver returns as text. */
  n: string;
  /** Whether the caller's session is valid, and locked. */
  hasCaller: boolean;
  /** Whether the event is locked; null if there is no such event. */
  isLocked: boolean | null;
  /** Whether the caller may see the event. */
  isVisible: boolean;
  /** By how much the event's number of RSVPs changes; null if the command had no effect. */
  change: number | null;
  /** The event's number of RSVPs before the batch. */
  rsvpCount: number | null;
};

/**
 * Applies RSVPs in one statement. It locks and reads in this order, so the result is correct under any
 * concurrency:
 *
 * 1. Callers and events are share-locked. A session cannot end and an event cannot be hidden, cancelled or
 * deleted until the transaction ends, and the statement reads the locked versions.
 * 2. Existing RSVPs are locked in ascending order of their keys, so two batches cannot deadlock.
 * 3. The upsert reads the old values from the row that it overwrites (`previous`, `previous_extra_guests`,
 * and the values that the command keeps), not from the statement's snapshot, so concurrent RSVPs of one
 * person cannot corrupt the counts. Of two concurrent removals, the second finds no row.
 * 4. The counters are locked, and then set to numbers computed from the locked versions. An update alone is
 * not enough: PostgreSQL also evaluates check constraints against the version of the statement's snapshot.
 * 5. The counters also hold the organizers' notifications (src/outbox/summaries.ts). A hidden RSVP counts too.
 *
 * On a cancelled event, an RSVP with the status that the caller already has succeeds unless it adds guests:
 * the caller may be repeating a request whose response was lost, and can always hide.
 */
export function setRsvps(commands: RsvpCommand[], now: Date, mayWaitForLocks: boolean): Statement {
  const callers = commands.map(({ caller }) => caller);
  return sql`
    with asked as materialized (
      select * from unnest(
        ${commands.map(({ eventId }) => eventId)}::uuid[], ${callers.map(({ id }) => id)}::uuid[],
        ${callers.map(({ sessionId }) => sessionId)}::uuid[], ${callers.map(({ accessHash }) => accessHash.toString('base64'))}::text[],
        ${commands.map(({ status }) => status)}::text[], ${commands.map(({ extraGuests }) => extraGuests)}::int[],
        ${commands.map(({ isHidden }) => isHidden)}::boolean[], ${commands.map(() => newId())}::uuid[])
        with ordinality a (event_id, user_id, session_id, access_hash, status, extra_guests, is_hidden, notification_id, n)
    ), callers as materialized (
      ${lockedCallers(mayWaitForLocks)}
    ), locked_events as materialized (
      select e.id, e.status, e.visibility, e.hidden, e.organizer_id from events e
      where e.id in (select event_id from asked) and exists (select 1 from callers)
      order by e.id
      for key share of e ${skipLockedUnless(mayWaitForLocks)}
    ), checked as materialized (
      select a.*, e.organizer_id, e.status as event_status, e.id is not null as is_locked, c.n is not null as has_caller,
        ${visibleToCondition(sql`c.role = 'admin'`, sql`a.user_id`)} as is_visible,
        ${isNotified('rsvps', sql`e.organizer_id`, sql`a.user_id`, sql`select organizer_id from locked_events`)} as is_notified
      from asked a
      left join callers c on c.n = a.n
      left join locked_events e on e.id = a.event_id
    ), existing as materialized (
      select r.event_id, r.user_id, r.status, coalesce(r.extra_guests, 0) as extra_guests from checked a
      join rsvps r on r.event_id = a.event_id and r.user_id = a.user_id
      where a.has_caller and a.is_locked
      order by r.event_id, r.user_id
      for update of r
    ), upserted as (
      insert into rsvps (event_id, user_id, status, extra_guests, is_hidden, created_at)
      select a.event_id, a.user_id, a.status, a.extra_guests, a.is_hidden, ${now} from checked a
      where a.status is not null and a.has_caller and a.is_locked and a.is_visible
        and (select count(*) from existing) >= 0
        and (a.event_status = 'scheduled' or exists (
          select 1 from existing x where x.event_id = a.event_id and x.user_id = a.user_id
            and x.status = a.status and x.extra_guests >= coalesce(a.extra_guests, 0)))
      order by a.event_id, a.user_id
      on conflict (event_id, user_id) do update set status = excluded.status, previous = rsvps.status,
        extra_guests = coalesce(excluded.extra_guests, rsvps.extra_guests),
        previous_extra_guests = rsvps.extra_guests,
        is_hidden = coalesce(excluded.is_hidden, rsvps.is_hidden)
      returning event_id, user_id, (previous is null)::int as rsvps,
        (status = 'going')::int - (previous is not distinct from 'going')::int as going,
        (status = 'going')::int * coalesce(extra_guests, 0)
          - (previous is not distinct from 'going')::int * coalesce(previous_extra_guests, 0) as extra_guests
    ), removed as (
      delete from rsvps r using checked a, existing x
      where a.status is null and x.event_id = a.event_id and x.user_id = a.user_id
        and r.event_id = a.event_id and r.user_id = a.user_id
      returning r.event_id, r.user_id, -1 as rsvps, -(r.status = 'going')::int as going,
        -(r.status = 'going')::int * coalesce(r.extra_guests, 0) as extra_guests
    ), changed as (
      select * from upserted union all select * from removed
    ), sums as (
      select k.event_id, k.organizer_id, coalesce(sum(k.amount), 0)::int as rsvps, coalesce(sum(k.going), 0)::int as going,
        coalesce(sum(k.extra_guests), 0)::int as extra_guests, (array_agg(k.notification_id))[1] as notification_id,
        ${summedChange}
      from (
        select a.event_id, a.organizer_id, a.notification_id, a.is_notified, a.user_id as person_id, ch.rsvps as amount,
          ch.going, ch.extra_guests
        from checked a left join changed ch on ch.event_id = a.event_id and ch.user_id = a.user_id
        where a.is_locked
      ) k
      group by k.event_id, k.organizer_id
    ), counters as (
      select c.event_id, c.rsvp_count, c.going_count, c.extra_guests_count, c.unread_of, c.unread_rsvps,
        c.rsvps_notification_id, c.rsvps_person_id, m.organizer_id, m.rsvps, m.going, m.extra_guests, m.notification_id,
        m.amount, m.person_id, m.gone
      from sums m join event_counters c on c.event_id = m.event_id
      order by c.event_id
      for update of c
    ), moved as (
      update event_counters c set rsvp_count = m.rsvp_count + m.rsvps, going_count = m.going_count + m.going,
        extra_guests_count = m.extra_guests_count + m.extra_guests, version = c.version + 1, ${changeSummary('rsvps', sql`m`, sql`m`)}
      from counters m where c.event_id = m.event_id
        and ((m.rsvps, m.going, m.extra_guests, m.amount) <> (0, 0, 0, 0) or m.gone is not null)
    ), pushes as (
      ${insertSummaryPushes(
        'rsvps',
        sql`
        select organizer_id, event_id, notification_id from counters
        where unread_rsvps = 0 and amount > 0`,
        now,
      )}
    )
    select a.n, a.has_caller,
      case when a.is_locked then true when exists (select 1 from events e where e.id = a.event_id) then false end as is_locked,
      coalesce(a.is_visible, false) as is_visible, ch.rsvps as change, c.rsvp_count
    from checked a
    left join changed ch on ch.event_id = a.event_id and ch.user_id = a.user_id
    left join counters c on c.event_id = a.event_id`;
}
