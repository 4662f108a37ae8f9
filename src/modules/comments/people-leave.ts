/** What happens to the comments of people who leave: they end with the person, or pass to an account. */
import { empty, lockEach, type Statement, sql, type Transaction, update } from '#pg';
import type { DeletionHook, DepartureHook } from '../../http/define-module.ts';
import type { MovedPerson } from '../attendance/move-attendance.ts';
import { deleteComments, lockComments, lockExistingComments } from './repo.ts';

/** Deletes the comments of a person at an event. One that the person is writing at the same time is deleted, or refused. */
export async function endComments(
  tx: Transaction,
  { eventId, userId }: { eventId: string; userId: string },
): Promise<void> {
  await lockComments(tx, eventId);
  await deleteComments(tx, sql`event_id = ${eventId} and user_id = ${userId}`);
}

/** Comments alone make nobody a guest of an event. */
export const commentDepartureHook: DepartureHook = {
  firstTable: 'comment_counters',
  run: async (tx, departure) => {
    await endComments(tx, departure);
    return { hadAny: false };
  },
};

/** Makes the comments of a guest those of another person. */
export async function moveComments(tx: Transaction, { eventId, from, to }: MovedPerson): Promise<void> {
  await lockComments(tx, eventId);
  const moved = await tx.execute(sql`
    update comments set user_id = ${to} where event_id = ${eventId} and user_id = ${from}`);
  if (moved > 0) await tx.execute(sql`${update('comment_counters', empty)} where event_id = ${eventId}`);
}

/** Deletes all comments of people whose accounts the transaction has locked. */
export async function deleteCommentsOf(tx: Transaction, userIds: string[]): Promise<void> {
  const condition: Statement = sql`user_id = any(${userIds}::uuid[])`;
  const events = await tx.query<{ eventId: string }>(sql`
    select distinct event_id from comments where ${condition}`);
  await lockEach(
    events.map(({ eventId }) => eventId),
    String,
    (eventId) => lockExistingComments(tx, eventId),
  );
  await deleteComments(tx, condition);
}

export const commentDeletionHooks: DeletionHook[] = [
  {
    // Relies on the events that the hook of `events` locked.
    firstTable: 'comment_counters',
    run: async (tx, { userId }) => {
      await deleteCommentsOf(tx, [userId]);
    },
  },
];
