import { type Transaction, transaction } from '#pg';
import { type AuditAction, recordAudit } from '../audit/audit.ts';
import type { Config, ReadyConfig } from '../config/config.ts';
import { closeSetup } from '../instance/setup-token.ts';
import type { Contact, MessageContact } from '../lib/contact.ts';
import { isPersonName, maxPersonName } from '../lib/text.ts';
import { findAccount } from '../modules/accounts/accounts.ts';
import { requireMe, updateProfile } from '../modules/accounts/profile/repo.ts';
import { setRole } from '../modules/accounts/sessions/repo.ts';
import { createOperatorLink } from '../modules/accounts/sign-in/operator-link.ts';
import { findOrCreateByCommand, nameOf, parseContactArgument } from './command/accounts.ts';
import { runCommand } from './command/command-context.ts';
import { CommandError } from './command/command-error.ts';

const usage =
  'Usage: admin create CONTACT [--name NAME], admin grant CONTACT, admin revoke CONTACT, or admin link CONTACT';

type Command = { contact: MessageContact; config: ReadyConfig; name: string | undefined; now: Date };

/** Each works in one transaction, and returns the lines to print after it. */
const verbs: Record<string, (tx: Transaction, command: Command) => Promise<string[]>> = {
  create: createAdmin,
  grant: (tx, command) => changeRole(tx, command, 'admin'),
  revoke: (tx, command) => changeRole(tx, command, 'user'),
  link: printLink,
};

/**
 * `admin create CONTACT`: makes an account for the contact, if there is none, and makes it an admin. `admin grant CONTACT`,
 * `admin revoke CONTACT`: sets the role of an account: a mistyped contact is an error. The role applies from the account's next
 * request on. `admin link CONTACT`: prints an address that signs an admin in, as `create` does.
 */
export async function adminCommand(
  config: Config,
  [verb = '', argument = '', ...others]: string[],
  { name }: { name?: string | undefined },
): Promise<void> {
  const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!run || !argument || others.length > 0 || (name !== undefined && verb !== 'create'))
    throw new CommandError(usage);
  const contact = parseContactArgument(argument);
  await runCommand(config, async ({ db, config: ready }) => {
    const command = { contact, config: ready, name, now: new Date() };
    const lines = await transaction(db, (tx) => run(tx, command));
    console.log(lines.join('\n'));
  });
}

async function createAdmin(tx: Transaction, command: Command): Promise<string[]> {
  const { contact, config, name, now } = command;
  if (name !== undefined && (name.length > maxPersonName || !isPersonName(name)))
    throw new CommandError(`--name must be one line of 1 to ${maxPersonName} characters.`);
  // The contact is locked before the account.
  const link = await createOperatorLink(tx, config, contact, now);
  const { id, isNew } = await findOrCreateByCommand(tx, contact, config.secretKey);
  await makeRole(tx, command, id, 'admin');
  if (name !== undefined) await updateProfile(tx, id, { name });
  await record(tx, command, id, 'sign_in_link', 'by a command');
  return [
    ...(isNew ? [`Created an account for ${contact.value}.`] : []),
    `${contact.value} is an admin now.`,
    ...linkLines(contact, link),
  ];
}

async function changeRole(tx: Transaction, command: Command, role: 'admin' | 'user'): Promise<string[]> {
  const { contact } = command;
  const hint = ' Check it; "admin create" creates an account for it.';
  const id = await findExisting(tx, contact, role === 'admin' ? hint : '');
  await makeRole(tx, command, id, role);
  return [`${contact.value} is ${role === 'admin' ? 'an admin' : 'not an admin'} now.`];
}

/** For admins whose provider, phone or mail does not work. An operator who can run the command has the database. */
async function printLink(tx: Transaction, command: Command): Promise<string[]> {
  const { contact, config, now } = command;
  const link = await createOperatorLink(tx, config, contact, now);
  const userId = await findExisting(tx, contact);
  const { role } = await requireMe(tx, userId);
  if (role !== 'admin')
    throw new CommandError(`${contact.value} is not an admin. "admin grant ${contact.value}" makes it one.`);
  await record(tx, command, userId, 'sign_in_link', 'by a command');
  return linkLines(contact, link);
}

const linkLines = ({ value }: Contact, link: string): string[] => [
  `This address signs ${value} in, once, within 15 minutes:`,
  link,
];

async function makeRole(tx: Transaction, command: Command, userId: string, role: 'admin' | 'user') {
  // The address of the first admin is worth nothing from now on, also if the role is revoked.
  if (role === 'admin') await closeSetup(tx);
  await setRole(tx, userId, role);
  await record(tx, command, userId, 'role_changed', `to ${role}, by a command`);
}

const record = (
  tx: Transaction,
  { config: { secretKey }, now }: Command,
  userId: string,
  what: AuditAction,
  detail: string,
): Promise<void> => recordAudit(tx, { secretKey, now, address: null }, { userId }, what, detail);

/** @throws CommandError if no account has the contact */
async function findExisting(tx: Transaction, contact: Contact, hint = ''): Promise<string> {
  const account = await findAccount(tx, contact);
  if (!account) throw new CommandError(`No account has ${nameOf(contact)}.${hint}`);
  return account.id;
}
