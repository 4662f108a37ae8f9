/** The row of the account itself, with its contacts and its username. */
import { one, sql, type Transaction } from '#pg';
import type { DeletionHook } from '../../../http/define-module.ts';
import { changedPeople } from '../../../identity/changed-people.ts';
import { type Contacts, contactsOf } from '../../../lib/contact.ts';
import { releaseContact } from '../accounts.ts';
import { deleteGuestContacts } from '../guests.ts';

export const userDeletionHooks: DeletionHook[] = [
  {
    // Waits for writes in the person's name, which hold a share lock on the row (actAs). Later writes fail.
    firstTable: 'users',
    run: async (tx, { userId }) => {
      await tx.query(sql`select 1 from users where id = ${userId} for update`);
      return { records: [changedPeople([userId])] };
    },
  },
];

/** What makes an account unique beside its id. */
export type AccountNames = Contacts & { username: string };

/**
 * Deletes the account, after all hooks. Foreign keys delete the rows that depend on it alone, such as
 * sessions, imports and counters. Without a session, every token of the person is invalid on every server.
 */
export async function deleteUser(tx: Transaction, userId: string): Promise<AccountNames> {
  const names = one(
    await tx.query<AccountNames>(
      sql`delete from users where id = ${userId} returning phone, email, oidc, username`,
    ),
  );
  await deleteNames(tx, userId, names);
  return names;
}

/** Makes the contacts and the username free, unless another account has them already. */
export async function deleteNames(
  tx: Transaction,
  userId: string,
  { username, ...contacts }: AccountNames,
): Promise<void> {
  for (const contact of contactsOf(contacts)) await releaseContact(tx, userId, contact);
  await deleteGuestContacts(tx, [{ id: userId, ...contacts }]);
  await tx.query(sql`delete from usernames where username = ${username} and user_id = ${userId}`);
}
