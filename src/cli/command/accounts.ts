/** Phone numbers in arguments of commands, and the accounts that commands create for them. */
import { recordAudit } from '../../audit/audit.ts';
import type { Transaction } from '../../db/transaction.ts';
import { Problem } from '../../lib/errors.ts';
import { readPhone } from '../../lib/phone.ts';
import { findOrCreateAccount } from '../../modules/users/accounts.ts';
import { CommandError } from './command-error.ts';

/**
 * Returns the number in E.164 format. @throws CommandError if `text` is not a phone number in international
 * format
 */
export function parsePhoneArgument(text: string): string {
  try {
    return readPhone(text).number;
  } catch (error) {
    throw error instanceof Problem
      ? new CommandError(`"${text}" is not a phone number in international format, such as +12025550102.`)
      : error;
  }
}

/** Finds or creates the account of a phone number. A new account gets an entry in the audit trail. */
export async function findOrCreateByCommand(
  tx: Transaction,
  number: string,
  secretKey: string,
): Promise<{ id: string; isNew: boolean }> {
  const now = new Date();
  const { id, isNew } = await findOrCreateAccount(tx, number, now);
  const context = { secretKey, now, address: null };
  if (isNew) await recordAudit(tx, context, { userId: id }, 'account_created', 'by a command');
  return { id, isNew };
}
