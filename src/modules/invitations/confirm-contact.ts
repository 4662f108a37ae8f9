import { sql, type Transaction } from '#pg';
import { type Contact, canReceive } from '../../lib/contact.ts';
import { refreshInvited } from './invited-people.ts';

/** An account is invited to the events to which a contact is invited that it has confirmed, and no longer once it has lost the contact. */
export async function refreshInvitedByContacts(
  tx: Transaction,
  userId: string,
  changed: Contact[],
): Promise<void> {
  const contacts = changed.filter(canReceive);
  if (contacts.length === 0) return;
  const events = await tx.query<{ subjectId: string }>(sql`
    select distinct subject_id from invitations
    where contact = any(${contacts.map(({ value }) => value)}::text[])`);
  await refreshInvited(
    tx,
    events.map(({ subjectId }) => ({ eventId: subjectId, userId })),
  );
}
