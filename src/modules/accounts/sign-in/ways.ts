/** The ways to sign in: which kinds of contacts this server accepts. */
import type { ReadyConfig } from '../../../config/config.ts';
import type { BaseServices } from '../../../http/services.ts';
import type { Settings } from '../../../instance/settings.ts';
import {
  type Contact,
  type ContactKind,
  isIdentityAt,
  type MessageContact,
  readAddress,
  readNumber,
} from '../../../lib/contact.ts';
import { Problem } from '../../../lib/errors.ts';
import { readCountry } from '../../../lib/phone.ts';

type ContactServices = Pick<BaseServices, 'config' | 'instance'>;

/** @throws Problem `feature_disabled` if the server does not let people sign in with contacts of the kind */
export async function requireWay(
  { instance }: Pick<ContactServices, 'instance'>,
  kind: ContactKind,
): Promise<void> {
  const { signIn } = await instance.settings();
  if (!signIn.includes(kind)) throw new Problem('feature_disabled');
}

/** Whether the owner of the contact can sign in with it on this server. An identity may be one at another provider. */
export const canSignInWith = (
  { signIn, oidc }: Pick<Settings, 'signIn'> & Pick<ReadyConfig, 'oidc'>,
  { kind, value }: Contact,
): boolean => signIn.includes(kind) && (kind !== 'oidc' || isIdentityAt(value, oidc?.issuer));

/** @throws Problem `feature_disabled`, `invalid_request` */
export async function readSignInNumber(
  { phone, country }: { phone: string; country?: string },
  services: ContactServices,
): Promise<MessageContact> {
  await requireWay(services, 'phone');
  return readNumber(phone, readCountry(country) ?? services.config.defaultCountry);
}

/** @throws Problem `feature_disabled`, `invalid_request` */
export async function readSignInAddress(
  { email }: { email: string },
  services: ContactServices,
): Promise<MessageContact> {
  await requireWay(services, 'email');
  return readAddress(email);
}
