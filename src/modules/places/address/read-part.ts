/** Finds the names in one part of an address, between two commas. */
import { codeBehind, codeInFront } from './postal-codes.ts';
import { isUnspaced, namesIn, unspacedNames } from './town-names.ts';

export type NameInPart = {
  /** The name to search for. */
  town: string;
  /** Whether the words are a guess, so that only a town with exactly this name is meant. */
  isGuess: boolean;
  /** Whether the name stands beside a postal code. */
  isBesideCode: boolean;
  /** Whether the part has more words behind the name. */
  hasMore: boolean;
};
type Found = NameInPart & {
  /** What stands in front of the name in the part. */
  front: string[];
};

/** Words of a town behind a street, at most. */
const maxWords = 3;
/** The number of a house, such as 5, 12B, 12-14. */
const houseNumber = /^\p{Nd}+(?:[-–/]\p{Nd}+)?\p{L}?$/u;
const letter = /^\p{L}$/u;

/**
 * The names that the part may have, the likeliest first.
 * @param hasCode whether a number at an end of it is the postal code of the address, and not that of a house
 */
export function namesOfPart(part: string, hasCode: boolean): Found[] {
  if (isUnspaced(part))
    return unspacedNames(part).map((town) => ({ ...plain(town), front: [], hasMore: true }));
  const code = hasCode ? (codeInFront.exec(part)?.[0] ?? '') : '';
  if (code) return besideCode(part.slice(code.length), [code.trim()], false);
  const bare = hasCode ? ` ${part}`.replace(codeBehind, '').trim() : part;
  if (bare !== part) return besideCode(bare, [], true);
  const found = splitAtNumber(part.split(/\s+/));
  if (found) {
    const front = [found.street, found.code].filter((text) => text !== '');
    return found.code === ''
      ? namesIn(found.town).map((town) => ({ ...plain(town), front, hasMore: town !== found.town }))
      : besideCode(found.town, front, false);
  }
  // Words with a number are a street, unless the number is that of a district.
  const isStreet = /\p{Nd}/u.test(part);
  const whole = namesIn(part)
    .filter((name) => !/\p{Nd}/u.test(name))
    .map((town) => ({ ...plain(town), isGuess: isStreet, front: [], hasMore: town !== part }));
  return isStreet && /\p{Nd}{3}/u.test(part) ? guessesIn(part) : [...whole, ...guessesIn(part)];
}

const plain = (town: string): NameInPart => ({ town, isGuess: false, isBesideCode: false, hasMore: false });

/** @param words the part without its code */
function besideCode(words: string, front: string[], isCodeBehind: boolean): Found[] {
  const street = isCodeBehind ? splitAtNumber(words.split(/\s+/)) : null;
  if (street) {
    const before = [street.street, street.code].filter((text) => text !== '');
    const names = namesIn(street.town).map((town) => ({ ...plain(town), front: before }));
    return [...names, ...guessesIn(street.town)].map((name) => ({
      ...name,
      isBesideCode: true,
      hasMore: true,
    }));
  }
  const whole = namesIn(words).map((town) => ({
    ...plain(town),
    isBesideCode: true,
    front,
    hasMore: isCodeBehind || town !== words,
  }));
  const guesses = [...guessesIn(words), ...startsOf(words)].map((guess) => ({
    ...guess,
    isBesideCode: true,
    front: [...front, ...guess.front],
    hasMore: isCodeBehind || guess.hasMore,
  }));
  return [...whole, ...guesses];
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
      : Number(/^(?:\p{L}{1,2}-)?(?:\p{Nd}{4,6}|\p{Nd}{2}-\p{Nd}{3}|\p{Nd}{4}-\p{Nd}{3})$/u.test(last));
  const ahead = words.at(-length - 1) ?? '';
  return houseNumber.test(ahead) || letter.test(ahead) ? length : 0;
}

/** The last words of a text as a town, the most words first. */
function guessesIn(text: string): Found[] {
  const words = text.split(/\s+/);
  return Array.from({ length: Math.min(maxWords, words.length - 1) }, (_, i) => i + 1)
    .toReversed()
    .map((count) => [words.slice(0, -count).join(' '), words.slice(-count).join(' ')] as const)
    .filter(([, town]) => !/\p{Nd}/u.test(town))
    .map(([street, town]) => ({ town, isGuess: true, isBesideCode: false, front: [street], hasMore: false }));
}

/** The first words of a text beside a code: 1000 Sofia Center. */
function startsOf(text: string): Found[] {
  const words = text.split(/\s+/);
  return Array.from({ length: Math.min(maxWords, words.length - 1) }, (_, i) => i + 1)
    .toReversed()
    .map((count) => words.slice(0, count).join(' '))
    .filter((town) => !/\p{Nd}/u.test(town))
    .map((town) => ({ town, isGuess: true, isBesideCode: false, front: [], hasMore: true }));
}
