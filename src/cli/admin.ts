import { recordAudit } from '../audit/audit.ts';
import { type Transaction, transaction } from '../db/transaction.ts';
import type { Config } from '../lib/config.ts';
import type { Contact } from '../lib/contact.ts';
import { setRole } from '../modules/auth/session-repo.ts';
import { findAccount } from '../modules/users/accounts.ts';
import { findOrCreateByCommand, nameOf, parseContactArgument } from './command/accounts.ts';
import { runCommand } from './command/command-context.ts';
import { CommandError } from './command/command-error.ts';

const roles: Record<string, 'admin' | 'user'> = { grant: 'admin', revoke: 'user' };
const usage = 'Usage: admin grant CONTACT [--create], or admin revoke CONTACT';

/**
 * `admin grant CONTACT`, `admin revoke CONTACT`: sets the role of an account. A mistyped contact must not become an admin:
 * without `--create`, a contact without an account is an error. The role applies from the account's next request on.
 */
export async function adminCommand(
  config: Config,
  [verb = '', argument = '', ...others]: string[],
  { create = false }: { create?: boolean | undefined },
): Promise<void> {
  const role = Object.hasOwn(roles, verb) ? roles[verb] : undefined;
  if (!role || !argument || others.length > 0 || (create && role !== 'admin')) throw new CommandError(usage);
  const contact = parseContactArgument(argument);
  await runCommand(config, async ({ db, config: { secretKey } }) => {
    const isNew = await transaction(db, async (tx) => {
      const account = create
        ? await findOrCreateByCommand(tx, contact, secretKey)
        : await findExisting(tx, contact, verb);
      await setRole(tx, account.id, role);
      const context = { secretKey, now: new Date(), address: null };
      await recordAudit(tx, context, { userId: account.id }, 'role_changed', `to ${role}, by a command`);
      return account.isNew;
    });
    if (isNew) console.log(`Created an account for ${contact.value}.`);
    console.log(`${contact.value} is ${role === 'admin' ? 'an admin' : 'not an admin'} now.`);
  });
}

/** @throws CommandError if no account has the contact */
async function findExisting(
  tx: Transaction,
  contact: Contact,
  verb: string,
): Promise<{ id: string; isNew: boolean }> {
  const account = await findAccount(tx, contact);
  if (account) return { id: account.id, isNew: false };
  const hint = verb === 'grant' ? ' Check it; with --create, the command creates an account for it.' : '';
  throw new CommandError(`No account has ${nameOf(contact)}.${hint}`);
}
