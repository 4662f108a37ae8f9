/**
 * Sets of small integers as bitmaps: bit `i % 32` of element `i >> 5` tells whether `i` is in the set. All functions
 * allocate no memory unless they say so, because they run for every query of the discovery index.
 */
import { partitionPoint } from './lower-bound.ts';

export type Bitmap = Uint32Array;

/** The number of elements of a bitmap for the integers below `size`. */
export const bitmapLength = (size: number): number => (size + 31) >>> 5;

export const setBit = (bits: Bitmap, i: number): void => {
  bits[i >>> 5] = (bits[i >>> 5] as number) | (1 << (i & 31));
};

export const clearBit = (bits: Bitmap, i: number): void => {
  bits[i >>> 5] = (bits[i >>> 5] as number) & ~(1 << (i & 31));
};

export const hasBit = (bits: Bitmap, i: number): boolean =>
  (((bits[i >>> 5] as number) >>> (i & 31)) & 1) === 1;

/** Adds the integers from `first` to before `end`. */
export function setRange(bits: Bitmap, first: number, end: number): void {
  let [low, high] = [first, end];
  while (low < high && low & 31) setBit(bits, low++);
  while (low < high && high & 31) setBit(bits, --high);
  if (low < high) bits.fill(0xffffffff, low >>> 5, high >>> 5);
}

/** Removes the integers from `first` to before `end`. */
export function clearRange(bits: Bitmap, first: number, end: number): void {
  let [low, high] = [first, end];
  while (low < high && low & 31) clearBit(bits, low++);
  while (low < high && high & 31) clearBit(bits, --high);
  if (low < high) bits.fill(0, low >>> 5, high >>> 5);
}

/** Keeps the integers that are in both sets. */
export function intersect(bits: Bitmap, other: Bitmap): void {
  for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] as number) & (other[i] as number);
}

/** Removes the integers of another set. */
export function subtract(bits: Bitmap, other: Bitmap): void {
  for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] as number) & ~(other[i] as number);
}

/** The number of bits of a 32-bit word that are set (Hacker's Delight, 5-1). */
export function popCount(word: number): number {
  let n = word - ((word >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Elements of a bitmap that share one entry of the running count. */
const blockLength = 64;

/** A set with running counts, which gives ranks and the n-th integer. Allocates the counts: 1/64 of the bitmap. */
export class RankedBitmap {
  readonly #bits: Bitmap;
  /** `#before[block]`: the number of integers before the block. */
  readonly #before: Uint32Array;
  /** The number of integers in the set. */
  readonly size: number;

  constructor(bits: Bitmap) {
    this.#bits = bits;
    const blocks = Math.ceil(bits.length / blockLength);
    this.#before = new Uint32Array(blocks);
    let count = 0;
    for (let block = 0; block < blocks; block++) {
      this.#before[block] = count;
      const end = Math.min((block + 1) * blockLength, bits.length);
      for (let i = block * blockLength; i < end; i++) {
        const word = bits[i] as number;
        if (word !== 0) count += popCount(word);
      }
    }
    this.size = count;
  }

  has(i: number): boolean {
    return hasBit(this.#bits, i);
  }

  /** The number of integers of the set below `i`. */
  rank(i: number): number {
    const word = i >>> 5;
    if (word >= this.#bits.length) return this.size;
    const block = Math.floor(word / blockLength);
    let count = this.#before[block] as number;
    for (let j = block * blockLength; j < word; j++) count += popCount(this.#bits[j] as number);
    const below = (this.#bits[word] as number) & ~(-1 << (i & 31));
    return count + popCount(below);
  }

  /** The integers from the n-th on, ascending; n counts from 0. */
  *from(n: number): Generator<number> {
    if (n >= this.size) return;
    const block = partitionPoint(this.#before.length, (i) => (this.#before[i] as number) <= n) - 1;
    let left = n - (this.#before[block] as number);
    for (let i = block * blockLength; i < this.#bits.length; i++) {
      let word = this.#bits[i] as number;
      const count = left > 0 ? popCount(word) : 0;
      if (left > 0 && count <= left) {
        left -= count;
        continue;
      }
      for (; word !== 0; word &= word - 1) {
        if (left > 0) left--;
        else yield i * 32 + (31 - Math.clz32(word & -word));
      }
    }
  }
}
