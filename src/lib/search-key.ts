/** The form in which names are stored for the search by trigrams. */

/**
 * A text with six letters from A to Z in place of each character beyond ASCII: a database whose locale is C makes trigrams
 * of the letters and digits of ASCII alone. The first letter is one of A to H, which the others are not, so that no code
 * contains the start of another. The lowest bits come first: the letters of a script have the others in common.
 */
export const searchKey = (text: string): string => text.replace(/[^\x00-\x7f]/gu, codeOf);

/** Gives the apostrophes of a text one form: people type another one than that of the name. */
export const withPlainApostrophes = (text: string): string => text.replace(/[’‘ʼʻ]/g, "'");

const letters = 'IJKLMNOPQRSTUVWX';

function codeOf(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  let code = 'ABCDEFGH'.charAt(number & 7);
  for (let shift = 3; shift < 23; shift += 4) code += letters.charAt((number >> shift) & 15);
  return code;
}
