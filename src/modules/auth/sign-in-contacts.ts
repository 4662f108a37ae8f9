/** The contacts with which people sign in. */
import type { ReadyConfig } from '../../lib/config.ts';
import {
  type Contact,
  type ContactKind,
  isIdentityAt,
  type MessageContact,
  readAddress,
  readNumber,
} from '../../lib/contact.ts';
import { Problem } from '../../lib/errors.ts';
import { readCountry } from '../../lib/phone.ts';

type ContactConfig = Pick<ReadyConfig, 'signIn' | 'defaultCountry'>;

/** @throws Problem `feature_disabled` if the server does not let people sign in with contacts of the kind */
export function requireWay({ signIn }: Pick<ContactConfig, 'signIn'>, kind: ContactKind): void {
  if (!signIn.includes(kind)) throw new Problem('feature_disabled');
}

/** Whether the owner of the contact can sign in with it on this server. An identity may be one at another provider. */
export const canSignInWith = (
  { signIn, oidc }: Pick<ReadyConfig, 'signIn' | 'oidc'>,
  { kind, value }: Contact,
): boolean => signIn.includes(kind) && (kind !== 'oidc' || isIdentityAt(value, oidc?.issuer));

/** @throws Problem `feature_disabled`, `invalid_request` */
export function readSignInNumber(
  { phone, country }: { phone: string; country?: string },
  config: ContactConfig,
): MessageContact {
  requireWay(config, 'phone');
  return readNumber(phone, readCountry(country) ?? config.defaultCountry);
}

/** @throws Problem `feature_disabled`, `invalid_request` */
export function readSignInAddress({ email }: { email: string }, config: ContactConfig): MessageContact {
  requireWay(config, 'email');
  return readAddress(email);
}
