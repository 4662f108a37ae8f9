/** What every deletion of an account does, after its owner or an admin has confirmed it. */
import type { Transaction } from '#pg';
import { type AuditContext, anonymizeAudit } from '../../../audit/audit.ts';
import type { Contact } from '../../../lib/contact.ts';
import { hashContacts } from '../codes/hashes.ts';
import type { AccountServices } from '../services.ts';
import { deleteAccount } from './delete-account.ts';
import { insertTombstone } from './tombstones.ts';

/**
 * @param contacts all of the account; the transaction must have locked them
 * @returns the ids of the files to remove after the commit
 */
export async function deletePerson(
  tx: Transaction,
  { deletionHooks }: Pick<AccountServices, 'deletionHooks'>,
  context: AuditContext,
  { userId, contacts }: { userId: string; contacts: Contact[] },
): Promise<string[]> {
  const account = { userId, contactHashes: hashContacts(context.secretKey, contacts) };
  const { files, names, unseen } = await deleteAccount(tx, account, deletionHooks);
  await anonymizeAudit(tx, { ...context, address: null }, userId, contacts);
  await insertTombstone(tx, { userId, ...names, unseen }, context);
  return files;
}
