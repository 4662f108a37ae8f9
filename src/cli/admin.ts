import { recordAudit } from '../audit/audit.ts';
import { transaction } from '../db/transaction.ts';
import type { Config } from '../lib/config.ts';
import { Problem } from '../lib/errors.ts';
import { readPhone } from '../lib/phone.ts';
import { findOrCreateAccount } from '../modules/auth/accounts.ts';
import { setRole } from '../modules/auth/session-repo.ts';
import { CommandError, runCommand } from './world.ts';

const roles: Record<string, 'admin' | 'user'> = { grant: 'admin', revoke: 'user' };

/** `admin grant PHONE`, `admin revoke PHONE`; an account that does not exist yet is made. Counts from the person's next request on. */
export async function adminCommand(config: Config, [verb = '', phone = '']: string[]): Promise<void> {
  const role = roles[verb];
  if (!role || !phone) throw new CommandError('Usage: admin grant PHONE, or admin revoke PHONE');
  const number = phoneArgument(phone);
  await runCommand(config, async ({ db, config: { secretKey } }) => {
    await transaction(db, async (tx) => {
      const now = new Date();
      const { id, isNew } = await findOrCreateAccount(tx, number, now);
      await setRole(tx, id, role);
      const trace = { secretKey, now, address: null };
      if (isNew) await recordAudit(tx, trace, { userId: id }, 'account_created', 'by a command');
      await recordAudit(tx, trace, { userId: id }, 'role_changed', `to ${role}, by a command`);
    });
    console.log(`${number} ${role === 'admin' ? 'is an admin' : 'is no admin'} now.`);
  });
}

/** @throws CommandError that says what a phone looks like */
export function phoneArgument(text: string): string {
  try {
    return readPhone(text).number;
  } catch (error) {
    throw error instanceof Problem
      ? new CommandError(`"${text}" is no phone number in international form, such as +12025550102.`)
      : error;
  }
}
