/** Causes of notifications with one recipient. The job in modules/notifications/ delivers them. */
import { type Statement, sql } from '../db/sql.ts';
import { newId } from '../lib/ids.ts';
import type { CauseKind } from './kinds.ts';

export type Cause = {
  /** The recipient. */
  userId: string;
  kind: CauseKind;
  /** The event or the person that the notification is about. */
  subjectId: string;
  /** The person who caused it. A recipient is not notified of what they caused themselves. */
  actorId: string;
  /**
   * By how much the count of the notification changes. A negative amount takes back earlier causes as long as
   * their notification is unread.
   */
  amount: number;
};

/**
 * The statement that stores causes, in the transaction of the write that causes them; also for a CTE of that write. It
 * inserts one row for each recipient, kind and subject, under a new id. It therefore waits for no other transaction and
 * can run at any place in LOCK_ORDER.
 * @param causes SQL that selects recipient, kind, subject, actor and amount
 */
export const insertSelectedCauses = (causes: Statement): Statement => sql`
  insert into notification_causes (user_id, kind, subject_id, id, actor_ids, amounts)
  select user_id, kind, subject_id, ${newId()}::uuid, array_agg(actor_id), array_agg(amount)
  from (${causes}) c (user_id, kind, subject_id, actor_id, amount)
  where actor_id <> user_id and amount <> 0
  group by user_id, kind, subject_id`;

export const insertCauses = (causes: Cause[]): Statement =>
  insertSelectedCauses(sql`
    select * from unnest(${causes.map(({ userId }) => userId)}::uuid[], ${causes.map(({ kind }) => kind)}::text[],
      ${causes.map(({ subjectId }) => subjectId)}::uuid[], ${causes.map(({ actorId }) => actorId)}::uuid[],
      ${causes.map(({ amount }) => amount)}::int[])`);
