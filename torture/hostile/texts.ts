/** Texts within the limits of the API that take long unless they are bounded before they are read. */

/** A run of different combining marks, in the order that Unicode reverses. */
export const combiningMarks = (length: number): string =>
  '\u0f73\u0301\u0323'.repeat(length).slice(0, length);

/** Different letters, which Punycode encodes one by one. */
export const differentLetters = (length: number): string =>
  Array.from({ length }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('');
