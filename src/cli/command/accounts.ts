/** Contacts in arguments of commands, and the accounts that commands create for them. */
import type { Transaction } from '#pg';
import { recordAudit } from '../../audit/audit.ts';
import { type Contact, type MessageContact, readAddress, readNumber } from '../../lib/contact.ts';
import { Problem } from '../../lib/errors.ts';
import { findOrCreateAccount } from '../../modules/accounts/accounts.ts';
import { CommandError } from './command-error.ts';

/** @throws CommandError if `text` is neither a phone number in international format nor a mail address */
export function parseContactArgument(text: string): MessageContact {
  try {
    return text.includes('@') ? readAddress(text) : readNumber(text);
  } catch (error) {
    throw error instanceof Problem
      ? new CommandError(
          `"${text}" is neither a phone number in international format, such as +12025550102, nor a mail address.`,
        )
      : error;
  }
}

/** The contact in a sentence: `the number +12025550102`. */
export const nameOf = ({ kind, value }: Contact): string =>
  `the ${kind === 'phone' ? 'number' : 'address'} ${value}`;

/** Finds or creates the account of a contact. A new account gets an entry in the audit trail. */
export async function findOrCreateByCommand(
  tx: Transaction,
  contact: Contact,
  secretKey: string,
): Promise<{ id: string; isNew: boolean }> {
  const now = new Date();
  const { id, isNew } = await findOrCreateAccount(tx, contact, now);
  const context = { secretKey, now, address: null };
  if (isNew) await recordAudit(tx, context, { userId: id }, 'account_created', 'by a command');
  return { id, isNew };
}
