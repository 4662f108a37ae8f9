/** How people sign in. */
import { type ContactKind, contactKinds } from '../contact.ts';
import type { Reader } from './reader.ts';

/**
 * @param can `email`: whether the server sends mails, or shows their codes. `oidc`: whether a provider is configured
 */
export function readSignIn(read: Reader, can: { email: boolean; oidc: boolean }): ContactKind[] {
  const value = read.text('SIGN_IN');
  if (value === undefined) return contactKinds.filter((kind) => kind === 'phone' || can[kind]);
  const named = value.split(',').map((way) => way.trim());
  for (const way of named)
    if (!contactKinds.some((kind) => kind === way))
      read.faults.push(`SIGN_IN has "${way}"; it must be a list of ${contactKinds.join(', ')}.`);
  if (named.includes('email') && !can.email)
    read.faults.push('SIGN_IN has email, but no mail can be sent: set MAIL_URL.');
  if (named.includes('oidc') && !can.oidc)
    read.faults.push('SIGN_IN has oidc, but no provider is configured: set OIDC_ISSUER.');
  return contactKinds.filter((kind) => named.includes(kind));
}
