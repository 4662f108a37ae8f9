/** SQL of the organizers' unread notifications, which are columns of other tables (outbox/summaries.ts). */
import { join, lockEach, raw, type Statement, sql, type Transaction } from '#pg';
import { type SummaryKind, summaries, summaryKinds } from '../../outbox/kinds.ts';
import { columnsOf } from '../../outbox/summaries.ts';
import { deleteOverflow, inboxSize } from './delivery/repo.ts';

/**
 * The tables that count, in LOCK_ORDER: the order of the rows of an event, and a name of a row. With the casts the name is
 * immutable, as it must be on a cluster.
 */
const counters = {
  event_counters: { order: sql`event_id`, key: sql`event_id::text` },
  item_stock: { order: sql`n`, key: sql`event_id::text || ' ' || n::text` },
};
const tables = Object.keys(counters) as (keyof typeof counters)[];

/**
 * Selects the unread summaries of an organizer of one kind: id, kind, subject, person and count. If several rows of an
 * event count, the id and the person are the newest.
 * @param condition restricts the rows that are counted
 */
function summariesOf(kind: SummaryKind, userId: string, condition = sql`true`): Statement {
  const [unread, id, personId] = columnsOf(kind);
  return sql`
    select max(${id}::text)::uuid as id, ${kind}::text as kind, event_id as subject_id,
      (array_agg(${personId} order by ${id} desc))[1] as person_id, sum(${unread})::int as count
    from ${raw(summaries[kind].counter)} where unread_of = ${userId} and ${unread} > 0 and ${condition}
    group by event_id`;
}

/** The columns of `notifications` for summaries `s`. A UUIDv7 begins with its time. */
const asNotification = (userId: string): Statement => sql`
  s.id, ${userId}::uuid as user_id, s.kind, s.subject_id, s.person_id, s.count,
  to_timestamp(('x' || translate(left(s.id::text, 13), '-', ''))::bit(48)::bigint / 1000.0) as created_at`;

/** Selects the unread summaries of an organizer, the latest of each kind, with the columns of `notifications`. */
export const unreadSummaries = (userId: string): Statement => {
  const latest = summaryKinds.map(
    (kind) => sql`(${summariesOf(kind, userId)} order by id desc limit ${inboxSize})`,
  );
  return sql`
    select ${asNotification(userId)}, null::timestamptz as read_at, null::uuid as since, null::uuid as about,
      null::uuid as event_id, null::jsonb as decision from (${join(latest, ' union all ')}) s`;
};

/** Ids of notifications, both inclusive. */
type Range = { from: string; upTo: string };

/**
 * Turns the unread summaries with ids in the range into notifications that are read. It locks their rows first, so what
 * is counted meanwhile stays unread.
 */
export async function readSummaries(tx: Transaction, userId: string, range: Range, now: Date): Promise<void> {
  const locked = await lockSummaries(tx, userId);
  if (locked.length === 0) return;
  for (const kind of summaryKinds) await tx.execute(readSummariesOf(kind, userId, { range, locked, now }));
  await tx.execute(deleteOverflow(userId));
}

/**
 * Locks the rows that count for an organizer. A row that begins to count after it was looked for is not locked. Of an event
 * with claims, all items are: whether a claim is pushed depends on whether any item has unread claims.
 * @returns the keys of the rows
 */
async function lockSummaries(tx: Transaction, userId: string): Promise<string[]> {
  const eventsOfTables = await Promise.all(
    tables.map((table) =>
      tx.query<{ eventId: string }>(sql`
        select distinct event_id from ${raw(table)} where unread_of = ${userId}`),
    ),
  );
  const locked = await Promise.all(
    tables.map((table, i) => {
      const { order, key } = counters[table];
      const eventIds = (eventsOfTables[i] ?? []).map(({ eventId }) => eventId);
      return lockEach(eventIds, String, (id) =>
        tx.query<{ key: string }>(sql`
          select ${key} as key from ${raw(table)} where event_id = ${id} order by ${order} for no key update`),
      );
    }),
  );
  return locked.flatMap((rows) => [...rows.values()].flat()).map(({ key }) => key);
}

/** @param options.locked the keys of the rows to read and clear: others may change between the two */
function readSummariesOf(
  kind: SummaryKind,
  userId: string,
  { range: { from, upTo }, locked, now }: { range: Range; locked: string[]; now: Date },
): Statement {
  const { counter } = summaries[kind];
  const isLocked = sql`${counters[counter].key} = any(${locked}::text[])`;
  const [unread, id, personId] = columnsOf(kind);
  return sql`
    with read as materialized (
      select * from (${summariesOf(kind, userId, isLocked)}) s where s.id >= ${from} and s.id <= ${upTo}
    ), cleared as (
      update ${raw(counter)} t set ${unread} = 0, ${id} = null, ${personId} = null
      from read where t.event_id = read.subject_id and t.unread_of = ${userId} and ${isLocked}
    )
    insert into notifications (id, user_id, kind, subject_id, person_id, count, created_at, read_at)
    select ${asNotification(userId)}, ${now}::timestamptz from read s order by s.id desc limit ${inboxSize}`;
}
