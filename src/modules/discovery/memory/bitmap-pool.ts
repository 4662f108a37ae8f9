import { type Bitmap, bitmapLength } from '#record-index';

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
