/** The distance between words, and a fast test that most distant words fail. */

/**
 * Counts the letters to insert, delete, replace or exchange with their neighbour (Damerau and Levenshtein; no letter is
 * edited twice). Letters are UTF-16 code units.
 * @returns Infinity if the distance is above `max`
 */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return Number.POSITIVE_INFINITY;
  // Rows of the table; cells further than `max` from the diagonal are above `max`.
  const beyond = max + 1;
  let twoBefore: number[] = [];
  let before = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(beyond);
    if (i <= max) row[0] = i;
    let least = i;
    for (let j = Math.max(1, i - max); j <= Math.min(b.length, i + max); j++) {
      const [letter, other] = [a.charCodeAt(i - 1), b.charCodeAt(j - 1)];
      const isExchange = i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other;
      const distance = Math.min(
        (before[j - 1] as number) + Number(letter !== other),
        (before[j] as number) + 1,
        (row[j - 1] as number) + 1,
        isExchange ? (twoBefore[j - 2] as number) + 1 : beyond,
      );
      row[j] = distance;
      if (distance < least) least = distance;
    }
    if (least > max) return Number.POSITIVE_INFINITY;
    [twoBefore, before] = [before, row];
  }
  const distance = before[b.length] as number;
  return distance > max ? Number.POSITIVE_INFINITY : distance;
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
