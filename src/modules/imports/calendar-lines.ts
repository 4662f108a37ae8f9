/** The content lines of an iCalendar file (RFC 5545): decoded, and unfolded. */
import { maxEntries, tooManyEntries, toUtf8 } from './file-bytes.ts';

/** `number` is the line number of its first part in the file. */
export type ContentLine = { number: number; text: string };

/** In bytes. What a line has behind them is not read: it is longer than any text of an event. */
const maxLineLength = 64 * 1024;

/**
 * Checks the bounds of a file before anything else is done with it.
 * @returns the lines in turns: each is read when it is asked for
 * @throws CalendarError above a bound
 */
export function readLines(bytes: Buffer): Iterable<ContentLine> {
  // One character is one byte, because a fold can be within a UTF-8 character.
  const text = toUtf8(bytes).toString('latin1');
  if (countEntries(text) > maxEntries) throw tooManyEntries();
  return unfold(text);
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
