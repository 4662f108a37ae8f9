/** Phone numbers in international form (E.164). */
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import { invalid } from './errors.ts';

/** `number`: E.164. `country`: undefined for numbers that belong to no country. */
export type Phone = { number: string; country: CountryCode | undefined };

/**
 * Parses a number as phones and address books write it: with direction marks, full-width digits or any kind
 * of dash.
 * @throws Problem `invalid_request` if the text is not a phone number in international form
 */
export function readPhone(text: string): Phone {
  const plain = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .trim();
  const phone = /^\+[\d\s().-]+$/.test(plain) ? parsePhoneNumberFromString(plain) : undefined;
  if (!phone?.isPossible())
    throw invalid('phone', 'must be a phone number in international form, such as +12025550102', 'phone');
  const { number, country } = phone;
  return { number, country: country && isSupportedCountry(country) ? country : undefined };
}
