/** Addresses in a chosen place. */
import { normalizeName } from '#lib/language/normalize-name.ts';
import type { ChosenPlace } from './places.ts';
import { codeBehind, separators } from './postal-codes.ts';

/** The address of an event in a place. @param street empty for the place alone */
export const addressIn = (street: string, { label, town }: ChosenPlace): string =>
  street === '' ? label : addressLine(street, town);

/** Whether a text is an address in the place, and not only a street. */
export const isAddressIn = (text: string, { label, town }: ChosenPlace): boolean =>
  text === label || (town !== '' && namesTown(text, town));

/** The address of an event in one line: the street and the town, unless the street names the town already. */
export function addressLine(street: string, town: string): string {
  if (street === '' || town === '' || namesTown(street, town)) return street || town;
  return /(?:^|,\s*)(?:\p{L}{1,2}-)?\p{Nd}{3,6}(?: \p{Nd}{2}| [A-Z]{2})?$/u.test(street)
    ? `${street} ${town}`
    : `${street}, ${town}`;
}

/** Whether a street ends with its town, or has it behind a comma. "Oslo gate 5" does not name the town of Oslo. */
export function namesTown(street: string, town: string): boolean {
  const name = ` ${normalizeName(town.split(separators)[0] ?? '')}`;
  const parts = street.split(separators).map((part) => ` ${normalizeName(part.replace(codeBehind, ''))}`);
  return parts.some((part, i) => part.endsWith(name) && (i > 0 || part !== name));
}
