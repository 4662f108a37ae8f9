/** The content lines of an iCalendar file (RFC 5545): decoded, and unfolded. */
import { CalendarError } from './calendar-error.ts';

/** `number` is the line number of its first part in the file. */
export type ContentLine = { number: number; text: string };

const [maxBytes, maxEntries] = [5_000_000, 5_000];
/** Of a file: UTF-16 has up to two bytes for each of UTF-8. */
export const maxFileBytes = 2 * maxBytes + 2;
/** In bytes. What a line has behind them is not read: it is longer than any text of an event. */
const maxLineLength = 64 * 1024;

/**
 * Checks the bounds of a file before anything else is done with it.
 * @returns the lines in turns: each is read when it is asked for
 * @throws CalendarError above a bound
 */
export function readLines(bytes: Buffer): Iterable<ContentLine> {
  if (bytes.length > maxFileBytes) throw tooLarge();
  const decoded = toUtf8(bytes);
  if (decoded.length > maxBytes) throw tooLarge();
  // One character is one byte, because a fold can be within a UTF-8 character.
  const text = decoded.toString('latin1');
  if (countEntries(text) > maxEntries)
    throw new CalendarError('payload_too_large', `has more than ${maxEntries.toLocaleString('en')} entries`);
  return unfold(text);
}

const tooLarge = () => new CalendarError('payload_too_large', `has more than ${maxBytes / 1e6} MB`);

/** Converts UTF-16, with or without a byte order mark, to UTF-8, and removes a byte order mark of UTF-8. */
function toUtf8(bytes: Buffer): Buffer {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return bytes.subarray(3);
  const isLittle = (a === 0xff && b === 0xfe) || (a !== 0 && b === 0);
  const isBig = (a === 0xfe && b === 0xff) || (a === 0 && b !== 0);
  if (!isLittle && !isBig) return bytes;
  const start = a === 0xff || a === 0xfe ? 2 : 0;
  const pairs = Buffer.from(bytes.subarray(start, bytes.length - (bytes.length % 2)));
  const text = (isLittle ? pairs : pairs.swap16()).toString('utf16le');
  return Buffer.from(text.toWellFormed());
}

/** Stops counting above the bound. */
function countEntries(text: string): number {
  const begin = /^BEGIN:VEVENT[ \t]*$/gim;
  let count = 0;
  while (count <= maxEntries && begin.test(text)) count++;
  return count;
}

/** Joins folded lines, and leaves out empty ones. */
function* unfold(text: string): Generator<ContentLine> {
  let [open, length, number] = [[] as string[], 0, 0];
  const end = /\r\n|\n|\r/g;
  for (let [start, at] = [0, 1]; start < text.length; at++) {
    end.lastIndex = start;
    const found = end.exec(text);
    const line = text.slice(start, Math.min(found?.index ?? text.length, start + maxLineLength));
    start = found ? end.lastIndex : text.length;
    if (line === '') continue;
    const isFolded = /^[ \t]/.test(line) && open.length > 0;
    if (!isFolded && open.length > 0) yield { number, text: decode(open.join('')) };
    if (!isFolded) [open, length, number] = [[], 0, at];
    const part = (isFolded ? line.slice(1) : line).slice(0, maxLineLength - length);
    length += part.length;
    open.push(part);
  }
  if (open.length > 0) yield { number, text: decode(open.join('')) };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const windows1252 = new TextDecoder('windows-1252');

/**
 * A line that is not UTF-8 is Windows-1252, which has the characters of Latin-1. NUL, which PostgreSQL cannot store, is
 * left out.
 */
function decode(latin1: string): string {
  if (!/[\0\x80-\xff]/.test(latin1)) return latin1;
  const bytes = Buffer.from(latin1, 'latin1');
  try {
    return utf8.decode(bytes).replaceAll('\0', '');
  } catch {
    // The last character of a line that was cut may be incomplete.
    if (latin1.length >= maxLineLength) return bytes.toString().replaceAll('\0', '');
    return windows1252.decode(bytes).replaceAll('\0', '');
  }
}
