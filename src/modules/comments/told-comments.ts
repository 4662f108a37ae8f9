/** What notifications of the kind `comments` say, for the inbox. */
import { type Statement, sql } from '#pg';

/**
 * Selects the notifications of a person about comments, with the columns of `notifications`, as the comments are now: what is
 * deleted, of a suspended person or across a block is not counted, and a notification without any is left out. Each begins with
 * the comment `since`, and ends before that of the next one. The comments on the person's events count, and at other events the
 * replies to the person's comments.
 */
export const toldComments = (userId: string): Statement => sql`
  select told.id, told.user_id, 'comments' as kind, told.subject_id, (array_agg(told.author_id order by told.comment_id desc))[1] as person_id,
    count(*)::int as count, told.created_at, told.read_at, told.since,
    null::uuid as about, null::uuid as event_id, null::jsonb as decision
  from (
    with own as materialized (
      select id, user_id, subject_id, created_at, read_at, since, lead(since) over (partition by subject_id order by since, id) as until
      from notifications where user_id = ${userId} and kind = 'comments'
    )
    select n.id, n.user_id, n.subject_id, n.created_at, n.read_at, n.since, c.id as comment_id, c.user_id as author_id
    from own n
    join comments c on c.event_id = n.subject_id and c.id >= n.since and (n.until is null or c.id < n.until)
    join events e on e.id = c.event_id
    left join comments p on p.event_id = c.event_id and p.id = c.reply_to
    where c.user_id <> ${userId} and (e.organizer_id = ${userId} or p.user_id = ${userId})
  ) told
  join users u on u.id = told.author_id and u.suspended_at is null
  left join relations r on r.user_id = ${userId} and r.other_id = told.author_id
  where not coalesce(r.blocks or r.blocked_by, false)
  group by told.id, told.user_id, told.subject_id, told.created_at, told.read_at, told.since`;
