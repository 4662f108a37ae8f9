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
export const blockShift = 11;
export const blockLength = 2 ** blockShift / 32;

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

/**
 * Bitmaps for one query at a time: a query computes its page before it returns, so the next one can use the same memory.
 */
export class BitmapPool {
  readonly #length: number;
  readonly #bitmaps: Bitmap[] = [];
  #used = 0;

  constructor(size: number) {
    this.#length = bitmapLength(size);
  }

  /** A bitmap with any content, until the next `reset`. */
  take(): Bitmap {
    const known = this.#bitmaps[this.#used++];
    if (known) return known;
    const created = new Uint32Array(this.#length);
    this.#bitmaps.push(created);
    return created;
  }

  takeEmpty(): Bitmap {
    return this.take().fill(0);
  }

  reset(): void {
    this.#used = 0;
  }
}
