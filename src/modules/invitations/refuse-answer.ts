import { Problem } from '../../lib/errors.ts';
import { type InvitationRow, isForMany } from './repo.ts';

/** A person who answers. `contacts`: those that are confirmed, in canonical form. */
export type KnownAnswerer = { id: string; contacts: string[] };

/**
 * Whether somebody else answers by the invitation. A link of one person belongs to the guest that its first answer makes, until an
 * account that has confirmed the contact of the invitation answers. Without a contact it belongs to the first person who answers.
 * @param answerer null for an answer with the link alone
 */
export function refuseAnswer(invitation: InvitationRow, answerer: KnownAnswerer | null): Problem | null {
  const { userId, guestId, contact } = invitation;
  if (isForMany(invitation)) return answerer ? null : new Problem('token_missing');
  if (userId !== null) return userId === answerer?.id ? null : new Problem('invitation_used');
  if (!answerer || guestId === answerer.id) return null;
  const isTheirs = contact === null ? guestId === null : answerer.contacts.includes(contact);
  return isTheirs ? null : new Problem('not_invited');
}
