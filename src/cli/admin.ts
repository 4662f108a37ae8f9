import { recordAudit } from '../audit/audit.ts';
import { type Transaction, transaction } from '../db/transaction.ts';
import type { Config } from '../lib/config.ts';
import type { Contact, MessageContact } from '../lib/contact.ts';
import { createOperatorLink } from '../modules/auth/operator-link.ts';
import { setRole } from '../modules/auth/session-repo.ts';
import { findAccount } from '../modules/users/accounts.ts';
import { requireMe } from '../modules/users/own-profile.ts';
import { findOrCreateByCommand, nameOf, parseContactArgument } from './command/accounts.ts';
import { runCommand } from './command/command-context.ts';
import { CommandError } from './command/command-error.ts';

const roles: Record<string, 'admin' | 'user'> = { grant: 'admin', revoke: 'user' };
const usage = 'Usage: admin grant CONTACT [--create], admin revoke CONTACT, or admin link CONTACT';

/**
 * `admin link CONTACT`: prints an address that signs an admin in. `admin grant CONTACT`, `admin revoke CONTACT`: sets the role of an account. A mistyped contact must not become an admin:
 * without `--create`, a contact without an account is an error. The role applies from the account's next request on.
 */
export async function adminCommand(
  config: Config,
  [verb = '', argument = '', ...others]: string[],
  { create = false }: { create?: boolean | undefined },
): Promise<void> {
  if (verb === 'link' && argument && others.length === 0 && !create)
    return printLink(config, parseContactArgument(argument));
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

/** For admins whose provider, phone or mail does not work. An operator who can run the command has the database. */
const printLink = (config: Config, contact: MessageContact): Promise<void> =>
  runCommand(config, async ({ db, config: ready }) => {
    const now = new Date();
    const link = await transaction(db, async (tx) => {
      // The contact is locked before the account.
      const link = await createOperatorLink(tx, ready, contact, now);
      const { id: userId } = await findExisting(tx, contact, 'link');
      const { role } = await requireMe(tx, userId);
      if (role !== 'admin')
        throw new CommandError(
          `${contact.value} is not an admin. "admin grant ${contact.value}" makes it one.`,
        );
      const context = { secretKey: ready.secretKey, now, address: null };
      await recordAudit(tx, context, { userId }, 'sign_in_link', 'by a command');
      return link;
    });
    console.log(`This address signs ${contact.value} in, once, within 15 minutes:\n${link}`);
  });

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
