import { lowerBound } from '../../../lib/lower-bound.ts';

/** Sets of documents, from which pages are read. */
export type DocSet = {
  /** The number of documents. */
  size: number;
  has(doc: number): boolean;
  /** The number of documents of the set below `doc`. */
  rank(doc: number): number;
  /** The documents from the n-th on, ascending; n counts from 0. */
  from(n: number): Iterable<number>;
};

/** A set in an ascending array. */
export class SortedDocs implements DocSet {
  readonly #docs: number[];

  constructor(docs: number[]) {
    this.#docs = docs;
  }

  get size(): number {
    return this.#docs.length;
  }

  has(doc: number): boolean {
    return this.#docs[this.rank(doc)] === doc;
  }

  rank(doc: number): number {
    return lowerBound(this.#docs, doc);
  }

  from(n: number): number[] {
    return this.#docs.slice(n);
  }
}
