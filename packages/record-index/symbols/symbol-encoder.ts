/** Finds the symbols for texts, and encodes the texts. */
import {
  idCode,
  idLength,
  maxSymbolLength,
  maxSymbols,
  packSymbols,
  type Symbols,
  unpackSymbols,
  withId,
} from './symbol-table.ts';

/** A text and its id, which it may contain any number of times. */
export type TextWithId = { text: Buffer; id: string };

/** Each doubles the length of symbols. */
const rounds = 7;
/** Pairs that are counted in a round: one that first appears behind so many others is rare. */
const maxPairs = 2 ** 17;
/** Every byte is a symbol, so every text has codes. */
const singles = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte));

/** Finds the longest symbol at a place of a text, by binary search in the sorted symbols. */
class Matcher {
  /** The length of the last match. */
  length = 0;
  // By rank: the code, the place in `bytes`, the length, and the rank of the longest symbol that begins this one.
  readonly #codes: Uint16Array;
  readonly #places: Uint32Array;
  readonly #lengths: Uint8Array;
  readonly #beginnings: Uint16Array;
  readonly #bytes: Buffer;
  /** The number of symbols whose first two bytes are less. */
  readonly #firsts = new Uint16Array(2 ** 16 + 1);

  /** @param texts the symbols by code, in Latin-1 */
  constructor(texts: string[]) {
    const sorted = [...texts.entries()].slice(idCode + 1).sort(([, a], [, b]) => (a < b ? -1 : 1));
    this.#codes = Uint16Array.from(sorted, ([code]) => code);
    this.#lengths = Uint8Array.from(sorted, ([, text]) => text.length);
    this.#bytes = Buffer.from(sorted.map(([, text]) => text).join(''), 'latin1');
    this.#places = new Uint32Array(sorted.length);
    this.#beginnings = new Uint16Array(sorted.length);
    const open: number[] = [];
    let place = 0;
    for (const [rank, [, text]] of sorted.entries()) {
      while (open.length > 0 && !text.startsWith(sorted[open.at(-1) as number]?.[1] ?? '')) open.pop();
      this.#beginnings[rank] = open.at(-1) ?? 0;
      open.push(rank);
      this.#places[rank] = place;
      place += text.length;
      this.#firsts[((text.charCodeAt(0) << 8) | (text.charCodeAt(1) || 0)) + 1] = rank + 1;
    }
    for (let i = 1; i < this.#firsts.length; i++) this.#firsts[i] ||= this.#firsts[i - 1] as number;
  }

  /** The code of the longest symbol at a place of a text that ends at `end`. */
  match(text: Buffer, at: number, end: number): number {
    const first = ((text[at] as number) << 8) | (at + 1 < end ? (text[at + 1] as number) : 0);
    let low = this.#firsts[first] as number;
    let high = this.#firsts[first + 1] as number;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const same = this.#sameBytes(middle, text, at, end);
      const next = (this.#places[middle] as number) + same;
      const isBefore =
        same === this.#lengths[middle] ||
        (at + same < end && (this.#bytes[next] as number) < (text[at + same] as number));
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    // All symbols that begin the text begin the last one that is not after it, too.
    let rank = low - 1;
    const same = this.#sameBytes(rank, text, at, end);
    while ((this.#lengths[rank] as number) > same) rank = this.#beginnings[rank] as number;
    this.length = this.#lengths[rank] as number;
    return this.#codes[rank] as number;
  }

  /** How many bytes of a symbol the text has here. */
  #sameBytes(rank: number, text: Buffer, at: number, end: number): number {
    const place = this.#places[rank] as number;
    const length = Math.min(this.#lengths[rank] as number, end - at);
    let same = 0;
    while (same < length && this.#bytes[place + same] === text[at + same]) same++;
    return same;
  }
}

/** Calls `visit` with the codes of a text. */
function forEachCode(matcher: Matcher, { text, id }: TextWithId, visit: (code: number) => void): void {
  for (let begin = 0; ; begin += idLength) {
    const next = text.indexOf(id, begin, 'latin1');
    const end = next < 0 ? text.length : next;
    for (; begin < end; begin += matcher.length) visit(matcher.match(text, begin, end));
    if (next < 0) return;
    visit(idCode);
  }
}

export class SymbolEncoder {
  readonly #matcher: Matcher;

  constructor(symbols: Symbols) {
    this.#matcher = new Matcher(unpackSymbols(symbols));
  }

  /** Writes the codes of a text, at most one for each of its bytes; returns where they end. */
  encode(text: TextWithId, out: Uint16Array, begin: number): number {
    let end = begin;
    forEachCode(this.#matcher, text, (code) => {
      out[end++] = code;
    });
    return end;
  }
}

/** Finds the symbols that compress a sample best: in each round, those of the last one and pairs of them compete. */
export function findSymbols(sample: TextWithId[]): Symbols {
  let symbols = withId(singles);
  for (let round = 0; round < rounds; round++) {
    // The first rounds need fewer texts: they find short symbols.
    const some = sample.slice(0, Math.ceil(sample.length / 2 ** (rounds - 1 - round)));
    const { counts, pairs } = countCodes(some, symbols);
    const gains = new Map<string, number>();
    const add = (symbol: string, count: number) => {
      if (count > 1) gains.set(symbol, (gains.get(symbol) ?? 0) + count * symbol.length);
    };
    for (const [code, symbol] of symbols.entries())
      if (symbol.length > 1) add(symbol, counts[code] as number);
    for (const [pair, count] of pairs) add(pairOf(symbols, pair), count);
    symbols = withId([...singles, ...highest(gains).slice(0, maxSymbols - 1 - singles.length)]);
  }
  return packSymbols(symbols);
}

/** How often a sample has each code, and pairs of codes that could be one symbol. */
function countCodes(sample: TextWithId[], symbols: string[]) {
  const matcher = new Matcher(symbols);
  const counts = new Uint32Array(symbols.length);
  const pairs = new Map<number, number>();
  for (const text of sample) {
    let previous = idCode;
    forEachCode(matcher, text, (code) => {
      counts[code] = (counts[code] as number) + 1;
      const pair = previous * maxSymbols + code;
      const isPair = previous !== idCode && code !== idCode && (pairs.size < maxPairs || pairs.has(pair));
      if (isPair && pairOf(symbols, pair).length <= maxSymbolLength)
        pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
      previous = code;
    });
  }
  return { counts, pairs };
}

const pairOf = (symbols: string[], pair: number): string =>
  (symbols[Math.floor(pair / maxSymbols)] as string) + (symbols[pair % maxSymbols] as string);

/** The symbols with the highest values first. */
const highest = (values: Map<string, number>): string[] =>
  [...values].sort(([, a], [, b]) => b - a).map(([symbol]) => symbol);
