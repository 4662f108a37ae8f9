import { maxId } from '#base';
import {
  type Database,
  insertRows,
  listEach,
  lockEach,
  one,
  rowsOf,
  type Statement,
  sql,
  type Transaction,
  updateRows,
} from '#pg';
import { type Pair, selectLockedPerson } from '../people/relations/locks.ts';
import type { ConversationRow, MessageRow, Participants } from './present.ts';

export type { Participants } from './present.ts';

/** A message from `userId` to `otherId`. */
type SentMessage = Participants & MessageRow;

/**
 * The number of messages that a person has sent since `since`, which limits the messages of a minute, and on `day` of UTC,
 * for the daily quota; `day` is null before the first message that counts.
 */
export type SendingWindow = {
  userId: string;
  since: Date;
  sent: number;
  day: string | null;
  sentOnDay: number;
};

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
      returning user_id, since, sent, day::text as day, sent_on_day`),
  );
  return [...locked.values()].flat();
}

/** Writes windows that `lockWindows` locked. */
export const writeWindows = (windows: SendingWindow[]) =>
  updateRows(
    'message_counts c',
    windows,
    { userId: 'uuid' },
    { since: 'timestamptz', sent: 'int', day: 'date', sentOnDay: 'int' },
    sql`since = k.since, sent = k.sent, day = k.day, sent_on_day = k.sent_on_day`,
  );

/** Returns the time of the last message of each pair that has messages. */
export async function listLastMessageTimes(tx: Transaction, pairs: Pair[]): Promise<(Pair & { at: Date })[]> {
  const keys = pairs.map(({ first, second }) => ({ userId: first, otherId: second }));
  return await tx.query<Pair & { at: Date }>(sql`
    select c.user_id as first, c.other_id as second, m.created_at as at
    from ${rowsOf('conversations c', keys, { userId: 'uuid', otherId: 'uuid' })}
    join messages m on m.user_id = c.user_id and m.other_id = c.other_id and m.id = c.last_id`);
}

/**
 * Sets the newest message in the conversations of both participants, and adds to the recipients' unread counts. The
 * relations of the pairs must be locked. `markRead` locks the same rows, so it runs before or after this
 * statement.
 * @param sent messages in the order in which they were sent
 */
export function moveConversations(sent: SentMessage[]) {
  const moves = new Map<string, Participants & { lastId: string; unreadCount: number }>();
  for (const { userId, otherId, id } of sent) {
    for (const [user, other, unread] of [
      [userId, otherId, 0],
      [otherId, userId, 1],
    ] as const) {
      const before = moves.get(user + other)?.unreadCount ?? 0;
      moves.set(user + other, { userId: user, otherId: other, lastId: id, unreadCount: before + unread });
    }
  }
  const columns = { userId: 'uuid', otherId: 'uuid', lastId: 'uuid', unreadCount: 'int' } as const;
  return sql`
    ${insertRows('conversations as c', [...moves.values()], columns)}
    order by 1, 2
    on conflict (user_id, other_id) do update
    set last_id = excluded.last_id, unread_count = c.unread_count + excluded.unread_count`;
}

/** Inserts a copy of each message for either side. `is_own` marks the sender's copy. */
export function insertMessages(sent: SentMessage[]) {
  const copies = sent.flatMap((message) => [
    { ...message, isOwn: true },
    { ...message, userId: message.otherId, otherId: message.userId, isOwn: false },
  ]);
  const key = { userId: 'uuid', otherId: 'uuid', id: 'uuid' } as const;
  const columns = {
    ...key,
    isOwn: 'boolean',
    text: 'text',
    createdAt: 'timestamptz',
    eventId: 'uuid',
  } as const;
  return sql`${insertRows('messages', copies, columns)} order by 1, 2, 3`;
}

/** Marks all messages as read that are committed when the row is locked. Later messages count as unread. */
export async function markRead(tx: Transaction, { userId, otherId }: Participants): Promise<void> {
  await tx.query(sql`
    update conversations set read_id = last_id, unread_count = 0
    where user_id = ${userId} and other_id = ${otherId} and read_id is distinct from last_id`);
}

/** A page of a conversation. `before`: the id of the last message of the page before, or `maxId`. */
export type MessagesKey = Participants & { before: string; atMost: number };

/**
 * PostgreSQL must read the partitions one after the other, from the newest on, and stop at the limit. With a limit above
 * the number of rows that it expects, it would rather read and sort the whole conversation; it does not know the
 * limit of a subquery.
 */
export const selectMessages = ({
  userId,
  otherId,
  before,
  atMost,
}: Record<keyof MessagesKey, Statement>) => sql`
  select id, is_own, text, created_at, event_id from messages
  where user_id = ${userId} and other_id = ${otherId} and id < ${before}
  order by id desc limit (select ${atMost})`;

/** The messages of each page, the newest first. */
export const listMessages = (db: Database, pages: MessagesKey[]): Promise<MessageRow[][]> =>
  listEach<MessageRow, MessagesKey>(
    db,
    pages,
    { userId: 'uuid', otherId: 'uuid', before: 'uuid', atMost: 'int' },
    selectMessages,
    sql`s.id desc`,
  );

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
    select c.other_id, c.unread_count, m.id, m.is_own, m.text, m.created_at, m.event_id
    from (
      select user_id, other_id, last_id, unread_count from conversations
      where user_id = ${userId} and last_id < ${before ?? maxId}
      order by last_id desc limit ${limit}
    ) c
    join messages m on m.user_id = c.user_id and m.other_id = c.other_id and m.id = c.last_id
    order by m.id desc`);
}

/** Counts the conversations with unread messages among those with the newest messages. @param limit of the latter */
export async function countUnreadConversations(db: Database, userId: string, limit: number): Promise<number> {
  const rows = await db.query<{ count: number }>(sql`
    select count(*)::int as count
    from (
      select unread_count from conversations where user_id = ${userId} order by last_id desc limit ${limit}
    ) c
    where unread_count > 0`);
  return one(rows).count;
}
