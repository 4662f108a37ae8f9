/** The contacts of guests without an account, and what proves that they belong to them. */
import { type MessageContact, readAddress, readNumber } from '../../lib/contact.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { readCountry } from '../../lib/phone.ts';
import type { Proof } from '../accounts/codes/check-proof.ts';
import { readLinkToken } from '../accounts/codes/links.ts';
import type { AccountServices } from '../accounts/services.ts';
import type { GuestAnswer, GuestCodeRequest } from './schemas.ts';

type Services = Pick<AccountServices, 'config'>;

/** @throws Problem `invalid_request` unless the body has a mail address or a phone number */
export function readContact(
  { email, phone, country }: GuestCodeRequest,
  { config }: Services,
): MessageContact {
  if (email !== undefined && phone !== undefined) throw invalid('phone', 'cannot be sent with email');
  if (email !== undefined) return readAddress(email);
  if (phone === undefined) throw invalid('email', 'or phone is required', 'required');
  return readNumber(phone, readCountry(country) ?? config.defaultCountry);
}

/** What an answer has as a proof, before the event and the link are known. `contact`: null for a link without one. */
export type GivenProof =
  | { code: string; contact: MessageContact; deviceToken?: string }
  | { linkToken: string; contact: MessageContact | null };

/** @throws Problem `invalid_request` unless the body has a code and its contact, or the token of a link */
export function readProof(answer: GuestAnswer, services: Services): GivenProof {
  const { code, linkToken, deviceToken, email, phone } = answer;
  if (linkToken !== undefined) {
    if (code !== undefined) throw invalid('code', 'cannot be sent with linkToken');
    const hasContact = email !== undefined || phone !== undefined;
    return { linkToken, contact: hasContact ? readContact(answer, services) : null };
  }
  const contact = readContact(answer, services);
  if (code === undefined) throw invalid('code', 'is required', 'required');
  return { contact, code, ...(deviceToken !== undefined && { deviceToken }) };
}

/** @throws Problem `wrong_code` for a token that is not that of a link of this event and contact */
export function openProof(given: GivenProof, eventId: string, { config }: Services): Proof<MessageContact> {
  if ('code' in given) return given;
  const link = readLinkToken(config.secretKey, given.linkToken, eventId);
  if (!link || (given.contact && given.contact.value !== link.contact.value)) throw wrongLink();
  return { contact: link.contact, link };
}

const wrongLink = () =>
  new Problem('wrong_code', { errors: [{ path: 'linkToken', message: 'is wrong or has expired' }] });

/** `m…@example.org` or `+46…02`: enough for the owner to recognize, and no contact for others. */
export const maskContact = ({ kind, value }: MessageContact): string =>
  kind === 'email' ? value.replace(/^(.)[^@]*/u, '$1…') : `${value.slice(0, 3)}…${value.slice(-2)}`;
