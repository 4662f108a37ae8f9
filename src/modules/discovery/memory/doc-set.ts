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
    let [low, high] = [0, this.#docs.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#docs[middle] as number) < doc) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  from(n: number): number[] {
    return this.#docs.slice(n);
  }
}
