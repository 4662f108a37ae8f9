/**
 * Summaries: the notifications of organizers that count RSVPs, bookings and claims. An unread summary is a few columns
 * of a row that the write updates anyway, the counters of the event or the stock of the item, so it costs no row of its
 * own, no job and no lock. What was read is a row of `notifications`.
 */
import type { Queryable } from '../db/query.ts';
import { raw, type Statement, sql } from '../db/sql.ts';
import { newId } from '../lib/ids.ts';
import type { SummaryKind } from './kinds.ts';

type SummaryEvent = { eventId: string; organizerId: string };

/** What decides whether organizers are notified of what people do, and whether the notification is pushed. */
export type SummaryState = {
  /**
   * Whether the organizer is notified of what the person does. Not of what they do themselves, nor across a block, nor
   * of kinds that they switched off.
   */
  isNotified(event: SummaryEvent, personId: string): boolean;
  /** Whether the organizer has browsers to which notifications of the kind are pushed. */
  isPushed(eventId: string): boolean;
};

/**
 * Reads the state for pairs of event and person. The statement finds the organizers by itself, so that it can be sent
 * together with the statements that lock the events. Blocks are read by their key.
 */
export async function listSummaryState(
  db: Queryable,
  kind: SummaryKind,
  pairs: { eventId: string; personId: string }[],
): Promise<SummaryState> {
  const eventIds = pairs.map(({ eventId }) => eventId);
  const rows = await db.query<{ eventId: string; blockedId: string | null; level: string | null }>(sql`
    with organizers as materialized (
      select id as event_id, organizer_id from events where id = any(${[...new Set(eventIds)]}::uuid[])
    )
    select o.event_id, r.other_id as blocked_id, null::text as level
    from organizers o
    join unnest(${eventIds}::uuid[], ${pairs.map(({ personId }) => personId)}::uuid[]) k (event_id, person_id)
      on k.event_id = o.event_id
    join relations r on r.user_id = o.organizer_id and r.other_id = k.person_id
    where r.blocks or r.blocked_by
    union all
    select o.event_id, null, t.level from organizers o
    join notification_settings t on t.user_id = o.organizer_id where t.kind = ${kind}::text
    union all
    select distinct o.event_id, null::uuid, null from organizers o
    join push_subscriptions p on p.user_id = o.organizer_id`);
  const blocked = new Set(rows.flatMap((row) => (row.blockedId ? [row.eventId + row.blockedId] : [])));
  const levels = new Map(rows.flatMap((row) => (row.level ? [[row.eventId, row.level] as const] : [])));
  const withBrowsers = new Set(rows.flatMap((row) => ((row.blockedId ?? row.level) ? [] : [row.eventId])));
  return {
    isNotified: ({ eventId, organizerId }, personId) =>
      organizerId !== personId && levels.get(eventId) !== 'off' && !blocked.has(eventId + personId),
    isPushed: (eventId) => withBrowsers.has(eventId) && levels.get(eventId) !== 'inbox',
  };
}

/** Something new (1), or something that is taken back (-1). */
export type SummaryChange = { personId: string; amount: number };

/** How an unread summary changes. */
export type SummaryMove = {
  organizerId: string;
  /** By how much the count changes. */
  amount: number;
  /** The id of the notification, and the person who is named, if the amount is positive. */
  notificationId: string | null;
  personId: string | null;
  /** The ids of people who are no longer named, separated by commas. */
  gone: string | null;
};

/** The move of changes, of which those count that the organizer is notified of. */
export function summaryMove(event: SummaryEvent, changes: SummaryChange[], state: SummaryState): SummaryMove {
  const { organizerId } = event;
  const counted = changes.filter(({ personId }) => state.isNotified(event, personId));
  const amount = counted.reduce((sum, change) => sum + change.amount, 0);
  const newest = amount > 0 ? counted.find((change) => change.amount > 0) : undefined;
  const gone = changes.filter((change) => change.amount < 0).map(({ personId }) => personId);
  return {
    organizerId,
    amount,
    notificationId: newest ? newId() : null,
    personId: newest?.personId ?? null,
    gone: gone.length > 0 ? gone.join() : null,
  };
}

/** The columns of a summary: its count, its id, and the person who caused it last. */
export const columnsOf = (kind: SummaryKind): [Statement, Statement, Statement] => [
  raw(`unread_${kind}`),
  raw(`${kind}_notification_id`),
  raw(`${kind}_person_id`),
];

/**
 * The assignments of an UPDATE that moves the summary of `row`, by the columns `summaryColumns`. `unread_of` stays set, so
 * that only the first change of a row changes an index. What is taken back is subtracted from what is unread, down to 0:
 * it may have been read.
 */
export function moveSummary(kind: SummaryKind, row: Statement, move: Statement): Statement {
  const [unread, id, personId] = columnsOf(kind);
  return sql`
    unread_of = case when ${move}.amount > 0 then ${move}.organizer_id else ${row}.unread_of end,
    ${unread} = greatest(${row}.${unread} + ${move}.amount, 0),
    ${id} = coalesce(${move}.notification_id, ${row}.${id}),
    ${personId} = case when ${move}.amount > 0 then ${move}.person_id
      when ${row}.${personId} = any(string_to_array(${move}.gone, ',')::uuid[]) then null else ${row}.${personId} end`;
}

/** The types of the columns of a `SummaryMove`. */
export const summaryColumns = {
  organizerId: 'uuid',
  amount: 'int',
  notificationId: 'uuid',
  personId: 'uuid',
  gone: 'text',
} as const;

/**
 * The statements that store the pushes of summaries that were empty before: of what a summary counts, only the first is
 * pushed until it is read. Subscriptions that another transaction is deleting are skipped, so they wait for nothing.
 * @param moves of organizers with browsers (`isPushed`), with a positive amount
 */
export const insertSummaryPushes = (
  kind: SummaryKind,
  moves: { eventId: string; summary: SummaryMove }[],
  now: Date,
): Statement[] =>
  moves.map(
    ({ eventId, summary: { organizerId, notificationId } }) => sql`
    insert into push_deliveries (user_id, notification_id, subscription_id, kind, subject_id, attempts, due_at)
    select p.user_id, ${notificationId}::uuid, p.id, ${kind}::text, ${eventId}::uuid, 0, ${now}::timestamptz
    from push_subscriptions p where p.user_id = ${organizerId} for key share skip locked`,
  );
