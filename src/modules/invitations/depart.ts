import { sql, type Transaction } from '#pg';
import type { DepartureHook } from '../../http/define-module.ts';
import { changedPeople } from '../../identity/changed-people.ts';
import { keepContact } from '../accounts/guests.ts';
import { endInvitations } from './end-invitations.ts';
import { listContactsOf } from './invited-people.ts';
import { contactOf, type InvitationRow, ofAccount, selectInvitations } from './repo.ts';

/**
 * A person whom the organizer removes from an event has no invitation to it any more. A guest whom an invitation made keeps its
 * contact: by it the person is told, and does not return as another one.
 */
export const invitationDepartureHook: DepartureHook = {
  firstTable: 'invitations',
  run: async (tx, { eventId, userId, isRemoved }) => {
    if (!isRemoved) return { hadAny: false };
    const contacts = await listContactsOf(tx, userId);
    const rows = await tx.query<InvitationRow>(
      selectInvitations(sql`
        where i.subject_id = ${eventId} and (${ofAccount(userId, contacts)} or i.guest_id = ${userId})
        order by i.id for update`),
    );
    await endInvitations(tx, rows);
    const [contact] = rows.flatMap((row) => (row.guestId === userId ? (contactOf(row) ?? []) : []));
    const isKept = contact !== undefined && (await keepContact(tx, { eventId, userId }, contact));
    return { hadAny: rows.length > 0, ...(isKept && { records: [changedPeople([userId])] }) };
  },
};

/** Ends the invitations of a person to a series, from which the organizer removes the person. The transaction has locked the series. */
export async function endSeriesInvitations(tx: Transaction, seriesId: string, userId: string): Promise<void> {
  const contacts = await listContactsOf(tx, userId);
  const rows = await tx.query<InvitationRow>(
    selectInvitations(sql`
      where i.subject_id = ${seriesId} and ${ofAccount(userId, contacts)} order by i.id for update`),
  );
  await endInvitations(tx, rows);
}
