/** The decimal digits of all scripts. */

const digit = /\p{Nd}/u;
const foreignDigits = /(?![0-9])\p{Nd}/gu;

/** Replaces the digits of other scripts, such as ٣ or ３, by those of ASCII. Other characters stay. */
export const toAsciiDigits = (text: string): string => text.replace(foreignDigits, digitOf);

/** In Unicode, the ten digits of a script follow each other from zero on, and some runs have several tens. */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  let first = code;
  while (digit.test(String.fromCodePoint(first - 1))) first--;
  return String((code - first) % 10);
}
