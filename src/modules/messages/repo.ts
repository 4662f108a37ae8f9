import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import { lockedPeople, type Pair } from '../users/relation-locks.ts';
import type { ConversationRow, MessageRow, Sides } from './present.ts';

export type { Sides } from './present.ts';
export type Sent = Sides & MessageRow;

/** What a person sent since a moment at most a minute ago. */
export type Window = { userId: string; since: Date; sent: number };

const never = new Date(0);

/** Locks these people's counts, and makes those that are not there. Nothing is counted for whoever is gone. */
export async function lockWindows(
  tx: Transaction,
  userIds: string[],
  mayWaitForLocks: boolean,
): Promise<Window[]> {
  if (userIds.length === 0) return [];
  return await tx.query<Window>(sql`
    with held as materialized (
      ${lockedPeople(userIds, mayWaitForLocks)}
    )
    insert into message_counts as c (user_id, since, sent)
    select id, ${never}, 0 from held order by id
    on conflict (user_id) do update set sent = c.sent
    returning user_id, since, sent`);
}

/** They must be locked. */
export function writeWindows(windows: Window[]) {
  return sql`
    update message_counts c set since = w.since, sent = w.sent
    from unnest(${windows.map(({ userId }) => userId)}::uuid[],
      ${windows.map(({ since }) => since.toISOString())}::timestamptz[], ${windows.map(({ sent }) => sent)}::int[])
      w (user_id, since, sent)
    where c.user_id = w.user_id`;
}

/** When the last message between these people came; where there is none, nothing. */
export async function listLastMoments(tx: Transaction, pairs: Pair[]): Promise<(Pair & { at: Date })[]> {
  return await tx.query<Pair & { at: Date }>(sql`
    select k.first, k.second, m.created_at as at
    from unnest(${pairs.map(({ first }) => first)}::uuid[], ${pairs.map(({ second }) => second)}::uuid[]) k (first, second)
    join conversations c on c.user_id = k.first and c.other_id = k.second
    join messages m on m.user_id = c.user_id and m.other_id = c.other_id and m.id = c.last_id`);
}

/**
 * Moves both sides' conversations up to their newest message, and counts what is unread. What is between the two must
 * be locked; `markRead` changes the same rows, and is before or after.
 * @param sent in the order in which they were sent
 */
export function moveConversations(sent: Sent[]) {
  const moves = new Map<string, Sides & { lastId: string; unread: number }>();
  for (const { userId, otherId, id } of sent) {
    for (const [user, other, unread] of [
      [userId, otherId, 0],
      [otherId, userId, 1],
    ] as const) {
      const before = moves.get(user + other)?.unread ?? 0;
      moves.set(user + other, { userId: user, otherId: other, lastId: id, unread: before + unread });
    }
  }
  const rows = [...moves.values()];
  return sql`
    insert into conversations as c (user_id, other_id, last_id, read_id, unread_count)
    select k.user_id, k.other_id, k.last_id, null, k.unread
    from unnest(${rows.map(({ userId }) => userId)}::uuid[], ${rows.map(({ otherId }) => otherId)}::uuid[],
      ${rows.map(({ lastId }) => lastId)}::uuid[], ${rows.map(({ unread }) => unread)}::int[])
      k (user_id, other_id, last_id, unread)
    order by 1, 2
    on conflict (user_id, other_id) do update
    set last_id = excluded.last_id, unread_count = c.unread_count + excluded.unread_count`;
}

/** A copy for either side, of which the sender's is their own. */
export function insertMessages(sent: Sent[]) {
  return sql`
    insert into messages (user_id, other_id, id, is_own, text, created_at)
    select side.user_id, side.other_id, k.id, side.is_own, k.text, k.created_at
    from unnest(${sent.map(({ userId }) => userId)}::uuid[], ${sent.map(({ otherId }) => otherId)}::uuid[],
      ${sent.map(({ id }) => id)}::uuid[], ${sent.map(({ text }) => text)}::text[],
      ${sent.map(({ createdAt }) => createdAt.toISOString())}::timestamptz[])
      k (user_id, other_id, id, text, created_at)
    cross join lateral (values (k.user_id, k.other_id, true), (k.other_id, k.user_id, false))
      side (user_id, other_id, is_own)
    order by 1, 2, 3`;
}

/** All that is there when the row is locked: a message that is just coming is either read, or counted after. */
export async function markRead(tx: Transaction, { userId, otherId }: Sides): Promise<void> {
  await tx.query(sql`
    update conversations set read_id = last_id, unread_count = 0
    where user_id = ${userId} and other_id = ${otherId} and read_id is distinct from last_id`);
}

const lastOfAll = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The newest first. `before`: the id of a message that comes before these; null: from the newest on. */
export async function listMessages(
  db: Database,
  { userId, otherId }: Sides,
  before: string | null,
  limit: number,
): Promise<MessageRow[]> {
  return await db.query<MessageRow>(sql`
    select id, is_own, text, created_at from messages
    where user_id = ${userId} and other_id = ${otherId} and id < ${before ?? lastOfAll}
    order by id desc limit ${limit}`);
}

/**
 * The one with the newest message first; `before`: the id of a newest message, above which they are left out. One that
 * moves up meanwhile leaves its place to nobody, so what does not move comes once.
 */
export async function listConversations(
  db: Database,
  userId: string,
  before: string | null,
  limit: number,
): Promise<ConversationRow[]> {
  return await db.query<ConversationRow>(sql`
    select c.other_id, c.unread_count, m.id, m.is_own, m.text, m.created_at
    from (
      select user_id, other_id, last_id, unread_count from conversations
      where user_id = ${userId} and last_id < ${before ?? lastOfAll}
      order by last_id desc limit ${limit}
    ) c
    join messages m on m.user_id = c.user_id and m.other_id = c.other_id and m.id = c.last_id
    order by m.id desc`);
}
