/** Stores what people are to be notified of, in the transaction of the write that causes it. */
import { minId, newId } from '#base';
import { type Statement, sql } from '#pg';
import type { CauseKind, StoredFanOutKind } from './kinds.ts';

export type Cause = {
  /** The recipient. */
  userId: string;
  kind: CauseKind;
  /** The event or the person that the notification is about; the recipient for kinds about the server. */
  subjectId: string;
  /** The person who caused it. A recipient is not notified of what they caused themselves. */
  actorId: string;
  /**
   * By how much the count of the notification changes. A negative amount takes back earlier causes as long as
   * their notification is unread.
   */
  amount: number;
  /** What the notification begins with: the id of a comment. A new id for other kinds. */
  id?: string;
};

/**
 * The statement that stores causes; also for a CTE of another write. It inserts one row for each recipient, kind, subject
 * and actor. It waits for no other transaction, so it can run at any place in LOCK_ORDER.
 * @param causes SQL that selects a new id, recipient, kind, subject, actor and amount; the same id only for different
 *   recipients
 */
export const insertSelectedCauses = (causes: Statement): Statement => sql`
  insert into notification_causes (id, user_id, kind, subject_id, actor_id, amount)
  select (array_agg(id))[1], user_id, kind, subject_id, actor_id, sum(amount)
  from (${causes}) c (id, user_id, kind, subject_id, actor_id, amount)
  where actor_id <> user_id and amount <> 0
  group by user_id, kind, subject_id, actor_id`;

export const insertCauses = (causes: Cause[]): Statement =>
  insertSelectedCauses(sql`
    select * from unnest(${causes.map(({ id }) => id ?? newId())}::uuid[], ${causes.map(({ userId }) => userId)}::uuid[],
      ${causes.map(({ kind }) => kind)}::text[], ${causes.map(({ subjectId }) => subjectId)}::uuid[],
      ${causes.map(({ actorId }) => actorId)}::uuid[], ${causes.map(({ amount }) => amount)}::int[])`);

/** The statement that stores a cause which no person is behind: the recipient stands for the person. */
export const insertOwnCause = ({
  userId,
  kind,
  subjectId,
}: Pick<Cause, 'userId' | 'kind' | 'subjectId'>): Statement => sql`
  insert into notification_causes (id, user_id, kind, subject_id, actor_id, amount)
  values (${newId()}, ${userId}, ${kind}, ${subjectId}, ${userId}, 1)`;

/**
 * Inserts fan-outs. While a fan-out of the same event and kind is under way, it continues and then begins again: each
 * recipient is notified after the last change, and frequent changes neither pile up nor keep the fan-out from reaching
 * its end.
 * @param noticeId the notice that the guests are notified of. A fan-out has the first one that its recipients do not know
 * @param among the events that one operation changes, in the order in which they begin, null for one: a guest of several is notified
 *   of the first alone. A fan-out that is under way for another operation notifies the guests of its event whatever others they go to
 */
export const insertFanOuts = (
  kind: StoredFanOutKind,
  eventIds: string[],
  { noticeId = null, among = null }: { noticeId?: string | null; among?: string[] | null } = {},
): Statement => sql`
  insert into notification_fan_outs as f (event_id, kind, position, is_repeated, since, among)
  select e.event_id, ${kind}::text, ${minId}::uuid, false, ${noticeId}::uuid, ${among}::uuid[]
  from unnest(${eventIds}::uuid[]) e (event_id)
  order by e.event_id
  on conflict (event_id, kind) do update set is_repeated = f.position > excluded.position,
    since = coalesce(f.since, excluded.since),
    repeats_since = case when f.position > excluded.position then coalesce(f.repeats_since, excluded.since) end,
    among = case when f.among = excluded.among then f.among end`;
