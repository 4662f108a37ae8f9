import { dayMs } from '#base';
import type { Queryable } from '#pg';
import { type Contact, type Contacts, canReceive, contactsOf } from '../../../lib/contact.ts';
import { Problem } from '../../../lib/errors.ts';
import { listContactsSince } from '../accounts.ts';
import type { AccountServices } from '../services.ts';

/** How long a contact belongs to an account before it confirms the deletion of the account. */
const minAgeMs = dayMs;

/**
 * The contact to which the code belongs that confirms a deletion: the phone; of an account without one the address; of an account
 * without both, or whose address no mail can reach, the identity. Contacts of a way that is switched off come last:
 * the operator may have nothing that reaches them. A contact that was added in the last day confirms no deletion, because a person
 * with a stolen session may have added it. A contact with which the account was created is never new.
 * @throws Problem `contact_too_new` if the account has no other contact that confirms it
 */
export async function confirmingContact(
  { instance, mailer, clock }: Pick<AccountServices, 'instance' | 'mailer' | 'clock'>,
  db: Queryable,
  account: Contacts,
): Promise<Contact> {
  const { signIn } = await instance.settings();
  const contacts = contactsOf(account);
  const newValues = await listContactsSince(db, contacts, new Date(clock().getTime() - minAgeMs));
  const reachable = contacts.filter(
    ({ kind, value }) => !newValues.includes(value) && (kind !== 'email' || mailer.isOn),
  );
  const found = reachable.find(({ kind }) => signIn.includes(kind)) ?? reachable[0];
  // A fresh sign-in confirms for an identity, and it may be a sign-in with the new contact.
  if (newValues.length > 0 && !(found && canReceive(found))) throw new Problem('contact_too_new');
  const contact = found ?? contacts[0];
  if (!contact) throw new Error('an account has no contact');
  return contact;
}
