/** How people sign in. */
import { type ContactKind, contactKinds } from '../contact.ts';
import type { Reader } from './reader.ts';

/** @param hasMail whether the server sends mails, or shows their codes */
export function readSignIn(read: Reader, hasMail: boolean): ContactKind[] {
  const value = read.text('SIGN_IN');
  if (value === undefined) return hasMail ? ['phone', 'email'] : ['phone'];
  const named = value.split(',').map((way) => way.trim());
  for (const way of named)
    if (!contactKinds.some((kind) => kind === way))
      read.faults.push(`SIGN_IN has "${way}"; it must be a list of ${contactKinds.join(' and ')}.`);
  if (named.includes('email') && !hasMail)
    read.faults.push('SIGN_IN has email, but no mail can be sent: set MAIL_URL.');
  return contactKinds.filter((kind) => named.includes(kind));
}
