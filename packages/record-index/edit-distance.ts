/** The distance between words, and a fast test that most distant words fail. */

/**
 * Counts the letters to insert, delete, replace or exchange with their neighbour (Damerau and Levenshtein; no letter is
 * edited twice). Letters are UTF-16 code units.
 * @param max each one more takes about four times as long
 * @returns Infinity if the distance is above `max`
 */
export function editDistance(a: string, b: string, max: number): number {
  for (let edits = 0; edits <= max; edits++) if (isWithin(a, 0, b, 0, edits)) return edits;
  return Number.POSITIVE_INFINITY;
}

/**
 * Whether `edits` edits are enough for the rest of `a` from `i` on and that of `b` from `j` on. Without a table: it allocates
 * nothing, and words that are not near differ within their first letters.
 */
function isWithin(a: string, i: number, b: string, j: number, edits: number): boolean {
  const [left, right] = [a.length - i, b.length - j];
  if (left - right > edits || right - left > edits) return false;
  // Equal first letters never need an edit.
  let same = 0;
  while (same < left && same < right && a.charCodeAt(i + same) === b.charCodeAt(j + same)) same++;
  if (same === left || same === right) return true;
  if (edits === 0) return false;
  const [x, y] = [i + same, j + same];
  const isExchange = a.charCodeAt(x) === b.charCodeAt(y + 1) && a.charCodeAt(x + 1) === b.charCodeAt(y);
  return (
    isWithin(a, x + 1, b, y + 1, edits - 1) ||
    isWithin(a, x + 1, b, y, edits - 1) ||
    isWithin(a, x, b, y + 1, edits - 1) ||
    (isExchange && isWithin(a, x + 2, b, y + 2, edits - 1))
  );
}

const letterBits = 26;
const letterMask = 2 ** letterBits - 1;
const maxLength = 63;

/** The length of a word in the upper 6 bits, and which letters it has in the lower 26; some letters share a bit. Not 0. */
export function signatureOf(word: string): number {
  let letters = 0;
  for (let i = 0; i < word.length; i++) letters |= 1 << (word.charCodeAt(i) % letterBits);
  return ((Math.min(word.length, maxLength) << letterBits) | letters) >>> 0;
}

/** @returns false only if the words of two signatures have a distance above `max`, for a `max` of 1 or 2 */
export function mayBeNear(a: number, b: number, max: number): boolean {
  const longer = (a >>> letterBits) - (b >>> letterBits);
  if (longer > max || longer < -max) return false;
  // Each edit removes at most one letter from the set, and adds at most one.
  return hasFewBits(a & ~b & letterMask, max) && hasFewBits(b & ~a & letterMask, max);
}

function hasFewBits(bits: number, max: number): boolean {
  const less = bits & (bits - 1);
  return max === 1 ? less === 0 : (less & (less - 1)) === 0;
}
