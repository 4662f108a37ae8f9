import { recordAudit } from '../audit/audit.ts';
import { transaction } from '../db/transaction.ts';
import type { Config } from '../lib/config.ts';
import { Problem } from '../lib/errors.ts';
import { readPhone } from '../lib/phone.ts';
import { findOrCreateAccount } from '../modules/auth/accounts.ts';
import { setRole } from '../modules/auth/session-repo.ts';
import { runCommand } from './command-context.ts';
import { CommandError } from './command-error.ts';

const roles: Record<string, 'admin' | 'user'> = { grant: 'admin', revoke: 'user' };

/**
 * `admin grant PHONE`, `admin revoke PHONE`: sets the role of an account, which is created if there is none.
 * The role applies from the account's next request on.
 */
export async function adminCommand(config: Config, [verb = '', phone = '']: string[]): Promise<void> {
  const role = roles[verb];
  if (!role || !phone) throw new CommandError('Usage: admin grant PHONE, or admin revoke PHONE');
  const number = parsePhoneArgument(phone);
  await runCommand(config, async ({ db, config: { secretKey } }) => {
    await transaction(db, async (tx) => {
      const now = new Date();
      const { id, isNew } = await findOrCreateAccount(tx, number, now);
      await setRole(tx, id, role);
      const trace = { secretKey, now, address: null };
      if (isNew) await recordAudit(tx, trace, { userId: id }, 'account_created', 'by a command');
      await recordAudit(tx, trace, { userId: id }, 'role_changed', `to ${role}, by a command`);
    });
    console.log(`${number} is ${role === 'admin' ? 'an admin' : 'not an admin'} now.`);
  });
}

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
