/** Words, sorted by their UTF-8 bytes, in one byte array. */

export type Dictionary = {
  bytes: Uint8Array;
  /** Where each word begins in `bytes`; one more element than words. */
  offsets: Uint32Array;
};

/** Creates a dictionary from words that are sorted by their UTF-8 bytes. */
export function createDictionary(sorted: Buffer[]): Dictionary {
  const offsets = new Uint32Array(sorted.length + 1);
  for (const [i, word] of sorted.entries()) offsets[i + 1] = (offsets[i] as number) + word.length;
  const bytes = new Uint8Array(offsets[sorted.length] as number);
  for (const [i, word] of sorted.entries()) bytes.set(word, offsets[i]);
  return { bytes, offsets };
}

/** As `createDictionary`, but from strings, and without a buffer for each. `wordAt` alone needs no order. */
export function packWords(words: string[]): Dictionary {
  const offsets = new Uint32Array(words.length + 1);
  for (const [i, word] of words.entries()) offsets[i + 1] = (offsets[i] as number) + Buffer.byteLength(word);
  const bytes = Buffer.from(new ArrayBuffer(offsets[words.length] as number));
  for (const [i, word] of words.entries()) bytes.write(word, offsets[i] as number);
  return { bytes: new Uint8Array(bytes.buffer), offsets };
}

export const wordAt = ({ bytes, offsets }: Dictionary, i: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8', offsets[i], offsets[i + 1]);

/** The positions of the words that start with a prefix: from `first` to before `end`. */
export function prefixRange(words: Dictionary, prefix: Buffer): { first: number; end: number } {
  return { first: lowerBound(words, prefix, false), end: lowerBound(words, prefix, true) };
}

/**
 * The position of a word, which is the first of those that start with it; −1 if it is not in the dictionary.
 */
export function findWord(
  words: Dictionary,
  { first, end }: { first: number; end: number },
  word: Buffer,
): number {
  const length = (words.offsets[first + 1] ?? 0) - (words.offsets[first] as number);
  return first < end && length === word.length ? first : -1;
}

/** The first word at or after the prefix or, with `isAfter`, after all words that start with it. */
function lowerBound({ bytes, offsets }: Dictionary, prefix: Buffer, isAfter: boolean): number {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const begin = offsets[middle] as number;
    const length = Math.min((offsets[middle + 1] as number) - begin, prefix.length);
    const difference = compareBytes(bytes, begin, prefix, length) || (length < prefix.length ? -1 : 0);
    if (difference < 0 || (isAfter && difference === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares the bytes of `column` from `offset` on with `other`: negative, 0 or positive. */
export function compareBytes(
  column: Uint8Array,
  offset: number,
  other: Uint8Array,
  length = other.length,
): number {
  for (let i = 0; i < length; i++) {
    const difference = (column[offset + i] as number) - (other[i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The position of `wanted` in a sorted column of values of `width` bytes each; −1 if it is not there. */
export function findBytes(column: Uint8Array, width: number, wanted: Uint8Array): number {
  let [low, high] = [0, column.length / width - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const difference = compareBytes(column, middle * width, wanted);
    if (difference === 0) return middle;
    if (difference < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
