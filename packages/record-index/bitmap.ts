/**
 * Sets of small integers as bitmaps: bit `i % 32` of element `i >> 5` tells whether `i` is in the set. All functions
 * allocate no memory unless they say so, because they run for every query of the discovery index.
 */
export type Bitmap = Uint32Array;

/** The number of elements of a bitmap for the integers below `size`: a multiple of four, which are counted together. */
export const bitmapLength = (size: number): number => ((size + 127) >>> 7) << 2;

export const setBit = (bits: Bitmap, i: number): void => {
  bits[i >>> 5] = (bits[i >>> 5] as number) | (1 << (i & 31));
};

export const clearBit = (bits: Bitmap, i: number): void => {
  bits[i >>> 5] = (bits[i >>> 5] as number) & ~(1 << (i & 31));
};

export const hasBit = (bits: Bitmap, i: number): boolean =>
  (((bits[i >>> 5] as number) >>> (i & 31)) & 1) === 1;

/** The number of bits of a 32-bit word that are set (Hacker's Delight, 5-1). */
export function popCount(word: number): number {
  let n = word - ((word >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** 2,048 integers, 64 elements, are a block: the number of the block of an integer is the integer shifted by this. */
const blockShift = 11;
const blockLength = 2 ** blockShift / 32;

/** Some integers: those from `first` to before `end`. */
export type Range = { first: number; end: number };
/** The elements of all blocks that have integers of a range. */
const elementsOf = ({ first, end }: Range, bits: Bitmap): [number, number] => [
  (first >>> blockShift) * blockLength,
  Math.min(Math.ceil(end / 2 ** blockShift) * blockLength, bits.length),
];

/**
 * Finds the integers of a range that are in all of some sets, at least one.
 * @returns a single set itself; otherwise `result`: what this has of other integers is undefined
 */
export function intersectAll([set, ...others]: Bitmap[], range: Range, result: Bitmap): Bitmap {
  let bits = set as Bitmap;
  const [begin, stop] = elementsOf(range, result);
  for (const other of others) {
    for (let i = begin; i < stop; i++) result[i] = (bits[i] as number) & (other[i] as number);
    bits = result;
  }
  return bits;
}

/** Writes the integers of a range that are only in the first set to `result`, as `intersectAll`. */
export function subtract(a: Bitmap, b: Bitmap, range: Range, result: Bitmap): Bitmap {
  const [begin, stop] = elementsOf(range, result);
  for (let i = begin; i < stop; i++) result[i] = (a[i] as number) & ~(b[i] as number);
  return result;
}

/** Counts the integers of each block that has integers of a range; the other counts are 0. Allocates the counts. */
export function countBlocks(bits: Bitmap, range: Range): Uint16Array {
  const counts = new Uint16Array(Math.ceil(bits.length / blockLength));
  const [begin, stop] = elementsOf(range, bits);
  for (let first = begin; first < stop; first += blockLength) {
    let count = 0;
    const end = Math.min(first + blockLength, stop);
    for (let i = first; i < end; i += 4) {
      const [a, b] = [bits[i] as number, bits[i + 1] as number];
      const [c, d] = [bits[i + 2] as number, bits[i + 3] as number];
      if ((a | b | c | d) !== 0) count += popCount(a) + popCount(b) + popCount(c) + popCount(d);
    }
    counts[first / blockLength] = count;
  }
  return counts;
}

/** Changes the counts of the blocks of a bitmap from which an integer was removed. */
export const uncount = (counts: Uint16Array, i: number): void => {
  counts[i >>> blockShift] = (counts[i >>> blockShift] as number) - 1;
};

/** The integers of a bitmap from `first` to before `end`, with ranks and the n-th integer. */
export class RankedBitmap {
  readonly bits: Bitmap;
  readonly #counts: Uint16Array;
  readonly #range: Range;
  /** The number of integers in blocks that are counted and below `first`. */
  readonly #before: number;
  readonly size: number;

  /** @param counts those of all blocks, or of those that have integers of the range */
  constructor(bits: Bitmap, range: Range, counts = countBlocks(bits, range)) {
    this.bits = bits;
    this.#counts = counts;
    this.#range = range;
    this.#before = this.#countBelow(range.first);
    this.size = this.#countBelow(range.end) - this.#before;
  }

  #countBelow(i: number): number {
    const bits = this.bits;
    const [block, word] = [i >>> blockShift, i >>> 5];
    let count = 0;
    for (let j = 0; j < block; j++) count += this.#counts[j] as number;
    for (let j = block * blockLength; j < word; j++) count += popCount(bits[j] as number);
    return (i & 31) === 0 ? count : count + popCount((bits[word] as number) & ~(-1 << (i & 31)));
  }

  has(i: number): boolean {
    return i >= this.#range.first && i < this.#range.end && hasBit(this.bits, i);
  }

  /** The number of integers of the set below `i`. */
  rank(i: number): number {
    return this.#countBelow(Math.max(Math.min(i, this.#range.end), this.#range.first)) - this.#before;
  }

  /** The integers from the n-th on, ascending; n counts from 0. */
  *from(n: number): Generator<number> {
    if (n >= this.size) return;
    let left = n + this.#before;
    let block = 0;
    for (let count = this.#counts[0] as number; left >= count; count = this.#counts[++block] as number)
      left -= count;
    for (let i = block * blockLength; i < this.bits.length; i++) {
      let word = this.bits[i] as number;
      const count = left > 0 ? popCount(word) : 0;
      if (left > 0 && count <= left) {
        left -= count;
        continue;
      }
      for (; word !== 0; word &= word - 1) {
        if (left > 0) {
          left--;
          continue;
        }
        const integer = i * 32 + (31 - Math.clz32(word & -word));
        if (integer >= this.#range.end) return;
        yield integer;
      }
    }
  }

  /** A copy, which later changes of the bitmap do not change. */
  copy(): RankedBitmap {
    return new RankedBitmap(this.bits.slice(), this.#range, this.#counts.slice());
  }
}
