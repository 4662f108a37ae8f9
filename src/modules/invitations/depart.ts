import { sql } from '#pg';
import type { DepartureHook } from '../../http/define-module.ts';
import { endInvitations } from './end-invitations.ts';
import { listContactsOf } from './invited-people.ts';
import { type InvitationRow, ofAccount, selectInvitations } from './repo.ts';

/** A person whom the organizer removes from an event has no invitation to it any more. */
export const endInvitationsOf: DepartureHook = async (tx, { eventId, userId, isRemoved }) => {
  if (!isRemoved) return { hadAny: false };
  const contacts = await listContactsOf(tx, userId);
  const rows = await tx.query<InvitationRow>(
    selectInvitations(sql`
      where i.subject_id = ${eventId} and (${ofAccount(userId, contacts)} or i.guest_id = ${userId})
      order by i.id for update`),
  );
  await endInvitations(tx, rows);
  return { hadAny: rows.length > 0 };
};
