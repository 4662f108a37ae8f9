import { type Contact, type Contacts, contactsOf } from '../../lib/contact.ts';

/** The contact to which the code goes that confirms a deletion: the phone, or the address of an account without one. */
export function confirmingContact(account: Contacts): Contact {
  const [first] = contactsOf(account);
  if (!first) throw new Error('an account has no contact');
  return first;
}
