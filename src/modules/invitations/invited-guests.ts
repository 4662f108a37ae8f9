/** Guests without an account whom the links of invitations have made. */
import { isOneOf, type Queryable, sql, type Transaction } from '#pg';
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

/**
 * The mail addresses of guests whom the links of invitations have made, and who have no contact of their own: mails about a guest go
 * to the address that was invited, which nobody may have confirmed.
 */
export async function listInvitedAddresses(
  db: Queryable,
  userIds: string[],
): Promise<{ userId: string; address: string }[]> {
  if (userIds.length === 0) return [];
  return await db.query(sql`
    select guest_id as user_id, contact as address from invitations
    where ${isOneOf(sql`guest_id`, userIds)} and contact_kind = 'email'`);
}

/** The invitation to an address that made a guest; null if another person has the address. */
export async function findInvitationOfGuest(
  db: Queryable,
  userId: string,
  address: string,
): Promise<InvitationRow | null> {
  const [found] = await db.query<InvitationRow>(
    selectInvitations(sql`where i.guest_id = ${userId} and i.contact = ${address}`),
  );
  return found ?? null;
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
