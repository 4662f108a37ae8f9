import { lowerBound, type RankedBitmap } from '#record-index';

/** A set of documents, from which pages are read. */
export class DocSet {
  readonly few: number[];
  readonly rest: RankedBitmap | null;
  readonly size: number;

  /** @param few ascending @param rest documents after those; null: none */
  constructor(few: number[], rest: RankedBitmap | null = null) {
    this.few = few;
    this.rest = rest;
    this.size = few.length + (rest?.size ?? 0);
  }

  has(doc: number): boolean {
    return this.rest?.has(doc) || this.few[lowerBound(this.few, doc)] === doc;
  }

  /** The number of documents of the set below `doc`. */
  rank(doc: number): number {
    return lowerBound(this.few, doc) + (this.rest?.rank(doc) ?? 0);
  }

  /** The documents from the n-th on, ascending; n counts from 0. */
  *from(n: number): Generator<number> {
    yield* this.few.slice(n);
    if (this.rest) yield* this.rest.from(Math.max(n - this.few.length, 0));
  }

  /** The same documents after later searches and changes of the segment. */
  copy(): DocSet {
    return new DocSet(this.few, this.rest?.copy());
  }
}
