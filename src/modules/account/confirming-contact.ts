import { type Contact, type Contacts, contactsOf } from '../../lib/contact.ts';
import type { AccountServices } from './services.ts';

/**
 * The contact to which the code belongs that confirms a deletion: the phone; of an account without one the address; of an account
 * without both, or whose address no mail can reach, the identity. Contacts of a way that is switched off come last:
 * the operator may have nothing that reaches them.
 */
export async function confirmingContact(
  { instance, mailer }: Pick<AccountServices, 'instance' | 'mailer'>,
  account: Contacts,
): Promise<Contact> {
  const { signIn } = await instance.settings();
  const contacts = contactsOf(account);
  const reachable = contacts.filter(({ kind }) => kind !== 'email' || mailer.isOn);
  const found = reachable.find(({ kind }) => signIn.includes(kind)) ?? reachable[0] ?? contacts[0];
  if (!found) throw new Error('an account has no contact');
  return found;
}
