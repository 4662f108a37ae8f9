/** Account deletion: the invitations that a person has made, received and answered. */
import { isOneOf, lockEach, sql, type Transaction } from '#pg';
import type { DeletionHook } from '../../http/define-module.ts';
import { endInvitations } from './end-invitations.ts';
import type { InvitedTo } from './invited-dates.ts';
import { type InvitationKey, lockInvitation } from './repo.ts';

export const invitationDeletionHooks: DeletionHook[] = [
  {
    firstTable: 'invitations',
    run: async (tx, { userId }) => {
      // Those of the person's own events are gone with the events.
      const rows = await lockInvitationsOf(tx, userId);
      const ended = rows.filter((row) => row.inviterId === userId || (row.isById && row.userId === userId));
      await endInvitations(tx, ended);
      await reopen(
        tx,
        rows.filter((row) => !ended.includes(row)),
      );
      await tx.execute(sql`delete from invitation_uses where user_id = ${userId}`);
      await tx.execute(sql`delete from invitation_sends where user_id = ${userId}`);
      return undefined;
    },
  },
];

async function lockInvitationsOf(tx: Transaction, userId: string) {
  const keys = await tx.query<InvitationKey & InvitedTo>(sql`
    select subject_id, id, is_of_series from invitations
    where inviter_id = ${userId} or user_id = ${userId} or guest_id = ${userId}`);
  const locked = await lockEach(
    keys,
    ({ subjectId, id }) => `${subjectId} ${id}`,
    (key) => lockInvitation(tx, key),
  );
  return [...locked.values()].filter((row) => row !== null);
}

/** An invitation that the person answered is one without an answer again. */
async function reopen(tx: Transaction, rows: InvitationKey[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    update invitations set user_id = null, guest_id = null, status = 'pending', extra_guests = 0, reply = null,
      answered_at = null
    where ${isOneOf(
      sql`subject_id`,
      rows.map(({ subjectId }) => subjectId),
    )} and ${isOneOf(
      sql`id`,
      rows.map(({ id }) => id),
    )}`);
}
