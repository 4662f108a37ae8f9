/** Finds the town and the street in an address as people write it. Nothing here knows which towns exist. */
import { codeOfCountry } from '#lib/discovery/countries.ts';
import { normalizeName } from '#lib/discovery/normalize-name.ts';
import { codeBehind, codeInFront, regionPattern, separators } from '#lib/discovery/postal-codes.ts';

/** A reading of an address. */
export type Reading = {
  /** The name to search for. */
  town: string;
  /** What is in front of the town: the street, the number, the postal code. Empty for a town alone. */
  street: string;
  /** ISO 3166 alpha-2, of a country at the end. */
  country?: string | undefined;
  /** The abbreviation of a state or province behind the town. */
  region?: string | undefined;
  /** Whether the words are a guess, so that only a town with exactly this name is meant. */
  isGuess: boolean;
};

/** In characters, as the API permits for the address of an event. */
const maxLength = 300;
/** Each reading is a search for a place. */
const maxReadings = 8;
/** Words of a town behind a street, at most. */
const maxWords = 3;
/** The number of a house, such as 5, 12B, 12-14. */
const houseNumber = /^\p{Nd}+(?:[-–/]\p{Nd}+)?\p{L}?$/u;
const letter = /^\p{L}$/u;

/**
 * The likeliest readings of a text, the likeliest first. Empty for a street without a town. Of a text that is longer than
 * an address, the end is not read.
 */
export function readAddress(text: string): Reading[] {
  const parts = text
    .slice(0, maxLength)
    .split(separators)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const country = parts.length > 1 ? codeOfCountry(parts.at(-1) ?? '') : undefined;
  if (country) parts.pop();
  const whole = parts.join(', ');
  const { region, isBehind } = takeRegion(parts);
  const readings = parts
    .flatMap((part, i) =>
      readPart(part, parts.slice(0, i), { whole, isLast: !isBehind && i === parts.length - 1 }),
    )
    .toReversed();
  return sortedByGuess(readings)
    .slice(0, maxReadings)
    .map((reading) => ({ ...reading, country, region }));
}

/** Removes what stands behind the town: a state, a postal code, or both. */
function takeRegion(parts: string[]): { region?: string | undefined; isBehind: boolean } {
  const last = parts.at(-1) ?? '';
  if (parts.length < 2) return { isBehind: false };
  const bare = ` ${last}`.replace(codeBehind, '').trim();
  if (bare !== '' && !regionPattern.test(bare)) return { isBehind: false };
  parts.pop();
  return { region: bare || undefined, isBehind: true };
}

type PartReading = Pick<Reading, 'town' | 'street' | 'isGuess'>;

/** @param whole the text that stays the street if something stands behind the town */
function readPart(
  part: string,
  before: string[],
  context: { whole: string; isLast: boolean },
): PartReading[] {
  const bare = part.replace(codeBehind, '').trim();
  const isWhole = !context.isLast || bare !== part;
  const place = (town: string, ...street: string[]): PartReading => {
    const parts = [...before, ...street].filter((each) => each !== '');
    return { town, street: isWhole && parts.length > 0 ? context.whole : parts.join(', '), isGuess: false };
  };
  const code = codeInFront.exec(part)?.[0] ?? '';
  if (code) return [place(part.slice(code.length), code.trim())];
  const found = splitAtNumber(bare.split(/\s+/));
  if (found) return [place(found.town, found.street, found.code)];
  const guesses = guessesOf(bare).map(([street, name]) => ({ ...place(name, street), isGuess: true }));
  return /\p{Nd}/u.test(bare) ? guesses : [...guesses, place(bare)];
}

/** A street with its number, and a town behind it, with or without a postal code between them; null for other words. */
function splitAtNumber(words: string[]): { street: string; code: string; town: string } | null {
  const lastNumber = words.findLastIndex((word) => /\p{Nd}/u.test(word));
  const codeStart = lastNumber + 1 - codeLength(words.slice(0, lastNumber + 1));
  const code = words.slice(codeStart, lastNumber + 1);
  // A letter behind the number belongs to it: 12 B.
  const hasLetter =
    code.length === 0 && words.length > lastNumber + 2 && letter.test(words[lastNumber + 1] ?? '');
  const town = words.slice(lastNumber + (hasLetter ? 2 : 1));
  const street = words.slice(0, code.length > 0 ? codeStart : words.length - town.length);
  const number = street.findLastIndex((word) => !letter.test(word));
  const isStreet =
    houseNumber.test(street[number] ?? '') && street.slice(0, number).some((word) => /\p{L}/u.test(word));
  if (!isStreet || !/^\p{L}/u.test(town[0] ?? '')) return null;
  return { street: street.join(' '), code: code.join(' '), town: town.join(' ') };
}

/** How many words at the end are a postal code behind the number of a house: two for 411 05, one for 10115. */
function codeLength(words: string[]): number {
  const [before = '', last = ''] = words.slice(-2);
  const length =
    /^\p{Nd}{2}$/u.test(last) && /^(?:\p{L}{1,2}-)?\p{Nd}{3}$/u.test(before)
      ? 2
      : Number(/^(?:\p{L}{1,2}-)?\p{Nd}{4,6}$/u.test(last));
  const ahead = words.at(-length - 1) ?? '';
  return houseNumber.test(ahead) || letter.test(ahead) ? length : 0;
}

/** The last words of a text as a town, the fewest words first, because the readings are reversed. */
function guessesOf(text: string): [street: string, town: string][] {
  const words = text.split(/\s+/);
  return Array.from({ length: Math.min(maxWords, words.length - 1) }, (_, i) => i + 1)
    .map((count): [string, string] => [words.slice(0, -count).join(' '), words.slice(-count).join(' ')])
    .filter(([, town]) => !/\p{Nd}/u.test(town));
}

const sortedByGuess = (readings: PartReading[]): PartReading[] => [
  ...readings.filter(({ isGuess }) => !isGuess),
  ...readings.filter(({ isGuess }) => isGuess),
];

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

/** The town in the address of an event; empty if the address does not name one. */
export function townIn(address: string): string {
  const [reading] = readAddress(address).filter(({ isGuess }) => !isGuess);
  return reading && (reading.street !== '' || reading.country) ? reading.town : '';
}
