import type { Transaction } from '#pg';
import type { AuditContext } from '../../../audit/audit.ts';
import { type Contact, contactsOf } from '../../../lib/contact.ts';
import { lockContacts } from '../codes/contact-locks.ts';
import { hashContacts } from '../codes/hashes.ts';
import { requireMe } from '../profile/repo.ts';

/** Locks the contacts of the account, and further ones. Nothing changes them until the transaction ends. */
export async function lockCurrentContacts(
  tx: Transaction,
  { secretKey }: AuditContext,
  userId: string,
  further: Contact[],
): Promise<Contact[]> {
  const current = contactsOf(await requireMe(tx, userId));
  await lockContacts(tx, hashContacts(secretKey, [...current, ...further]));
  return current;
}
