/**
 * Compresses short texts that resemble each other, such as the JSON of events, so that each can be read by itself in less
 * than a microsecond: codes of two bytes stand for frequent parts of the texts. Like FSST (Boncz, Neumann and Leis, PVLDB
 * 2020), but with more and longer symbols. Texts are UTF-8, and symbols may begin and end within a character.
 */
import type { ByteWriter } from '../byte-writer.ts';

export const maxSymbols = 2 ** 15;
/** In bytes. */
export const maxSymbolLength = 64;
/** Symbol 0 is the text's own id, of this many bytes. */
export const [idCode, idLength] = [0, 36];

/** Symbols are written in two words at least. */
const [wordSize, minWords] = [8, 2];
const bitsOfLength = 7;

/** `entries`: the length of each symbol, and where it begins in `words`, which has its bytes, padded with others. */
export type Symbols = { entries: Uint32Array; words: BigUint64Array };

/** Symbols by code, with one in the place of the id. */
export const withId = (texts: string[]): string[] => [''.padEnd(idLength), ...texts];

/** @param texts the symbols by code, in Latin-1 */
export function packSymbols(texts: string[]): Symbols {
  let count = 0;
  const entries = Uint32Array.from(texts, ({ length }) => {
    const entry = (count << bitsOfLength) | length;
    count += Math.ceil(length / wordSize);
    return entry;
  });
  const words = new BigUint64Array(count + minWords);
  const bytes = bytesOf(words);
  for (const [code, text] of texts.entries()) bytes.write(text, beginOf(entries[code] as number), 'latin1');
  return { entries, words };
}

/** The symbols by code, in Latin-1. */
export function unpackSymbols({ entries, words }: Symbols): string[] {
  const bytes = bytesOf(words);
  return Array.from(entries, (entry) =>
    bytes.toString('latin1', beginOf(entry), beginOf(entry) + lengthOf(entry)),
  );
}

const lengthOf = (entry: number): number => entry & ((1 << bitsOfLength) - 1);
const beginOf = (entry: number): number => (entry >>> bitsOfLength) * wordSize;
const bytesOf = ({ buffer, byteOffset, byteLength }: BigUint64Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

export class SymbolDecoder {
  readonly #symbols: Symbols;
  readonly #bytes: Buffer;

  constructor(symbols: Symbols) {
    this.#symbols = symbols;
    this.#bytes = bytesOf(symbols.words);
  }

  /** Adds the text with the codes from `begin` to before `end`, and with this id. */
  decode(codes: Uint16Array, begin: number, end: number, id: string, out: ByteWriter): void {
    for (let i = 0; i < idLength; i++) this.#bytes[i] = id.charCodeAt(i);
    // Whole words are written, so the last symbol may write beyond its end.
    out.reserve((end - begin) * maxSymbolLength + minWords * wordSize);
    const { entries, words } = this.#symbols;
    const { view } = out;
    let at = out.length;
    for (let i = begin; i < end; i++) {
      const entry = entries[codes[i] as number] as number;
      const length = lengthOf(entry);
      let word = entry >>> bitsOfLength;
      // Most symbols have no more, and a processor does not foresee the length of a loop.
      view.setBigUint64(at, words[word] as bigint, true);
      view.setBigUint64(at + wordSize, words[word + 1] as bigint, true);
      for (let written = minWords * wordSize; written < length; written += wordSize)
        view.setBigUint64(at + written, words[word++ + minWords] as bigint, true);
      at += length;
    }
    out.length = at;
  }
}
