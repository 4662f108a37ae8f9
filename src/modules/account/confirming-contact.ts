import { type Contact, type Contacts, contactsOf } from '../../lib/contact.ts';
import type { AccountServices } from './services.ts';

/**
 * The contact to which the code belongs that confirms a deletion: the phone; of an account without one the address; of an account
 * without both, or whose address no mail can reach, the identity.
 */
export function confirmingContact({ mailer }: Pick<AccountServices, 'mailer'>, account: Contacts): Contact {
  const contacts = contactsOf(account);
  const found = contacts.find(({ kind }) => kind !== 'email' || mailer.isOn) ?? contacts[0];
  if (!found) throw new Error('an account has no contact');
  return found;
}
