/** SQL of comments. A write of a comment of an event first locks the row of the event in `comment_counters`. */
import { inChunks, minId, newIdAt } from '#base';
import { type Queryable, rowsOf, type Statement, sql, type Transaction, update, updateRows } from '#pg';
import type { CommentId } from '../../lib/ids.ts';
import type { CommentRow } from './present.ts';

type Counters = { commentCount: number; lastAt: Date | null };

/**
 * Locks the comments of an event against other writes, and the event against its deletion. The comments of an event are
 * written one after another, so their ids ascend and their number never exceeds its limit.
 * @returns null if the event does not exist
 */
export async function lockComments(tx: Transaction, eventId: string): Promise<Counters | null> {
  const [counters] = await tx.query<Counters>(sql`
    with locked as materialized (select id from events where id = ${eventId} for key share)
    insert into comment_counters as c (event_id) select id from locked
    on conflict (event_id) do update set version = c.version returning comment_count, last_at`);
  return counters ?? null;
}

/** Locks the comments of an event as `lockComments` does, if it has had any. */
export const lockExistingComments = (tx: Transaction, eventId: string): Promise<unknown> =>
  tx.query(sql`select 1 from comment_counters where event_id = ${eventId} for update`);

/** @param counters those that `lockComments` returned */
export async function insertComment(
  tx: Transaction,
  { eventId, userId, text, replyTo }: Omit<CommentRow, 'id' | 'createdAt'>,
  { lastAt }: Counters,
  now: Date,
): Promise<CommentRow> {
  // Several comments may come in a millisecond, and the clocks of servers differ.
  const createdAt = new Date(Math.max(now.getTime(), (lastAt?.getTime() ?? 0) + 1));
  const row = { eventId, id: newIdAt(createdAt), userId, text, replyTo, createdAt };
  await Promise.all([
    tx.execute(sql`
      insert into comments (event_id, id, user_id, text, reply_to, created_at)
      values (${eventId}, ${row.id}, ${userId}, ${text}, ${replyTo}, ${createdAt})`),
    tx.execute(sql`
      ${update('comment_counters', sql`comment_count = comment_count + 1, last_at = ${createdAt}`)}
      where event_id = ${eventId}`),
  ]);
  return row;
}

export async function findComment(
  db: Queryable,
  { eventId, id }: CommentId,
): Promise<Pick<CommentRow, 'userId'> | null> {
  const [row] = await db.query<Pick<CommentRow, 'userId'>>(sql`
    select user_id from comments where event_id = ${eventId} and id = ${id}`);
  return row ?? null;
}

/** The texts of those comments that exist. */
export async function listCommentTexts(
  db: Queryable,
  ids: CommentId[],
): Promise<(CommentId & Pick<CommentRow, 'text' | 'createdAt'>)[]> {
  if (ids.length === 0) return [];
  return await db.query(sql`
    select c.event_id, c.id, c.text, c.created_at
    from ${rowsOf('comments c', ids, { eventId: 'uuid', id: 'uuid' })}`);
}

/**
 * The authors at an event whose comments a viewer does not see: suspended people, and those across a block.
 * @param viewerId null for a viewer whom blocks do not concern: without a token, or the organizer
 */
export async function listHiddenAuthors(
  db: Queryable,
  eventId: string,
  viewerId: string | null,
): Promise<string[]> {
  const rows = await db.query<{ userId: string }>(sql`
    with authors as materialized (select distinct user_id from comments where event_id = ${eventId})
    select a.user_id from authors a join users u on u.id = a.user_id where u.suspended_at is not null
    union
    select a.user_id from authors a join relations r on r.other_id = a.user_id
    where r.user_id = ${viewerId}::uuid and (r.blocks or r.blocked_by)`);
  return rows.map(({ userId }) => userId);
}

/** The comments after one, the oldest first. A reply to a comment of a hidden author replies to none. */
export const listComments = (
  db: Queryable,
  {
    eventId,
    hidden,
    after,
    limit,
  }: { eventId: string; hidden: string[]; after: string | null; limit: number },
): Promise<CommentRow[]> =>
  db.query<CommentRow>(sql`
    select c.event_id, c.id, c.user_id, c.text, p.id as reply_to, c.created_at
    from comments c
    left join comments p on p.event_id = c.event_id and p.id = c.reply_to and p.user_id <> all(${hidden}::uuid[])
    where c.event_id = ${eventId} and c.id > ${after ?? minId} and c.user_id <> all(${hidden}::uuid[])
    order by c.id limit ${limit}`);

/**
 * Deletes comments of events whose rows of `comment_counters` are locked. Replies to them stay, and reply to none.
 * @param condition on `comments`
 * @returns whether there were any
 */
export async function deleteComments(tx: Transaction, condition: Statement): Promise<boolean> {
  const deleted = await tx.query<CommentId>(sql`
    delete from comments where ${condition} returning event_id, id`);
  for (const some of inChunks(deleted)) {
    const answered = some.map(({ eventId, id }) => ({ eventId, replyTo: id }));
    const moves = [...Map.groupBy(some, ({ eventId }) => eventId)].map(([eventId, rows]) => ({
      eventId,
      count: rows.length,
    }));
    await tx.execute(
      updateRows('comments c', answered, { eventId: 'uuid', replyTo: 'uuid' }, {}, sql`reply_to = null`),
    );
    await tx.execute(
      updateRows(
        'comment_counters c',
        moves,
        { eventId: 'uuid' },
        { count: 'int' },
        sql`comment_count = c.comment_count - k.count`,
      ),
    );
  }
  return deleted.length > 0;
}
