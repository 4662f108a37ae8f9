import { sql, type Transaction } from '#pg';
import { type Contact, canReceive } from '../../lib/contact.ts';
import type { InvitedTo } from './invited-dates.ts';
import { refreshInvited } from './invited-people.ts';

/** An account is invited to the events and series to which a contact is invited that it has confirmed, and no longer once it has lost the contact. */
export async function refreshInvitedByContacts(
  tx: Transaction,
  userId: string,
  changed: Contact[],
): Promise<void> {
  const contacts = changed.filter(canReceive);
  if (contacts.length === 0) return;
  const found = await tx.query<InvitedTo>(sql`
    select distinct subject_id, is_of_series from invitations
    where contact = any(${contacts.map(({ value }) => value)}::text[])`);
  await refreshInvited(
    tx,
    found.map((subject) => ({ ...subject, userId })),
  );
}
