import type { Database } from '../../db/client.ts';
import { lockEach } from '../../db/locks.ts';
import { onNodesOf, sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import { maxId } from '../../lib/ids.ts';
import { type Pair, selectLockedPerson } from '../users/relation-locks.ts';
import type { ConversationRow, MessageRow, Participants } from './present.ts';

export type { Participants } from './present.ts';

/** A message from `userId` to `otherId`. */
type SentMessage = Participants & MessageRow;

/** The number of messages that a person has sent since `since`, which limits the messages of a minute. */
export type SendingWindow = { userId: string; since: Date; sent: number };

const never = new Date(0);

/**
 * Locks the windows of people, and inserts missing ones.
 * @returns the windows of the accounts that exist and, unless `mayWaitForLocks`, are not locked by others
 */
export async function lockWindows(
  tx: Transaction,
  userIds: string[],
  mayWaitForLocks: boolean,
): Promise<SendingWindow[]> {
  const locked = await lockEach(userIds, String, (id) =>
    tx.query<SendingWindow>(sql`
      with locked as materialized (${selectLockedPerson(id, mayWaitForLocks)})
      insert into message_counts as c (user_id, since, sent)
      select id, ${never}::timestamptz, 0 from locked
      on conflict (user_id) do update set sent = c.sent
      returning user_id, since, sent`),
  );
  return [...locked.values()].flat();
}

/** Writes windows that `lockWindows` locked. */
export function writeWindows(windows: SendingWindow[]) {
  const userIds = windows.map(({ userId }) => userId);
  return sql`
    update message_counts c set since = w.since, sent = w.sent
    from unnest(${userIds}::uuid[],
      ${windows.map(({ since }) => since.toISOString())}::timestamptz[], ${windows.map(({ sent }) => sent)}::int[])
      w (user_id, since, sent)
    where c.user_id = w.user_id and c.user_id = any(${userIds}::uuid[])`;
}

/** Returns the time of the last message of each pair that has messages. */
export async function listLastMessageTimes(tx: Transaction, pairs: Pair[]): Promise<(Pair & { at: Date })[]> {
  const firsts = pairs.map(({ first }) => first);
  return await tx.query<Pair & { at: Date }>(sql`
    select k.first, k.second, m.created_at as at
    from unnest(${firsts}::uuid[], ${pairs.map(({ second }) => second)}::uuid[]) k (first, second)
    join conversations c on c.user_id = k.first and c.other_id = k.second
    join messages m on m.user_id = c.user_id and m.other_id = c.other_id and m.id = c.last_id
    where ${onNodesOf(sql`c.user_id`, firsts)}`);
}

/**
 * Sets the newest message in the conversations of both participants, and adds to the recipients' unread counts. The
 * relations of the pairs must be locked. `markRead` locks the same rows, so it runs before or after this
 * statement.
 * @param sent messages in the order in which they were sent
 */
export function moveConversations(sent: SentMessage[]) {
  const moves = new Map<string, Participants & { lastId: string; unread: number }>();
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

/** Inserts a copy of each message for either side. `is_own` marks the sender's copy. */
export function insertMessages(sent: SentMessage[]) {
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

/** Marks all messages as read that are committed when the row is locked. Later messages count as unread. */
export async function markRead(tx: Transaction, { userId, otherId }: Participants): Promise<void> {
  await tx.query(sql`
    update conversations set read_id = last_id, unread_count = 0
    where user_id = ${userId} and other_id = ${otherId} and read_id is distinct from last_id`);
}

/**
 * PostgreSQL must read the partitions one after the other, from the newest on, and stop at the limit. With a limit above
 * the number of rows that it expects, it would rather read and sort the whole conversation; it does not know the
 * limit of a subquery.
 */
export const selectMessages = (
  { userId, otherId }: Participants,
  before: string | null,
  limit: number,
) => sql`
  select id, is_own, text, created_at from messages
  where user_id = ${userId} and other_id = ${otherId} and id < ${before ?? maxId}
  order by id desc limit (select ${limit}::int)`;

/**
 * Returns the messages of a conversation, the newest first.
 * @param before the id of the last message of the previous page; null for the first page
 */
export async function listMessages(
  db: Database,
  { userId, otherId }: Participants,
  before: string | null,
  limit: number,
): Promise<MessageRow[]> {
  return await db.query<MessageRow>(selectMessages({ userId, otherId }, before, limit));
}

/**
 * Returns the conversations of a person, the one with the newest message first. A conversation that gets a
 * message between two pages moves to the front; every other conversation is returned exactly once.
 * @param before the newest message of the last conversation of the previous page; null for the first page
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
      where user_id = ${userId} and last_id < ${before ?? maxId}
      order by last_id desc limit ${limit}
    ) c
    join messages m on m.user_id = c.user_id and m.other_id = c.other_id and m.id = c.last_id
    order by m.id desc`);
}
