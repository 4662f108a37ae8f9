/** The header of a string, its reference, its hash and its slots. */
const bytesOfEntry = 50;

/**
 * Numbers words in the order of their first appearance. A hash table with open addressing over parts of texts: a Map would
 * need a new string for each look-up, whose hash costs ten times as much as the look-up here.
 */
export class WordTable {
  /** The words by number. */
  readonly words: string[] = [];
  readonly #hashes: number[] = [];
  #length = 0;
  /** A slot has the number of a word plus 1, or 0 if it is empty. The number of slots is a power of two. */
  #slots = new Int32Array(1_024);

  /** The memory of the table, in bytes: an upper bound, for words of characters outside Latin-1. */
  get bytes(): number {
    return 2 * this.#length + this.words.length * bytesOfEntry;
  }

  /** The number of the word in `text` from `begin` to before `end`. */
  numberOf(text: string, begin: number, end: number): number {
    const hash = hashOf(text, begin, end);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let entry = this.#slots[slot] as number; entry !== 0; entry = this.#slots[slot] as number) {
      if (this.#hashes[entry - 1] === hash && this.#isWord(entry - 1, text, begin, end)) return entry - 1;
      slot = (slot + 1) & mask;
    }
    // A copy: V8 implements a long slice as a reference to the whole text, which would thus stay in memory.
    const number = this.words.push(Buffer.from(text.slice(begin, end)).toString()) - 1;
    this.#hashes.push(hash);
    this.#length += end - begin;
    this.#slots[slot] = number + 1;
    if (this.words.length * 2 > this.#slots.length) this.#grow();
    return number;
  }

  #isWord(number: number, text: string, begin: number, end: number): boolean {
    const word = this.words[number] as string;
    if (word.length !== end - begin) return false;
    for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) !== text.charCodeAt(begin + i)) return false;
    return true;
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (const [number, hash] of this.#hashes.entries()) {
      let slot = hash & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number + 1;
    }
  }
}

/** FNV-1a over UTF-16 code units, with a final mix, because the table uses the lowest bits. */
function hashOf(text: string, begin: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = begin; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}
