/** Addresses in a chosen place. */
import { normalizeName } from './normalize-name.ts';
import type { ChosenPlace } from './places.ts';
import { addressLine, namesTown, readAddress } from './read-address.ts';

/** The address of an event in a place. @param street empty for the place alone */
export const addressIn = (street: string, { label, town }: ChosenPlace): string =>
  street === '' ? label : addressLine(street, town);

/** What a text has in front of the name of a place. A text that does not name the place is a street. */
export function streetIn(text: string, { town }: ChosenPlace): string {
  const name = normalizeName(town.split(',')[0] ?? '');
  return readAddress(text).find((reading) => normalizeName(reading.town) === name)?.street ?? text;
}

/** Whether a text is an address in the place, and not only a street. */
export const isAddressIn = (text: string, { label, town }: ChosenPlace): boolean =>
  text === label || (town !== '' && namesTown(text, town));
