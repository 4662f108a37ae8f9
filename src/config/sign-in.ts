/** How people sign in. */
import { type ContactKind, contactKinds } from '../lib/contact.ts';
import type { Reader } from './reader.ts';

/**
 * @param can `phone`: whether codes are sent by text message, or the operator has chosen that they are not. `email`: whether
 *   the server sends mails, or shows their codes. `oidc`: whether a provider is configured
 * @returns `ways`: those that are possible. `isFixed`: the operator has chosen them, so admins cannot
 */
export function readSignIn(
  read: Reader,
  can: Record<ContactKind, boolean>,
): { ways: ContactKind[]; isFixed: boolean } {
  const value = read.text('SIGN_IN');
  if (value === undefined) {
    const ways = contactKinds.filter((kind) => can[kind]);
    // Without any way, `readSms` asks for the service that sends codes.
    return { ways: ways.length > 0 ? ways : ['phone'], isFixed: false };
  }
  const named = value.split(',').map((way) => way.trim());
  for (const way of named)
    if (!contactKinds.some((kind) => kind === way))
      read.faults.push(`SIGN_IN has "${way}"; it must be a list of ${contactKinds.join(', ')}.`);
  if (named.includes('email') && !can.email)
    read.faults.push('SIGN_IN has email, but no mail can be sent: set MAIL_URL.');
  if (named.includes('oidc') && !can.oidc)
    read.faults.push('SIGN_IN has oidc, but no provider is configured: set OIDC_ISSUER.');
  return { ways: contactKinds.filter((kind) => named.includes(kind)), isFixed: true };
}
