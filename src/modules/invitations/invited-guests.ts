/** Guests without an account whom the links of invitations have made. */
import { type Queryable, sql, type Transaction } from '#pg';
import type { MessageContact } from '../../lib/contact.ts';
import { listContactsOf } from './invited-people.ts';
import { contactOf, type InvitationRow, selectInvitations } from './repo.ts';
import { hashInvitationToken } from './token.ts';

/**
 * The ids of the guests that an account may take over: those of invitations to contacts that it has confirmed, and that of the link
 * of an invitation without a contact. @param token of the link; undefined without one
 */
export async function listInvitedGuests(
  db: Queryable,
  userId: string,
  token: string | undefined,
): Promise<string[]> {
  const contacts = (await listContactsOf(db, userId)).map(({ value }) => value);
  const hash = token === undefined ? null : hashInvitationToken(token);
  const rows = await db.query<{ guestId: string }>(sql`
    select guest_id from invitations where guest_id is not null and contact = any(${contacts}::text[])
    union select guest_id from invitations
    where guest_id is not null and token_hash = ${hash} and contact_kind is null and max_uses = 1`);
  return rows.map(({ guestId }) => guestId);
}

/** The contacts of the invitations that made a guest of an event; none for an account. */
export async function listInvitedContacts(
  db: Queryable,
  { eventId, userId }: { eventId: string; userId: string },
): Promise<MessageContact[]> {
  const rows = await db.query<InvitationRow>(
    selectInvitations(sql`where i.subject_id = ${eventId} and i.guest_id = ${userId}`),
  );
  return rows.flatMap((row) => contactOf(row) ?? []);
}

/**
 * Makes the invitations of a guest those of the account that takes the guest over, unless the account has them already. The transaction
 * must hold a lock on the counters of the event.
 */
export async function moveInvitations(
  tx: Transaction,
  { eventId, from, to }: { eventId: string; from: string; to: string },
): Promise<void> {
  await tx.query(sql`
    select 1 from invitations where subject_id = ${eventId} and guest_id = ${from} order by id for update`);
  await tx.execute(sql`
    update invitations set guest_id = null, user_id = coalesce(user_id, ${to})
    where subject_id = ${eventId} and guest_id = ${from}`);
  await tx.execute(sql`
    insert into invitation_uses (subject_id, invitation_id, user_id)
    select subject_id, invitation_id, ${to}::uuid from invitation_uses
    where subject_id = ${eventId} and user_id = ${from} on conflict do nothing`);
}
