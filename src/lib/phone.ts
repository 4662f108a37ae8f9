/** Phone numbers in international form (E.164). */
import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from 'libphonenumber-js';
import { toAsciiDigits } from './digits.ts';
import { invalid } from './errors.ts';
import { normalize } from './user-texts/normalize.ts';

export type { CountryCode } from 'libphonenumber-js';

/** `number`: E.164. `country`: undefined for numbers that belong to no country. */
export type Phone = { number: string; country: CountryCode | undefined };

/**
 * Until 2019, numbers of Mexican mobiles had a 1 after the country code, and address books still have it. The number with and the
 * number without it reach the same phone.
 */
const mexicanMobile = /^\+52[\s()./-]*1(?=(?:[\s()./-]*\d){10}[\s()./-]*$)/;

/** A country of ISO 3166-1 alpha-2 with phone numbers of its own, such as `SE`; undefined for other texts. */
export const toCountry = (code: string): CountryCode | undefined =>
  isSupportedCountry(code) ? code : undefined;

/** @throws Problem `invalid_request` if there is no such country */
export function readCountry(code: string | undefined): CountryCode | undefined {
  const country = code === undefined ? undefined : toCountry(code);
  if (code !== undefined && !country) throw invalid('country', 'must be a country such as SE', 'choice');
  return country;
}

/** Longer texts are no numbers, whatever is between the digits. */
const maxTypedLength = 100;

/**
 * Parses a number as people type it, and as phones and address books write it: with direction marks, the digits of any script, any
 * kind of dash, or `00` in place of `+`.
 * @param from the country of a number that is written without the code of its country
 * @throws Problem `invalid_request` if the text is no phone number, with the reason
 */
export function readPhone(text: string, from?: CountryCode): Phone {
  if (text.length > maxTypedLength) throw invalidPhone('TOO_LONG');
  const plain = toAsciiDigits(normalize(text, 'NFKC'))
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .trim()
    .replace(/^00/, '+')
    .replace(mexicanMobile, '+52');
  const isInternational = plain.startsWith('+');
  const isWritten = /^\+?[\d\s()./-]+$/.test(plain) && (isInternational || from !== undefined);
  const options = { ...(from && { defaultCountry: from }), extract: false };
  const phone = isWritten ? parsePhoneNumberFromString(plain, options) : undefined;
  if (!phone?.isPossible())
    throw invalidPhone(isWritten ? validatePhoneNumberLength(plain, options) : 'UNWRITTEN');
  const { number, country } = phone;
  return { number, country: country && isSupportedCountry(country) ? country : undefined };
}

function invalidPhone(reason: ReturnType<typeof validatePhoneNumberLength> | 'UNWRITTEN') {
  if (reason === 'TOO_SHORT') return invalid('phone', 'has too few digits for a phone number', 'phone_short');
  if (reason === 'TOO_LONG') return invalid('phone', 'has too many digits for a phone number', 'phone_long');
  return invalid('phone', 'must be a phone number in international form, such as +12025550102', 'phone');
}
