/** Sets of integers from which pages are read: with ranks, and with the n-th integer. */
import { type Bitmap, blockLength, blockShift, countBlocks, hasBit, popCount, type Range } from './bitmap.ts';
import { lowerBound } from './look-up.ts';

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

  /**
   * A copy without those integers that are in another bitmap too and for which `isKept` is false. It is called in ascending order;
   * 32 integers that are not in the other bitmap cost one step.
   */
  filterIn(other: Bitmap, isKept: (i: number) => boolean): RankedBitmap {
    const { first, end } = this.#range;
    const [bits, counts] = [this.bits.slice(), this.#counts.slice()];
    const stop = Math.min((end + 31) >>> 5, other.length);
    for (let i = first >>> 5; i < stop; i++) {
      let left = 0;
      for (let word = (bits[i] as number) & (other[i] as number); word !== 0; word &= word - 1) {
        const bit = word & -word;
        const integer = i * 32 + (31 - Math.clz32(bit));
        if (integer >= first && integer < end && !isKept(integer)) left |= bit;
      }
      if (left === 0) continue;
      bits[i] = (bits[i] as number) & ~left;
      const block = Math.floor(i / blockLength);
      counts[block] = (counts[block] as number) - popCount(left);
    }
    return new RankedBitmap(bits, this.#range, counts);
  }

  /** A copy, which later changes of the bitmap do not change. */
  copy(): RankedBitmap {
    return new RankedBitmap(this.bits.slice(), this.#range, this.#counts.slice());
  }
}

/** Few integers, and those of a bitmap after them. */
export class RecordSet {
  readonly few: number[];
  readonly rest: RankedBitmap | null;
  readonly size: number;

  /** @param few ascending @param rest integers after those; null: none */
  constructor(few: number[], rest: RankedBitmap | null = null) {
    this.few = few;
    this.rest = rest;
    this.size = few.length + (rest?.size ?? 0);
  }

  has(i: number): boolean {
    return this.rest?.has(i) || this.few[lowerBound(this.few, i)] === i;
  }

  /** The number of integers of the set below `i`. */
  rank(i: number): number {
    return lowerBound(this.few, i) + (this.rest?.rank(i) ?? 0);
  }

  /** The integers from the n-th on, ascending; n counts from 0. */
  *from(n: number): Generator<number> {
    yield* this.few.slice(n);
    if (this.rest) yield* this.rest.from(Math.max(n - this.few.length, 0));
  }

  /** A copy without those integers that are in a bitmap and for which `isKept`, called in ascending order, is false. */
  filterIn(bits: Bitmap, isKept: (i: number) => boolean): RecordSet {
    const few = this.few.filter((i) => !hasBit(bits, i) || isKept(i));
    return new RecordSet(few, this.rest?.filterIn(bits, isKept));
  }

  /** The same integers after later changes of the bitmap. */
  copy(): RecordSet {
    return new RecordSet(this.few, this.rest?.copy());
  }
}
