/**
 * Summaries: the notifications of organizers that count RSVPs, bookings and claims. An unread summary is a few columns
 * of a row that the write updates anyway, the counters of the event or the stock of the item, so it costs no row of its
 * own, no job and no lock. What was read is a row of `notifications`.
 */
import { empty, raw, type Statement, sql } from '../db/sql.ts';
import type { SummaryKind } from './kinds.ts';

/**
 * SQL condition: the organizer is notified of what the person does. Not of what they do themselves, nor across a block,
 * nor of kinds that they switched off. The block is read by its key, from the small index of blocks; EXISTS might be
 * answered from a hash table of all blocks. The settings of all organizers are read at once.
 * @param organizers SQL that selects the ids of all organizers
 */
export const isNotified = (
  kind: SummaryKind,
  organizerId: Statement,
  personId: Statement,
  organizers: Statement,
): Statement => sql`(
  ${organizerId} <> ${personId}
  and ${organizerId} <> all(array(
    select t.user_id from notification_settings t
    where t.user_id = any(array(${organizers})) and t.kind = ${kind}::text and t.level = 'off'))
  and (select true from relations r
    where r.user_id = ${organizerId} and r.other_id = ${personId} and (r.blocks or r.blocked_by)) is null)`;

/**
 * The columns of a change of summaries, from rows `k (amount, person_id, is_notified)` that are grouped by summary:
 * `amount` is 1 for something new, and -1 for what is taken back. `k` should be materialized, because PostgreSQL would
 * otherwise compute `is_notified` for each use.
 */
export const summedChange = sql`
  coalesce(sum(k.amount) filter (where k.is_notified), 0)::int as amount,
  (array_agg(k.person_id) filter (where k.amount > 0 and k.is_notified))[1] as person_id,
  array_agg(k.person_id) filter (where k.amount < 0) as gone`;

/**
 * The assignments of an UPDATE that changes an unread summary. `unread_of` stays set, so that only the first change of a row
 * changes an index. What is taken back is subtracted from what is unread, down
 * to 0: it may have been read. A person who is gone is no longer named.
 * @param old the alias of the row's locked version
 * @param change the alias of a row (organizer_id, notification_id, amount, person_id, gone); its columns may be null
 */
export function changeSummary(kind: SummaryKind, old: Statement, change: Statement): Statement {
  const [unread, notificationId, personId] = columnsOf(kind);
  return sql`
    unread_of = case when ${change}.amount > 0 then ${change}.organizer_id else ${old}.unread_of end,
    ${unread} = greatest(${old}.${unread} + coalesce(${change}.amount, 0), 0),
    ${notificationId} = case
      when ${change}.amount > 0 then ${change}.notification_id else ${old}.${notificationId} end,
    ${personId} = case
      when ${change}.amount > 0 then ${change}.person_id
      when ${old}.${personId} = any(${change}.gone) then null else ${old}.${personId} end`;
}

/**
 * The assignments of an UPDATE of locked rows when the account of a person is deleted: what they did is taken back.
 * @param row the alias of the row, of which the person has one RSVP, booking or claim
 */
export function takeBack(
  kind: SummaryKind,
  row: Statement,
  organizerId: Statement,
  personId: string,
): Statement {
  const [unread, , lastPersonId] = columnsOf(kind);
  const isCounted = isNotified(kind, organizerId, sql`${personId}::uuid`, sql`select ${organizerId}`);
  return sql`
    ${unread} = greatest(${row}.${unread} - ${isCounted}::int, 0),
    ${lastPersonId} = nullif(${row}.${lastPersonId}, ${personId}::uuid)`;
}

/** The columns of a summary: its count, its id, and the person who caused it last. */
export const columnsOf = (kind: SummaryKind): [Statement, Statement, Statement] => [
  raw(`unread_${kind}`),
  raw(`${kind}_notification_id`),
  raw(`${kind}_person_id`),
];

/**
 * The statement that stores the pushes of summaries that were empty before: of what a summary counts, only the first is
 * pushed until it is read. Subscriptions that another transaction is deleting are skipped, so it waits for nothing.
 * @param summaries SQL that selects the columns organizer_id, event_id and notification_id
 * @param earlier SQL that selects what summary `s` already counts, if `summaries` includes such summaries. It is read for
 *   organizers with browsers only: PostgreSQL looks for browsers first because of the condition on `p`
 */
export const insertSummaryPushes = (
  kind: SummaryKind,
  summaries: Statement,
  now: Date,
  earlier?: Statement,
): Statement => sql`
  insert into push_deliveries (user_id, notification_id, subscription_id, kind, subject_id, attempts, due_at)
  select p.user_id, s.notification_id, p.id, ${kind}::text, s.event_id, 0, ${now}::timestamptz
  from (
    select user_id, id from push_subscriptions
    where user_id = any(array(select organizer_id from (${summaries}) o)) for key share skip locked
  ) p
  join (${summaries}) s on s.organizer_id = p.user_id
  where (
    select t.level from notification_settings t where t.user_id = p.user_id and t.kind = ${kind}::text
  ) is distinct from 'inbox'
    ${earlier ? sql`and (${earlier} and p.id is not null limit 1) is null` : empty}`;
